"""Handle characters: scripts, writing direction, invisible marks, escapes for HTML and Markdown."""

from __future__ import annotations

import html
import re
from bisect import bisect_left
from collections.abc import Iterator

from engine.languages import all_words

# Scripts and characters

# Marks for writing direction and joining; they have no width and no meaning here.
INVISIBLE = (
    "\u00ad\u061c\u200b\u200c\u200d\u200e\u200f\u202a\u202b\u202c\u202d\u202e"
    "\u2060\u2066\u2067\u2068\u2069\ufeff"
)
ARABIC_MARKS = "\u0610-\u061a\u064b-\u065f\u0670\u06d6-\u06ed\u0640"

# Chinese characters, for use in a character class: written without spaces, so any of them may begin a word.
HAN = "\u3400-\u4dbf\u4e00-\u9fff"

_DIGITS = {ord(digit): str(value) for row in ("٠١٢٣٤٥٦٧٨٩", "۰۱۲۳۴۵۶۷۸۹") for value, digit in enumerate(row)}
_ARABIC_LETTERS = {**{ord(letter): "ا" for letter in "أإآٱ"}, ord("ى"): "ي", ord("ی"): "ي"}
_NOT_PLAIN = re.compile(r"[٠-٩۰-۹⁰¹²³⁴-⁹]|\[\^?\d")
_RAISED = str.maketrans("0123456789()", "⁰¹²³⁴⁵⁶⁷⁸⁹⁽⁾")
_LOWERED = {to: of for of, to in _RAISED.items()}
_SUPERSCRIPT = "[⁰¹²³⁴-⁹]"
# After "m", "km" or "10" a raised number is an exponent, after other words a reference to a note.
_BEHIND_WORD = r"(?<!\b[mx])(?<!\b[kcdm]m)(?<!\d[mx])(?<!\d[kcdm]m)(?<!\b10)(?<=[^\s⁽⁰¹²³⁴-⁹])"
_NUMBERS = rf"{_SUPERSCRIPT}{{1,3}}(?:,{_SUPERSCRIPT}{{1,3}})*"
_NOTE_CALL = re.compile(rf"{_BEHIND_WORD}⁽?{_NUMBERS}⁾?|(?<=\w)\[\^?\d{{1,3}}\]")
# Every call has one of these: to look for each of them is many times faster.
_CALL_SIGNS = "[⁰¹²³⁴⁵⁶⁷⁸⁹"
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
# Languages in other scripts than Latin.
LANGUAGE_SCRIPTS: dict[str, tuple[str, ...]] = {
    language: own.scripts for language, own in all_words().items() if own.scripts != LATIN
}


def visible(text: str) -> str:
    """Remove direction marks, joiners and other zero-width characters."""
    # Single replacements: a pattern or a table of all of them takes five times as long.
    for mark in INVISIBLE:
        if mark in text:
            text = text.replace(mark, "")
    return text


_HYPHENS, _DASHES = "‐‑−", "–—"
_DASH_IN_NUMBER = re.compile(r"(?<=\d)[–—](?=(?:[A-Z]|bis|ter|quater)(?!\w)|\d+\.\d)")


def with_hyphens(text: str) -> str:
    """Replace hyphens and dashes inside numbers by plain hyphens; the length does not change."""
    for hyphen in _HYPHENS:
        if hyphen in text:
            text = text.replace(hyphen, "-")
    return _DASH_IN_NUMBER.sub("-", text) if any(dash in text for dash in _DASHES) else text


def western_digits(text: str) -> str:
    """Replace Arabic-Indic and Persian digits by 0-9 and references to notes by spaces; the length does not
    change."""
    return without_note_calls(text).translate(_DIGITS) if _NOT_PLAIN.search(text) else text


def raised(number: str) -> str:
    """Convert the digits and brackets of a number to superscripts."""
    return number.translate(_DIGITS).translate(_RAISED)


def note_calls(text: str) -> list[str]:
    """Return the numbers of the notes that a text refers to."""
    calls = _NOTE_CALL.findall(text)
    return [number for call in calls for number in call.translate(_LOWERED).strip("()").split(",")]


def without_note_calls(text: str) -> str:
    """Replace references to notes by spaces."""
    if not any(sign in text for sign in _CALL_SIGNS):
        return text
    return _NOTE_CALL.sub(lambda call: " " * len(call[0]), text)


