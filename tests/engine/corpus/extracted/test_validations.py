from __future__ import annotations

from pathlib import Path

import pytest
from pydantic import ValidationError

from engine.corpus.embedded.publication import VALIDATIONS_NAME
from engine.corpus.extracted import Judgement, Validation, add_validation, load_validations
from engine.errors import CorpusError
from tests.engine.corpus.extracted.values import EXCEPTION, EXTENSION

ACCEPTED = Validation(proposal=EXCEPTION, origin="model", judgement=Judgement.ACCEPTED, reviewer="A. Jurist")
REJECTED = Validation(proposal=EXCEPTION, origin="model", judgement=Judgement.REJECTED, note="no exception")


def test_a_correction_says_how_it_should_be() -> None:
    with pytest.raises(ValidationError, match="is required for a correction"):
        Validation(proposal=EXCEPTION, origin="model", judgement=Judgement.CORRECTED)
    with pytest.raises(ValidationError, match="is required for a correction"):
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
