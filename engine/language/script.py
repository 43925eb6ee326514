"""Scripts and characters: what Unicode hides from a reader and what a program trips over."""

from __future__ import annotations

import re

from engine.languages import all_words

# Marks that steer the direction of writing or join letters; they have no width and no meaning here.
INVISIBLE = (
    "\u00ad\u061c\u200b\u200c\u200d\u200e\u200f\u202a\u202b\u202c\u202d\u202e"
    "\u2060\u2066\u2067\u2068\u2069\ufeff"
)
ARABIC_MARKS = "\u0610-\u061a\u064b-\u065f\u0670\u06d6-\u06ed\u0640"

# Chinese characters, as the inside of a class: written without spaces, any of them may begin a word.
HAN = "\u3400-\u4dbf\u4e00-\u9fff"

_DIGITS = {ord(digit): str(value) for row in ("٠١٢٣٤٥٦٧٨٩", "۰۱۲۳۴۵۶۷۸۹") for value, digit in enumerate(row)}
_ARABIC_LETTERS = {**{ord(letter): "ا" for letter in "أإآٱ"}, ord("ى"): "ي", ord("ی"): "ي"}
_NOT_PLAIN = re.compile(r"[٠-٩۰-۹⁰¹²³⁴-⁹]|\[\^?\d")
_RAISED = str.maketrans("0123456789()", "⁰¹²³⁴⁵⁶⁷⁸⁹⁽⁾")
_LOWERED = {to: of for of, to in _RAISED.items()}
_SUPERSCRIPT = "[⁰¹²³⁴-⁹]"
# Behind "m", "km" or "10" a raised number is an exponent, behind another word the call of a note.
_BEHIND_WORD = r"(?<!\b[mx])(?<!\b[kcdm]m)(?<!\d[mx])(?<!\d[kcdm]m)(?<!\b10)(?<=[^\s⁽⁰¹²³⁴-⁹])"
_NUMBERS = rf"{_SUPERSCRIPT}{{1,3}}(?:,{_SUPERSCRIPT}{{1,3}})*"
_NOTE_CALL = re.compile(rf"{_BEHIND_WORD}⁽?{_NUMBERS}⁾?|(?<=\w)\[\^?\d{{1,3}}\]")
# Every call has one of these: to look for them alone is many times faster.
_CALL_SIGN = re.compile(rf"{_SUPERSCRIPT}|\[\^?\d")
_MARKS = re.compile(f"[{ARABIC_MARKS}]")

SCRIPTS: dict[str, re.Pattern[str]] = {
    "arabic": re.compile("[\u0621-\u064a\u0671-\u06d3]"),
    "han": re.compile(f"[{HAN}]"),
    "kana": re.compile("[\u3040-\u30ff]"),
    "hangul": re.compile("[\uac00-\ud7af]"),
    "cyrillic": re.compile("[\u0400-\u04ff]"),
    "greek": re.compile("[\u0370-\u03ff\u1f00-\u1fff]"),
    "devanagari": re.compile("[\u0900-\u097f]"),
    "hebrew": re.compile("[\u0590-\u05ff]"),
    "thai": re.compile("[\u0e00-\u0e7f]"),
    "latin": re.compile("[A-Za-z\u00c0-\u024f]"),
}
LATIN = ("latin",)
# Languages that are not written in Latin letters.
LANGUAGE_SCRIPTS: dict[str, tuple[str, ...]] = {
    language: own.scripts for language, own in all_words().items() if own.scripts != LATIN
}


def visible(text: str) -> str:
    """The text without direction marks, joiners and other characters of no width."""
    # One after the other: a pattern or a table of all of them takes five times as long.
    for mark in INVISIBLE:
        if mark in text:
            text = text.replace(mark, "")
    return text


_HYPHENS = str.maketrans("‐‑−", "---")
_DASH_IN_NUMBER = re.compile(r"(?<=\d)[–—](?=(?:[A-Z]|bis|ter|quater)(?!\w)|\d+\.\d)")


def with_hyphens(text: str) -> str:
    """The text, letter for letter, with the hyphens and dashes inside of numbers as plain hyphens."""
    if text.isascii():
        return text
    return _DASH_IN_NUMBER.sub("-", text.translate(_HYPHENS))


def western_digits(text: str) -> str:
    """Arabic-Indic and Persian digits as 0-9, calls of notes as spaces; the length of the text does not
    change."""
    return without_note_calls(text).translate(_DIGITS) if _NOT_PLAIN.search(text) else text


def raised(number: str) -> str:
    """The digits and brackets of a number as superscripts."""
    return number.translate(_DIGITS).translate(_RAISED)


def note_calls(text: str) -> list[str]:
    """The numbers of the notes that a text calls."""
    calls = _NOTE_CALL.findall(text)
    return [number for call in calls for number in call.translate(_LOWERED).strip("()").split(",")]


def without_note_calls(text: str) -> str:
    """The text with spaces for the calls of notes."""
    if not _CALL_SIGN.search(text):
        return text
    return _NOTE_CALL.sub(lambda call: " " * len(call[0]), text)


def without_note_call(text: str, number: str) -> str:
    """The text without the calls of one note; a space parts the words that a call stood between."""
    call = rf"{_BEHIND_WORD}⁽?{raised(number)}⁾?(?!{_SUPERSCRIPT}|,{_SUPERSCRIPT})"
    return re.sub(rf"{call}(?P<parts>(?=\w))?", lambda it: "" if it["parts"] is None else " ", text)


def fold_marks(text: str) -> str:
    """Arabic without vowel marks and tatweel."""
    return _MARKS.sub("", text)


def fold_arabic(text: str) -> str:
    """Arabic without vowel marks and tatweel, with one form of alef and of ya."""
    return _MARKS.sub("", text).translate(_ARABIC_LETTERS)


def scripts_of(language: str) -> tuple[str, ...]:
    """The scripts a language is written in, by ISO 639-1 code; Latin where nothing else is known."""
    return LANGUAGE_SCRIPTS.get(language, LATIN)


def main_script(text: str) -> str | None:
    """The script that most letters of a text belong to; None where there are no letters."""
    counts = {name: len(pattern.findall(text)) for name, pattern in SCRIPTS.items()}
    if counts["kana"]:
        counts["kana"] += counts["han"]
    best = max(counts, key=lambda name: counts[name])
    return best if counts[best] else None
