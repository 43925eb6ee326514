from __future__ import annotations

import re

from starlette.testclient import TestClient
from starlette.types import Receive, Scope, Send

from engine.caching import Cache, sum_by_name, uses
from ui.server.address import VISITOR, Visitor
from ui.server.app import Watch, metrics
from ui.server.pool import Workers
from ui.server.routes import POLICY, Table, reading_routes, refuse


def _asked(path: str, workers: Workers, *, local: bool) -> tuple[int, str]:
    async def behind(scope: Scope, receive: Receive, send: Send) -> None:
        await refuse(scope, receive, send, 401, "log in first")

    async def settled(scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http":
            policy = Table(reading_routes()).find(scope["path"])
            scope = {**scope, POLICY: policy, VISITOR: Visitor("192.0.2.1", local)}
        await Watch(behind, workers)(scope, receive, send)

    answered = TestClient(settled).get(path)
    return answered.status_code, answered.text


def test_everybody_may_ask_whether_it_answers_and_this_machine_alone_how_it_goes() -> None:
    workers = Workers()
    for local in (True, False):
        assert _asked("/health", workers, local=local) == (200, '{"status":"ok","ready":true}')
    assert _asked("/metrics", workers, local=False)[0] == 404
    assert _asked("/metrics", workers, local=True)[0] == 200
    assert _asked("/", workers, local=True)[0] == 401
    workers.wanted = 2
    assert '"ready":false' in _asked("/health", workers, local=True)[1]


def test_the_figures_are_in_the_format_of_prometheus() -> None:
    workers = Workers()
    ticket = workers.here.join("192.0.2.1 secret name")
    told = metrics(workers)
    assert ticket.place
    assert "secret" not in told
    assert 'redstring_cases_running{place="page"} 1\n' in told
    assert 'redstring_cases_total{place="page"} 1\n' in told
    for line in told.splitlines():
        assert re.fullmatch(r'# (HELP|TYPE) \w+ .+|\w+(\{\w+="[\w ]+"\})? [\d.e+]+', line), line


def test_how_the_caches_are_used_is_told() -> None:
    cache: Cache[str, int] = Cache("answers to nobody", 3)
    for key in ("a", "b", "a"):
        cache.made(key, lambda: 1)
    workers = Workers()
    (other,) = [use for use in uses() if use.name == "answers to nobody"]
    told = metrics(workers)
    assert 'redstring_cache_held{cache="answers to nobody"} 2\n' in told
    assert 'redstring_cache_hits_total{cache="answers to nobody"} 1\n' in told
    assert 'redstring_cache_misses_total{cache="answers to nobody"} 2\n' in told
    assert sum_by_name([other, other])[0].hits == 2
