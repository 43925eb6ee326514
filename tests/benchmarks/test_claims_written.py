"""The written claims: known collections, both halves, true and false ones."""

from __future__ import annotations

from pathlib import Path

import pytest

from benchmarks.claims_written import FALSE, FOLDERS, TRUE, folders, report, written
from benchmarks.making.claim import HELD_OUT, TUNING
from benchmarks.making.measuring import Outcome
from engine.errors import InputError


def test_each_half_has_true_claims_and_false_ones() -> None:
    claims = written()
    assert {claim.collection for claim in claims} == set(FOLDERS)
    assert len({claim.text for claim in claims}) == len(claims)
    for half in (TUNING, HELD_OUT):
        kinds = [claim.kind for claim in claims if claim.half == half]
        assert min(kinds.count(TRUE), kinds.count(FALSE)) > 50


def test_what_is_right_and_what_misleads() -> None:
    claim = next(one for one in written() if one.kind == FALSE)
    told = [Outcome(claim, "supported", ""), Outcome(claim, "related", "")]
    assert [one.is_wrong for one in told] == [True, False]
    assert "| false | 2 | 1 |" in report(told, claim.half)


def test_an_unknown_collection_is_an_error(tmp_path: Path) -> None:
    file = tmp_path / "claims.tsv"
    file.write_text(
        "collection\tlanguage\ttruth\tkind\tclaim\nmars\ten\ttrue\tx\tA claim.\n", encoding="utf-8"
    )
    with pytest.raises(InputError, match="mars"):
        written(file)


def test_only_corpora_that_are_there_are_used(tmp_path: Path) -> None:
    (tmp_path / "de_bundesrecht").mkdir()
    assert folders(tmp_path) == {"de": tmp_path / "de_bundesrecht"}
