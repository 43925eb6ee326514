"""One door for all requests of the corpus panel: checked, answered, and every error a calm line."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from pydantic import ValidationError

from engine.errors import RedstringError
from ui.corpus import adding, reading, resolving, statistics
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
}


def answer(desk: CorpusDesk, request: object) -> Answer:
    """The answer to a request; ``error`` says in one line what was wrong with it."""
    try:
        ask = Ask.model_validate(request)
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
