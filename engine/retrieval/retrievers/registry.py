"""Retrievers by name: the built-in ones, and those other packages add.

A package adds one through the entry point group ``redstring.retrievers``; the entry's name is the
retriever's name, its value the class.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cache
from importlib.metadata import entry_points

from engine.errors import SettingsError
from engine.retrieval.retrievers.base import Retriever
from engine.retrieval.retrievers.dense import Dense
from engine.retrieval.retrievers.lexical import Lexical
from engine.retrieval.retrievers.sparse import Sparse

GROUP = "redstring.retrievers"

BUILT_IN: Mapping[str, Callable[[], Retriever]] = {
    "bm25": Lexical,
    "dense": Dense,
    "sparse": Sparse,
}


@cache
def known_retrievers() -> Mapping[str, Callable[[], Retriever]]:
    """All retrievers by name. A built-in name cannot be taken by another package."""
    added = {entry.name: entry.load() for entry in entry_points(group=GROUP) if entry.name not in BUILT_IN}
    return {**BUILT_IN, **added}


def retrievers(names: Sequence[str]) -> list[Retriever]:
    """Retrievers by name, in the order in which they search.

    Raises SettingsError for an unknown name, or where none is named.
    """
    known = known_retrievers()
    if not names:
        raise SettingsError(f"retrievers: name at least one of {', '.join(known)}")
    for name in names:
        if name not in known:
            raise SettingsError(f"unknown retriever {name!r}; known retrievers: {', '.join(known)}")
    # In the order of the registry: each one may look at what those before it have found.
    return [known[name]() for name in known if name in names]


def title_of(name: str) -> str:
    """What people call a retriever; its name where nothing is known of it any more."""
    maker = known_retrievers().get(name)
    return name if maker is None else maker().title
