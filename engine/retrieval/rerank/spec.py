"""Rerankers by a short spec string.

========================  ================================================================
``none``                  no reranker: the ranking is unchanged (default)
``ce:NAME_OR_FOLDER``     any sentence-transformers CrossEncoder with one score for a pair
``llm``                   the language model of the case (``listwise.py``), if one is connected
========================  ================================================================

Options follow a question mark: ``ce:cross-encoder/ms-marco-MiniLM-L6-v2?languages=en`` names the languages
that the model reads; ``tokens=256`` limits question and text together to 256 tokens.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from urllib.parse import parse_qs

from engine.errors import SettingsError
from engine.retrieval.rerank.base import Reranker
from engine.retrieval.rerank.cross_encoder import CrossEncoderReranker
from engine.retrieval.rerank.listwise import LISTWISE

NO_RERANKER = "none"
CROSS_ENCODER = "ce"
OPTIONS = {"languages", "tokens"}
FEWEST_TOKENS = 16


@lru_cache(maxsize=8)
def reranker(spec: str) -> Reranker | None:
    """Return the model of a spec, the same object for the same spec, loaded on first use.

    None for "none", and for "llm", whose model belongs to the case. Raises SettingsError for an invalid spec.
    """
    if spec in (NO_RERANKER, LISTWISE):
        return None
    scheme, _, rest = spec.partition(":")
    name, _, query = rest.partition("?")
    if scheme != CROSS_ENCODER or not name:
        raise SettingsError(f"unknown reranker {spec!r}; use none, ce:NAME_OR_FOLDER or llm")
    options = {key: values[-1] for key, values in parse_qs(query, keep_blank_values=True).items()}
    if unknown := sorted(options.keys() - OPTIONS):
        known = ", ".join(sorted(OPTIONS))
        raise SettingsError(f"unknown option {unknown[0]!r} in reranker {spec!r}; known: {known}")
    listed = options.get("languages")
    languages = frozenset(listed.split(",")) if listed else None
    return CrossEncoderReranker(spec, name, languages=languages, tokens=_tokens(spec, options))


def _tokens(spec: str, options: Mapping[str, str]) -> int | None:
    given = options.get("tokens")
    if given is None:
        return None
    if not given.isdecimal() or int(given) < FEWEST_TOKENS:
        raise SettingsError(
            f"tokens in reranker {spec!r}: must be a number of at least {FEWEST_TOKENS} (given: {given!r})"
        )
    return int(given)
