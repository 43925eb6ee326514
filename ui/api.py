"""The one public endpoint: the same answer as the command line gives, over HTTP."""

from __future__ import annotations

from typing import Any

import gradio as gr
import orjson
from gradio.events import api

from engine.errors import InputError, RedstringError
from engine.investigation import Case
from engine.records.export import investigation_to_json
from engine.settings import preset as settings_of
from ui.shelf import Library


def investigate(
    library: Library,
    question: str,
    corpus: str,
    preset: str,
    strategies: list[str] | None,
    rounds: int | None,
    pool_size: int | None,
    top_k: int | None,
) -> dict[str, Any]:
    """Run one investigation to its end. Raises InputError where the question is empty."""
    if not question or not question.strip():
        raise InputError("question: empty")
    settings = settings_of(preset).changed(
        strategies=tuple(strategies) if strategies else None, rounds=rounds, pool_size=pool_size, top_k=top_k
    )
    case = Case(library.corpus(corpus or None), question.strip(), settings)
    for _ in case.run():
        continue
    # Through JSON once, so that tuples are lists for every kind of caller.
    answer: dict[str, Any] = orjson.loads(orjson.dumps(investigation_to_json(case.investigation())))
    return answer


def add_api(library: Library) -> None:
    """Add the named endpoint ``/investigate`` to the page that is being built."""

    def endpoint(
        question: str,
        corpus: str = "",
        preset: str = "balanced",
        strategies: list[str] | None = None,
        rounds: int | None = None,
        pool_size: int | None = None,
        top_k: int | None = None,
    ) -> dict[str, Any]:
        """Investigate a question and return the whole record as JSON.

        corpus: a name of a corpus, empty for the first. preset: quick, balanced, thorough or detective;
        the other arguments change single values of it, null leaves them as they are.
        """
        try:
            return investigate(library, question, corpus, preset, strategies, rounds, pool_size, top_k)
        except RedstringError as error:
            raise gr.Error(str(error), print_exception=False) from error

    # The name under which clients of the MCP server find the tool.
    endpoint.__name__ = "investigate"
    api(endpoint, api_name="investigate")
