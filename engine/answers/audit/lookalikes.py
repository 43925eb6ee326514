"""What looks like a citation to a reader, in any form: so that one that is not understood is told, not
passed."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from functools import cache

from engine.language.addresses import WORDS
from engine.language.designations import Occupied
from engine.language.statements import quantities_in
from engine.model import Span

_BELOW = r"(?:\s?\(\w{1,4}\))*"
# "FEES-R-99.1", "COBS 3.4.1R(2)", "BGB 2999 II"; "2999 II BGB"; "§ 2999".
_CODE = re.compile(
    rf"(?<![\w-])[A-Z][A-Z&]{{1,19}}(?:-[A-Z]{{1,4}})*(?:\s(?:r|s|c|p|pt|ch|sec|art|para|reg)\.?)?[\s.:-]{{0,2}}(?:[A-Z]{{1,2}})?\d+(?:[.\-/]\w?\d+)*[A-Z]?(?!\w){_BELOW}(?:\s[IVX]+(?!\w))?"
)
_BEHIND = re.compile(r"(?<![\w.,-])\d{2,4}[a-z]?(?:\s[IVX]+)?\s[A-Z][A-Za-z]*[A-Z](?!\w)")
_SIGN = re.compile(
    r"(?<!§)§+\s*\d+\w*(?:\s*(?:Abs\.|Absatz|S\.|Satz|Nr\.)\s*\d+)*(?:\s[A-ZÄÖÜ][A-Za-zäöü]*[A-Z])?"
)
# "Kap. 77 ZPO Rn. 3", "C. tour. 412 al. 9", "Circ. 12/B": abbreviations with a capital, and a number.
_SHORTENED = re.compile(
    r"(?<![\w.])(?!(?:No|Nr|Mr|Mrs|Dr|St|Abs|Bd|Ca|Vol|Jan|Feb|Apr|Aug|Sept|Okt|Oct|Nov|Dez|Dec|Fr|Rp)\.)"
    r"[A-ZÄÖÜ][a-zäöüàéè]{0,5}\.\s?(?:[a-zàéè]{1,6}\.\s?){0,2}\d+(?:[./-]\w{1,4})*(?:,?\s(?:al|pt|Rn|Abs)\.?\s?\d+)?"
)
# "KUHPer-412/A", "BGB/R-77".
_DASHED = re.compile(r"(?<![\w/-])[A-Z][a-z]*[A-Z][A-Za-z]*(?:/[A-Z]{1,2})?-\d+(?:/[A-Z])?(?!\w)")
# "Circular 77/2033".
_OF_YEAR = re.compile(r"(?<!\w)[A-ZÄÖÜ]\w{2,}\s\d{1,4}/(?:19|20)\d{2}(?![\w/])")
# What stands in brackets at the end, or in front of a colon, and has a number: a citation in whatever form.
_EDGES = (
    re.compile(r"[(\[](?P<said>[^()\[\]]{0,40}[A-ZÄÖÜ§][^()\[\]]{0,40}\d[^()\[\]]{0,30})[)\]]\W*\Z"),
    re.compile(r"\A\W*(?P<said>[A-ZÄÖÜ§][^:.;,]{0,50}?\d[^:;]{0,24}?)\s?:\s"),
    re.compile(
        r"(?:,|–|-)\s(?:see|cf\.?|siehe|vgl\.|voir|lihat|véase)\s(?P<said>[^,;()]{1,50}?\d[^,;()\s]{0,20})\W*\Z"
    ),
)
_SHORT = (
    "sec",
    "sect",
    "art",
    "ch",
    "chap",
    "reg",
    "cl",
    "para",
    "paras",
    "rulebook",
    "pt",
    "r",
    "s",
    "ss",
    "rr",
    "no",
)


@cache
def _worded() -> re.Pattern[str]:
    """A word for a level and its number, in all languages, also with the usual abbreviations."""
    words = sorted({*(word for word in WORDS if word.isalpha()), *_SHORT}, key=len, reverse=True)
    # The single letters are abbreviations only with their stop.
    listed = "|".join(re.escape(word) + (r"\." if len(word) < 3 else r"\.?") for word in words)
    return re.compile(
        rf"(?<!\w)(?:{listed})\s?(?-i:[A-Z]?)\d+(?:[.\-/]\w?\d+)*[a-zA-Z]?(?!\w){_BELOW}", re.IGNORECASE
    )


def lookalikes(text: str, language: str, known: Iterable[Span]) -> Iterator[Span]:
    """What looks like a citation and is none of those known; quantities are none."""
    known = list(known)
    taken = Occupied((span.start, span.end) for span in known)
    # "Kap. 77 ZPO" counts no codes of procedure.
    for form in (_SHORTENED, _DASHED, _OF_YEAR):
        for match in form.finditer(text):
            if not taken.overlaps(*match.span()):
                taken.add(*match.span())
                yield Span(*match.span())
    for quantity in quantities_in(text, language, known):
        taken.add(quantity.span.start, quantity.span.end)
    found = sorted(
        (match.span() for form in (_CODE, _SIGN, _BEHIND, _worded()) for match in form.finditer(text)),
        key=lambda span: (span[0], -span[1]),
    )
    found += [edged.span("said") for edge in _EDGES if (edged := edge.search(text))]
    for start, end in found:
        if not taken.overlaps(start, end):
            taken.add(start, end)
            yield Span(start, end)
