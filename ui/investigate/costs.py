"""The cost of a language model as the page shows it, and the switch for its tasks."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

import gradio as gr
from gradio.components import Component
from gradio.events import Dependency

from engine.investigation import Case
from engine.investigation.assistance import budget_of, expected_cost
from engine.llm import Budget, Usage
from engine.llm.cost import CostReport, cache_words, currency_of
from engine.records.phrases import plural
from engine.retrieval.rerank.base import LISTWISE
from engine.settings import MODEL_TASKS
from ui.investigate.controls import RERANKER, knobs
from ui.templating import rendered

# The actual cost of a language model, or its maximum before a run, as the page shows it.

_SIGNS = {"USD": "$", "EUR": "€", "GBP": "£"}


def money_words(money: float, currency: str) -> str:
    """Return an amount in words, "$0.0042", "0.0042 CHF": two significant digits below a cent, cents
    above."""
    number = f"{money:,.2f}" if money >= 0.1 or money == 0 else f"{money:.2g}"
    sign = _SIGNS.get(currency)
    return f"{sign}{number}" if sign else f"{number} {currency}"


def rough(count: int) -> str:
    """Return an estimated number in two significant digits: 14,283 is "14,000"."""
    if count < 100:
        return str(count)
    step = 10 ** (len(str(count)) - 2)
    return f"{-(-count // step) * step:,}"


def expected_words(expected: Usage, currency: str) -> str:
    """Return the maximum usage of a case, in one line; empty if it does not use the model."""
    if not expected.calls:
        return ""
    words = f"up to {plural(expected.calls, 'call')}, about {rough(expected.tokens)} tokens"
    if expected.money is None or not currency:
        return words
    return f"{words}, at most {money_words(expected.money, currency)}"


def used_words(used: Usage, currency: str) -> str:
    """Return the usage in one line."""
    words = f"{plural(used.calls, 'call')}, {used.prompt_tokens:,} tokens in, {used.completion_tokens:,} out"
    return f"{words}, {money_words(used.money, currency)}" if currency and used.money is not None else words


def cost_step(report: CostReport) -> str:
    """Return the step of the progress line that shows the cost, with a table of the tasks."""
    if not report.tasks:
        return ""
    used = report.total
    figure, more = plural(used.calls, "call"), f" · {used.tokens:,} tokens"
    if not used.calls:
        figure, more = plural(used.reused, "answer"), " known before"
    elif report.currency and used.money is not None:
        more = f" · {money_words(used.money, report.currency)}"
    return rendered(
        "investigate/cost.html",
        figure=figure,
        more=more,
        currency=report.currency,
        rows=[_row(task, used) for task, used in report.tasks.items()],
        total=_row("all", used) if len(report.tasks) > 1 else None,
        saved=cache_words(used, report.currency),
        stopped=report.stopped,
        seconds=report.seconds,
    )


def _row(task: str, used: Usage) -> tuple[str, tuple[int, ...], str]:
    numbers = (used.calls, used.prompt_tokens, used.cached_tokens, used.completion_tokens, used.reused)
    name = task.replace("_", " ").replace("-", " ")
    return name[:1].upper() + name[1:], numbers, "" if used.money is None else f"{used.money:.5f}"


# One switch for all tasks of a language model, and the expected cost of a case with them.

# The question for the estimate before one is typed: one of usual length.
_ANY_QUESTION = "Which duties does the law put on whoever acts for another, and which exceptions are there?"


def helpers() -> Mapping[str, tuple[Any, Any]]:
    """Return the settings that a language model may take over, with their values with and without one."""
    without = next(str(knob.default) for knob in knobs() if knob.name == RERANKER)
    return {"model_tasks": (sorted(MODEL_TASKS), []), RERANKER: (LISTWISE, without)}


def build_assist() -> tuple[gr.Checkbox, gr.HTML]:
    """Build the switch and the line below it. Both are visible only if a model is connected."""
    switch = gr.Checkbox(False, label="Use the language model", elem_id="use-model", interactive=True)
    cost = gr.HTML("", elem_id="expected-cost", apply_default_css=False)
    return switch, cost


def cost_line(case: Case | None) -> str:
    """Return the line below the switch: the maximum usage of a case; empty if it does not use the model."""
    if case is None or case.model is None:
        return ""
    expected = sum(expected_cost(case).values(), Usage())
    words = expected_words(_within(expected, budget_of(case.settings)), currency_of(case.model.spec))
    return rendered("investigate/expected.html", words=words) if words else ""


def question_or_sample(question: str) -> str:
    """Return the question, or one of usual length if it is empty."""
    return question.strip() or _ANY_QUESTION


def _within(expected: Usage, budget: Budget) -> Usage:
    """Return the expected usage, cut to the budget, at which the model is stopped."""
    calls = min(expected.calls, budget.calls if budget.calls is not None else expected.calls)
    money = expected.money
    if money is not None and budget.money is not None:
        money = min(money, budget.money)
    if budget.tokens is None or expected.tokens <= budget.tokens:
        return replace(expected, calls=calls, money=money)
    return replace(expected, calls=calls, money=money, prompt_tokens=budget.tokens, completion_tokens=0)


def wire_assist(
    switch: gr.Checkbox,
    cost: gr.HTML,
    settings: Mapping[str, Component],
    considered: Callable[..., Case | None],
    others: list[Any],
    taken_down: Callable[..., Dependency],
    asked: gr.Textbox,
) -> None:
    """Wire the switch: it turns all helpers on or off, follows a manual change, and updates the cost.

    Both happen in the browser, so that they precede any click. ``considered`` returns the case for the
    request in ``asked``; ``taken_down`` fills ``asked`` at events; ``others`` are events that change the
    cost.
    """
    values = helpers()
    chosen = [settings[name] for name in values]
    quietly: dict[str, Any] = {"api_visibility": "private", "show_progress": "hidden"}
    helped, without = ([pair[index] for pair in values.values()] for index in (0, 1))

    def estimate(request: gr.Request, given: str) -> str:
        return cost_line(considered(request, given))

    switch.input(
        None, switch, chosen, js=f"(on) => on ? {json.dumps(helped)} : {json.dumps(without)}", **quietly
    )
    by_hand = [control.input for control in chosen]  # type: ignore[attr-defined]
    gr.on(
        by_hand, None, chosen, switch, **quietly,
        js=f"(...now) => [JSON.stringify(now.map((one) => Array.isArray(one) ? [...one].sort() : one))"
        f" === JSON.stringify({json.dumps(helped)})]",
    )  # fmt: skip
    taken_down(switch.input, *by_hand, *others).then(
        estimate, asked, cost, trigger_mode="always_last", queue=False, **quietly
    )
