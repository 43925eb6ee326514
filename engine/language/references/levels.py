"""Read numbers below a provision ("(1)(a) and (b)", "Absatz 2 Satz 1") and convert number words."""

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

# Conversions of printed numbers
#
# The field ``numbers`` of a grammar file names an entry of ``NUMBERS``; ``PARTS`` adds long named patterns
# for it.

# Returns the canonical number, or None if the text is not a number (a year).
Canonical = Callable[[str], str | None]

# "No. (7)", "(3)".
_IN_BRACKETS = re.compile(r"(?:[Nn]os?\.?\s*)?\(?\s*([\dA-Z][\w.-]*)\s*\)?\Z")
# Letters that OCR confuses with digits: between the digits of a number, or anywhere in brackets, "(l)".
_SCANNED_DIGITS = str.maketrans("lIO", "110")
_SCANNED = re.compile(r"(?<=\d)[lIO]+(?=\d)")
_SCANNED_ITEM = re.compile(r"\A[\dlIO]+")
_DIGITS = re.compile(r"\d+")
# "1.1": the clause of a contract.
_DOTTED = re.compile(r"\d+(?:\.\d+)+")
_ARABIC_AGAIN = re.compile(ARABIC_AGAIN)
_HAN = re.compile(HAN_NUMBER)
_ORDINAL_SIGN = re.compile(r"(?<=\d)\.?\s?[oaºª°](?=-|\Z)")
_HAN_AGAIN = re.compile(rf"之({HAN_NUMBER}|\d+)")


def plain(printed: str) -> str:
    """Return the number as printed, without zero-width marks and surrounding spaces."""
    return visible(printed).strip()


def english(printed: str) -> str:
    """Return ``plain`` without "No." and brackets."""
    return _IN_BRACKETS.sub(r"\1", visible(printed).strip())


def roman(printed: str) -> str:
    """Convert a Roman numeral to digits ("IV" becomes 4); other text stays as printed."""
    number = visible(printed).strip()
    value = roman_number(number.upper())
    return number if value is None else str(value)


def arabic(printed: str) -> str | None:
    """Convert Arabic digits or an ordinal in words, with a suffix "again": "20 مكرر"."""
    text = western_digits(visible(printed))
    if dotted := _DOTTED.search(text):
        return dotted[0]
    digits = _DIGITS.search(text)
    words = None if digits else arabic_ordinals().search(text)
    value = digits[0] if digits else arabic_ordinal(words[0]) if words else None
    if value is None:
        return None
    suffix = _ARABIC_AGAIN.search(text)
    return f"{int(value)}{arabic_again(suffix[0] if suffix else '')}"


def han(printed: str) -> str | None:
    """Convert a Chinese numeral or digits: "第一百二十三条" becomes 123, "第十二条之一" 12-1."""
    text = visible(printed)
    if not text:
        return ""
    if dotted := _DOTTED.search(text):
        return dotted[0]
    suffix = _HAN_AGAIN.search(text)
    value = _han_value(text[: suffix.start()] if suffix else text)
    added = _han_value(suffix[1]) if suffix else None
    return None if value is None else f"{value}-{added}" if added else str(value)


def _han_value(text: str) -> int | None:
    digits = _DIGITS.search(text)
    words = None if digits else _HAN.search(text)
    return int(digits[0]) if digits else han_number(words[0]) if words else None


def french(printed: str) -> str | None:
    """Convert the number of a French article: "1er" becomes 1, "L. 110-1" L110-1, "3°" 3; Roman stays as
    printed."""
    number = visible(printed).strip().rstrip("°")
    return french_number(number) or number


def arabic_item(printed: str) -> str | None:
    """Convert a number below an article: "الثانية" becomes 2, "أولاً" 1, "(2/أ)" 2/أ; a letter stays as
    printed."""
    items = [item.strip(" ()\n\t") for item in western_digits(visible(printed)).split("/")]
    values = [arabic(item) or _arabic_adverb(item) or fold_marks(item) for item in items]
    return "/".join(values) if all(values) else None


def _arabic_adverb(printed: str) -> str | None:
    """Convert an ordinal with an adverbial ending: "ثانياً" becomes 2."""
    word = fold_marks(printed)
    value = arabic_ordinal(word[:-1]) if word.endswith("ا") else None
    return None if value is None else str(value)


def indonesian(printed: str) -> str:
    """Convert digits with OCR errors ("7l8" becomes 718) and numbers in words ("Kedua" becomes 2)."""
    number = visible(printed).strip(" ()\n\t").removeprefix("ke-")
    value = indonesian_number(number)
    if value is not None:
        return str(value)
    return (_SCANNED_ITEM if "(" in printed else _SCANNED).sub(_as_digits, number)


