"""What people did with a case: each event an activity, with its time, and whoever did it; each verdict of a
reviewer another."""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING

import orjson

from engine.exports.provenance.words import AGENT, ASSESSMENT, EVENT, FOUND, STATE, attributes, named
from engine.exports.reading import events_in, state_of
from engine.exports.registry import HandedOver
from engine.records.record import CaseRecord
from engine.records.store.chain import RAN, UNDONE
from engine.review.model import SourceType

if TYPE_CHECKING:
    from prov.model import ProvDocument


def add_events(document: ProvDocument, case: HandedOver, record: CaseRecord, *, run: str) -> None:
    """Add the events of a kept case; ``run`` is the activity that they follow."""
    there = {node.id for node in record.pool.nodes}
    before, known = run, {state_of(case)}
    for event in events_in(case):
        name, who = named(EVENT, event.number), named(AGENT, "who", event.who)
        at = datetime.fromisoformat(event.at)
        told = attributes(
            event.kind.capitalize(),
            event.kind,
            data=orjson.dumps(dict(event.data), option=orjson.OPT_SORT_KEYS).decode(),
            hash=event.hash,
        )
        document.activity(name, at, at, told)
        if not document.get_record(who):
            document.agent(who, [("prov:label", event.who)])
        document.wasAssociatedWith(name, who)
        taken_back = [named(EVENT, event.data["event"])] if event.kind == UNDONE else []
        for earlier in dict.fromkeys([before, *taken_back]):
            document.wasInformedBy(name, earlier)
        # What was pinned, dismissed or followed; both ends of a link that was judged.
        for passage in (event.data.get(end) for end in ("passage", "source", "target")):
            if passage in there:
                document.used(name, named(FOUND, str(passage)))
        if event.state is not None and event.kind != RAN:
            state = named(STATE, event.state)
            if event.state not in known:
                known.add(event.state)
                document.entity(state, attributes("Record", "the record behind a step", sha256=event.state))
            document.wasGeneratedBy(state, name, at)
        before = name


def add_verdicts(document: ProvDocument, case: HandedOver, record: CaseRecord, *, run: str) -> None:
    """Add what reviewers said, where it is handed over, of what ``run`` has found."""
    there = {node.id for node in record.pool.nodes}
    for number, one in enumerate(case.verdicts, 1):
        name, who = named(ASSESSMENT, number), named(AGENT, "reviewer", one.reviewer)
        at = datetime.fromisoformat(one.at)
        told = attributes(
            "Assessment",
            one.verdict.value,
            of=one.item.kind.value,
            key=one.item.key,
            reason=one.reason,
            note=one.note,
            sha256=one.sha256,
        )
        document.activity(name, at, at, told)
        if not document.get_record(who):
            kind = "prov:Person" if one.source is SourceType.HUMAN else "prov:SoftwareAgent"
            document.agent(who, attributes(kind, one.reviewer))
        document.wasAssociatedWith(name, who)
        document.wasInformedBy(name, run)
        for passage in dict.fromkeys((one.item.source_id, one.item.passage_id)):
            if passage in there:
                document.used(name, named(FOUND, passage))
