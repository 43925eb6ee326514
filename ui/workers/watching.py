"""Health and metrics of the server for monitoring: that it answers, and its load. No content of users.

``/health`` is open to everyone, also without a login. ``/metrics``, in the text format of Prometheus, is open
to this machine only; others get 404.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import psutil
from starlette.responses import JSONResponse, Response
from starlette.types import ASGIApp, Receive, Scope, Send

from ui.server.address import VISITOR, Visitor
from ui.server.routes import HEALTH, METRICS, POLICY, refuse
from ui.workers.pool import FairQueue, Workers

_TEXT = "text/plain; version=0.0.4; charset=utf-8"
# Fields of ``Use``.
_OF_CACHES = (
    ("held", "gauge", "Answers that are kept, of all processes."),
    ("places", "gauge", "Answers that may be kept."),
    ("hits", "counter", "How often an answer was there; those of workers that ended do not count."),
    ("misses", "counter", "How often it was not."),
)
_FRESH = {"cache-control": "no-store"}


class Watch:
    """Answers both routes, and passes everything else on."""

    def __init__(self, app: ASGIApp, workers: Workers) -> None:
        self.app, self._workers = app, workers

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer the request, or pass it on."""
        name = scope[POLICY].name if scope["type"] == "http" else ""
        if name == HEALTH:
            health = {"status": "ok", "ready": self._workers.ready}
            return await JSONResponse(health, headers=_FRESH)(scope, receive, send)
        if name != METRICS:
            return await self.app(scope, receive, send)
        visitor: Visitor = scope[VISITOR]
        if not visitor.local:
            return await refuse(scope, receive, send, 404, "not found")
        return await Response(metrics(self._workers), 200, _FRESH, _TEXT)(scope, receive, send)


def metrics(workers: Workers) -> str:
    """Return the metrics in the text format of Prometheus."""
    lines: list[str] = []
    for name, kind, meaning, values in _metrics(workers):
        lines += [f"# HELP redstring_{name} {meaning}", f"# TYPE redstring_{name} {kind}"]
        lines += [f"redstring_{name}{label} {value:g}" for label, value in values.items()]
    return "\n".join(lines) + "\n"


def _metrics(workers: Workers) -> Iterator[tuple[str, str, str, Mapping[str, float]]]:
    lines: dict[str, FairQueue[Any]] = {'{place="worker"}': workers.there, '{place="page"}': workers.here}
    pids = workers.pids
    yield "workers_wanted", "gauge", "Processes that are to work on cases.", {"": workers.wanted}
    yield "workers", "gauge", "Processes that work on cases now.", {"": len(pids)}
    yield "workers_lost_total", "counter", "Workers that ended by themselves.", {"": workers.lost}
    running = {place: line.taken for place, line in lines.items()}
    yield "cases_running", "gauge", "Cases that have a place.", running
    waiting = {place: len(line) for place, line in lines.items()}
    yield "cases_waiting", "gauge", "Cases in line.", waiting
    served = {place: line.served for place, line in lines.items()}
    yield "cases_total", "counter", "Cases that were given a place.", served
    refused = {place: line.refused for place, line in lines.items()}
    yield "cases_refused_total", "counter", "Cases for which the line was too long.", refused
    yield "case_seconds_total", "counter", "Seconds for which places were held.", {"": workers.seconds}
    caches = {f'{{cache="{use.name}"}}': use for use in workers.uses}
    for name, kind, meaning in _OF_CACHES:
        values = {label: float(getattr(use, name)) for label, use in caches.items()}
        yield f"cache_{name}{'_total' if kind == 'counter' else ''}", kind, meaning, values
    resident = {'{process="page"}': psutil.Process().memory_info().rss}
    for number, pid in enumerate(pids):
        try:
            resident[f'{{process="worker{number}"}}'] = psutil.Process(pid).memory_info().rss
        except psutil.NoSuchProcess:
            continue
    yield "memory_bytes", "gauge", "Resident memory; workers share much of theirs.", resident
