"""Words that repeal a provision or an act, and words like them that do not."""

from __future__ import annotations

import pytest

from engine.language.references import find_mentions
from engine.model import Relation
from tests.tables import table

REPEALED = table(__file__, "REPEALED")
# A decision under a provision is cancelled, a duty lapses: the provision stays.
KEPT = table(__file__, "KEPT")


def test_words_of_repeal(subtests: pytest.Subtests) -> None:
    for language, texts in REPEALED.items():
        for text in texts:
            with subtests.test(text):
                found = find_mentions(text, language)
                assert found
                assert {one.relation for one in found} == {Relation.REPEALS}


def test_other_words_repeal_nothing(subtests: pytest.Subtests) -> None:
    for language, texts in KEPT.items():
        for text in texts:
            with subtests.test(text):
                assert Relation.REPEALS not in {one.relation for one in find_mentions(text, language)}
