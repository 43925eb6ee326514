"""Rerankers that visitors of the page may choose, as whoever runs it decides.

``REDSTRING_RERANKERS`` names them, specs between spaces: ``ce:/models/mine?languages=en ce:org/name``.
Others are refused: a visitor's word must not make the server fetch and load a model. Visitors choose by name:
a spec may hold a folder of the server.
"""

from __future__ import annotations

from engine.errors import SettingsError
from engine.language.embedders.loading import model_name
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


def spec_of(name: object, settings: OperatorSettings | None = None) -> str:
    """The spec of a reranker by its name. Raises SettingsError for one that the page does not offer, and
    where two have one name."""
    found = [spec for spec in offered(settings) if model_name(spec) == name]
    if len(found) > 1:
        raise SettingsError(f"{VARIABLE}: two rerankers are called {name!r}")
    if not found:
        raise SettingsError(f"reranker: it is not among those that this page offers ({VARIABLE})")
    return found[0]


def title(name: str) -> str:
    """What a list calls a reranker."""
    return "the language model" if name == LISTWISE else model_name(name)
