"""One door for all requests of the corpus panel: checked, answered, and every error a calm line."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from pydantic import ValidationError

from engine.errors import RedstringError
from ui.corpus import adding, extracting, ontology, ontology_rules, reading, resolving, statistics, validating
from ui.corpus.desk import Ask, ChangedError, CorpusDesk

Answer = dict[str, Any]

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
    "poll": adding.poll,
    "cancel": adding.cancel,
    "report": adding.report,
    "cases": resolving.cases,
    "suggest": resolving.suggest,
    "decide": resolving.decide,
    "undo": resolving.undo,
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
    "extraction": extracting.extraction,
    "extract-cost": extracting.cost,
    "extract": extracting.read,
    "extract-poll": extracting.reading,
    "extract-stop": extracting.stop,
}


def answer(desk: CorpusDesk, request: object, address: str = "") -> Answer:
    """The answer to a request from an address; ``error`` says in one line what was wrong with it."""
    try:
        ask = Ask.model_validate(request).model_copy(update={"address": address})
        handler = HANDLERS.get(ask.do)
        if handler is None:
            return {"error": f"unknown request {ask.do!r}"}
        return handler(desk, ask)
    except ValidationError as error:
        first = error.errors()[0]
        return {"error": f"{'.'.join(map(str, first['loc']))}: {first['msg']}"}
    except ChangedError as error:
        return {"error": str(error), "changed": True}
    except RedstringError as error:
        return {"error": str(error)}
