"""The sentences of a passage and the lists in them: a head with its items, each with what is nested in it.

Sources print lists in many ways: behind a colon or in the middle of a sentence ("... verjähren 1. in 30
Jahren, 2. ..."), with lines that were broken by hand, with items inside of items.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

from engine.ingestion.sentences import sentence_starts
from engine.model import Passage, Span

# A head that no colon ends has so many words at least: a heading is no head.
SHORTEST_HEAD = 4
_WORD = re.compile(r"[^\W_]+")
# The number of a paragraph at its beginning says where it stands, which the citation says too.
_PARAGRAPH = re.compile(r"\(\d{1,3}[a-z]?\)\s+|\d{1,3}\.\s+(?=[^\W\d_])")
_LABEL = re.compile(r"\s*(?:(?P<open>\()?(?P<label>\w{1,5})(?P<close>[.)])|(?P<mark>[-–—•▪·]))(?=\s)")
_NUMBER_ALONE = re.compile(r"\s*\(?\w{1,5}[.)]\s*\Z")
_ROMAN = re.compile(r"[ivx]{2,}", re.IGNORECASE)
_LINE = re.compile(r"[^\S\n]*(?:\n[^\S\n]*)+")
_LISTS = (":", ":-", ":–", "—", "：")
_STOPS = ".!?。！？؟۔"
# What a line ends with that ends its thought too, so that the next one begins another.
_PAUSES = (*_STOPS, *_LISTS, ";", "；", "؛")
_CLOSING = "\"'”’»)] "


@dataclass(frozen=True, slots=True)
class Listed:
    """A sentence; where it is the head of a list, with the items of its own passage, each a span with all
    that is nested in it. ``goes_on``: it goes on behind the last one ("Where (a) or (b), it must ...")."""

    span: Span
    items: tuple[Span, ...] = ()
    goes_on: bool = False


def is_head(text: str) -> bool:
    """Whether a line announces items."""
    return text.rstrip().endswith(_LISTS)


def is_item(text: str) -> bool:
    """Whether a line is an item of a list, or goes on with what stands before it."""
    first = text.lstrip("\"'“„«(")[:1]
    return _LABEL.match(text) is not None or first.islower()


def listed(passage: Passage) -> list[Listed]:
    """The sentences of a passage in their order, what it repeats of the one before left out."""
    text = passage.text
    pieces = list(_pieces(passage))
    found: list[Listed] = []
    place = 0
    while place < len(pieces):
        head = pieces[place]
        after = _items(text, pieces[place + 1 :]) if _announces(text, head, pieces[place + 1 :]) else []
        behind = place + 1 + sum(len(group) for group in after)
        items = tuple(Span(group[0].start, group[-1].end) for group in after)
        whole = _without_number(text, head)
        if whole.start < whole.end:
            last = after[-1][-1] if after and len(after[-1]) > 1 else None
            goes_on = last is not None and not _style(text, last) and text[last.start].islower()
            found.append(Listed(whole, items, goes_on))
        place = behind
    return found


def _pieces(passage: Passage) -> Iterator[Span]:
    """Sentences without blanks around them; the lines of a list each by itself."""
    text, language = passage.text, passage.language
    starts = {start for start in sentence_starts(text, language) if start >= passage.overlap}
    starts.add(passage.overlap)
    for match in _LINE.finditer(text, passage.overlap):
        if _begins(text, match):
            starts.add(match.end())
    ordered = sorted(starts)
    begin = ordered[0]
    for _, end in pairwise([*ordered, len(text)]):
        said = text[begin:end]
        if not said.strip():
            begin = end
            continue
        if end < len(text) and _NUMBER_ALONE.fullmatch(said):
            continue
        yield Span(begin + len(said) - len(said.lstrip()), begin + len(said.rstrip()))
        begin = end


def _begins(text: str, gap: re.Match[str]) -> bool:
    """Whether a line begins something, and does not go on with the one before it."""
    rest = text[gap.end() :]
    if not rest or _LABEL.match(rest):
        return True
    if gap[0].count("\n") > 1:
        return not rest[:1].islower() or text[: gap.start()].rstrip().endswith(_PAUSES)
    indented = len(gap[0]) - gap[0].rfind("\n") - 1 >= 2
    return not indented and (not rest[:1].islower() or text[: gap.start()].endswith(_PAUSES))


def _announces(text: str, head: Span, behind: Sequence[Span]) -> bool:
    """Whether items stand behind a sentence that are its own."""
    if not behind:
        return False
    said, first = text[head.start : head.end], text[behind[0].start : behind[0].end]
    if is_head(said):
        return is_item(first)
    label = _LABEL.match(first)
    if label is None or said.rstrip(_CLOSING).endswith((*_STOPS, ";", "；")):
        return False
    goes_on = first[label.end() :].lstrip()[:1].islower() or said.rstrip().endswith(",")
    return goes_on and len(_WORD.findall(said)) >= SHORTEST_HEAD


def _items(text: str, pieces: Sequence[Span]) -> list[list[Span]]:
    """The items at the beginning of some pieces, each with what is nested in it."""
    style = _style(text, pieces[0])
    groups: list[list[Span]] = []
    for piece in pieces:
        own = _style(text, piece)
        said = text[piece.start : piece.end]
        if not groups or (own == style and (style or said[:1].islower())):
            groups.append([piece])
            continue
        ended = text[groups[-1][-1].start : groups[-1][-1].end].rstrip(_CLOSING).endswith(tuple(_STOPS))
        if ended or not (own or said[:1].islower()):
            break
        groups[-1].append(piece)
    return groups


def _style(text: str, piece: Span) -> str:
    """How an item is labelled, so that those of one list are told from those inside of them."""
    match = _LABEL.match(text, piece.start, piece.end + 1)
    if match is None:
        return ""
    if match["mark"]:
        return match["mark"]
    label = match["label"]
    kind = "1" if label[:1].isdigit() else "i" if _ROMAN.fullmatch(label) or label in "iI" else "a"
    kind = kind * min(2, len(label)) if kind == "a" else kind
    return f"{match['open'] or ''}{kind}{match['close']}"


def _without_number(text: str, span: Span) -> Span:
    number = _PARAGRAPH.match(text, span.start, span.end)
    return Span(number.end() if number else span.start, span.end)
