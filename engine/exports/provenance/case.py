"""The case itself: its question, plan, rounds, and what its strategies found."""

from __future__ import annotations

import hashlib
from datetime import timedelta
from typing import TYPE_CHECKING

from engine.exports.models import model_name
from engine.exports.naming import Names, names_of
from engine.exports.provenance.people import add_events, add_verdicts
from engine.exports.provenance.words import (
    AGENT,
    CASE,
    DOCUMENT,
    FOUND,
    HOP,
    PASSAGE,
    QUERY,
    ROUND,
    STATE,
    WORK,
    attributes,
    named,
    namespaces,
)
from engine.exports.reading import record_in, state_of
from engine.exports.registry import HandedOver
from engine.records.record import CaseRecord, GapQueryPart, HopPart, RoundPart, StrategyPart
from engine.records.store.store import engine_version

if TYPE_CHECKING:
    from prov.model import ProvDocument

QUESTION, PLAN, RUN, CORPUS = (named(CASE, name) for name in ("question", "plan", "investigation", "corpus"))
ENGINE = named(AGENT, "engine")


def document_of(case: HandedOver) -> ProvDocument:
    """The provenance of a case. Raises InputError for a record that is none."""
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


def _add_run(document: ProvDocument, case: HandedOver, record: CaseRecord) -> None:
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
    told = attributes(
        "Investigation",
        day=record.day,
        evidence=record.evidence.status.value,
        stopped=record.stop.reason.value,
        milliseconds=record.milliseconds,
    )
    document.activity(RUN, record.begun, ended, told)
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
    """What the corpus has, and what was found of it: every passage of the pool."""
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
        told = attributes(
            "Found",
            rank=None if one is None else one.rank,
            score=node.score if one is None else one.score,
            sha256=text,
            pinned=node.id in pinned,
            dismissed=node.id in dismissed,
        )
        document.entity(found, told)
        document.specializationOf(found, passage)
        document.wasGeneratedBy(found, _work(node.round, node.strategy))


def _queries(record: CaseRecord) -> dict[GapQueryPart, str]:
    """Every query for a gap, by the name that it gets."""
    asked = [query for one in record.rounds for query in one.queries]
    asked += [step.query for step in record.pool.edges if step.query is not None]
    return {query: named(QUERY, number) for number, query in enumerate(dict.fromkeys(asked))}


def _work(number: int, strategy: str) -> str:
    return named(WORK, number, strategy)


def _add_round(document: ProvDocument, one: RoundPart, queries: dict[GapQueryPart, str]) -> None:
    """A round and what each strategy did in it. They have no times of their own: a record knows how long each
    took, and not when it began."""
    name = named(ROUND, one.number)
    told = attributes("Round", one.purpose, admitted=one.admitted, milliseconds=one.milliseconds)
    document.activity(name, None, None, told)
    document.wasStartedBy(name, None, RUN)
    document.used(name, QUESTION)
    for seed in dict.fromkeys(one.seeds):
        document.used(name, named(FOUND, seed))
    for query in dict.fromkeys(one.queries):
        document.wasGeneratedBy(queries[query], name)


def _add_works(document: ProvDocument, record: CaseRecord) -> None:
    """What each strategy did in each round, also where it found passages of which no report of a round tells:
    those that a person pointed at."""
    told = {(one.number, work.strategy): work for one in record.rounds for work in one.strategies}
    found = [(node.round, node.strategy) for node in record.pool.nodes]
    found += [(step.round, step.strategy) for step in record.pool.edges]
    rounds = {one.number for one in record.rounds}
    for number, strategy in dict.fromkeys([*told, *found]):
        starter = named(ROUND, number) if number in rounds else RUN
        work = told.get((number, strategy)) or StrategyPart(
            strategy=strategy, proposed=0, admitted=0, refused={}, milliseconds=0.0
        )
        _add_work(document, record, starter, number, work)


def _add_work(
    document: ProvDocument, record: CaseRecord, starter: str, number: int, work: StrategyPart
) -> None:
    activity, agent = _work(number, work.strategy), named(AGENT, "strategy", work.strategy)
    thread = next((one for one in record.threads if one.name == work.strategy), None)
    told = attributes(
        "Work", work.strategy, proposed=work.proposed, admitted=work.admitted, milliseconds=work.milliseconds
    )
    document.activity(activity, None, None, told)
    document.wasStartedBy(activity, None, starter)
    document.used(activity, CORPUS)
    if not document.get_record(agent):
        label = work.strategy if thread is None else thread.title
        meaning = "" if thread is None else thread.meaning
        document.agent(agent, attributes("prov:SoftwareAgent", label, id=work.strategy, meaning=meaning))
        document.actedOnBehalfOf(agent, ENGINE)
    document.wasAssociatedWith(activity, agent)


def _add_hops(document: ProvDocument, record: CaseRecord, queries: dict[GapQueryPart, str]) -> None:
    for number, step in enumerate(record.pool.edges):
        told = attributes(
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
            other_attributes=told,
        )


def _start(step: HopPart, queries: dict[GapQueryPart, str]) -> str:
    if step.source is not None:
        return named(FOUND, step.source)
    return QUESTION if step.query is None else queries[step.query]


def _add_outcome(document: ProvDocument, record: CaseRecord, digest: str) -> None:
    """The record, which everything above stands in."""
    state = named(STATE, digest)
    document.entity(state, attributes("prov:Collection", "the record of the case", sha256=digest))
    document.wasGeneratedBy(state, RUN)
    document.wasDerivedFrom(state, QUESTION)
    for ranked in record.passages:
        document.hadMember(state, named(FOUND, ranked.id))
