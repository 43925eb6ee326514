"""Read numbers of a text, in digits or words, with their spans.

Words are read by the library text2num if it supports the language, otherwise by the cardinals of the lexicon
(Indonesian, Arabic). "30 (thirty)" and "thirty (30)" are one number.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from text_to_num import find_numbers

from engine import languages
from engine.language.characters import fold_arabic, western_digits
from engine.language.numerals import HAN_NUMBER, arabic_ordinal, han_number, indonesian_number
from engine.language.statements.lexicon import Lexicon
from engine.model import Span

# "Rp50.000", "EUR500": a code may be joined to its amount.
_JOINED = ("Rp", "RM", "Rs", "EUR", "USD", "GBP", "CHF", "IDR", "AED", "SAR")
_CODES = "|".join(rf"(?<=\b{code})" for code in _JOINED)
_DIGITS = re.compile(
    rf"(?:(?<![\w.,/\-])|{_CODES})"
    r"(?:\d{1,3}(?:[ \u00a0\u202f'’]\d{3})+(?:[.,]\d+)?|\d+(?:[.,]\d+)*)"
    r"(?P<ordinal>st|nd|rd|th|er|ère|e|ème|º|\.º)?(?!\w|[-/]\d)"
)
_DIGITS_BEFORE = re.compile(r"(?<![\w.,/\-])\d+(?:[.,]\d+)*\Z")
_IN_HAN = re.compile(rf"第?(?P<number>\d+(?:[.,]\d+)*|{HAN_NUMBER})(?P<scale>[万亿]*)")
_WORD = re.compile(r"[^\W\d_]+")
_PAIR = re.compile(r"\s*\(\s*\Z")


@dataclass(frozen=True, slots=True)
class Number:
    """A number; ``ordinal``: it gives a position ("tenth")."""

    value: float
    span: Span
    ordinal: bool = False
    in_words: bool = False


@dataclass(frozen=True, slots=True)
class _Token:
    """A word in the interface of text2num."""

    word: str
    start: int
    end: int
    apart: bool

    def text(self) -> str:
        return self.word

    def nt_separated(self, previous: _Token) -> bool:
        return self.apart

    def not_a_number_part(self) -> bool:
        return False


def numbers_in(text: str, language: str, words: Lexicon) -> list[Number]:
    """Return the numbers of a text in order."""
    language = languages.base_of(language)
    plain = western_digits(text)
    if languages.words(language).article_numbers == "han":
        return list(_han(plain, language, words))
    found = [
        Number(value, Span(match.start(), match.end()), bool(match["ordinal"]))
        for match in _DIGITS.finditer(plain)
        if (value := _value(match[0].removesuffix(match["ordinal"] or ""), language)) is not None
    ]
    tokens = _tokens(plain)
    in_words = (
        _by_library(tokens, language)
        if languages.words(language).numbers_by_library
        else _by_cardinals(tokens, language, words)
    )
    in_words = [_with_digits(number, plain, language) for number in in_words]
    found = sorted([*found, *in_words], key=lambda number: number.span.start)
    return _paired(_scaled(found, plain, words), plain)


def _han(text: str, language: str, words: Lexicon) -> Iterator[Number]:
    """Yield numbers in Chinese numerals or digits; no blanks separate them from words."""
    for match in _IN_HAN.finditer(text):
        printed = match["number"]
        value = _value(printed, language) if printed[0].isdigit() else han_number(printed)
        for scale in match["scale"]:
            value = None if value is None else value * words.scales[scale]
        before, behind = text[match.start() - 1 : match.start()], text[match.end() : match.end() + 1]
        is_day = before in ("年", "月") and behind in ("月", "日")
        if value is not None and match.start() == match.start("number") and not is_day:
            yield Number(float(value), Span(*match.span()), in_words=True)


def _with_digits(number: Number, text: str, language: str) -> Number:
    """Apply a number in words to digits directly before it: "5million"."""
    digits = _DIGITS_BEFORE.search(text, max(0, number.span.start - 24), number.span.start)
    value = _value(digits[0], language) if digits and not number.ordinal else None
    if digits is None or value is None or number.value < 1_000:
        return number
    return Number(value * number.value, Span(digits.start(), number.span.end))


def _value(printed: str, language: str) -> float | None:
    """Parse "100 000", "1,500.25", "1.500,25"; None for other forms, such as the number of a rule (4.3.2)."""
    printed = re.sub(r"[ \u00a0\u202f'’]", "", printed)
    marks = re.findall(r"[.,]", printed)
    groups = re.split(r"[.,]", printed)
    if not marks:
        return float(printed)
    decimal = "," if languages.words(language).decimal_comma else "."
    grouped = all(len(group) == 3 for group in groups[1:])
    if len(set(marks)) == 1:
        if marks[0] == decimal or not grouped:
            return float(".".join(groups)) if len(marks) == 1 else float("".join(groups)) if grouped else None
        return float("".join(groups))
    if len(set(marks[:-1])) == 1 and marks[-1] != marks[0]:
        return float("".join(groups[:-1]) + "." + groups[-1])
    return None


def _tokens(text: str) -> list[_Token]:
    found, before = [], 0
    for match in _WORD.finditer(text):
        between = text[before : match.start()].strip()
        found.append(_Token(match[0].casefold(), match.start(), match.end(), between not in ("", "-")))
        before = match.end()
    return found


def _by_library(tokens: Sequence[_Token], language: str) -> list[Number]:
    found = []
    for one in find_numbers(tokens, language, 0.0):
        first, last = tokens[one.start], tokens[one.end - 1]
        found.append(Number(float(one.value), Span(first.start, last.end), bool(one.is_ordinal), True))
    return found


def _by_cardinals(tokens: Sequence[_Token], language: str, words: Lexicon) -> list[Number]:
    """Add up runs of number words; tens and hundreds multiply the words before them."""
    found: list[Number] = []
    place = 0
    while place < len(tokens):
        stop, value = _run(tokens, place, language, words)
        if stop > place:
            found.append(Number(value, Span(tokens[place].start, tokens[stop - 1].end), in_words=True))
            place = stop
            continue
        ordinal = _ordinal(tokens[place], language, words)
        if ordinal is not None:
            found.append(
                Number(float(ordinal), Span(tokens[place].start, tokens[place].end), True, in_words=True)
            )
        place += 1
    return found


def _run(tokens: Sequence[_Token], place: int, language: str, words: Lexicon) -> tuple[int, float]:
    total = group = digit = 0.0
    start = place
    while place < len(tokens) and (place == start or not tokens[place].apart):
        word = _bare(tokens[place].word, language, place > start)
        value = words.cardinals.get(word)
        if value is not None:
            group, digit = group + digit, value
        elif word in words.teens and place > start:
            group, digit = group + digit + 10, 0.0
        elif word in words.tens and place > start:
            group, digit = group + 10 * digit, 0.0
        elif word in words.scales and place > start:
            factor = words.scales[word]
            if factor == 100:
                group, digit = group + 100 * digit, 0.0
            else:
                total, group, digit = total + factor * (group + digit), 0.0, 0.0
        else:
            break
        place += 1
    return place, total + group + digit


def _bare(word: str, language: str, later: bool) -> str:
    """Remove the Arabic "and", which is attached to the next number."""
    if language != "ar":
        return word
    folded = fold_arabic(word)
    return folded[1:] if later and folded.startswith("و") and len(folded) > 3 else folded


def _ordinal(token: _Token, language: str, words: Lexicon) -> int | None:
    if language == "ar":
        return arabic_ordinal(token.word) if token.word.startswith("ال") else None
    if words.ordinal_prefix and re.match(words.ordinal_prefix, token.word):
        return indonesian_number(token.word)
    return None


def _scaled(numbers: Sequence[Number], text: str, words: Lexicon) -> list[Number]:
    """Apply a scale after a number in digits ("5 million"), unless it is already part of a number."""
    found: list[Number] = []
    for number in numbers:
        if found and found[-1].span.end >= number.span.end:
            continue
        scale = words.scale.match(text, number.span.end + 1) if not number.in_words else None
        if scale is not None and text[number.span.end].isspace():
            value = number.value * _factor(scale[0], words)
            number = Number(value, Span(number.span.start, scale.end()))
        found.append(number)
    return found


def _factor(printed: str, words: Lexicon) -> float:
    for word, factor in words.scales.items():
        if re.fullmatch(word, printed, re.IGNORECASE):
            return factor
    return 1.0


def _paired(numbers: Sequence[Number], text: str) -> list[Number]:
    """Join "30 (thirty)" into one number, including the closing bracket."""
    found: list[Number] = []
    for number in numbers:
        before = found[-1] if found else None
        if (
            before is not None
            and before.value == number.value
            and _PAIR.match(text, before.span.end, number.span.start)
        ):
            closing = text.find(")", number.span.end, number.span.end + 2)
            end = number.span.end if closing < 0 else closing + 1
            found[-1] = Number(before.value, Span(before.span.start, end), before.ordinal, True)
            continue
        found.append(number)
    return found
