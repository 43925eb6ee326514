"""One door for all requests of the corpus panel: checked, answered, and every error a calm line."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from engine.access.audit_log import record
from engine.access.users import Action, Person, may
from engine.errors import AccessError, InputError, RedstringError, for_visitors
from engine.verbs.requests import parse_request
from ui.access.entrance import by_token
from ui.corpus import (
    adding,
    by_meaning,
    extracting,
    grading,
    names,
    ontology,
    reader,
    reading,
    resolving,
    statistics,
    validating,
)
from ui.corpus import ontology as ontology_rules
from ui.corpus import statistics as auditing
from ui.corpus.desk import ACTIONS, Ask, ChangedError, CorpusDesk

Answer = dict[str, Any]

# What changes something, and is written down.
_RECORDED = frozenset(ACTIONS) - {"extract-cost", "areas-load"} | {"forget-me"}
HANDLERS: Mapping[str, Callable[[CorpusDesk, Ask], Answer]] = {
    "shelf": reading.shelf,
    "overview": reading.overview,
    "documents": reading.documents,
    "nodes": reading.nodes,
    "piece": reading.piece,
    "head": reading.head,
    "path": reading.path,
    "targets": reading.targets,
    "citing": reading.citing,
    "place": reading.place,
    "create": adding.create,
    "add": adding.add,
    "remove": adding.remove,
    "apply": adding.apply,
    "delete": adding.delete,
    "forget-me": adding.forget_me,
    "poll": adding.poll,
    "cancel": adding.cancel,
    "report": adding.report,
    "vectors": by_meaning.vectors,
    "embed": by_meaning.embed,
    "embed-stop": by_meaning.stop,
    "cases": resolving.cases,
    "suggest": resolving.suggest,
    "decide": resolving.decide,
    "undo": resolving.undo,
    "names": names.names,
    "name": names.name,
    "statistics": statistics.statistics,
    "areas": ontology.areas,
    "areas-measure": ontology.measure,
    "areas-propose": ontology.proposal,
    "areas-save": ontology.save,
    "areas-undo": ontology.undo,
    "areas-file": ontology.as_file,
    "areas-load": ontology.from_file,
    "rules": ontology_rules.rules,
    "links": validating.links,
    "link": validating.link,
    "judge": validating.judge,
    "unjudge": validating.unjudge,
    "report-questions": auditing.questions,
    "report-start": auditing.start,
    "report-poll": auditing.poll,
    "report-stop": auditing.stop,
    "reject-link": reader.reject,
    "restore-link": reader.restore,
    "grades": grading.grades,
    "grade": grading.grade,
    "extraction": extracting.extraction,
    "extract-cost": extracting.cost,
    "extract": extracting.read,
    "extract-poll": extracting.reading,
    "extract-stop": extracting.stop,
}


def answer(desk: CorpusDesk, request: object, who: Callable[[str], Person] = by_token) -> Answer:
    """The answer to a request; ``error`` says in one line what was wrong with it. ``who`` tells who sent it,
    given the token of their browser."""
    try:
        ask = parse_request(Ask, request)
        person = who(ask.visitor)
        signed = {"visitor": person.key, "address": person.address, "role": person.role}
        ask = ask.model_copy(update={**signed, "reviewer": person.name})
        desk.connections.seen(ask.session, trusted=may(person.role, Action.USE_MODEL))
        handler = HANDLERS.get(ask.do)
        if handler is None:
            return {"error": f"unknown request {ask.do!r}"}
        return _recorded(handler, desk, ask, person) if ask.do in _RECORDED else handler(desk, ask)
    except ChangedError as error:
        return {"error": for_visitors(error), "changed": True}
    except RedstringError as error:
        return {"error": for_visitors(error)}


def _recorded(
    handler: Callable[[CorpusDesk, Ask], Answer], desk: CorpusDesk, ask: Ask, person: Person
) -> Answer:
    """The answer of a handler that changes something; what came of it goes into the audit log."""
    what = desk.named(ask)
    try:
        told = handler(desk, ask)
    except RedstringError as error:
        refused = isinstance(error, AccessError | InputError)
        record(person, ask.do, what, "refused" if refused else "failed")
        raise
    record(person, ask.do, what, "done")
    return told
