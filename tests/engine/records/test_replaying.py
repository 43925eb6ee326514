"""A replay is the case once more: equal to the last digit on the same corpus, and honest on another."""

from __future__ import annotations

from datetime import date

import pytest

from engine.corpus.protocol import Corpus
from engine.errors import InputError, SettingsError
from engine.investigation import Case
from engine.investigation import case_cache as again
from engine.records.comparing import compare
from engine.records.replaying import rerun
from engine.settings import InvestigationSettings, preset
from tests.engine.harbour import QUESTION
from tests.engine.investigation.story import finished, plain, record_of

QUESTIONS = (QUESTION, "Who takes a pilot?", "What does Article 3 say?", "as_of:2020-01-01 dues in arrears")


@pytest.fixture(autouse=True)
def nothing_remembered(harbour: Corpus) -> None:
    again.FINISHED.of(harbour).clear()


def asked(corpus: Corpus, question: str, settings: InvestigationSettings) -> Case:
    return finished(corpus, question, settings, None)


@pytest.mark.parametrize("question", QUESTIONS)
@pytest.mark.parametrize("depth", ["auto", "quick", "balanced", "thorough", "detective"])
def test_equal_to_the_last_digit(harbour: Corpus, question: str, depth: str) -> None:
    record = record_of(asked(harbour, question, preset(depth)))
    again.FINISHED.of(harbour).clear()
    assert compare(record, plain(rerun(record, harbour).investigation())).same


def test_of_another_day_it_is_as_of_the_day_it_was_asked(harbour: Corpus) -> None:
    case = Case(harbour, QUESTION, preset("quick"), day=date(2021, 5, 6))
    list(case.run())
    record = record_of(case)
    assert compare(record, plain(rerun(record, harbour).investigation())).same


def test_a_retriever_that_is_not_there_is_left_out_and_named(harbour: Corpus) -> None:
    record = record_of(asked(harbour, QUESTION, preset("quick")))
    named = [*record["settings"]["retrievers"], "late"]
    asked_with = {**record, "settings": {**record["settings"], "retrievers": named}}
    found = plain(rerun(asked_with, harbour).investigation())
    assert found["settings"] == record["settings"]
    assert found["passages"] == record["passages"]
    note = "this engine has no retriever 'late': the case was replayed without it"
    assert found["notes"] == [*record["notes"], note]
    record["settings"]["retrievers"] = ["late"]
    with pytest.raises(SettingsError, match="unknown retriever 'late'; known retrievers: bm25"):
        rerun(record, harbour)


def test_what_is_no_record_is_refused(harbour: Corpus) -> None:
    with pytest.raises(InputError, match="cannot be replayed"):
        rerun({"question": "x"}, harbour)
