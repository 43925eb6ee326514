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
# Tokens that a case takes before it begins: the stock of an address lets six of them wait. What is refused at
# once was asked all the same.
DEPOSIT, LEAST = 3.0, 0.5
Spend = Callable[[str, float], None]


def meter(page: gr.Blocks, spend: Spend) -> None:
    """Have all functions of a page that work on cases tell what they took: ``spend(address, tokens)``."""
    for function in page.fns.values():
        if function.concurrency_id in WORKING_ON_CASES and function.fn is not None:
            function.fn = metered(function.fn, spend)


def metered(function: Callable[..., Any], spend: Spend) -> Callable[..., Any]:
    """The same function; what it takes of the processor beyond its deposit is spent by its address."""

    def spent(seconds: float) -> None:
        request = LocalContext.request.get(None)
        if request is not None:
            spend(address_of(request), max(seconds / SECONDS_OF_A_TOKEN, LEAST) - DEPOSIT)

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
