"""Capitals over a whole corpus: a word that it mostly writes in small letters is no name alone."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

# Languages that write every noun with a capital: German, Luxembourgish, Low German, Swiss German, Bavarian.
NOUNS_IN_CAPITALS = frozenset(("de", "lb", "nds", "gsw", "bar"))
# A word, in front of it its language.
Word = tuple[str, str]
# How often a corpus has each of some words, written exactly so.
Count = Callable[[Sequence[Word]], Sequence[int]]

# A word is always a name's where its capitals outnumber its small letters so many times.
ALWAYS = 2


class LetterCase:
    """How often words stand with a capital and in small letters, asked for many words at once."""

    def __init__(self, words: Iterable[Word], count: Count) -> None:
        wanted = list(dict.fromkeys((language, form) for language, word in words for form in _forms(word)))
        self._counts = dict(zip(wanted, count(wanted), strict=True))

    def capitals(self, language: str, word: str) -> int:
        """How often a word begins with a capital."""
        small = word.lower()
        return sum(self._counts.get((language, form), 0) for form in _forms(word) if form != small)

    def small(self, language: str, word: str) -> int:
        """How often a word is in small letters."""
        return self._counts.get((language, word.lower()), 0)

    def is_ordinary(self, language: str, word: str) -> bool:
        """Whether a word is more often in small letters than not, or of a script that has no capitals."""
        return word.lower() == word.upper() or self.small(language, word) > self.capitals(language, word)

    def is_always_name(self, language: str, word: str) -> bool:
        """Whether the corpus hardly has a word in small letters."""
        return self.capitals(language, word) >= ALWAYS * self.small(language, word)


def _forms(word: str) -> set[str]:
    return {word, word.lower(), word.capitalize(), word.upper()}
