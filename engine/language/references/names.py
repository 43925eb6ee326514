"""Which documents a name means, and where the name ends.

A name is matched by its stems, the longest name winning, so that "des Bürgerlichen Gesetzbuchs" and
"the Financial Services and Markets Regulations 2015" are found from the word they begin with.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator

from engine.language.aliases import NAME_WORD, name_key
from engine.language.references.uses import Told, Use, Uses

# A name of more words is a sentence; where every letter counts as a word it may have more.
LONGEST_NAME = 24
LONGEST_UNSPACED = 60
# How many letters before a provision the name of its act may begin, in a script without spaces.
LONGEST_IN_FRONT = 40

# The documents a name means, and where it ends.
Matched = tuple[tuple[int | None, ...], int]

# Between the words of a name: spaces, brackets, commas, quotes and dashes; no sentence ends inside.
_GAP = re.compile(r"[\s(),\"'“”„’«»《》〈〉（）、°–—/&-]{0,6}(?:Nr\.|No\.)?\s*\Z")

# The Indonesian word for an act breaks at its hyphen at the end of a line, and scans lose the hyphen.
_BROKEN = "undang-undang"
_BROKEN_PIECES = (("undang", "undang"), ("undangundang",))


# By so many of its first words is a name kept apart from others, as far as it is told who asked for it.
_TOLD_APART = 3


class Names:
    """An index of names; a name may mean several documents, or (None) one outside the corpus."""

    def __init__(self, table: str = "", uses: Uses | None = None) -> None:
        """``uses`` hears of each name that is asked for, under the name of this ``table``."""
        self._table, self._uses = table, uses
        self._documents: dict[tuple[str, ...], dict[int | None, None]] = {}
        self._lengths: dict[str, list[int]] = {}

    def __len__(self) -> int:
        return len(self._documents)

    def add(self, name: str, document: int | None, language: str) -> None:
        """Lets ``name`` mean ``document`` (its position in the corpus)."""
        key = name_key(name, language)
        if not key or len(key) > (LONGEST_UNSPACED if "\u3400" <= key[0] <= "\u9fff" else LONGEST_NAME):
            return
        self._put(key, document)
        if key[0] == _BROKEN:
            for pieces in _BROKEN_PIECES:
                self._put((*pieces, *key[1:]), document)

    def _put(self, key: tuple[str, ...], document: int | None) -> None:
        self._documents.setdefault(key, {})[document] = None
        lengths = self._lengths.setdefault(key[0], [])
        if len(key) not in lengths:
            lengths.append(len(key))
            lengths.sort(reverse=True)

    def meanings(self, name: str, language: str) -> tuple[int | None, ...]:
        """What a whole name means; empty where it is unknown."""
        key = name_key(name, language)
        self._ask(key[:_TOLD_APART])
        return tuple(self._documents.get(key, ()))

    def answers(self, told: Told) -> Iterator[tuple[Use, str]]:
        """What every question has for an answer that has one: who means a name, and whether any name begins
        with a word, and goes on how far."""
        alike: dict[tuple[str, ...], list[tuple[str, ...]]] = {}
        for key in self._documents:
            alike.setdefault(key[:_TOLD_APART], []).append(key)
        for shown, keys in alike.items():
            found = [(key, told(tuple(self._documents[key]))) for key in sorted(keys)]
            yield ("name", self._table, *shown), repr(found)
        for word, lengths in self._lengths.items():
            yield ("word", self._table, word), str(min(lengths[0], _TOLD_APART))

    def _ask(self, key: tuple[str, ...]) -> None:
        if self._uses is not None and key:
            self._uses.add(("name", self._table, *key))

    def match(self, text: str, position: int, language: str) -> Matched | None:
        """The longest known name that begins at ``position``, and where it ends in the text."""
        keys: list[str] = []
        ends: list[int] = []
        lengths: list[int] | None = None
        last = position
        for found in NAME_WORD.finditer(text, position, position + 300):
            if found.start() > last and not _GAP.match(text, last, found.start()):
                break
            last = found.end()
            key = name_key(found[0], language)
            if not key:
                # "No. 6": the point belongs to the word.
                last += text[last : last + 1] == "."
                continue
            if lengths is None:
                lengths = self._lengths.get(key[0])
                if self._uses is not None:
                    self._uses.add(("word", self._table, key[0]))
                if lengths is None:
                    return None
            keys.append(key[0])
            ends.append(found.end())
            if len(keys) >= lengths[0]:
                break
        for shown in range(1, min(len(keys), _TOLD_APART) + 1):
            self._ask(tuple(keys[:shown]))
        for length in lengths or ():
            if length <= len(keys):
                documents = self._documents.get(tuple(keys[:length]))
                if documents:
                    return tuple(documents), ends[length - 1]
        return None


def name_in_front(name: str, at: int, longest: Callable[[int], Matched | None]) -> Matched | None:
    """The known name that a printed one in Chinese is, or ends with.

    Without spaces, where a name begins shows only when it is known: "适用外资银行管理条例". ``at`` is
    where ``name`` begins, ``longest`` gives the longest known name at a place.
    """
    closing = name.find("》")
    if closing > 0:
        matched = longest(at + 1)
        return (matched[0], at + closing + 1) if matched and matched[1] >= at + closing else None
    end = at + len(name.rstrip("的中"))
    found = (longest(start) for start in range(max(0, end - LONGEST_IN_FRONT), end))
    return next((matched for matched in found if matched and matched[1] == end), None)


def merged_groups(groups: Iterable[tuple[str, ...]], names: Names, language: str) -> None:
    """Lets all names of a group mean what one of them already means, or else an act from outside."""
    for group in groups:
        meant = {document: None for name in group for document in names.meanings(name, language)}
        for name in group:
            for document in meant or (None,):
                names.add(name, document, language)
