"""The provenance of a case in W3C PROV, as PROV-JSON.

https://www.w3.org/TR/prov-dm/ and https://www.w3.org/submissions/prov-json/. A passage found is an entity of
the case, a specialization of the corpus's passage, and derived from the start of the hop to it; the quote of
the hop belongs to the derivation.
"""

from __future__ import annotations

import hashlib
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Any, NamedTuple
from urllib.parse import quote

import orjson

from engine.exports.cases import (
    Export,
    ExportableCase,
    Names,
    events_in,
    model_name,
    names_of,
    record_in,
    state_of,
)
from engine.model import GapQuery, StrategyCount
from engine.records.record import CaseRecord, HopPart, RoundPart
from engine.records.store.chain import RAN, UNDONE
from engine.records.store.store import engine_version
from engine.review.model import SourceType

if TYPE_CHECKING:
    from prov.model import ProvDocument


# A case as provenance (W3C PROV).

# Identifiers are qualified names: characters invalid in PROV-N are percent-encoded, and ``redstring:id``
# contains the original id.

VOCABULARY = "urn:redstring:vocabulary:"
_PLAIN = "/@._-~"
Attributes = list[tuple[str, Any]]


class Space(NamedTuple):
    """A prefix with the kind of thing that its names identify."""

    prefix: str
    kind: str


CASE, ROUND, WORK = Space("case", ""), Space("round", "round:"), Space("work", "work:")
FOUND, PASSAGE, DOCUMENT = Space("found", "found:"), Space("passage", ""), Space("document", "")
QUERY, HOP, EVENT = Space("query", "query:"), Space("hop", "hop:"), Space("event", "event:")
AGENT, STATE = Space("agent", "agent:"), Space("state", "state:")
ASSESSMENT = Space("assessment", "assessment:")
# Names of the corpus, the same in all cases; all others belong to one case.
OF_CORPUS = {PASSAGE: "passage:", DOCUMENT: "document:"}
OF_CASE = (CASE, ROUND, WORK, FOUND, QUERY, HOP, EVENT, AGENT, STATE, ASSESSMENT)


def named(space: Space, *parts: str | int) -> str:
    """Return a qualified name."""
    return f"{space.prefix}:{'/'.join(quote(str(part), safe=_PLAIN) for part in parts)}"


def namespaces(case: str, corpus: str) -> dict[str, str]:
    """Return the namespaces of the prefixes for a case and a corpus."""
    case, corpus = quote(case, safe=""), quote(corpus, safe="")
    return {
        "redstring": VOCABULARY,
        **{space.prefix: f"urn:redstring:case:{case}:{space.kind}" for space in OF_CASE},
        **{space.prefix: f"urn:redstring:corpus:{corpus}:{kind}" for space, kind in OF_CORPUS.items()},
    }


def attributes(kind: str, label: str = "", **given: str | float | bool | None) -> Attributes:
    """Return the type ("Round", or "prov:Plan" for a PROV type), label and other known values of a thing."""
    from prov.constants import PROV
    from prov.identifier import Namespace

    own = Namespace("redstring", VOCABULARY)
    word = kind.removeprefix("prov:")
    found: Attributes = [("prov:type", PROV[word] if word != kind else own[word])]
    if label:
        found.append(("prov:label", label))
    return found + [(f"redstring:{name}", value) for name, value in given.items() if value not in (None, "")]


# Events of a case, and verdicts of reviewers, as activities with their agents.


def add_events(document: ProvDocument, case: ExportableCase, record: CaseRecord, *, run: str) -> None:
    """Add the events of a stored case; ``run`` is the activity before them."""
    there = {node.id for node in record.pool.nodes}
    before, known = run, {state_of(case)}
    for event in events_in(case):
        name, who = named(EVENT, event.number), named(AGENT, "who", event.who)
        at = datetime.fromisoformat(event.at)
        values = attributes(
            event.kind.capitalize(),
            event.kind,
            data=orjson.dumps(dict(event.data), option=orjson.OPT_SORT_KEYS).decode(),
            hash=event.hash,
        )
        document.activity(name, at, at, values)
        if not document.get_record(who):
            document.agent(who, [("prov:label", event.who)])
        document.wasAssociatedWith(name, who)
        taken_back = [named(EVENT, event.data["event"])] if event.kind == UNDONE else []
        for earlier in dict.fromkeys([before, *taken_back]):
            document.wasInformedBy(name, earlier)
        # Passages pinned, dismissed or followed, and both ends of a judged link.
        for passage in (event.data.get(end) for end in ("passage", "source", "target")):
            if passage in there:
                document.used(name, named(FOUND, str(passage)))
        if event.state is not None and event.kind != RAN:
            state = named(STATE, event.state)
            if event.state not in known:
                known.add(event.state)
                document.entity(state, attributes("Record", "the record after a step", sha256=event.state))
            document.wasGeneratedBy(state, name, at)
        before = name


