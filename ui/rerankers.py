"""Rerankers that visitors of the page may choose, as whoever runs it decides.

``REDSTRING_RERANKERS`` names them, specs between spaces: ``ce:/models/mine?languages=en ce:org/name``.
Others are refused: a visitor's word must not make the server fetch and load a model.
"""

from __future__ import annotations

from engine.errors import SettingsError
from engine.operator_settings import OperatorSettings, operator_settings, variable
from engine.retrieval.rerank import LISTWISE, NO_RERANKER, reranker

VARIABLE = variable("rerankers")


def offered(settings: OperatorSettings | None = None) -> tuple[str, ...]:
    """Specs, "none" and the language model of a case first, which costs whoever brought it.

    Raises SettingsError naming the variable where one cannot be read.
    """
    specs = tuple(dict.fromkeys((NO_RERANKER, LISTWISE, *(settings or operator_settings()).rerankers)))
    for spec in specs:
        try:
            reranker(spec)
        except SettingsError as error:
            raise SettingsError(f"{VARIABLE}: {error}") from error
    return specs


def check_offered(spec: str, settings: OperatorSettings | None = None) -> None:
    """Raise SettingsError for a reranker that the page does not offer."""
    if spec not in offered(settings):
        raise SettingsError(f"reranker: {spec!r} is not among those that this page offers ({VARIABLE})")


def title(spec: str) -> str:
    """What a list calls a reranker: the last part of its name."""
    if spec == LISTWISE:
        return "the language model"
    return spec.partition(":")[2].partition("?")[0].rstrip("/").rpartition("/")[2] or spec
