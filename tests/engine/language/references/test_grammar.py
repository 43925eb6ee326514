"""Each shipped grammar reads its own examples."""

from __future__ import annotations

import pytest

from engine.language.references.grammar import cased
from engine.language.references.registry import grammars, recogniser
from tests.engine.language.references.reading import target


def test_examples(subtests: pytest.Subtests) -> None:
    for grammar in grammars():
        assert grammar.examples
        reader = recogniser(grammar.languages[0])
        assert reader is not None
        for example in grammar.examples:
            with subtests.test(grammar.name, text=example.text):
                mentions = reader.find(example.text)
                assert [mention.text for mention in mentions] == [one.text for one in example.finds]
                for mention, expected in zip(mentions, example.finds, strict=True):
                    assert expected.relation in (None, mention.relation)
                    assert expected.document in (None, mention.document)
                    assert expected.reads in (None, target(mention))


def test_words_may_be_written_with_a_capital_and_in_capitals_unless_that_changes_an_escape() -> None:
    assert cased(("section",)) == ["section", "Section", "SECTION"]
    assert cased(("art\\.", "Part")) == ["art\\.", "Art\\.", "Part", "PART"]
    assert cased(("[x]a", "§§ of")) == ["[x]a", r"§§\s+of", r"§§\s+OF"]
