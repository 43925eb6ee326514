"""Split texts into sentences, numbered paragraphs and passages."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import pairwise

from sentencex import get_sentence_boundaries

from engine.language.analysis import STOPWORDS
from engine.language.characters import western_digits
from engine.languages import all_words, words

# Sentences of legal texts

# A "sentence" that ends with one of these continues: the word precedes a number or a name.
_ABBREVIATED = re.compile(
    r"(?:(?<![^\W_])(?:[A-Za-zÄÖÜ]|[Aa]rts?|[Aa]bs|[Nn]r?[nos]?|[Ss]ec|ss|[Pp]aras?|[Pp]ar|[Rr]egs?|[Cc]h|[Pp]t|[Ss]ched|[Cc]f"
    r"|[Vv]gl|[Bb]zw|[Zz]iff|[Bb]uchst|[Uu]nterabs|[Hh]albs|[Aa]l|[Aa]lt|[Ll]it|[Pp]p?|[Jj]anv?|[Ff]é?[eb]vr?|[Ff]eb|[Mm]r?s?|[Dd]r|[Pp]rof|[Dd]ll|[Dd]sb|[Tt]gl|[Gg]em|[Mm]mes?|[Mm]lles?|[Rr]p|[Ll]gs|[Dd]ep|رقم)\.)"
    r"[\"”»)]*\s*\Z"
)
# Only words before a number: "§ 3 Satz 2 Nr. "; also "1. " of a list.
_NUMBER_ALONE = re.compile(r"\s*[(\[]?[\dIVXivx]{1,4}[.)\]]\s*\Z")
_TAIL = 40
_STOPS = frozenset(".!?。！？؟۔")
# "31." may be a day, and the sentence may continue with its month.
_COUNTED = re.compile(r"\d\.\Z")
_ORDINAL = re.compile(r"(?:(?P<before>[^\W\d_]+)\s+)?(?<!\d)(?<![\d.,]\s)\d{1,3}\.\s*\Z")
_WORD = re.compile(r"[^\W\d_]+")
# The library treats a line that begins with "(1)" as one sentence, and splits a text before each of several
# "(1)", although "paragraph (2)" is not an item of a list.
_ENUMERATED = re.compile(r"^[ \t]*\(\w{1,4}\)|(?<=[^\W\d_] )\(\w{1,4}\)", re.MULTILINE)


def sentence_starts(text: str, language: str) -> list[int]:
    """Return the start of each sentence in a text, the first at 0; white space belongs to the previous
    sentence.

    Boundaries are those of the library sentencex (rules and abbreviations by language), without those after
    legal abbreviations and after the number of an item.
    """
    starts = [0]
    plain = _ENUMERATED.sub(lambda match: "A" * len(match[0]), text)
    # English rules are used for unknown languages.
    for boundary in get_sentence_boundaries(language.split("-")[0], plain):
        end: int = boundary["end_index"]
        before = text[starts[-1] : end]
        if end >= len(text) or _ABBREVIATED.search(before[-_TAIL:]) or _NUMBER_ALONE.fullmatch(before):
            continue
        if _counts_next(before[-_TAIL:], text[end : end + _TAIL], language):
            continue
        starts.append(end)
    return starts


def _counts_next(before: str, after: str, language: str) -> bool:
    """Return True if a full stop only makes an ordinal of a number: "des 18. Lebensjahres".

    In languages with capitalised nouns, the word before it is in lower case, and the next is not a function
    word.
    """
    number = _ORDINAL.search(before)
    word = _WORD.match(after)
    if number is None or word is None:
        return False
    if word[0][0].islower():
        return True
    base = language.split("-")[0]
    capitals = words(base).nouns_in_capitals and (number["before"] or "")[:1].islower()
    return capitals and word[0].lower() not in STOPWORDS.get(base, ())


def ends_sentence(text: str, end: int) -> bool:
    """Return True if a full stop directly before ``end`` ends a sentence, not an abbreviation."""
    before = text[max(0, end - _TAIL) : end].rstrip()
    return before[-1:] in _STOPS and not _ABBREVIATED.search(before) and not _COUNTED.search(before)


# Numbered paragraphs of a provision, as spans of its text


@dataclass(frozen=True, slots=True)
class Piece:
    """A span of a text; ``number`` of a numbered paragraph; ``continued`` for its further parts.

    Its first ``overlap`` characters are also in the previous piece.
    """

    start: int
    end: int
    number: str | None = None
    continued: bool = False
    overlap: int = 0


# Suffixes of inserted paragraphs, and their order: "2a", "2bis", "2ter".
_LATIN = {"bis": "b", "ter": "c", "quater": "d", "quinquies": "e", "sexies": "f"}
_INSERTED = rf"(?:{'|'.join(_LATIN)}|[a-z]{{0,2}})"
# "(1) ", "1. ", "1- " or "1 " at the start of a line, followed by text: "(1)" alone is a table cell or a
# page number.
_MARKERS = tuple(
    re.compile(pattern, re.MULTILINE)
    for pattern in (
        rf"^[ \t]*\((?P<number>\d{{1,3}}{_INSERTED})\)(?=[ \t\u00a0]*\S)",
        rf"^[ \t]*(?P<number>\d{{1,3}}{_INSERTED})[.)](?=[ \t\u00a0]+\S)",
        r"^[ \t]*(?P<number>\d{1,3})[ \t]?[-–/](?=[ \t\u00a0]*[^\s\d])",
        # "1 Das Wappen ...", "2 Ausnahmen ...": superscript numbers in print.
        rf"(?:\A|(?<=\n\n))(?P<number>\d{{1,3}}{_INSERTED})(?=[ \u00a0][^\W\d_a-z][\w’']*[ \u00a0])",
    )
)
_NUMBER = re.compile(r"(\d+)([a-z]*)")


def numbered_paragraphs(text: str, *, items: bool = True, after: int | None = None) -> list[Piece]:
    """Return the numbered paragraphs of a provision, and the text before the first, in order.

    Numbers count only as an increasing sequence of at least two from 1; otherwise the text is one piece.
    Without ``items``, a sequence "1. 2. 3." below a stem ("The authority shall:") is a list, not paragraphs.
    In a schedule one number is enough, and the sequence continues ``after`` the last number of the previous
    Part.
    """
    for place, marker in enumerate(_MARKERS):
        series = (after and _rising(marker, text, after)) or _rising(marker, text)
        if len(series) > (after is None) and (items or place == 0 or not text[: series[0][0]].strip()):
            borders = [start for start, _ in series] + [len(text)]
            pieces = [Piece(*trim_span(text, 0, borders[0]))] if text[: borders[0]].strip() else []
            for (start, number), end in zip(series, borders[1:], strict=True):
                pieces.append(Piece(*trim_span(text, start, end), number=number))
            return pieces
    return [Piece(*trim_span(text, 0, len(text)))]


def _rising(marker: re.Pattern[str], text: str, after: int = 0) -> list[tuple[int, str]]:
    series: list[tuple[int, str]] = []
    last = (after, "")
    for match in marker.finditer(text):
        number = western_digits(match["number"])
        value, letters = _NUMBER.fullmatch(number).groups()  # type: ignore[union-attr]
        key = (int(value), _LATIN.get(letters, letters))
        # One step up, or a letter after the same number; small gaps are repealed paragraphs.
        if last < key and key[0] <= last[0] + (4 if series else 1):
            series.append((match.start(), number))
            last = key
    return series


def trim_span(text: str, start: int, end: int) -> tuple[int, int]:
    """Return a span without the white space at its ends."""
    while start < end and text[start].isspace():
        start += 1
    while end > start and text[end - 1].isspace():
        end -= 1
    return start, end


# Density of rules: how much of the preceding text is needed to understand the next words
#
# Rules depend on each other: enumerations, conditions, numbered provisions, verbs of duty. The *density* is
# the number of such signs per word (two Chinese characters count as a word). On 600 long passages of each of
# eight collections, the medians are 0.04 to 0.08 for statutes and rulebooks in English, German, Indonesian,
# Arabic and Chinese, and 0.007 for encyclopaedic prose; ``NARRATIVE`` and ``DENSE`` are the 80th percentile
# of prose and the 60th of rulebooks.

NARRATIVE, DENSE = 0.02, 0.08
# Overlap of consecutive passages in characters: for prose, and for dense rules.
LEAST_OVERLAP, MOST_OVERLAP = 100, 400

# Number of characters to examine: enough for a stable density.
SAMPLE = 3000

_ANY_WORD = "|".join(sorted({word for own in all_words().values() for word in own.rule_words}))
_SIGNS = re.compile(
    r"[§;；؛]|[:：]\s|[「『《]|(?<!\d)\d+(?:\.\d+){2,}"
    r"|\((?:\d{1,3}[a-z]?|[a-zA-Z]{1,4}|[\u0621-\u064a])\)"
    rf"|(?<![^\W\d_])(?:{_ANY_WORD})(?![^\W\d_])"
    r"|应当|可以|不得|除|依照|第[一二三四五六七八九十百]+条",
    re.IGNORECASE,
)
_HAN = re.compile(r"[\u3400-\u9fff]")


def density(text: str) -> float:
    """Return the signs of rules per word of a text; 0 for a text without words."""
    han = len(_HAN.findall(text))
    words = len(_WORD.findall(_HAN.sub(" ", text))) + han / 2
    return len(_SIGNS.findall(text)) / words if words else 0.0


def overlap_for(text: str) -> int:
    """Return the overlap in characters for the parts of a text, ``LEAST_OVERLAP`` to ``MOST_OVERLAP`` by its
    density.

    Only the first ``SAMPLE`` characters are examined.
    """
    share = (density(text[:SAMPLE]) - NARRATIVE) / (DENSE - NARRATIVE)
    return round(LEAST_OVERLAP + min(max(share, 0.0), 1.0) * (MOST_OVERLAP - LEAST_OVERLAP))


# Splitting of texts that are too long for one passage
#
# All functions use spans of one text, so the parts can be joined again, and only white space at the ends is
# lost. A text is split at its strongest boundaries: numbered paragraphs, empty lines, items of lists and rows
# of tables, sentences. A sentence is split, at lines, clauses and words, only if it is longer than two
# passages, such as a table without full stops. Parts of a paragraph overlap by complete sentences or items,
# the more the denser the text is.

# A longer passage contains more than one thought, and exceeds most models.
LONGEST = 2000
# Maximum length of a sentence, in passages.
LONGEST_SENTENCE = 2
# A shorter item of a list, as a share of a passage, stays with the words before the list.
SHORT_ITEM = 0.15

_EMPTY_LINES = re.compile(r"\n[ \t]*\n\s*(?=\S)")
_ITEMS = re.compile(r"\n(?=[ \t]*(?:(?:\(?[a-zA-Z0-9\u0621-\u064a]{1,4}[.)]|[-–•*])\s|\|))")
# Boundaries inside a sentence, strongest first. Each match ends at the start of the next part.
_INSIDE = tuple(
    re.compile(pattern)
    for pattern in (
        r"\n(?=[ \t]*\S)",
        r"(?<=[;؛])\s+(?=\S)|(?<=；)(?=\S)",
        r"(?<=[,:،，、])\s*(?=\S)",
        r"\s+(?=\S)",
    )
)
_STEM = re.compile(r"[:：—]\s*\Z")
_STEM_TAIL = 8


def cut(text: str, longest: int = LONGEST, language: str = "und") -> list[Piece]:
    """Split a text that is too long into its numbered paragraphs, and these into parts if necessary.

    A text within the limit is one piece.
    """
    whole = Piece(*trim_span(text, 0, len(text)))
    if whole.end - whole.start <= longest:
        return [whole]
    return [
        part for piece in numbered_paragraphs(text) for part in split_piece(text, piece, longest, language)
    ]


def split_piece(text: str, piece: Piece, longest: int = LONGEST, language: str = "und") -> Iterator[Piece]:
    """Split a piece into parts of at most ``longest`` characters or one sentence, plus the overlap.

    No part is longer than ``LONGEST_SENTENCE`` times ``longest`` plus its overlap.
    """
    start, end = trim_span(text, piece.start, piece.end)
    if end - start <= longest:
        yield replace(piece, start=start, end=end)
        return
    cutter = _Cutter(text, piece, longest, language)
    budget = min(overlap_for(text[piece.start : piece.end]), longest // 4)
    before: tuple[int, int] | None = None
    for start, end in cutter.spans():
        first = start if before is None else cutter.overlapping(before, start, budget)
        yield Piece(first, end, piece.number, continued=before is not None, overlap=start - first)
        before = (start, end)


class _Cutter:
    """Splits one piece of a text."""

    def __init__(self, text: str, piece: Piece, longest: int, language: str) -> None:
        self._text, self._longest, self._language = text, longest, language
        self._start, self._end = piece.start, piece.end

    def spans(self) -> list[tuple[int, int]]:
        """Return the spans of the parts in order, without overlap."""
        done: list[tuple[int, int]] = []
        waiting = [(self._start, self._end, 0)]
        while waiting:
            start, end, level = waiting.pop()
            start, end = trim_span(self._text, start, end)
            if end <= start:
                continue
            if end - start <= self._longest or (
                level == 3 and end - start <= LONGEST_SENTENCE * self._longest
            ):
                done.append((start, end))
                continue
            borders = [border for border in self._borders(level, start, end) if start < border < end]
            packed = self._packed([start, *borders, end])
            waiting.extend((left, right, level + 1) for left, right in reversed(packed))
        return done

    def overlapping(self, before: tuple[int, int], start: int, budget: int) -> int:
        """Return the start of a part that repeats the end of the previous one: at a sentence or an item."""
        borders = self._sentence_starts
        place = bisect_left(borders, max(start - budget, before[0] + 1))
        return borders[place] if place < len(borders) and borders[place] < start else start

    @cached_property
    def _sentences(self) -> list[int]:
        found = sentence_starts(self._text[self._start : self._end], self._language)
        return [self._start + start for start in found]

    @cached_property
    def _sentence_starts(self) -> list[int]:
        """Return the starts of sentences, items and paragraphs."""
        borders = {*self._sentences}
        for pattern in (_EMPTY_LINES, _ITEMS):
            borders.update(match.end() for match in pattern.finditer(self._text, self._start, self._end))
        return sorted(self._start_of_word(border) for border in borders)

    def _start_of_word(self, place: int) -> int:
        return trim_span(self._text, place, self._end)[0]

    def _borders(self, level: int, start: int, end: int) -> list[int]:
        """Return the boundaries of a span, from strong (level 0) to weak."""
        if level == 2:
            first, last = (bisect_left(self._sentences, place) for place in (start, end))
            return self._sentences[first:last]
        if level == 3 + len(_INSIDE):
            return list(range(start + self._longest, end, self._longest))
        pattern = _EMPTY_LINES if level == 0 else _ITEMS if level == 1 else _INSIDE[level - 3]
        borders = [match.end() for match in pattern.finditer(self._text, start, end)]
        return self._with_stems(borders, start, end) if level < 2 else borders

    def _with_stems(self, borders: Sequence[int], start: int, end: int) -> list[int]:
        """Return the boundaries without those between a stem ("The authority shall:") and a short first
        item."""
        kept: list[int] = []
        for border, after in pairwise((*borders, end)):
            stem = _STEM.search(self._text, max(start, border - _STEM_TAIL), border)
            if stem is None or after - border > SHORT_ITEM * self._longest:
                kept.append(border)
        return kept

    def _packed(self, borders: list[int]) -> list[tuple[int, int]]:
        """Join adjacent spans within the limit."""
        packed: list[tuple[int, int]] = []
        start = borders[0]
        for left, right in pairwise(borders[1:]):
            if trim_span(self._text, start, right)[1] - start > self._longest:
                packed.append((start, left))
                start = left
        packed.append((start, borders[-1]))
        return packed
