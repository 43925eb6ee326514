"""Rate limits of addresses, and the cost of cases."""

from __future__ import annotations

import asyncio
import inspect
import threading
import time
from collections import Counter, OrderedDict
from collections.abc import AsyncIterator, Callable, Iterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from functools import wraps
from typing import Any

import gradio as gr
from gradio.context import LocalContext
from starlette.types import ASGIApp, Receive, Scope, Send

from ui.server.address import VISITOR, Visitor, address_of
from ui.server.routes import POLICY, READ, Cost, Policy, refuse_for
from ui.server.template import used
from ui.session import WORKING_ON_CASES

# The cost of a case to its address: the processor time that it used, known after it has run.
#
# A case starts with a deposit, which limits how many cases of one address wait at a time. After the run its
# processor time is paid from the deposit. A remainder is returned; a deficit is taken from the bucket, which
# may become negative, so an address with expensive cases waits longer for the next one.

# Processor time that one token pays for, s: about one balanced case on a rulebook of 13,700 passages.
SECONDS_OF_A_TOKEN = 0.15
# The deposit of a case, in tokens: by default three cases of an address can wait at a time. A case that is
# refused at once still costs tokens.
DEPOSIT, LEAST = 3.0, 0.5
# Processor time that the token of a light request pays for, s. On a small corpus most use a quarter of it.
SECONDS_OF_A_LOOK = 0.02
Spend = Callable[[str, float], None]


def meter(page: gr.Blocks, spend: Spend, spend_looks: Spend) -> None:
    """Charge the functions of a page that work on cases, and those of its panels, for their processor time.

    Each charge is a call ``spend(address, tokens)``.
    """
    for function in page.fns.values():
        if function.concurrency_id in WORKING_ON_CASES and function.fn is not None:
            function.fn = metered(function.fn, spend)
    for block in page.blocks.values():
        for panel in getattr(block, "server_fns", ()):
            setattr(block, panel.__name__, metered(panel, spend_looks, tokens_of_look))


def tokens_of_case(seconds: float) -> float:
    """Return the cost of a case beyond its deposit, in tokens."""
    return max(seconds / SECONDS_OF_A_TOKEN, LEAST) - DEPOSIT


def tokens_of_look(seconds: float) -> float:
    """Return the cost of a light request beyond its first token, in tokens."""
    return max(seconds / SECONDS_OF_A_LOOK - 1, 0.0)


def metered(
    function: Callable[..., Any], spend: Spend, price: Callable[[float], float] = tokens_of_case
) -> Callable[..., Any]:
    """Wrap a function: the caller's address pays the ``price`` of its processor time, in seconds."""

    def spent(seconds: float) -> None:
        request = LocalContext.request.get(None)
        if request is not None:
            spend(address_of(request), price(seconds))

    @wraps(function)
    def steps(*given: Any, **named: Any) -> Iterator[Any]:
        seconds, running = 0.0, function(*given, **named)
        try:
            while True:
                began = used()
                try:
                    step = next(running)
                except StopIteration:
                    return
                finally:
                    seconds += used() - began
                yield step
        finally:
            # Closing the generator releases its resources now instead of at garbage collection.
            began = used()
            running.close()
            spent(seconds + used() - began)

    @wraps(function)
    def measured(*given: Any, **named: Any) -> Any:
        began = used()
        try:
            return function(*given, **named)
        finally:
            spent(used() - began)

    return steps if inspect.isgeneratorfunction(function) else measured


# Rate limits by address, limits of concurrent requests, and the order of waiting ones.
#
# Token buckets (as in RFC 2697): each address has a bucket that fills at a constant rate, and a request takes
# some tokens. The tables are bounded: the address with the oldest request is forgotten first. The usual
# library (limits) has no token bucket and keeps every key until a timer removes it.

MOST_ADDRESSES = 20_000
# Concurrent requests of one address: a page uses two or three, a browser at most six for each host.
MOST_UNDER_WAY = 48
# Requests that may queue for a route, and their timeout, s.
MOST_WAITING, LONGEST_WAIT = 32, 30.0


@dataclass(frozen=True, slots=True)
class Rate:
    """``burst`` requests at once, then ``second`` every second."""

    burst: float
    second: float


# Rates for one address, by kind of cost.
RATES: Mapping[Cost, Rate] = {"file": Rate(600, 60), "look": Rate(300, 20)}


def of_cases(a_minute: int) -> Rate:
    """Return the rate of cases for one address: a burst, then ``a_minute`` every minute."""
    return Rate(max(5.0, a_minute / 3), a_minute / 60)


