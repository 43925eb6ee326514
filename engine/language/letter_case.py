"""Capitals over a whole corpus: a word that it mostly writes in small letters is no name alone."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import NamedTuple

# Languages that write every noun with a capital: German, Luxembourgish, Low German, Swiss German, Bavarian.
NOUNS_IN_CAPITALS = frozenset(("de", "lb", "nds", "gsw", "bar"))
# A word, in front of it its language.
Word = tuple[str, str]

# A word is always a name's where its capitals outnumber its small letters so many times.
ALWAYS = 2


class Comparison(NamedTuple):
    """Whether a corpus has a word, so many ``times`` over, more often than some others together."""

    word: Word
    others: tuple[Word, ...] = ()
    times: int = 1


# Which comparisons are so. Whoever asks for these, and not for counts, need not ask again where a corpus
# changed and they stayed as they are.
Weigh = Callable[[Sequence[Comparison]], Sequence[bool]]


class _Told(NamedTuple):
    """What is so of a word."""

    is_small_too: bool
    is_mostly_small: bool
    is_often_small: bool


class LetterCase:
    """How words stand with a capital and in small letters, asked for many words at once."""

    def __init__(self, words: Iterable[Word], weigh: Weigh) -> None:
        self._weigh = weigh
        self._told: dict[Word, _Told] = {}
        self._ask(list(dict.fromkeys(words)))

    def is_small_too(self, language: str, word: str) -> bool:
        """Whether the corpus has a word in small letters."""
        return self._of(language, word).is_small_too

    def is_ordinary(self, language: str, word: str) -> bool:
        """Whether a word is more often in small letters than not, or of a script that has no capitals."""
        return word.lower() == word.upper() or self._of(language, word).is_mostly_small

    def is_always_name(self, language: str, word: str) -> bool:
        """Whether the corpus hardly has a word in small letters."""
        return not self._of(language, word).is_often_small

    def _of(self, language: str, word: str) -> _Told:
        if (language, word) not in self._told:
            self._ask([(language, word)])
        return self._told[language, word]

    def _ask(self, words: Sequence[Word]) -> None:
        asked: list[Comparison] = []
        for language, word in words:
            small = language, word.lower()
            large = tuple((language, form) for form in _large(word))
            asked += Comparison(small), Comparison(small, large), Comparison(small, large, ALWAYS)
        found = self._weigh(asked)
        told = map(_Told, found[::3], found[1::3], found[2::3])
        self._told |= dict(zip(words, told, strict=True))


def _large(word: str) -> list[str]:
    """The forms of a word with a capital."""
    return sorted({word, word.capitalize(), word.upper()} - {word.lower()})
