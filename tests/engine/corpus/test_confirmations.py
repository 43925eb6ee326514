"""Confirmations: lines that are only added, and what is none."""

from __future__ import annotations

from pathlib import Path

import pytest

from engine.corpus.embedded.publication import CONFIRMATIONS_NAME
from engine.corpus.judgements import (
    Confirmation,
    Review,
    add_confirmation,
    current_confirmations,
    digest_of,
    load_confirmations,
    make_confirmation,
)
from engine.errors import CorpusError, InputError

HELD = ("act/art-1", digest_of("The words."))


def test_the_last_word_on_a_claim_and_a_passage_counts(tmp_path: Path) -> None:
    add_confirmation(tmp_path, make_confirmation("A  claim\nhere.", HELD, "supported", reviewer="Ada"))
    add_confirmation(tmp_path, make_confirmation("A claim here.", ("", ""), "not_in_corpus"))
    said = current_confirmations(load_confirmations(tmp_path))
    assert set(said) == {("A claim here.", "act/art-1"), ("A claim here.", "")}
    assert said["A claim here.", "act/art-1"].review is Review.CONFIRMED
    overruled = make_confirmation("A claim here.", HELD, "supported", instead="related", note="no\nlonger")
    kept = add_confirmation(tmp_path, overruled)
    assert (kept.review, kept.note, bool(kept.when)) == (Review.OVERRULED, "no longer", True)
    add_confirmation(tmp_path, overruled.model_copy(update={"withdrawn": True}))
    assert set(current_confirmations(load_confirmations(tmp_path))) == {("A claim here.", "")}


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"instead": "supported"}, "confirm it instead"),
        ({"claim": " "}, "at least 1 character"),
        ({"claim": "x" * 10_001}, "at most 10000"),
        ({"reviewer": "x" * 101}, "a name of 1 to 100 visible characters"),
        ({"note": "x" * 10_000}, "note: longer than 2,000"),
    ],
)
def test_what_is_no_confirmation_is_told(given: dict[str, str], words: str) -> None:
    told = {"claim": "A claim.", "held": HELD, "finding": "supported", **given}
    with pytest.raises(InputError, match=words):
        make_confirmation(**told)  # type: ignore[arg-type]


def test_a_damaged_line_is_named(tmp_path: Path) -> None:
    made = Confirmation(claim="x", passage_id="", sha256="", finding="related", review=Review.CONFIRMED)
    (tmp_path / CONFIRMATIONS_NAME).write_text(made.model_dump_json() + "\n{}\n", encoding="utf-8")
    with pytest.raises(CorpusError, match=r"confirmations.jsonl:2: not a confirmation"):
        load_confirmations(tmp_path)
