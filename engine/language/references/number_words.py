"""How a grammar's printed numbers become canonical: one function per way of writing numbers.

A grammar file names one of ``NUMBERS`` in its field ``numbers``. Some bring named parts along, patterns
that are too long to be written by hand (``PARTS``).
"""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import cache

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
from engine.language.script import fold_marks, visible, western_digits
from engine.languages import all_words

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
