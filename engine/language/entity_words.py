"""Words by which languages speak of things with names, from the ``entities.yaml`` of each."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from engine import bounded_yaml
from engine.languages import room

ENTITIES = "entities.yaml"


@dataclass(frozen=True, slots=True)
class EntityWords:
    """Of one language: kinds of ``documents``, ``labels`` of counted places, and how contracts give a party
    its role, ``leads`` and ``articles`` before it and ``tails`` behind it."""

    documents: frozenset[str] = frozenset()
    labels: frozenset[str] = frozenset()
    leads: tuple[str, ...] = ()
    articles: tuple[str, ...] = ()
    tails: tuple[str, ...] = ()


@cache
def _all() -> Mapping[str, EntityWords]:
    return {path.parent.name: _read(path) for path in room.files(ENTITIES)}


def _read(path: Path) -> EntityWords:
    words = bounded_yaml.load(path.read_bytes())
    lists = (tuple(words.get(part, ())) for part in ("leads", "articles", "tails"))
    return EntityWords(frozenset(words.get("documents", ())), frozenset(words.get("labels", ())), *lists)


def entity_words(language: str) -> EntityWords:
    """The words of a language; none for one that has no entry."""
    return _all().get(language.split("-")[0], _NONE)


_NONE = EntityWords()