def add_verdicts(document: ProvDocument, case: ExportableCase, record: CaseRecord, *, run: str) -> None:
    """Add the exported verdicts of reviewers on the results of ``run``."""
    there = {node.id for node in record.pool.nodes}
    for number, one in enumerate(case.verdicts, 1):
        name, who = named(ASSESSMENT, number), named(AGENT, "reviewer", one.reviewer)
        at = datetime.fromisoformat(one.at)
        values = attributes(
            "Assessment",
            one.verdict.value,
            of=one.item.kind.value,
            key=one.item.key,
            reason=one.reason,
            note=one.note,
            sha256=one.sha256,
        )
        document.activity(name, at, at, values)
        if not document.get_record(who):
            kind = "prov:Person" if one.source is SourceType.HUMAN else "prov:SoftwareAgent"
            document.agent(who, attributes(kind, one.reviewer))
        document.wasAssociatedWith(name, who)
        document.wasInformedBy(name, run)
        for passage in dict.fromkeys((one.item.source_id, one.item.passage_id)):
            if passage in there:
                document.used(name, named(FOUND, passage))


# The question, plan and rounds of the case, and the results of its strategies.

QUESTION, PLAN, RUN, CORPUS = (named(CASE, name) for name in ("question", "plan", "investigation", "corpus"))
ENGINE = named(AGENT, "engine")


def document_of(case: ExportableCase) -> ProvDocument:
    """Return the provenance of a case. Raises InputError for an invalid record."""
    from prov.model import ProvDocument

    record = record_in(case)
    document = ProvDocument()
    state = state_of(case)
    whose = state[:32] if case.summary is None else case.summary.id
    for prefix, address in namespaces(whose, record.corpus).items():
        document.add_namespace(prefix, address)
    _add_run(document, case, record)
    _add_passages(document, record, names_of(record, case.corpus))
    queries = _queries(record)
    for query, name in queries.items():
        document.entity(name, attributes("Query", query.text, area=query.area))
        document.wasDerivedFrom(name, QUESTION)
    for one in record.rounds:
        _add_round(document, one, queries)
    _add_works(document, record)
    _add_hops(document, record, queries)
    _add_outcome(document, record, state)
    add_events(document, case, record, run=RUN)
    add_verdicts(document, case, record, run=RUN)
    return document


def _add_run(document: ProvDocument, case: ExportableCase, record: CaseRecord) -> None:
    version = engine_version() if case.summary is None else case.summary.engine
    fingerprint = "" if case.summary is None else case.summary.fingerprint
    document.entity(QUESTION, attributes("Question", record.question, language=record.plan.language))
    document.entity(CORPUS, attributes("prov:Collection", record.corpus, fingerprint=fingerprint))
    plan = record.plan
    document.entity(
        PLAN,
        attributes(
            "prov:Plan", intent=None if plan.intent is None else plan.intent.value, edited=plan.edited
        ),
    )
    ended = record.begun + timedelta(milliseconds=record.milliseconds)
    values = attributes(
        "Investigation",
        day=record.day,
        evidence=record.evidence.status.value,
        stopped=record.stop.reason.value,
        milliseconds=record.milliseconds,
    )
    document.activity(RUN, record.begun, ended, values)
    document.agent(ENGINE, attributes("prov:SoftwareAgent", f"Redstring {version}", version=version))
    document.wasAssociatedWith(RUN, ENGINE, PLAN)
    document.used(RUN, QUESTION)
    document.used(RUN, CORPUS)
    document.wasDerivedFrom(PLAN, QUESTION)
    name = model_name(record.model)
    if name:
        model = named(AGENT, "model")
        document.agent(model, attributes("prov:SoftwareAgent", name))
        document.wasAssociatedWith(RUN, model)


def _add_passages(document: ProvDocument, record: CaseRecord, names: Names) -> None:
    """Add every passage of the pool, as part of the corpus and as found by the case."""
    ranked = {one.id: one for one in record.passages}
    pinned, dismissed = set(record.pool.pinned), set(record.pool.dismissed)
    sources = {
        source.id: source for node in record.pool.nodes if (source := names.document(node.id)) is not None
    }
    for source in sources.values():
        document.entity(named(DOCUMENT, source.id), attributes("Document", source.title, id=source.id))
        document.hadMember(CORPUS, named(DOCUMENT, source.id))
    for node in record.pool.nodes:
        passage, found = named(PASSAGE, node.id), named(FOUND, node.id)
        one, source = ranked.get(node.id), names.document(node.id)
        text = None if one is None else hashlib.sha256(one.text.encode()).hexdigest()
        document.entity(passage, attributes("Passage", names.short(node.id), id=node.id))
        if source is not None:
            document.wasQuotedFrom(passage, named(DOCUMENT, source.id))
        values = attributes(
            "Found",
            rank=None if one is None else one.rank,
            score=node.score if one is None else one.score,
            sha256=text,
            pinned=node.id in pinned,
            dismissed=node.id in dismissed,
        )
        document.entity(found, values)
        document.specializationOf(found, passage)
        document.wasGeneratedBy(found, _work(node.round, node.strategy))


