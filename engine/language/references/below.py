"""Reads what stands below a provision: "(1)(a) and (b)", "Absatz 2 und 3 Satz 1", "ayat (1) huruf a"."""

from __future__ import annotations

import re
from collections.abc import Iterator

from engine.language.references.grammar import NEVER, Grammar, Level, cased

# A path below the provision joined by "/", and where its words begin and end in the text.
Path = tuple[str, int, int]

# More paragraphs than this no provision has: it is a provision, or two numbers that stand beside a dash.
LONGEST_RANGE = 40

_IN_BRACKETS = re.compile("\\(?[\\s\u200e\u200f]*([^()\\s\u200e\u200f]+)[\\s\u200e\u200f]*\\)")
_PIECES = re.compile(r"[^\W_]+")
_VALUE = re.compile(r"[0-9]+(?:bis|ter|quater|quinquies|sexies|[^\W\d_]{0,2})|[^\W\d_]{1,6}")


class BelowReader:
    """Reads parts below a number by a grammar's ``brackets`` and ``levels``."""

    def __init__(self, grammar: Grammar) -> None:
        self._brackets = re.compile(grammar.brackets) if grammar.brackets else None
        self._levels = [
            (level, re.compile(rf"(?:{'|'.join(cased(level.words))})\s*"), re.compile(level.value))
            for level in grammar.levels
        ]
        self._pattern_of = {level: (words, value) for level, words, value in self._levels}
        # The group that matched is the place of the level: one look instead of two for each level.
        self._any_level = re.compile(
            "|".join(rf"(?:{'|'.join(cased(level.words))})\s*({level.value})" for level in grammar.levels)
            or NEVER
        )
        self._also = re.compile(grammar.also)
        self._through = re.compile(grammar.through)
        self._glue = re.compile(r"\s*,?\s*")

    def read(self, text: str, position: int, number: str, plural: bool) -> tuple[list[Path], int]:
        """Paths below a number that ends at ``position``, and where reading stopped."""
        if self._brackets:
            paths, end = self._read_brackets(text, position)
            if paths:
                return paths, end
        glue = self._glue.match(text, position)
        after_glue = glue.end() if glue else position
        limit = int(number) if plural and number.isdecimal() else None
        paths, end = self.read_levels(text, after_glue, limit)
        return paths, (end if end > after_glue else position)

    def _read_brackets(self, text: str, position: int) -> tuple[list[Path], int]:
        assert self._brackets is not None
        match = self._brackets.match(text, position)
        if not match:
            return [], position
        parts = _glued(match[0])
        paths: list[Path] = [("/".join(parts), position, match.end())]
        end = match.end()
        while True:
            joiner = self._also.match(text, end) or self._through.match(text, end)
            following = self._brackets.match(text, joiner.end()) if joiner else None
            if joiner is None or following is None:
                return paths, end
            sibling = _sibling(parts, _glued(following[0]))
            if sibling is None:
                return paths, end
            parts = sibling
            end = following.end()
            paths.append(("/".join(parts), following.start(), end))

    def read_levels(self, text: str, position: int, limit: int | None = None) -> tuple[list[Path], int]:
        """Paths of a sequence of level words with their values; "Absatz 2 und 3" gives two.

        ``limit`` is the number of the provision where a list of provisions is being read: a larger
        number after "and" is the next provision, not the next paragraph.
        """
        paths: list[Path] = []
        parts: list[str] = []
        end = position
        here = position
        last: Level | None = None
        while True:
            found = self._level_at(text, here)
            if found is None:
                return paths, end
            level, first, value_end, value = found
            if level.counts:
                # "huruf a dan huruf b": the second stands beside the first, not below it.
                beside = level is last and bool(parts)
                fresh = level.depth == 0 or not paths or beside
                parts = [*(parts[:-1] if beside else parts[: level.depth]), value]
                last = level
                if fresh:
                    paths.append(("/".join(parts), here if paths else position, value_end))
                else:
                    paths[-1] = ("/".join(parts), paths[-1][1], value_end)
            end = value_end
            end = self._more_values(text, level, end, paths, parts, limit)
            glue = self._also.match(text, end) or self._glue.match(text, end)
            here = glue.end() if glue else end
            if first == here:
                return paths, end

    def _level_at(self, text: str, position: int) -> tuple[Level, int, int, str] | None:
        found = self._any_level.match(text, position)
        if not found or found.lastindex is None:
            return None
        level = self._levels[found.lastindex - 1][0]
        return level, position, found.end(), _value(level, found[found.lastindex])

    def _more_values(
        self, text: str, level: Level, end: int, paths: list[Path], parts: list[str], limit: int | None
    ) -> int:
        words, pattern = self._pattern_of[level]
        while True:
            through = self._through.match(text, end)
            joiner = through or self._also.match(text, end)
            # "ayat (1) sampai dengan ayat (3)": the word may stand again before the end of a range.
            again = words.match(text, through.end()) if through else None
            found = pattern.match(text, (again or joiner).end()) if joiner else None
            if joiner is None or found is None or "\n\n" in joiner[0]:
                return end
            value = _value(level, found[0])
            # "(3)" in brackets is never the number of a provision.
            plain = limit is not None and value.isdecimal() and not found[0].rstrip().endswith(")")
            if plain and limit is not None and int(value) > min(limit, LONGEST_RANGE):
                return end
            if level.counts and level.depth == 0:
                between = _between(parts[-1], value) if through and parts else ()
                paths.extend((member, found.start(), found.end()) for member in (*between, value))
                parts[:] = [value]
            end = found.end()


def _between(first: str, last: str) -> Iterator[str]:
    """The numbers strictly between the ends of a range of paragraphs."""
    if first.isdecimal() and last.isdecimal() and int(last) - int(first) <= LONGEST_RANGE:
        yield from map(str, range(int(first) + 1, int(last)))


def _value(level: Level, printed: str) -> str:
    """The canonical value of a level where its grammar has one ("kedua" is 2), else as printed."""
    return (level.canonical(printed) if level.canonical else None) or _bare_value(printed)


def _bare_value(printed: str) -> str:
    inside = _IN_BRACKETS.findall(printed)
    if inside:
        return "/".join(inside)
    match = _VALUE.search(printed)
    return match[0] if match else printed


def _glued(printed: str) -> list[str]:
    """The parts that are glued to a number: "(1)(a)", or behind dots as in "14.2.a)"."""
    return _PIECES.findall(printed) if printed.startswith(".") else _IN_BRACKETS.findall(printed)


def _sibling(parts: list[str], following: list[str]) -> list[str] | None:
    """The path of "(b)" after "(1)(a)": what follows replaces the part of its own form."""
    form = _form(following[0])
    for index in range(len(parts) - 1, -1, -1):
        if _form(parts[index]) == form:
            return [*parts[:index], *following]
    return None


def _form(part: str) -> str:
    if part[0].isdigit():
        return "digit"
    return "upper" if part[0].isupper() else "lower"
