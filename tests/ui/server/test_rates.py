from __future__ import annotations

import asyncio

import pytest
from hypothesis import given
from hypothesis import strategies as st
from starlette.types import Receive, Scope, Send

from tests.ui.clock import Clock
from tests.ui.raw import API, Raw, stranger
from tests.ui.server.alone import HERE, asked, let_in, policy
from ui.server.address import Visitor
from ui.server.rates import Buckets, Rate, RateGate, Turns, WorkGate

# Arguments of an endpoint that asks nothing.
NOTHING = ["", "", "balanced", None, None, None, None]


def test_a_bucket_empties_and_fills_again() -> None:
    clock = Clock()
    buckets = Buckets(Rate(burst=3, second=0.5), clock=clock)
    assert [buckets.take("a") for _ in range(4)] == [0, 0, 0, 2.0]
    assert buckets.take("b") == 0, "another address has its own"
    clock.now = 2.0
    assert [buckets.take("a"), buckets.take("a")] == [0, 2.0]
    clock.now = 1000.0
    assert [buckets.take("a") for _ in range(4)] == [0, 0, 0, 2.0], "it holds no more than its burst"


@given(st.lists(st.tuples(st.floats(0, 10), st.integers(1, 3)), max_size=60))
def test_no_more_is_taken_than_was_there_and_came(steps: list[tuple[float, int]]) -> None:
    clock = Clock()
    buckets = Buckets(Rate(burst=5, second=1.0), clock=clock)
    taken = 0
    for pause, tokens in steps:
        clock.now += pause
        if buckets.take("a", tokens) == 0:
            taken += tokens
    assert taken <= 5 + clock.now + 1e-6


def test_a_table_of_addresses_is_bounded_and_forgets_who_came_longest_ago() -> None:
    buckets = Buckets(Rate(burst=1, second=0.001), most=100, clock=Clock())
    for number in range(10_000):
        buckets.take(str(number))
    assert len(buckets) == 100
    assert buckets.take("9999") > 0


def test_turns_are_kept_and_the_line_is_short() -> None:
    async def run() -> tuple[int, int]:
        turns, under_way, most, refused = Turns(2, most=3), 0, 0, 0

        async def one() -> None:
            nonlocal under_way, most, refused
            async with turns.place() as got:
                if not got:
                    refused += 1
                    return
                under_way += 1
                most = max(most, under_way)
                await asyncio.sleep(0)
                under_way -= 1

        await asyncio.gather(*(one() for _ in range(20)))
        return most, refused

    most, refused = asyncio.run(run())
    assert most <= 2
    assert refused > 0


@pytest.mark.parametrize("gate", ["requests", "work"])
def test_an_address_asks_so_often_and_only_a_local_user_of_a_private_server_without_limit(
    gate: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    few = Rate(burst=3, second=0.001)
    monkeypatch.setattr("ui.server.rates.RATES", {"look": few})
    asking = policy(cost="look", case=lambda body: True)

    async def statuses(visitor: Visitor, *, trusts_local: bool) -> list[int]:
        made = (
            RateGate(let_in, trusts_local=trusts_local)
            if gate == "requests"
            else WorkGate(let_in, few, trusts_local=trusts_local)
        )
        return [await asked(made, asking, visitor=visitor) for _ in range(5)]

    local = Visitor("127.0.0.1", local=True)
    assert asyncio.run(statuses(HERE, trusts_local=True)) == [200, 200, 200, 429, 429]
    assert asyncio.run(statuses(local, trusts_local=False)) == [200, 200, 200, 429, 429]
    assert asyncio.run(statuses(local, trusts_local=True)) == [200] * 5


def test_a_request_takes_the_tokens_of_its_route(monkeypatch: pytest.MonkeyPatch) -> None:
    few = Rate(burst=6, second=0.001)
    monkeypatch.setattr("ui.server.rates.RATES", {"look": few})
    dear = policy(cost="look", case=lambda body: True, tokens=3.0, deposit=2.0)

    async def statuses(gate: RateGate | WorkGate) -> list[int]:
        return [await asked(gate, dear) for _ in range(5)]

    assert asyncio.run(statuses(RateGate(let_in, trusts_local=False))) == [200, 200, 429, 429, 429]
    work = WorkGate(let_in, few, trusts_local=False)
    assert asyncio.run(statuses(work)) == [200, 200, 200, 429, 429]
    work.spend(HERE.address, -2.0)
    assert asyncio.run(statuses(work)) == [200, 429, 429, 429, 429]


def test_an_address_has_so_much_under_way(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("ui.server.rates.MOST_UNDER_WAY", 2)

    async def run() -> tuple[int, list[int], int]:
        go = asyncio.Event()

        async def slow(scope: Scope, receive: Receive, send: Send) -> None:
            await go.wait()
            await let_in(scope, receive, send)

        gate, look = RateGate(slow, trusts_local=False), policy(cost="look")
        waiting = [asyncio.create_task(asked(gate, look)) for _ in range(2)]
        await asyncio.sleep(0)
        refused = asyncio.create_task(asked(gate, look))
        await asyncio.sleep(0)
        go.set()
        return await refused, await asyncio.gather(*waiting), await asked(gate, look)

    assert asyncio.run(run()) == (429, [200, 200], 200)


def test_an_address_begins_so_many_cases_and_a_new_token_is_not_a_new_person(raw: Raw) -> None:
    here, there = stranger(), stranger()
    statuses = []
    for number in range(40):
        body = {"data": [*NOTHING, f"token-{number}"], "session_hash": f"person{number}"}
        statuses.append(raw.post(f"{API}/call/investigate", body, forwarded=here))
    refused = [answer for answer in statuses if answer.status == 429]
    assert len(refused) >= 3
    assert int(refused[0].headers["retry-after"]) >= 1
    assert "too much work" in refused[0].json["detail"]
    assert raw.post(f"{API}/call/investigate", {"data": NOTHING}, forwarded=there).status == 200
