"""A saved investigation read back whole is the one that was saved; a damaged file is named with its fault."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import orjson
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from engine.corpus.protocol import Corpus
from engine.errors import InputError
from engine.records.conversion import investigation_to_json, load_investigation, record_of, save
from tests.engine.harbour import QUESTION
from tests.engine.investigation.story import BREADTH, SETTINGS, finished
from tests.engine.records.spoiling import spoil


@pytest.fixture
def file(harbour: Corpus, tmp_path: Path) -> Path:
    chosen = SETTINGS.changed(transaction_type="pilot-exemption")
    case = finished(harbour, QUESTION, chosen, replace(BREADTH, seeds=2))
    save(case.investigation(), tmp_path / "case.json")
    return tmp_path / "case.json"


def test_it_comes_back_as_it_was(harbour: Corpus, file: Path) -> None:
    again = load_investigation(file, harbour)
    assert again.evidence.parts
    assert any(one.queries for one in again.rounds)
    saved = record_of(file)
    assert orjson.loads(orjson.dumps(investigation_to_json(again), default=dict)) == saved


def test_words_that_have_changed_since_are_noted(harbour: Corpus, file: Path) -> None:
    assert not [note for note in load_investigation(file, harbour).notes if "since" in note]
    record = orjson.loads(file.read_bytes())
    record["passages"][0]["text"] += " And more."
    file.write_bytes(orjson.dumps(record))
    told = load_investigation(file, harbour).notes[-1]
    assert told == "the text of 1 passage has changed since the case was saved"


@pytest.mark.parametrize(
    ("damage", "message"),
    [
        (lambda record: record.pop("question"), "question: Field required"),
        (lambda record: record.update(started="once"), "started: "),
        (lambda record: record["settings"].update(rounds=-1), "settings.rounds: "),
        (lambda record: record["stop"].update(reason="bored"), "stop.reason: "),
        (lambda record: record["rounds"][0].update(number="x"), "rounds.0.number: "),
        (lambda record: record["rounds"][0].pop("admitted"), "rounds.0.admitted: Field required"),
        (lambda record: record["plan"].update(views=3), "plan.views: "),
        (lambda record: record.pop("plan"), "plan: "),
        (lambda record: record["passages"][0].update(id="gone"), "passage 'gone' is not in the corpus"),
        (lambda record: record["passages"][0].update(assembled=["gone"]), "passage 'gone' is not in the"),
        (
            lambda record: record["passages"][0]["trails"][0][0].pop("quote"),
            "damaged: passages.0.trails.0.0.quote: ",
        ),
        (
            lambda record: record["evidence"]["parts"][0]["passages"][0].update(id="gone"),
            "passage 'gone' is not in the corpus",
        ),
    ],
)
def test_damage_is_named_with_its_field(
    harbour: Corpus, file: Path, damage: Callable[[dict[str, Any]], object], message: str
) -> None:
    record = orjson.loads(file.read_bytes())
    damage(record)
    file.write_bytes(orjson.dumps(record))
    with pytest.raises(InputError) as caught:
        load_investigation(file, harbour)
    told = str(caught.value)
    assert message in told
    assert told.startswith(f"{file}: ")
    assert "\n" not in told


def test_a_file_of_another_corpus(tariff: Corpus, file: Path) -> None:
    with pytest.raises(InputError, match="is not in the corpus 'tariff'"):
        load_investigation(file, tariff)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.data())
def test_any_content_of_a_field_is_read_or_refused(harbour: Corpus, file: Path, data: st.DataObject) -> None:
    """Any value anywhere: an investigation, or one error of ours."""
    record = orjson.loads(file.read_bytes())
    spoil(record, data)
    spoilt = file.with_name("spoilt.json")
    try:
        spoilt.write_bytes(orjson.dumps(record))
    except TypeError:  # A number beyond what JSON of this kind holds.
        return
    told = ""
    try:
        told = load_investigation(spoilt, harbour).question
    except InputError as error:
        told = str(error)
    assert isinstance(told, str)
    assert "\n" not in told


def test_one_that_found_nothing(bare: Corpus, tmp_path: Path) -> None:
    save(finished(bare, "xyzzy").investigation(), tmp_path / "case.json")
    assert load_investigation(tmp_path / "case.json", bare).passages == ()