def without_note_call(text: str, number: str) -> str:
    """Remove references to one note; a space separates the words around it."""
    call = rf"{_BEHIND_WORD}⁽?{raised(number)}⁾?(?!{_SUPERSCRIPT}|,{_SUPERSCRIPT})"
    return re.sub(rf"{call}(?P<parts>(?=\w))?", lambda it: "" if it["parts"] is None else " ", text)


def fold_marks(text: str) -> str:
    """Remove Arabic vowel marks and tatweel."""
    return _MARKS.sub("", text)


def fold_arabic(text: str) -> str:
    """Remove Arabic vowel marks and tatweel, and unify alef and ya."""
    return _MARKS.sub("", text).translate(_ARABIC_LETTERS)


def scripts_of(language: str) -> tuple[str, ...]:
    """Return the scripts of a language, by ISO 639-1 code; Latin if unknown."""
    return LANGUAGE_SCRIPTS.get(language, LATIN)


def main_script(text: str) -> str | None:
    """Return the script of most letters of a text; None without letters."""
    counts = {name: len(pattern.findall(text)) for name, pattern in SCRIPTS.items()}
    if counts["kana"]:
        counts["kana"] += counts["han"]
    best = max(counts, key=lambda name: counts[name])
    return best if counts[best] else None


# Writing direction of texts and of pieces of mixed texts

# Hebrew, Arabic, Syriac, Thaana, N'Ko, and the presentation forms of the first two.
_RTL = "\u0590-\u05ff\u0600-\u06ff\u0700-\u08ff\ufb1d-\ufdff\ufe70-\ufefc"
_LETTER = re.compile(f"(?P<rtl>[{_RTL}])|[^\\W\\d_]")
# From the first right-to-left letter to the last before another letter, with the number after it.
_BETWEEN = f"(?:(?![^\\W\\d_])[^\\n{_RTL}]|[{_RTL}])*"
_NUMBER = "(?:[ \u00a0]?(?:\\(\\d{1,4}\\)|\\d{1,4}(?!\\w|[.,]\\d)))*"
_PIECE = re.compile(f"[{_RTL}](?:{_BETWEEN}[{_RTL}])?{_NUMBER}")


def right_to_left(text: str) -> bool:
    """Return True if most letters of a text run from right to left."""
    found = [match["rtl"] is not None for match in _LETTER.finditer(text)]
    return 2 * sum(found) > len(found)


def pieces(text: str) -> Iterator[tuple[str, bool]]:
    """Yield the pieces of a text in one direction each, and whether it is right to left."""
    end = 0
    for match in _PIECE.finditer(text):
        if match.start() > end:
            yield text[end : match.start()], False
        yield match[0], True
        end = match.end()
    if end < len(text):
        yield text[end:], False


# Hidden characters that change the reading of a text: they are made visible if they do not belong there.
#
# A right-to-left override reverses "not liable" on the page but not in the text (CVE-2021-42574, "Trojan
# Source"); zero-width characters split a word, so that a search misses it; tag characters can carry whole
# sentences. Proper uses are unchanged: joiners in Arabic, Persian, Indic scripts and emoji, direction marks
# next to right-to-left letters, isolates around them. Only the display changes, never the text of a corpus
# (Unicode UAX #9, UTS #39).

