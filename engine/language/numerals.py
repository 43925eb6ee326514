"""Read numbers as printed in law: ordinals in words (Arabic, Indonesian, German), Chinese, French articles.

``ARABIC_ORDINAL`` is a regular expression for the raw text: it allows vowel marks, tatweel and spelling
variants of alef, ya and final ta.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import cache

from engine.language.characters import ARABIC_MARKS, fold_arabic, western_digits

_FIRST = {"اول": 1, "اولي": 1}
# The masculine form; the feminine has a final ta.
_ONES = {
    "حادي": 1,
    "ثاني": 2,
    "ثالث": 3,
    "رابع": 4,
    "خامس": 5,
    "سادس": 6,
    "سابع": 7,
    "ثامن": 8,
    "تاسع": 9,
    "عاشر": 10,
}
# "Article one-and-twenty" in the plainer spelling; alone the word is only a cardinal.
_ONE_OF_TENS = {"واحد": 1}
_TEN = {"عشر": 10}
_TENS = {"عشر": 20, "ثلاث": 30, "اربع": 40, "خمس": 50, "ست": 60, "سبع": 70, "ثمان": 80, "تسع": 90}
_OF_TENS = ("ون", "ين")
_HUNDREDS = {
    "مائتين": 200,
    "مائتان": 200,
    "مئتين": 200,
    "مئتان": 200,
    "ماية": 100,
    "مائة": 100,
    "مئة": 100,
}
_TIMES_HUNDRED = {"ثلاث": 300, "اربع": 400, "خمس": 500, "ست": 600, "سبع": 700, "ثمان": 800, "تسع": 900}
_OF_HUNDREDS = ("مائة", "مئة")
_VARIANTS = {"ا": "[اأإآٱ]", "ي": "[يىی]", "ة": "[ةه]", "ئ": "[ئي]"}


def tolerant(word: str) -> str:
    """Make a regular expression for an Arabic word that allows vowel marks and spelling variants."""
    return "".join(_VARIANTS.get(letter, letter) + f"[{ARABIC_MARKS}]*" for letter in word)


def _any_of(words: Iterable[str]) -> str:
    return "(?:" + "|".join(tolerant(word) for word in sorted(words, key=len, reverse=True)) + ")"


# Common parts are factored out, because each set of marks is slow to compile.
_THE = "(?:[اٱ]ل)?"
_TA = f"(?:{tolerant('ة')})?"
# "and" between ones and tens, omitted in some prints: "الحادية العشرون".
_AND = r"(?:\s*و\s*|\s+(?=[اٱ]ل))"
_AND_TENS = f"{_AND}{_THE}{_any_of(_TENS)}{_any_of(_OF_TENS)}"
_ANY_HUNDRED = f"(?:{_any_of(_TIMES_HUNDRED)}{_any_of(_OF_HUNDREDS)}|{_any_of(_HUNDREDS)})"
ARABIC_ORDINAL = (
    rf"(?:(?:{_THE}{_any_of(_ONE_OF_TENS)}{_TA}{_AND_TENS}"
    rf"|{_THE}(?:{_any_of(_FIRST)}|{_any_of(_ONES)}{_TA})(?:\s+{_any_of(_TEN)}{_TA}|{_AND_TENS}(?!\w))?"
    rf"|{_THE}{_any_of(_TENS)}{_any_of(_OF_TENS)})(?:\s+بعد\s+(?:{_THE}|لل){_ANY_HUNDRED})?"
    rf"|{_THE}{_ANY_HUNDRED})(?!\w)"
)
# "again", for articles inserted between two others: "20 مكرر", "53 (مكرر2)". Both kinds of digits.
ARABIC_AGAIN = rf"\(?\s*مكرر(?:[{ARABIC_MARKS}]|[اةه])*\s*\d?(?!\w)(?:\s*\))?"
_WORD = re.compile(r"\w+")


def _key(text: str) -> str:
    """Fold more strongly than for an index: final ta as ha, ya with hamza as ya."""
    return fold_arabic(text).replace("ة", "ه").replace("ئ", "ي")


def _endings(words: dict[str, int], endings: Iterable[str]) -> dict[str, int]:
    return {word + ending: value for word, value in words.items() for ending in endings}


_VALUES = {
    _key(word): value
    for word, value in {
        **_FIRST,
        **_endings(_ONES | _ONE_OF_TENS | _TEN, ("", "ة")),
        **_endings(_TENS, _OF_TENS),
        **_HUNDREDS,
        **_endings(_TIMES_HUNDRED, _OF_HUNDREDS),
    }.items()
}


@cache
def arabic_ordinals() -> re.Pattern[str]:
    """Return ``ARABIC_ORDINAL`` compiled; done late, because it takes longer than importing most modules."""
    return re.compile(ARABIC_ORDINAL)


def arabic_ordinal(text: str) -> int | None:
    """Return the value of an Arabic ordinal in words ("الثانية عشرة" is 12), or None."""
    text = text.strip()
    if text.isascii() or not arabic_ordinals().fullmatch(text):
        return None
    return sum(_value(word) for word in _WORD.findall(_key(text))) or None


def arabic_again(text: str) -> str:
    """Return the suffix that ``ARABIC_AGAIN`` adds to a number: " مكرر", " مكرر 2", or "" for an empty
    text."""
    count = re.search(r"\d", western_digits(text))
    return f" مكرر{f' {count[0]}' if count else ''}" if text else ""


def _value(word: str) -> int:
    for prefix in ("", "ال", "و", "وال", "لل"):
        if word.startswith(prefix) and word[len(prefix) :] in _VALUES:
            return _VALUES[word[len(prefix) :]]
    return 0


_HAN_DIGITS = {digit: value for value, digit in enumerate("〇一二三四五六七八九")} | {"零": 0, "两": 2}
_HAN_UNITS = {"十": 10, "百": 100, "千": 1000}
# 九千九百九十九 has seven characters.
_LONGEST_HAN = 12
HAN_NUMBER = "[〇零一二两三四五六七八九十百千]+"


def han_number(text: str) -> int | None:
    """Return the value of a Chinese numeral below ten thousand, or None.

    "一百二十三" and, digit by digit as in a year, "一二三" are 123.
    """
    if len(text) > _LONGEST_HAN:
        return None
    if len(text) > 1 and all(letter in _HAN_DIGITS for letter in text):
        return int("".join(str(_HAN_DIGITS[letter]) for letter in text)) or None
    total = digit = 0
    for letter in text:
        if letter in _HAN_DIGITS:
            digit = _HAN_DIGITS[letter]
        elif letter in _HAN_UNITS:
            total += (digit or 1) * _HAN_UNITS[letter]
            digit = 0
        else:
            return None
    return total + digit or None


GERMAN_BOOKS = {
    word: number
    for number, word in enumerate(
        (
            "erst", "zweit", "dritt", "viert", "fünft", "sechst", "siebt", "acht", "neunt", "zehnt", "elft",
            "zwölft", "dreizehnt", "vierzehnt",
        ),
        start=1,
    )
}  # fmt: skip
# Suffixes of French articles inserted between two others, in order.
FRENCH_AGAIN = (
    r"(?:bis|ter|quater|quinquies|sexies|septies|octies|nonies|decies|undecies|duodecies|terdecies"
    r"|quaterdecies|quindecies|sexdecies|septdecies|octodecies|novodecies|vicies)"
)
# "1er", "L. 110-1", "R.* 123-4", "L. O. 141", "2 bis", "1er ter A", "39 A", "premier". A single "A" belongs
# to the number only if the sentence continues as after a number: "12 A compter du" is 12.
FRENCH_NUMBER = (
    r"(?:(?:(?:L\.?\s?O|[LRDA])\.?\s?\*?\s?(?=\d))?\d{1,4}(?:er(?!\w)|(?:-\d{1,4}){1,5}|(?:\.\d{1,3}){2,4})?"
    rf"(?:[ -]?{FRENCH_AGAIN}(?!\w))*"
    r"(?:\s(?:[B-Z](?![\w'’.°])|A(?=\s(?:du|de|des|et|ou|à|bis|ter|quater)\s|\s?(?:[,;:)]|\Z)))"
    rf"(?:\s{FRENCH_AGAIN}(?!\w))?)?"
    r"(?![\w%/]|[.,]\d)|(?:premier|unique)(?!\w))"
)
_FRENCH = re.compile(
    r"(?P<series>[LRDAO.\s]*)\*?\s?(?P<number>\d+(?:[.-]\d+)*)(?:er)?"
    r"(?P<again>(?:[ -]?[a-z]+)*(?: [A-Z](?: [a-z]+)?)?)\Z"
)
_FRENCH_WORDS = {"premier": "1", "unique": "unique"}


def french_number(printed: str) -> str | None:
    """Normalise the number of a French article: "L110-1", "1", "2 bis"; None if it is not one."""
    text = " ".join(printed.split())
    if text.casefold() in _FRENCH_WORDS:
        return _FRENCH_WORDS[text.casefold()]
    match = _FRENCH.match(text)
    if not match:
        return None
    series = match["series"].replace(".", "").replace(" ", "")
    again = match["again"].replace("-", " ").split()
    return " ".join((series + match["number"], *again))


_INDONESIAN_ONES = [
    "satu", "dua", "tiga", "empat", "lima", "enam", "tujuh", "delapan", "sembilan", "sepuluh", "sebelas",
]  # fmt: skip
_INDONESIAN_CARDINALS = {word: value for value, word in enumerate(_INDONESIAN_ONES, start=1)} | {
    f"{word} belas": value for value, word in enumerate(_INDONESIAN_ONES[1:9], start=12)
}
_INDONESIAN_ORDINALS = {f"ke{word}": value for word, value in _INDONESIAN_CARDINALS.items()}
_INDONESIAN_NUMBERS = _INDONESIAN_CARDINALS | _INDONESIAN_ORDINALS | {"pertama": 1}


def indonesian_number(text: str) -> int | None:
    """Return the value of an Indonesian cardinal or ordinal in words up to 19 ("Kedua belas" is 12), or
    None."""
    words = " ".join(text.casefold().split())
    if words.endswith("belas") and not words.endswith((" belas", "sebelas")):
        words = f"{words.removesuffix('belas')} belas"
    return _INDONESIAN_NUMBERS.get(words)


_ROMAN = re.compile(r"(?=[IVXLC])(C{0,3})(XC|XL|L?X{0,3})(IX|IV|V?I{0,3})")
_ROMAN_VALUES = {"I": 1, "V": 5, "X": 10, "L": 50, "C": 100}


def roman_number(text: str) -> int | None:
    """Return the value of a Roman numeral in capitals up to 399, or None."""
    if not _ROMAN.fullmatch(text):
        return None
    values = [_ROMAN_VALUES[letter] for letter in text]
    following = [*values[1:], 0]
    return sum(-value if value < after else value for value, after in zip(values, following, strict=True))
