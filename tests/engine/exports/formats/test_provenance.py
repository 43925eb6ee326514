"""Provenance as the package of PROV reads it."""

from __future__ import annotations

import warnings
from datetime import datetime
from typing import Any

import orjson
import pytest
from prov.constants import PROV_ATTR_ACTIVITY, PROV_ATTR_GENERATED_ENTITY, PROV_ATTR_USED_ENTITY
from prov.model import ProvActivity, ProvAgent, ProvAssociation, ProvDerivation, ProvDocument

from engine.exports.cases import ExportableCase, export_of, record_in
from engine.exports.formats.provenance import FOUND, document_of, named
from engine.records.store.chain import UNDONE
from tests.engine.exports.cases import ASKED, GAPS, KINDS, ORDINARY, WHO
from tests.engine.exports.conftest import Cases


def as_read(case: ExportableCase) -> ProvDocument:
    """The document as another program reads it; what it warns of is an error."""
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        return ProvDocument.deserialize(content=export_of("prov").write(case), format="json")


def one(record: Any, name: Any) -> Any:
    """An attribute of a record, None where it has none."""
    return next(iter(record.get_attribute(name)), None)


@pytest.mark.parametrize("kind", KINDS)
def test_it_is_read_as_it_was_written(kind: str, cases: Cases) -> None:
    found = as_read(cases[kind])
    assert found == document_of(cases[kind])
    again = ProvDocument.deserialize(content=found.serialize(format="json"), format="json")
    assert again == found


@pytest.mark.parametrize("kind", KINDS)
def test_everything_that_is_meant_is_there(kind: str, cases: Cases) -> None:
    values = orjson.loads(export_of("prov").write(cases[kind]))
    there = {name for part in ("entity", "activity", "agent") for name in values.get(part, {})}
    ends = {"prov:entity", "prov:activity", "prov:agent", "prov:generatedEntity", "prov:usedEntity"}
    ends |= {"prov:plan", "prov:starter", "prov:informed", "prov:informant", "prov:delegate"}
    ends |= {"prov:responsible", "prov:specificEntity", "prov:generalEntity", "prov:collection"}
    for part, records in values.items():
        if part not in ("prefix", "entity", "activity", "agent"):
            for record in records.values():
                assert {record[end] for end in ends if end in record} <= there, part


def test_a_hop_is_a_derivation_with_its_quote(cases: Cases) -> None:
    record, document = record_in(cases[ORDINARY]), as_read(cases[ORDINARY])
    derivations = [d for d in document.get_records(ProvDerivation) if "hop:" in str(d.identifier)]
    assert len(derivations) == len(record.pool.edges)
    number, step = next((n, s) for n, s in enumerate(record.pool.edges) if s.source is not None and s.quote)
    [found] = document.get_record(f"hop:{number}")
    assert one(found, "redstring:quote") == step.quote
    assert one(found, "redstring:relation") == step.relation.value
    assert str(one(found, PROV_ATTR_GENERATED_ENTITY)) == named(FOUND, step.target)
    assert str(one(found, PROV_ATTR_USED_ENTITY)) == named(FOUND, step.source or "")
    assert str(one(found, PROV_ATTR_ACTIVITY)) == f"work:{step.round}/{step.strategy}"


def test_what_people_did_has_its_time_and_its_person(cases: Cases) -> None:
    case, document = cases[GAPS], as_read(cases[GAPS])
    for event in case.events:
        [activity] = document.get_record(f"event:{event.number}")
        assert isinstance(activity, ProvActivity)
        assert activity.get_startTime() == activity.get_endTime() == datetime.fromisoformat(event.at)
        assert one(activity, "redstring:hash") == event.hash
    agents = {
        label for agent in document.get_records(ProvAgent) for label in agent.get_attribute("prov:label")
    }
    assert {WHO, "Bob"} < agents
    [undone] = [event for event in case.events if event.kind == UNDONE]
    values = orjson.loads(export_of("prov").write(case))
    informed = [(told["prov:informed"], told["prov:informant"]) for told in values["wasInformedBy"].values()]
    assert (f"event:{undone.number}", f"event:{undone.data['event']}") in informed


def test_the_case_says_when_it_was_and_by_what(cases: Cases) -> None:
    record, document = record_in(cases[ASKED]), as_read(cases[ASKED])
    [run] = document.get_record("case:investigation")
    assert isinstance(run, ProvActivity)
    assert run.get_startTime() == record.begun
    [question] = document.get_record("case:question")
    assert one(question, "prov:label") == record.question
    assert any("case:plan" in str(one) for one in document.get_records(ProvAssociation))
    labels = {str(one(agent, "prov:label")) for agent in document.get_records(ProvAgent)}
    assert any(label.startswith("Redstring ") for label in labels)
    # The model by its name, and not by where it stands.
    assert not any("127.0.0.1" in label for label in labels)
    assert document.get_record("agent:model")