class Buckets:
    """Token buckets by key. Thread-safe."""

    def __init__(
        self, rate: Rate, most: int = MOST_ADDRESSES, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._rate, self._most, self._clock = rate, most, clock
        self._stocks: OrderedDict[str, tuple[float, float]] = OrderedDict()
        self._lock = threading.Lock()

    def __len__(self) -> int:
        return len(self._stocks)

    def take(self, key: str, tokens: float = 1.0) -> float:
        """Take tokens, and return 0.

        If there are too few, take none, and return the seconds until there are enough.
        """
        now = self._clock()
        with self._lock:
            stock, at = self._stocks.pop(key, (self._rate.burst, now))
            stock = min(self._rate.burst, stock + (now - at) * self._rate.second)
            enough = stock >= tokens
            self._stocks[key] = (stock - tokens if enough else stock, now)
            while len(self._stocks) > self._most:
                self._stocks.popitem(last=False)
        return 0.0 if enough else (tokens - stock) / self._rate.second

    def spend(self, key: str, tokens: float) -> None:
        """Take used tokens, down to minus one burst. A negative number returns tokens to the bucket."""
        now = self._clock()
        with self._lock:
            stock, at = self._stocks.pop(key, (self._rate.burst, now))
            stock = min(self._rate.burst, stock + (now - at) * self._rate.second)
            self._stocks[key] = (min(max(stock - tokens, -self._rate.burst), self._rate.burst), now)

    def give_back(self, key: str, tokens: float) -> None:
        """Return tokens that were taken but not used."""
        with self._lock:
            if key in self._stocks:
                stock, at = self._stocks[key]
                self._stocks[key] = (min(self._rate.burst, stock + tokens), at)


class Turns:
    """The concurrent requests of one route; others wait in order of arrival."""

    def __init__(self, places: int, most: int = MOST_WAITING) -> None:
        self._places, self._most = asyncio.Semaphore(places), most
        self._waiting = 0

    @asynccontextmanager
    async def place(self) -> AsyncIterator[bool]:
        """Hold a slot; yields False if too many requests wait already, or the timeout passes."""
        got = False
        if self._waiting < self._most:
            self._waiting += 1
            try:
                await asyncio.wait_for(self._places.acquire(), LONGEST_WAIT)
                got = True
            except TimeoutError:
                got = False
            finally:
                self._waiting -= 1
        try:
            yield got
        finally:
            if got:
                self._places.release()


class RateGate:
    """Refuses an address with too many requests, or too many at the same time (429).

    With ``trusts_local``, requests from this machine are not counted.
    """

    def __init__(self, app: ASGIApp, *, trusts_local: bool) -> None:
        self.app, self._trusts_local = app, trusts_local
        self._buckets = {cost: Buckets(rate) for cost, rate in RATES.items()}
        self._under_way: Counter[str] = Counter()

    def spend_looks(self, address: str, tokens: float) -> None:
        """Charge an address for what a light request used beyond its token."""
        self._buckets["look"].spend(address, tokens)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Count the request, and pass it on."""
        if scope["type"] != "http":
            return await self.app(scope, receive, send)
        visitor: Visitor = scope[VISITOR]
        if self._trusts_local and visitor.local:
            return await self.app(scope, receive, send)
        policy: Policy = scope[POLICY]
        seconds = self._buckets[policy.cost].take(visitor.address, policy.tokens)
        if seconds:
            words = f"too many requests from your address; try again in {seconds:.0f} s"
            return await refuse_for(scope, receive, send, 429, words, seconds)
        if self._under_way[visitor.address] >= MOST_UNDER_WAY:
            words = "too many requests of your address are under way; wait for some of them"
            return await refuse_for(scope, receive, send, 429, words, 5)
        self._under_way[visitor.address] += 1
        try:
            await self.app(scope, receive, send)
        finally:
            self._under_way[visitor.address] -= 1
            if not self._under_way[visitor.address]:
                del self._under_way[visitor.address]


class WorkGate:
    """Refuses an address that starts too many cases (429), and everyone if too much work waits (503)."""

    def __init__(self, app: ASGIApp, cases: Rate, *, trusts_local: bool) -> None:
        self.app, self._trusts_local = app, trusts_local
        self._cases = Buckets(cases)
        self._turns: dict[str, Turns] = {}

    def spend(self, address: str, tokens: float) -> None:
        """Charge an address for work beyond its deposit; a negative number of tokens is returned."""
        self._cases.spend(address, tokens)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Charge for the work that a body asks for, and pass the request on in its turn."""
        if scope["type"] != "http":
            return await self.app(scope, receive, send)
        visitor: Visitor = scope[VISITOR]
        policy: Policy = scope[POLICY]
        counted = policy.case is not None and not (self._trusts_local and visitor.local)
        if counted and policy.case is not None and policy.case(scope.get(READ)):
            seconds = self._cases.take(visitor.address, policy.deposit)
            if seconds:
                words = f"too much work for your address just now; try again in {seconds:.0f} s"
                return await refuse_for(scope, receive, send, 429, words, seconds)
        if policy.at_once is None:
            return await self.app(scope, receive, send)
        async with self._turns.setdefault(policy.name, Turns(policy.at_once)).place() as got:
            if not got:
                return await refuse_for(scope, receive, send, 503, "the server is busy; try again soon", 5)
            return await self.app(scope, receive, send)
