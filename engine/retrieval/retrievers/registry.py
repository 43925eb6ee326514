"""The registry of retrievers: the built-in ones and those of other packages.

A package adds one by the entry point group ``redstring.retrievers``; the entry's name is the retriever's
name, its value the class.
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
def all_retrievers() -> Mapping[str, Callable[[], Retriever]]:
    """Return all retrievers by name. Other packages cannot use a built-in name."""
    added = {entry.name: entry.load() for entry in entry_points(group=GROUP) if entry.name not in BUILT_IN}
    return {**BUILT_IN, **added}


def retrievers(names: Sequence[str]) -> list[Retriever]:
    """Make retrievers by name, in the order in which they search.

    Raises SettingsError for an unknown name or an empty list.
    """
    known = all_retrievers()
    if not names:
        raise SettingsError(f"retrievers: name at least one of {', '.join(known)}")
    for name in names:
        if name not in known:
            raise SettingsError(f"unknown retriever {name!r}; known retrievers: {', '.join(known)}")
    # In the order of the registry: a retriever may use what earlier ones found.
    return [known[name]() for name in known if name in names]


def title_of(name: str) -> str:
    """Return the title of a retriever, or its name if it is no longer known."""
    maker = all_retrievers().get(name)
    return name if maker is None else maker().title
