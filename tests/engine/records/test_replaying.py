"""A replay is the case once more: equal to the last digit on the same corpus, and honest on another."""

from __future__ import annotations

from datetime import date
from typing import Any

import orjson
import pytest

from engine.corpus.protocol import Corpus
from engine.errors import InputError, SettingsError
from engine.investigation import Case, again
from engine.records.comparing import compare
from engine.records.export import investigation_to_json
from engine.records.replaying import replayed
from engine.settings import InvestigationSettings, preset
from tests.engine.harbour import QUESTION

QUESTIONS = (QUESTION, "Who takes a pilot?", "What does Article 3 say?", "as_of:2020-01-01 dues in arrears")


@pytest.fixture(autouse=True)
def nothing_remembered(harbour: Corpus) -> None:
    again.FINISHED.of(harbour).clear()


def record_of(case: Case) -> dict[str, Any]:
    values: dict[str, Any] = orjson.loads(orjson.dumps(investigation_to_json(case.investigation())))
    return values


def asked(corpus: Corpus, question: str, settings: InvestigationSettings) -> Case:
    case = Case(corpus, question, settings)
    list(case.run())
    return case


@pytest.mark.parametrize("question", QUESTIONS)
@pytest.mark.parametrize("depth", ["auto", "quick", "balanced", "thorough", "detective"])
def test_equal_to_the_last_digit(harbour: Corpus, question: str, depth: str) -> None:
    record = record_of(asked(harbour, question, preset(depth)))
    again.FINISHED.of(harbour).clear()
    found = orjson.loads(orjson.dumps(investigation_to_json(replayed(record, harbour))))
    assert compare(record, found).same


def test_of_another_day_it_is_as_of_the_day_it_was_asked(harbour: Corpus) -> None:
    case = Case(harbour, QUESTION, preset("quick"), day=date(2021, 5, 6))
    list(case.run())
    record = record_of(case)
    assert compare(record, record_of_replay(record, harbour)).same


def record_of_replay(record: dict[str, Any], corpus: Corpus, **more: Any) -> dict[str, Any]:
    values: dict[str, Any] = orjson.loads(
        orjson.dumps(investigation_to_json(replayed(record, corpus, **more)))
    )
    return values


def test_a_retriever_that_is_not_there_is_left_out_and_named(harbour: Corpus) -> None:
    record = record_of(asked(harbour, QUESTION, preset("quick")))
    named = [*record["settings"]["retrievers"], "late"]
    found = record_of_replay({**record, "settings": {**record["settings"], "retrievers": named}}, harbour)
    assert found["settings"] == record["settings"]
    assert found["passages"] == record["passages"]
    note = "this engine has no retriever 'late': the case was gone through without it"
    assert found["notes"] == [*record["notes"], note]
    record["settings"]["retrievers"] = ["late"]
    with pytest.raises(SettingsError, match="unknown retriever 'late'; known retrievers: bm25"):
        replayed(record, harbour)


def test_what_is_no_record_is_told(harbour: Corpus) -> None:
    with pytest.raises(InputError, match="cannot be replayed"):
        replayed({"question": "x"}, harbour)
