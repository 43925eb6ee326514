"""Each shipped grammar reads its own examples."""

from __future__ import annotations

import pytest

from engine import languages
from engine.language.references.grammar_files import SHIPPED
from engine.language.references.readings import grammars, recogniser
from tests.engine.language.references.reading import target


@pytest.mark.parametrize("language", [path.parent.name for path in languages.files(SHIPPED)])
def test_a_grammar_reads_its_examples(language: str, subtests: pytest.Subtests) -> None:
    reader = recogniser(language)
    assert reader is not None
    examples = next(one for one in grammars() if language in one.languages).examples
    assert examples
    for example in examples:
        with subtests.test(example.text):
            mentions = reader.find(example.text)
            assert [mention.text for mention in mentions] == [one.text for one in example.finds]
            for mention, expected in zip(mentions, example.finds, strict=True):
                assert expected.relation in (None, mention.relation)
                assert expected.document in (None, mention.document)
                assert expected.reads in (None, target(mention))
