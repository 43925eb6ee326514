from __future__ import annotations

from pathlib import Path

import pytest
from pydantic import ValidationError

from engine.corpus.embedded.publication import VALIDATIONS_NAME
from engine.corpus.extracted.validations import (
    Judgement,
    Validation,
    add_validation,
    judged,
    load_validations,
)
from engine.errors import CorpusError
from tests.engine.corpus.extracted.values import EXCEPTION, EXTENSION

ACCEPTED = Validation(proposal=EXCEPTION, origin="model", judgement=Judgement.ACCEPTED, reviewer="A. Jurist")
REJECTED = Validation(proposal=EXCEPTION, origin="model", judgement=Judgement.REJECTED, note="no exception")


def test_the_last_verdict_counts_until_it_is_withdrawn(tmp_path: Path) -> None:
    first = add_validation(tmp_path, ACCEPTED)
    assert first.when.startswith("20")
    second = add_validation(tmp_path, REJECTED)
    assert load_validations(tmp_path) == [first, second]
    assert judged(load_validations(tmp_path)) == {EXCEPTION.key: second}
    add_validation(tmp_path, REJECTED.model_copy(update={"withdrawn": True}))
    assert judged(load_validations(tmp_path)) == {}


def test_what_holds_by_a_verdict() -> None:
    corrected = Validation(
        proposal=EXCEPTION, origin="model", judgement=Judgement.CORRECTED, correction=EXTENSION
    )
    assert (ACCEPTED.holds, REJECTED.holds, corrected.holds) == (EXCEPTION, None, EXTENSION)


def test_a_correction_says_how_it_should_be() -> None:
    with pytest.raises(ValidationError, match="says how it should be"):
        Validation(proposal=EXCEPTION, origin="model", judgement=Judgement.CORRECTED)
    with pytest.raises(ValidationError, match="says how it should be"):
        Validation(proposal=EXCEPTION, origin="model", judgement=Judgement.ACCEPTED, correction=EXTENSION)


def test_a_cut_line_does_not_count_and_a_broken_one_is_named(tmp_path: Path) -> None:
    kept = add_validation(tmp_path, ACCEPTED)
    with open(tmp_path / VALIDATIONS_NAME, "ab") as file:
        file.write(b'{"proposal": {"source')
    assert load_validations(tmp_path) == [kept]
    after = add_validation(tmp_path, REJECTED)
    assert load_validations(tmp_path) == [kept, after]
    with open(tmp_path / VALIDATIONS_NAME, "ab") as file:
        file.write(b"{}\n")
    with pytest.raises(CorpusError, match=r"validations.jsonl:3: not a verdict"):
        load_validations(tmp_path)
    with pytest.raises(CorpusError, match=r"cannot write .*validations\.jsonl"):
        add_validation(tmp_path / "nowhere", ACCEPTED)