def _queries(record: CaseRecord) -> dict[GapQuery, str]:
    """Return every query for a gap with its identifier."""
    asked = [query for one in record.rounds for query in one.queries]
    asked += [step.query for step in record.pool.edges if step.query is not None]
    return {query: named(QUERY, number) for number, query in enumerate(dict.fromkeys(asked))}


def _work(number: int, strategy: str) -> str:
    return named(WORK, number, strategy)


def _add_round(document: ProvDocument, one: RoundPart, queries: dict[GapQuery, str]) -> None:
    """Add a round and the work of each strategy in it; only durations are known, not start times."""
    name = named(ROUND, one.number)
    values = attributes("Round", one.purpose, admitted=one.admitted, milliseconds=one.milliseconds)
    document.activity(name, None, None, values)
    document.wasStartedBy(name, None, RUN)
    document.used(name, QUESTION)
    for seed in dict.fromkeys(one.seeds):
        document.used(name, named(FOUND, seed))
    for query in dict.fromkeys(one.queries):
        document.wasGeneratedBy(queries[query], name)


def _add_works(document: ProvDocument, record: CaseRecord) -> None:
    """Add the work of each strategy in each round, and passages added by hand."""
    reported = {(one.number, work.strategy): work for one in record.rounds for work in one.strategies}
    found = [(node.round, node.strategy) for node in record.pool.nodes]
    found += [(step.round, step.strategy) for step in record.pool.edges]
    rounds = {one.number for one in record.rounds}
    for number, strategy in dict.fromkeys([*reported, *found]):
        starter = named(ROUND, number) if number in rounds else RUN
        work = reported.get((number, strategy)) or StrategyCount(
            strategy=strategy, proposed=0, admitted=0, refused={}, milliseconds=0.0
        )
        _add_work(document, record, starter, number, work)


def _add_work(
    document: ProvDocument, record: CaseRecord, starter: str, number: int, work: StrategyCount
) -> None:
    activity, agent = _work(number, work.strategy), named(AGENT, "strategy", work.strategy)
    thread = next((one for one in record.threads if one.name == work.strategy), None)
    values = attributes(
        "Work", work.strategy, proposed=work.proposed, admitted=work.admitted, milliseconds=work.milliseconds
    )
    document.activity(activity, None, None, values)
    document.wasStartedBy(activity, None, starter)
    document.used(activity, CORPUS)
    if not document.get_record(agent):
        label = work.strategy if thread is None else thread.title
        meaning = "" if thread is None else thread.meaning
        document.agent(agent, attributes("prov:SoftwareAgent", label, id=work.strategy, meaning=meaning))
        document.actedOnBehalfOf(agent, ENGINE)
    document.wasAssociatedWith(activity, agent)


def _add_hops(document: ProvDocument, record: CaseRecord, queries: dict[GapQuery, str]) -> None:
    for number, step in enumerate(record.pool.edges):
        values = attributes(
            "Hop",
            relation=step.relation.value,
            strategy=step.strategy,
            direction=step.direction.value,
            round=step.round,
            strength=step.strength,
            quote=step.quote,
            quotedFrom=step.quoted_from,
            detail=step.detail,
            rank=step.rank,
        )
        document.wasDerivedFrom(
            named(FOUND, step.target),
            _start(step, queries),
            _work(step.round, step.strategy),
            identifier=named(HOP, number),
            other_attributes=values,
        )


def _start(step: HopPart, queries: dict[GapQuery, str]) -> str:
    if step.source is not None:
        return named(FOUND, step.source)
    return QUESTION if step.query is None else queries[step.query]


def _add_outcome(document: ProvDocument, record: CaseRecord, digest: str) -> None:
    """Add the record, of which everything above is a member."""
    state = named(STATE, digest)
    document.entity(state, attributes("prov:Collection", "the record of the case", sha256=digest))
    document.wasGeneratedBy(state, RUN)
    document.wasDerivedFrom(state, QUESTION)
    for ranked in record.passages:
        document.hadMember(state, named(FOUND, ranked.id))


def write(case: ExportableCase) -> bytes:
    """Write the document as JSON with sorted keys."""
    import json

    import orjson

    # The package stores attributes in sets, whose order varies between processes.
    values = json.loads(str(document_of(case).serialize(format="json")))
    return orjson.dumps(values, option=orjson.OPT_INDENT_2 | orjson.OPT_SORT_KEYS | orjson.OPT_APPEND_NEWLINE)


EXPORT = Export(
    "prov",
    "Provenance (W3C PROV)",
    "for audit and archives (W3C PROV)",
    ".prov.json",
    "application/json",
    write,
)
