"""Where the sentences of a legal text end."""

from __future__ import annotations

import re

from sentencex import get_sentence_boundaries

from engine.language.analysis import STOPWORDS
from engine.languages import words

# A "sentence" that ends with one of these goes on: the word stands in front of a number or a name.
_ABBREVIATED = re.compile(
    r"(?:(?<![^\W_])(?:[A-Za-zÄÖÜ]|[Aa]rts?|[Aa]bs|[Nn]r?[nos]?|[Ss]ec|ss|[Pp]aras?|[Pp]ar|[Rr]egs?|[Cc]h|[Pp]t|[Ss]ched|[Cc]f"
    r"|[Vv]gl|[Bb]zw|[Zz]iff|[Bb]uchst|[Uu]nterabs|[Hh]albs|[Aa]l|[Aa]lt|[Ll]it|[Pp]p?|[Jj]anv?|[Ff]é?[eb]vr?|[Ff]eb|[Mm]r?s?|[Dd]r|[Pp]rof|[Dd]ll|[Dd]sb|[Tt]gl|[Gg]em|[Mm]mes?|[Mm]lles?|[Rr]p|[Ll]gs|[Dd]ep|رقم)\.)"
    r"[\"”»)]*\s*\Z"
)
# Only words in front of a bare number: "§ 3 Satz 2 Nr. " but also "1. " of a list.
_NUMBER_ALONE = re.compile(r"\s*[(\[]?[\dIVXivx]{1,4}[.)\]]\s*\Z")
_TAIL = 40
_STOPS = frozenset(".!?。！？؟۔")
# "31." may be a day, and the sentence go on with its month.
_COUNTED = re.compile(r"\d\.\Z")
_ORDINAL = re.compile(r"(?:(?P<before>[^\W\d_]+)\s+)?(?<!\d)(?<![\d.,]\s)\d{1,3}\.\s*\Z")
_WORD = re.compile(r"[^\W\d_]+")
# The library takes a line that begins with "(1)" for one sentence, however many follow.
_ENUMERATED = re.compile(r"^[ \t]*\(\w{1,4}\)", re.MULTILINE)


def sentence_starts(text: str, language: str) -> list[int]:
    """Where each sentence of a text begins, the first at 0; white space belongs to the sentence before.

    Borders are those of the library sentencex (rules and abbreviations by language), without the ones
    behind abbreviations of legal writing and behind the number of a list's item.
    """
    starts = [0]
    plain = _ENUMERATED.sub(lambda match: "A" * len(match[0]), text)
    # An unknown language is read by the rules of English.
    for boundary in get_sentence_boundaries(language.split("-")[0], plain):
        end: int = boundary["end_index"]
        said = text[starts[-1] : end]
        if end >= len(text) or _ABBREVIATED.search(said[-_TAIL:]) or _NUMBER_ALONE.fullmatch(said):
            continue
        if _counts_next(said[-_TAIL:], text[end : end + _TAIL], language):
            continue
        starts.append(end)
    return starts


def _counts_next(said: str, after: str, language: str) -> bool:
    """Whether a full stop only makes an ordinal of a number: "des 18. Lebensjahres".

    Where nouns have capitals the word in front has none, and what is counted is no function word."""
    number = _ORDINAL.search(said)
    word = _WORD.match(after)
    if number is None or word is None:
        return False
    if word[0][0].islower():
        return True
    base = language.split("-")[0]
    capitals = words(base).nouns_in_capitals and (number["before"] or "")[:1].islower()
    return capitals and word[0].lower() not in STOPWORDS.get(base, ())


def ends_sentence(text: str, end: int) -> bool:
    """Whether a full stop that stands right before ``end`` ends a sentence: no abbreviation is in front of
    it."""
    said = text[max(0, end - _TAIL) : end].rstrip()
    return said[-1:] in _STOPS and not _ABBREVIATED.search(said) and not _COUNTED.search(said)
