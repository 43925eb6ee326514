"""Dictionary forms of words, by simplemma's lists.

To read such a list takes a second and a hundred megabytes a process: it is decoded once for an installation,
into the text of its words in order, which is kept beside this module where that can be written (as compiled
code is) and is read in hundredths of a second from then on.
"""

from __future__ import annotations

import os
from bisect import bisect_right
from collections.abc import Iterator, Mapping
from contextlib import suppress
from functools import cache
from importlib.util import cache_from_source
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from xxhash import xxh3_128

if TYPE_CHECKING:
    from simplemma import Lemmatizer

FOLDER = Path(cache_from_source(__file__)).parent
# So many words are looked through at once.
_AT_ONCE = 32
_LINE, _TAB = b"\n", b"\t"


def lemma(word: str, language: str) -> str:
    """The dictionary form of a word, the word itself where no list has it. Raises ValueError for a language
    without a list."""
    return _lemmatizer(language).lemmatize(word, lang=language).casefold()


class WordList(Mapping[str, str]):
    """Words to their dictionary forms, kept as the lines ``word TAB form`` in the order of their bytes."""

    def __init__(self, lines: bytes) -> None:
        """``lines``: a line feed, then each line with the one that ends it."""
        self._lines = lines
        ends = np.flatnonzero(np.frombuffer(lines, np.uint8) == _LINE[0])
        self._count = len(ends) - 1
        self._starts = ends[:-1:_AT_ONCE].tolist()
        self._firsts = [lines[start + 1 : lines.index(_TAB, start)] for start in self._starts]
        self._starts.append(len(lines) - 1)

    def get(self, word: str, default: str | None = None) -> str | None:  # type: ignore[override]
        """The dictionary form of a word."""
        own = word.encode("utf-8", "replace")
        place = bisect_right(self._firsts, own) - 1
        if place < 0:
            return default
        line = _LINE + own + _TAB
        # The line feed that ends the last of them is that of the next one.
        start = self._lines.find(line, self._starts[place], self._starts[place + 1] + len(line))
        if start < 0:
            return default
        start += len(line)
        return self._lines[start : self._lines.index(_LINE, start)].decode()

    def __getitem__(self, word: str) -> str:
        found = self.get(word)
        if found is None:
            raise KeyError(word)
        return found

    def __len__(self) -> int:
        return self._count

    def __iter__(self) -> Iterator[str]:
        for line in self._lines.split(_LINE)[1:-1]:
            yield line.partition(_TAB)[0].decode()


def lines_of(forms: Mapping[str, str]) -> bytes:
    """The lines of a word list. Raises ValueError for a word that no line can hold."""
    lines = sorted((word.encode(), form.encode()) for word, form in forms.items())
    text = b"".join((_LINE, *(word + _TAB + form + _LINE for word, form in lines)))
    if text.count(_LINE) != len(lines) + 1 or text.count(_TAB) != len(lines):
        raise ValueError("a word holds a line feed or a tabulator")
    return text


@cache
def _lemmatizer(language: str) -> Lemmatizer:
    # Imported for those languages alone that need it.
    from simplemma import Lemmatizer
    from simplemma.strategies import DefaultStrategy

    known: dict[str, Mapping[str, str]] = {}

    class Kept:
        """Gives the list of each language, read when it is asked for first."""

        def get_dictionary(self, lang: str) -> Mapping[str, str]:
            """The list of a language."""
            found = known.get(lang)
            if found is None:
                found = known[lang] = word_list(lang)
            return found

    return Lemmatizer(lemmatization_strategy=DefaultStrategy(dictionary_factory=Kept()))


def word_list(language: str) -> Mapping[str, str]:
    """The list of a language, kept where that is possible. Raises ValueError where there is none."""
    import simplemma
    from simplemma.strategies import DefaultDictionaryFactory

    path = FOLDER / f"{language}-{simplemma.__version__}.words"
    with suppress(OSError):
        held = path.read_bytes()
        if held[:16] == xxh3_128(held[16:]).digest():
            return WordList(held[16:])
    forms: Mapping[str, str] = DefaultDictionaryFactory().get_dictionary(language)
    lines = lines_of(forms)
    waiting = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        FOLDER.mkdir(parents=True, exist_ok=True)
        waiting.write_bytes(xxh3_128(lines).digest() + lines)
        waiting.replace(path)
    except OSError:
        with suppress(OSError):
            waiting.unlink(missing_ok=True)
    return WordList(lines)
