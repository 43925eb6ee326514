"""Several prompts side by side."""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor

from engine.errors import BudgetError, ModelError
from engine.llm.base import Answer, LanguageModel, Prompt, Reply
from engine.llm.meter import Meter

# A client keeps its own limit of requests at once; this one is of waiting threads.
MOST_THREADS = 8

Outcome = Reply[Answer] | ModelError | BudgetError


def ask_all(
    model: LanguageModel, prompts: Sequence[Prompt], schema: type[Answer], meter: Meter
) -> list[Outcome[Answer]]:
    """The reply to each prompt, in their order, or the error in its place.

    Raises CancelledError where the meter was cancelled; then what still runs is called off first.
    """

    def ask(prompt: Prompt) -> Outcome[Answer]:
        try:
            return model.ask(prompt, schema, meter)
        except (ModelError, BudgetError) as error:
            return error

    if len(prompts) < 2:
        return [ask(prompt) for prompt in prompts]
    with ThreadPoolExecutor(min(len(prompts), MOST_THREADS), "language model") as threads:
        return list(threads.map(ask, prompts))
