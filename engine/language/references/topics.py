"""Guidance by its subject: "the Guidance on Mining" is the one whose title holds all words of that name."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from engine.language.aliases import name_key
from engine.language.references.uses import Told, Use, Uses
from engine.model import Document

_GUIDANCE = re.compile(r"\b(?:Guidance|Guidelines|Guidance Note)\b")
_LINKS = frozenset(("on", "for", "of", "in", "and", "to"))


class Topics:
    """The documents of a corpus by the words of their titles."""

    def __init__(self, documents: Sequence[Document], uses: Uses | None = None) -> None:
        """``uses`` hears of each name that is asked for, by the longest of its words."""
        self._uses = uses
        self._titles = [set(name_key(document.title, document.language)) for document in documents]

    def meant(self, name: str, language: str) -> tuple[int, ...]:
        """The one guidance whose title holds all words of a name: "the Guidance on Mining"."""
        if not _GUIDANCE.search(name):
            return ()
        wanted = set(name_key(name, language)) - _LINKS
        if len(wanted) < 2:
            return ()
        if self._uses is not None:
            self._uses.add(("topic", max(wanted, key=lambda word: (len(word), word))))
        found = [number for number, title in enumerate(self._titles) if wanted <= title]
        return tuple(found) if len(found) == 1 else ()

    def answers(self, told: Told) -> Iterator[tuple[Use, str]]:
        """The titles that hold each word, and whose they are."""
        titles: dict[str, list[tuple[list[str], str]]] = {}
        for number, words in enumerate(self._titles):
            for word in words:
                titles.setdefault(word, []).append((sorted(words), told([number])))
        for word, found in titles.items():
            yield ("topic", word), repr(found)
