"""How often an address may ask, and what a case costs it."""

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

from ui.server.address import VISITOR, Visitor
from ui.server.bodies import READ
from ui.server.locality import address_of
from ui.server.routes import POLICY, Cost, Policy, refuse_for
from ui.session import WORKING_ON_CASES
from ui.workers.template import used

# What a case costs the address that asked: the processor's seconds that it took, known when it
# has run.
#
# A case begins with a deposit, so that few cases of one address wait at a time. When it has run,
# what it took of the processor is paid from that; the rest is given back, and what is missing is
# taken from the stock, below nothing if need be: whoever asks dear cases waits longer for the
# next than others do.

# Processor time that one token pays for, s: a balanced case on a rulebook of 13,700 passages takes so much.
SECONDS_OF_A_TOKEN = 0.15
# Tokens that a case takes before it begins: by default three cases of an address wait at a time. What is
# refused at once was asked all the same.
DEPOSIT, LEAST = 3.0, 0.5
# Processor time that a look pays for, s: on a small corpus most take a quarter of it.
SECONDS_OF_A_LOOK = 0.02
Spend = Callable[[str, float], None]


def meter(page: gr.Blocks, spend: Spend, spend_looks: Spend) -> None:
    """Make all functions of a page that work on cases, and those of its panels, pay for the processor time
    that they use: ``spend(address, tokens)``."""
    for function in page.fns.values():
        if function.concurrency_id in WORKING_ON_CASES and function.fn is not None:
            function.fn = metered(function.fn, spend)
    for block in page.blocks.values():
        for panel in getattr(block, "server_fns", ()):
            setattr(block, panel.__name__, metered(panel, spend_looks, tokens_of_look))


def tokens_of_case(seconds: float) -> float:
    """What a case costs beyond its deposit."""
    return max(seconds / SECONDS_OF_A_TOKEN, LEAST) - DEPOSIT


def tokens_of_look(seconds: float) -> float:
    """What a look costs beyond the token that its request has taken."""
    return max(seconds / SECONDS_OF_A_LOOK - 1, 0.0)


def metered(
    function: Callable[..., Any], spend: Spend, price: Callable[[float], float] = tokens_of_case
) -> Callable[..., Any]:
    """The same function; its address spends the ``price`` of the processor time that it uses, in seconds."""

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
            # A case that is left lets go of what it holds now, not when somebody collects it.
            began = used()
            running.close()
            spent(seconds + used() - began)

    @wraps(function)
    def whole(*given: Any, **named: Any) -> Any:
        began = used()
        try:
            return function(*given, **named)
        finally:
            spent(used() - began)

    return steps if inspect.isgeneratorfunction(function) else whole


# How often one address may ask, how much may be under way at once, and in which order the rest
# waits.
#
# Token buckets (RFC 2697 calls them that): each address has a stock of tokens that fills up
# steadily; a request takes some. The tables are bounded: who has not asked for longest is
# forgotten first. The library of the field (limits) has no token bucket and keeps every key that
# it has ever seen until a timer comes by.

MOST_ADDRESSES = 20_000
# Requests that one address may have under way: a page holds two or three, a browser six to a name.
MOST_UNDER_WAY = 48
# Requests that may wait for their turn on a route, and for how long, s.
MOST_WAITING, LONGEST_WAIT = 32, 30.0


@dataclass(frozen=True, slots=True)
class Rate:
    """``burst`` at once, then ``second`` every second."""

    burst: float
    second: float


# Of requests by their cost, for one address.
RATES: Mapping[Cost, Rate] = {"file": Rate(600, 60), "look": Rate(300, 20)}


def of_cases(a_minute: int) -> Rate:
    """The rate of cases for one address: some at once, then so many a minute."""
    return Rate(max(5.0, a_minute / 3), a_minute / 60)


class Buckets:
    """A stock of tokens for each key. Safe for several threads."""

    def __init__(
        self, rate: Rate, most: int = MOST_ADDRESSES, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._rate, self._most, self._clock = rate, most, clock
        self._stocks: OrderedDict[str, tuple[float, float]] = OrderedDict()
        self._lock = threading.Lock()

    def __len__(self) -> int:
        return len(self._stocks)

    def take(self, key: str, tokens: float = 1.0) -> float:
        """Take tokens; 0 where there were enough, else the seconds until there are, and nothing is taken."""
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
        """Take what was used, below nothing if need be, by a burst at most; less than 0 is given back."""
        now = self._clock()
        with self._lock:
            stock, at = self._stocks.pop(key, (self._rate.burst, now))
            stock = min(self._rate.burst, stock + (now - at) * self._rate.second)
            self._stocks[key] = (min(max(stock - tokens, -self._rate.burst), self._rate.burst), now)

    def give_back(self, key: str, tokens: float) -> None:
        """Tokens that were taken and not used."""
        with self._lock:
            if key in self._stocks:
                stock, at = self._stocks[key]
                self._stocks[key] = (min(self._rate.burst, stock + tokens), at)


class Turns:
    """Places on one route, for the visitors in the order in which they came."""

    def __init__(self, places: int, most: int = MOST_WAITING) -> None:
        self._places, self._most = asyncio.Semaphore(places), most
        self._waiting = 0

    @asynccontextmanager
    async def place(self) -> AsyncIterator[bool]:
        """Hold a place; False where too many wait already, or none became free in time."""
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
    """Refuses an address that asks too often, or has too much under way (429).

    Who sits at a machine that serves nobody else (``trusts_local``) is not counted.
    """

    def __init__(self, app: ASGIApp, *, trusts_local: bool) -> None:
        self.app, self._trusts_local = app, trusts_local
        self._buckets = {cost: Buckets(rate) for cost, rate in RATES.items()}
        self._under_way: Counter[str] = Counter()

    def spend_looks(self, address: str, tokens: float) -> None:
        """Take what a look of an address has used beyond its token."""
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
    """Refuses an address that begins too many cases (429), and everybody where too much waits (503)."""

    def __init__(self, app: ASGIApp, cases: Rate, *, trusts_local: bool) -> None:
        self.app, self._trusts_local = app, trusts_local
        self._cases = Buckets(cases)
        self._turns: dict[str, Turns] = {}

    def spend(self, address: str, tokens: float) -> None:
        """Take what the work of an address has used beyond its deposit; less than 0 is given back."""
        self._cases.spend(address, tokens)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Count the work that a body asks for, and pass the request on in its turn."""
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
