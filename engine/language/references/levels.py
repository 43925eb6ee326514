"""Numbers below a provision ("(1)(a) and (b)", "Absatz 2 Satz 1") and number words in canonical form."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from functools import cache

from engine.language.characters import fold_marks, visible, western_digits
from engine.language.numerals import (
    ARABIC_AGAIN,
    ARABIC_ORDINAL,
    FRENCH_NUMBER,
    HAN_NUMBER,
    arabic_again,
    arabic_ordinal,
    arabic_ordinals,
    french_number,
    han_number,
    indonesian_number,
    roman_number,
)
from engine.language.references.grammar import NEVER, Grammar, Level, cased
from engine.languages import all_words

# How a grammar's printed numbers become canonical: one function per way of writing numbers.
#
# A grammar file names one of ``NUMBERS`` in its field ``numbers``. Some bring named parts along, patterns
# that are too long to be written by hand (``PARTS``).

# The canonical number, None where what was printed is no number after all (a year).
Canonical = Callable[[str], str | None]

# "No. (7)", "(3)".
_IN_BRACKETS = re.compile(r"(?:[Nn]os?\.?\s*)?\(?\s*([\dA-Z][\w.-]*)\s*\)?\Z")
# The letters that scans put for digits: between the digits of a number, anywhere in brackets, "(l)".
_SCANNED_DIGITS = str.maketrans("lIO", "110")
_SCANNED = re.compile(r"(?<=\d)[lIO]+(?=\d)")
_SCANNED_ITEM = re.compile(r"\A[\dlIO]+")
_DIGITS = re.compile(r"\d+")
_ARABIC_AGAIN = re.compile(ARABIC_AGAIN)
_HAN = re.compile(HAN_NUMBER)
_ORDINAL_SIGN = re.compile(r"(?<=\d)\.?\s?[oaºª°](?=-|\Z)")
_HAN_AGAIN = re.compile(rf"之({HAN_NUMBER}|\d+)")


def plain(printed: str) -> str:
    """The number as printed, without marks of no width and spaces around it."""
    return visible(printed).strip()


def english(printed: str) -> str:
    """As ``plain``, without "No." and brackets around it."""
    return _IN_BRACKETS.sub(r"\1", visible(printed).strip())


def roman(printed: str) -> str:
    """A Roman numeral in its digits ("IV" is 4), anything else as printed."""
    number = visible(printed).strip()
    value = roman_number(number.upper())
    return number if value is None else str(value)


def arabic(printed: str) -> str | None:
    """Digits of either kind or an ordinal in words, with "again" behind it: "20 مكرر"."""
    text = western_digits(visible(printed))
    digits = _DIGITS.search(text)
    words = None if digits else arabic_ordinals().search(text)
    value = digits[0] if digits else arabic_ordinal(words[0]) if words else None
    if value is None:
        return None
    again = _ARABIC_AGAIN.search(text)
    return f"{int(value)}{arabic_again(again[0] if again else '')}"


def han(printed: str) -> str | None:
    """A Chinese numeral or digits: "第一百二十三条" is 123, "第十二条之一" is 12-1; nothing stays nothing."""
    text = visible(printed)
    if not text:
        return ""
    again = _HAN_AGAIN.search(text)
    value = _han_value(text[: again.start()] if again else text)
    added = _han_value(again[1]) if again else None
    return None if value is None else f"{value}-{added}" if added else str(value)


def _han_value(text: str) -> int | None:
    digits = _DIGITS.search(text)
    words = None if digits else _HAN.search(text)
    return int(digits[0]) if digits else han_number(words[0]) if words else None


def french(printed: str) -> str | None:
    """The number of a French article: "1er" is 1, "L. 110-1" is L110-1, "3°" is 3; Roman ones as printed."""
    number = visible(printed).strip().rstrip("°")
    return french_number(number) or number


def arabic_item(printed: str) -> str | None:
    """What stands below an article: "الثانية" is 2, "أولاً" 1, "(2/أ)" 2/أ; a letter as printed."""
    items = [item.strip(" ()\n\t") for item in western_digits(visible(printed)).split("/")]
    values = [arabic(item) or _arabic_adverb(item) or fold_marks(item) for item in items]
    return "/".join(values) if all(values) else None


def _arabic_adverb(printed: str) -> str | None:
    """ "ثانياً" is 2: an ordinal with the ending of an adverb."""
    word = fold_marks(printed)
    value = arabic_ordinal(word[:-1]) if word.endswith("ا") else None
    return None if value is None else str(value)


def indonesian(printed: str) -> str:
    """Digits with what scans make of them ("7l8" is 718), and numbers in words: "Kedua" is 2."""
    number = visible(printed).strip(" ()\n\t").removeprefix("ke-")
    value = indonesian_number(number)
    if value is not None:
        return str(value)
    return (_SCANNED_ITEM if "(" in printed else _SCANNED).sub(_as_digits, number)


def _as_digits(match: re.Match[str]) -> str:
    return match[0].translate(_SCANNED_DIGITS)


def ordinal(printed: str) -> str:
    """A number without the sign of an ordinal behind it: "6.º" and "6.o" are 6, "adicional primera" is
    "adicional 1"."""
    number = _ORDINAL_SIGN.sub("", visible(printed).strip())
    if number[:1].isdigit():
        return number
    values = _ordinal_words()
    return " ".join(values.get(word.casefold(), word) for word in number.split())


@cache
def _ordinal_words() -> dict[str, str]:
    """The ordinals in words of all languages that have written theirs down."""
    return {
        word: str(value)
        for own in all_words().values()
        for value, listed in enumerate(own.ordinals, start=1)
        for word in listed
    }


NUMBERS: dict[str, Canonical] = {
    "plain": plain,
    "english": english,
    "roman": roman,
    "arabic": arabic,
    "arabic_item": arabic_item,
    "han": han,
    "french": french,
    "ordinal": ordinal,
    "indonesian": indonesian,
}
PARTS: dict[str, dict[str, str]] = {
    "arabic": {"arabic_ordinal": ARABIC_ORDINAL, "arabic_again": ARABIC_AGAIN},
    "han": {"han_number": HAN_NUMBER},
    "french": {"french_number": FRENCH_NUMBER},
}


# Reads what stands below a provision: "(1)(a) and (b)", "Absatz 2 und 3 Satz 1", "ayat (1) huruf a".

# A path below the provision joined by "/", and where its words begin and end in the text.
Path = tuple[str, int, int]

# More paragraphs than this no provision has: it is a provision, or two numbers that stand beside a dash.
LONGEST_RANGE = 40

_BELOW_IN_BRACKETS = re.compile("\\(?[\\s\u200e\u200f]*([^()\\s\u200e\u200f]+)[\\s\u200e\u200f]*\\)")
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
    inside = _BELOW_IN_BRACKETS.findall(printed)
    if inside:
        return "/".join(inside)
    match = _VALUE.search(printed)
    return match[0] if match else printed


def _glued(printed: str) -> list[str]:
    """The parts that are glued to a number: "(1)(a)", or behind dots as in "14.2.a)"."""
    return _PIECES.findall(printed) if printed.startswith(".") else _BELOW_IN_BRACKETS.findall(printed)


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
