"""Two settings on one question."""

from __future__ import annotations

import pytest

from engine.corpus.protocol import Corpus
from engine.errors import InputError
from engine.evaluation.compare import compare_settings
from tests.engine.harbour import QUESTION
from tests.engine.investigation.story import SETTINGS, finished

# So small a pool that the scan leaves something to find.
WIDE = SETTINGS.changed(pool_size=20)
NARROW = WIDE.changed(rounds=0)


def test_the_same_settings_find_the_same(bare: Corpus) -> None:
    pair = compare_settings(bare, QUESTION, (WIDE, WIDE))
    assert pair.left.alone == pair.right.alone == 0
    assert pair.shared == pair.left.pool_size == pair.right.pool_size
    assert [placed.other_rank for placed in pair.left.ranking] == [p.found.rank for p in pair.left.ranking]


def test_what_only_one_found_is_known(bare: Corpus) -> None:
    pair = compare_settings(bare, QUESTION, (WIDE, NARROW))
    wide, narrow = finished(bare, QUESTION, WIDE, None), finished(bare, QUESTION, NARROW, None)
    there = {e.passage_id for e in narrow.pool.entries()}
    only = {e.passage_id for e in wide.pool.entries()} - there
    assert only
    assert (pair.left.alone, pair.right.alone) == (len(only), 0)
    assert pair.right.rounds == 0 < pair.left.rounds
    for placed in pair.left.ranking:
        members = placed.found.assembled_ids or (placed.found.passage.id,)
        # A passage is shown with its neighbours, which may be in neither pool.
        assert placed.in_other_pool == (not there.isdisjoint(members))


def test_gold_is_looked_up_in_what_was_found(bare: Corpus) -> None:
    found = finished(bare, QUESTION, WIDE, None).ranking[0].passage.source_id
    pair = compare_settings(bare, QUESTION, (WIDE, NARROW), {found, "elsewhere"})
    assert (pair.gold, pair.left.gold_in_pool, pair.left.gold_ranked) == (2, 1, 1)
    assert [placed.gold for placed in pair.left.ranking].count(True) == 1


def test_an_empty_question_is_refused(bare: Corpus) -> None:
    with pytest.raises(InputError, match="the question is empty"):
        compare_settings(bare, " ", (WIDE, NARROW))
