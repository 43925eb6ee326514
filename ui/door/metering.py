"""What a case costs the address that asked: the processor's seconds that it took, known when it has run.

A case begins with a deposit, so that few cases of one address wait at a time. When it has run, what it took
of the processor is paid from that; the rest is given back, and what is missing is taken from the stock, below
nothing if need be: whoever asks dear cases waits longer for the next than others do.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator
from functools import wraps
from typing import Any

import gradio as gr
from gradio.context import LocalContext

from ui.locality import address_of
from ui.session import WORKING_ON_CASES
from ui.workers.processor import used

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
