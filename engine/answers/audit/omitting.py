"""What a quotation leaves out of its source: whether without it the words say the same.

"The landlord is ... permitted" leaves out "not". A quotation with an omission is verified only where what is
left out is no negation, modal verb, condition, exception, quantity or party.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import pairwise

from engine.language.statements import Sort, Token, sequence
from engine.language.statements.lexicon import lexicon
from engine.languages import law
from engine.model import Span

# What no omission may change. At the edges of a quotation only a verb or negation that is cut through counts.
_KEPT = frozenset(
    (Sort.MODAL, Sort.NOT, Sort.EXCEPT, Sort.ONLY, Sort.CONDITION, Sort.ALL, Sort.LIMIT, Sort.NUMBER)
)
_CUT = frozenset((Sort.MODAL, Sort.NOT))
# Between two of these signs stands what only tells more of the word before.
_ENCLOSED = re.compile(r"\s*(?:[,،、，–—]|[(（]).*(?:[,،、，–—]|[)）])\s*", re.DOTALL)
_ENDED = re.compile(r"[.!?。！？؟;；؛](?=\W|\Z)")


def omitted(
    text: str, places: Sequence[tuple[int, int]], tokens: Sequence[Token], language: str
) -> list[Token]:
    """The words of a source that a quotation of its words at ``places`` must not leave out.

    ``tokens`` are those of the sentences that it quotes from. Where what is left out changes a verb that is
    quoted ("is ... permitted"), the verb is among them.
    """
    first, last = places[0][0], places[-1][1]
    within = [token for token in tokens if first <= token.span.start < last]
    said = sequence(" ".join(text[start:end] for start, end in places), language)
    if len(places) == 1:
        added = _counted(said, _CUT) - _counted(within, _CUT)
        return [token for token in said if (token.sort, token.key) in added]
    gaps = list(gaps_between(text, places))
    inside = [token for token in within if any(gap.start <= token.span.start < gap.end for gap in gaps)]
    if not _is_read(language):
        pattern = law(language).binds
        bound = not pattern or any(_binds(text, gap, pattern) for gap in gaps)
        return (inside or within[:1]) if bound else []
    one, other = _counted(within, _KEPT), _counted(said, _KEPT)
    changed = (one - other) + (other - one)
    if changed:
        return [token for token in within or said if (token.sort, token.key) in changed] or within[:1]
    return inside if any(_names_party(text, gap, within, language) for gap in gaps) else []


def is_enclosed(text: str, gap: Span, language: str) -> bool:
    """Whether words left out only tell more of the word before: an apposition, no member of a list."""
    said = text[gap.start : gap.end]
    if _ENCLOSED.fullmatch(said) is None or _ENDED.search(said):
        return False
    # "May, with consent, ...": what stands behind the verb tells how it is done.
    if _is_read(language) and re.search(
        rf"(?:{lexicon(language).modal.pattern})\Z", text[: gap.start], re.IGNORECASE
    ):
        return False
    return not _joins(said, language) and not _joins(text[gap.end : gap.end + 20], language)


def gaps_between(text: str, places: Sequence[tuple[int, int]]) -> Iterator[Span]:
    """What stands between the pieces of a quotation, whole sentences aside."""
    for (_, start), (end, _) in pairwise(places):
        left = text[start:end]
        stops = list(_ENDED.finditer(left))
        whole = stops and not any(map(str.isalnum, left[: stops[0].start()] + left[stops[-1].end() :]))
        if not whole:
            yield Span(start, end)


def _is_read(language: str) -> bool:
    return lexicon(language).language == language.split("-")[0].lower()


def _counted(tokens: Sequence[Token], sorts: frozenset[Sort]) -> Counter[tuple[Sort, str]]:
    return Counter((token.sort, token.key) for token in tokens if token.sort in sorts)


def _binds(text: str, gap: Span, pattern: str) -> bool:
    said = text[gap.start : gap.end]
    return re.search(rf"\d|[;；]|{pattern}", said, re.IGNORECASE) is not None or bool(_ENDED.search(said))


def _names_party(text: str, gap: Span, within: Sequence[Token], language: str) -> bool:
    """Whether somebody else may be left out who acts: "the buyer ... delivers the goods"."""
    if is_enclosed(text, gap, language):
        return False
    said = text[gap.start : gap.end]
    if _ENDED.search(said):
        return True
    joints = any(lexicon(language).cues[name].search(said) for name in ("and", "or"))
    governed = any(token.sort is Sort.MODAL and token.span.end <= gap.start for token in within)
    return joints and not governed


def _joins(said: str, language: str) -> bool:
    words = said.lstrip(" ,،、，–—")
    return _is_read(language) and any(lexicon(language).cues[name].match(words) for name in ("and", "or"))