_EMBEDDINGS, _ISOLATES, _POP, _POP_ISOLATE = "\u202a\u202b", "\u2066\u2067\u2068", "\u202c", "\u2069"
_OVERRIDES = "\u202d\u202e"
# Marks that turn the text up to their end from right to left.
_RIGHT_TO_LEFT = "\u202b\u2067"
_ZERO_WIDTH = "\u034f\u180e\u200b\u200c\u200d\u2060-\u2064\ufeff"
_FILLERS = "\u115f\u1160\u3164\uffa0"
_SELECTORS = "\ufe00-\ufe0f\U000e0100-\U000e01ef"
_TAGS = "\U000e0000-\U000e007f"
# Letters of Latin, Greek, Cyrillic, Armenian and Georgian, which are never joined by a joiner.
_UNJOINED = (
    "A-Za-z0-9\u00c0-\u034e\u0350-\u058f\u10a0-\u10ff\u1c80-\u1cbf\u1e00-\u1fff\u2c60-\u2c7f\ua640-\ua69f"
)
_ALWAYS = f"[{_OVERRIDES}\u206a-\u206f\ufff9-\ufffb{_TAGS}\x00-\x08\x0e-\x1f\x7f-\x84\x86-\x9f]"
# Letters of right-to-left scripts.
_HIDDEN_MARKS_RTL = re.compile(
    "[\u0590-\u061b\u061d-\u08ff\ufb1d-\ufdff\ufe70-\ufefc\U00010800-\U00010fff\U0001e800-\U0001efff]"
)
# Most texts contain none of these, and need no further test.
_ANY = re.compile(
    f"[{_EMBEDDINGS}{_ISOLATES}{_POP}{_POP_ISOLATE}\u061c\u200f{_ZERO_WIDTH}{_FILLERS}{_SELECTORS}]|{_ALWAYS}"
)
# The flags of England, Scotland and Wales consist of a black flag and tags.
_FLAG = re.compile("\U0001f3f4[\U000e0061-\U000e007a]{2,6}\U000e007f")
_IN_ANY_SCRIPT = re.compile(
    rf"{_ALWAYS}"
    # Inside a word of such letters, or enough of them to carry a message.
    rf"|(?<=[{_UNJOINED}])[{_ZERO_WIDTH}]{{1,7}}(?=[{_UNJOINED}])|[{_ZERO_WIDTH}]{{8,}}"
    rf"|(?<![\u1100-\u11ff\u3130-\u318f\ua960-\ua97f\uac00-\ud7ff\uffa1-\uffdc])[{_FILLERS}]"
    rf"|[{_SELECTORS}]{{2,}}|(?<=[A-Za-z ])[\U000e0100-\U000e01ef]"
)
_DIRECTING = re.compile(f"[{_EMBEDDINGS}{_ISOLATES}{_OVERRIDES}{_POP}{_POP_ISOLATE}\u061c\u200f]")
_PARAGRAPH = re.compile("[^\n\r\x1c-\x1e\x85\u2029]+")


def hidden_marks(text: str) -> list[int]:
    """Return the positions of invisible characters that do not belong there, in order."""
    if not _ANY.search(text):
        return []
    found = {place for match in _IN_ANY_SCRIPT.finditer(text) for place in range(*match.span())}
    for flag in _FLAG.finditer(text):
        found.difference_update(range(*flag.span()))
    for paragraph in _PARAGRAPH.finditer(text):
        found.update(_misdirecting(text, *paragraph.span()))
    return sorted(found)


def marked(text: str) -> str:
    """Replace each of them by its visible number, ``⟦U+202E⟧``."""
    parts, end = [], 0
    for place in hidden_marks(text):
        parts += [text[end:place], f"⟦U+{ord(text[place]):04X}⟧"]
        end = place + 1
    return "".join([*parts, text[end:]]) if parts else text


def _misdirecting(text: str, start: int, end: int) -> Iterator[int]:
    """Yield the direction marks of a paragraph without an end or a beginning, or without effect."""
    letters = [match.start() for match in _HIDDEN_MARKS_RTL.finditer(text, start, end)]
    opened: list[int] = []
    for mark in _DIRECTING.finditer(text, start, end):
        place, sign = mark.start(), mark[0]
        if sign in "\u061c\u200f":
            if not letters:
                yield place
        elif sign in _EMBEDDINGS or sign in _ISOLATES or sign in _OVERRIDES:
            opened.append(place)
        else:
            begins = _EMBEDDINGS + _OVERRIDES if sign == _POP else _ISOLATES
            if not opened or text[opened[-1]] not in begins:
                yield place
                continue
            first = opened.pop()
            nothing = bisect_left(letters, first) == bisect_left(letters, place)
            if text[first] in _OVERRIDES or (text[first] in _RIGHT_TO_LEFT and nothing):
                yield from (first, place)
    yield from opened


# Escapes of untrusted text in HTML and Markdown, for all pages and exports


def shortened(text: str, most: int) -> str:
    """Return a text, cut after a word if it is longer than ``most`` characters: "The owner …"."""
    return text if len(text) <= most else text[:most].rsplit(" ", 1)[0] + " …"


_MARKDOWN = re.compile(r"([\\`*_{}\[\]<>#|~$&])")
# Text that would begin a list.
_LISTED = re.compile(r"^(\d*)([.)+-])")


def escape(text: str, *, quote: bool = True) -> str:
    """Escape a text for HTML: without its own markup, and with hidden characters visible.

    ``quote``: safe also in quoted attributes.
    """
    return html.escape(marked(text), quote)


def markdown(text: str) -> str:
    """Escape a text for Markdown: one line, without its own markup, and with hidden characters visible."""
    line = _MARKDOWN.sub(r"\\\1", marked(" ".join(text.split())))
    return _LISTED.sub(r"\1\\\2", line)


def attribute(text: str) -> str:
    """Escape a value that the page sends back, such as an id, for a quoted attribute; characters are
    unchanged."""
    return html.escape(text)