def _as_digits(match: re.Match[str]) -> str:
    return match[0].translate(_SCANNED_DIGITS)


def ordinal(printed: str) -> str:
    """Remove the sign of an ordinal ("6.º" and "6.o" become 6) and convert words ("adicional primera" becomes
    "adicional 1")."""
    number = _ORDINAL_SIGN.sub("", visible(printed).strip())
    if number[:1].isdigit():
        return number
    values = _ordinal_words()
    return " ".join(values.get(word.casefold(), word) for word in number.split())


@cache
def _ordinal_words() -> dict[str, str]:
    """Return the ordinals in words of all languages with their values."""
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


# Reading of levels: "(1)(a) and (b)", "Absatz 2 und 3 Satz 1", "ayat (1) huruf a"

# A path below the provision joined by "/", with its span in the text.
Path = tuple[str, int, int]

# No provision has more paragraphs: a larger range is one of provisions, or two numbers around a dash.
LONGEST_RANGE = 40

_BELOW_IN_BRACKETS = re.compile("\\(?[\\s\u200e\u200f]*([^()\\s\u200e\u200f]+)[\\s\u200e\u200f]*\\)")
_PIECES = re.compile(r"[^\W_]+")
_VALUE = re.compile(r"[0-9]+(?:bis|ter|quater|quinquies|sexies|[^\W\d_]{0,2})|[^\W\d_]{1,6}")


class BelowReader:
    """Reads parts below a number by the ``brackets`` and ``levels`` of a grammar."""

    def __init__(self, grammar: Grammar) -> None:
        self._brackets = re.compile(grammar.brackets) if grammar.brackets else None
        self._levels = [
            (level, re.compile(rf"(?:{'|'.join(cased(level.words))})\s*"), re.compile(level.value))
            for level in grammar.levels
        ]
        self._pattern_of = {level: (words, value) for level, words, value in self._levels}
        # The matching group is the number of the level: one match instead of two for each level.
        self._any_level = re.compile(
            "|".join(rf"(?:{'|'.join(cased(level.words))})\s*({level.value})" for level in grammar.levels)
            or NEVER
        )
        self._also = re.compile(grammar.also)
        self._through = re.compile(grammar.through)
        self._glue = re.compile(r"\s*,?\s*")

    def read(self, text: str, position: int, number: str, plural: bool) -> tuple[list[Path], int]:
        """Read the paths below a number that ends at ``position``; return them and the end."""
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
        """Read the paths of consecutive level words with their values; "Absatz 2 und 3" gives two.

        ``limit``: the number of the provision within a list of provisions; a larger number after "and" is the
        next provision, not the next paragraph.
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
                # "huruf a dan huruf b": the second is a sibling of the first, not below it.
                sibling = level is last and bool(parts)
                fresh = level.depth == 0 or not paths or sibling
                parts = [*(parts[:-1] if sibling else parts[: level.depth]), value]
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
            # "ayat (1) sampai dengan ayat (3)": the word may be repeated before the end of a range.
            repeated = words.match(text, through.end()) if through else None
            found = pattern.match(text, (repeated or joiner).end()) if joiner else None
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
    """Yield the numbers strictly between the ends of a range of paragraphs."""
    if first.isdecimal() and last.isdecimal() and int(last) - int(first) <= LONGEST_RANGE:
        yield from map(str, range(int(first) + 1, int(last)))


def _value(level: Level, printed: str) -> str:
    """Return the canonical value of a level if its grammar converts it ("kedua" becomes 2), otherwise as
    printed."""
    return (level.canonical(printed) if level.canonical else None) or _bare_value(printed)


def _bare_value(printed: str) -> str:
    inside = _BELOW_IN_BRACKETS.findall(printed)
    if inside:
        return "/".join(inside)
    match = _VALUE.search(printed)
    return match[0] if match else printed


def _glued(printed: str) -> list[str]:
    """Return the parts attached to a number: "(1)(a)", or after dots as in "14.2.a)"."""
    return _PIECES.findall(printed) if printed.startswith(".") else _BELOW_IN_BRACKETS.findall(printed)


def _sibling(parts: list[str], following: list[str]) -> list[str] | None:
    """Return the path of "(b)" after "(1)(a)": it replaces the part of the same form."""
    form = _form(following[0])
    for index in range(len(parts) - 1, -1, -1):
        if _form(parts[index]) == form:
            return [*parts[:index], *following]
    return None


def _form(part: str) -> str:
    if part[0].isdigit():
        return "digit"
    return "upper" if part[0].isupper() else "lower"
