"""Lines of a paragraph put together: words that a line's end has parted are mended."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, field

_PARTED = re.compile(r"(?P<word>[^\W\d_]+(?:['’][^\W\d_]+)*)[-\u00ad]\Z")
_GOES_ON = re.compile(r"(?P<word>[^\W\d_]+)")
_WORDS = re.compile(r"[^\W\d_]+(?:-[^\W\d_]+)*")
# "2018–" / "23–51", "https://" / "www", "and/" / "or": nothing is put between.
_TIGHT = re.compile(r"(?:[\d\w][-–‑]|/|[^\W\d_]-)\Z")
_CJK = re.compile("[\u2e80-\u9fff\uf900-\ufaff\uff00-\uffef]")
# A part of a word this long that comes again makes a word said twice: "hak-hak", "perundang-undangan".
_SHORTEST_TWIN = 3
# A longer word is not looked at whole: a paragraph grows line by line.
_LONGEST_WORD = 80


@dataclass(slots=True)
class Vocabulary:
    """The words that a document prints whole, in small letters, with and without hyphens."""

    words: set[str] = field(default_factory=set)

    def learn(self, lines: Iterable[str]) -> None:
        """Take in the words of lines, but for those that a line's end may have parted."""
        for line in lines:
            found = _WORDS.findall(line.casefold())
            self.words.update(found[1 : len(found) - 1 if line.rstrip().endswith(("-", "\u00ad")) else None])
            for word in found:
                if "-" in word:
                    self.words.add(word)

    def join(self, first: str, second: str) -> str:
        """Two lines of one paragraph as one."""
        first, second = first.rstrip(), second.lstrip()
        if not first or not second:
            return first + second
        end = first[-_LONGEST_WORD:]
        parted, goes_on = _PARTED.search(end), _GOES_ON.match(second)
        if parted and goes_on:
            if self._is_one_word(parted["word"], goes_on["word"]) or first.endswith("\u00ad"):
                return first[:-1] + second
            return first + second
        if _CJK.match(first[-1]) and _CJK.match(second[0]):
            return first + second
        if _TIGHT.search(end) and second[0].isalnum():
            return first + second
        return f"{first} {second}"

    def _is_one_word(self, left: str, right: str) -> bool:
        """Whether a hyphen at a line's end only parts a word, and is none of the word's own."""
        if not right[0].islower():
            return False
        start, rest = left.casefold(), right.casefold()
        if start + rest in self.words:
            return True
        if f"{start}-{rest}" in self.words or _is_twin(start, rest):
            return False
        # Two words of their own ("safety-" / "related") keep their hyphen; syllables do not.
        return not (
            start in self.words and rest in self.words and min(len(start), len(rest)) > _SHORTEST_TWIN
        )


def _is_twin(start: str, rest: str) -> bool:
    return any(rest.startswith(start[-size:]) for size in range(_SHORTEST_TWIN, len(start) + 1))
