"""Numbers that are typed before provisions: "3. Licence.—(1)", "1.(1)", "3   Licence", "3.1 The Supplier".

Acts of the Commonwealth and contracts print nothing else. Sequence and type decide, in every format alike,
which lines that begin with a number are provisions and which are items of a list.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from engine.corpus.headings import is_bare_heading
from engine.ingestion.headings import Heading, bare_heading
from engine.language.addresses import ATTACHED, CONTAINERS, PROVISIONS
from engine.language.characters import western_digits
from engine.model import SectionKind

# (3, "") of "3", (3, "A") of "3A".
_Number = tuple[tuple[int, str], ...]

_TYPED = re.compile(
    r"[ \t]*(?P<number>\d{1,3}[A-Z]{0,2}(?:\.\d{1,3}[A-Z]{0,2})*)"
    r"(?:\.?(?=\()|\.?[ \t\u00a0]+|[.．、]?(?=[\u3400-\u9fff]))(?P<rest>\S.*)"
)
# "Licence.—(1) No person", "Short title.—This Act".
_RUN_ON = re.compile(r"(?P<title>[^\n]{2,120}?)(?:\.\s?[—–-]{1,2}|[—–])\s?(?P<text>\(.+|(?<=\.[—–-])\S.+)")
_PART = re.compile(r"(\d+)([A-Z]*)")
_STEM, _ITEM_END = re.compile(r"[:：]\s*\Z"), re.compile(r"(?:[;,；，،؛]|[;,]\s+\w{1,3})\s*\Z")
_FIRST: _Number = ((1, ""),)
# A provision that was repealed may be missing.
_GAP = 4
# Titles that end with a full stop, as "Short title.", are as long as this at most.
_SHORT = 60


@dataclass(frozen=True, slots=True)
class Typed:
    """A provision from ``start`` of a text, whose own words begin at ``behind``; ``depth`` counts from 1."""

    start: int
    behind: int
    heading: Heading
    depth: int


@dataclass(slots=True)
class _Line:
    """A line of a block, or a heading; ``number`` where it begins with one or is one."""

    block: int
    start: int
    text: str
    number: _Number = ()
    printed: str = ""
    rest: str = ""
    heading: Heading | None = None


@dataclass(slots=True)
class _Run:
    """Lines that count on from 1."""

    lines: list[int] = field(default_factory=list)
    path: _Number = ()
    strong: int = 0
    dotted: int = 0
    is_broken: bool = False

    def qualifies(self) -> bool:
        """Whether the lines are provisions: they have parts, or most have a title and a text."""
        if self.dotted > 1:
            return True
        return self.strong > 1 and 2 * self.strong >= len(self.lines) and not self.is_broken


def typed_numbers(blocks: Sequence[tuple[Heading | None, str]]) -> dict[int, list[Typed]]:
    """The provisions that the texts of a document begin or hold, by the places of the texts.

    ``blocks`` are headings, and texts of which each has one line or more.
    """
    if any(one and one.kind in PROVISIONS and one.number != one.label for one, _ in blocks):
        # Where provisions have a word for their headings, numbers count the items of lists.
        return {}
    lines = list(_lines(blocks))
    found = {index for run in _runs(lines) if run.qualifies() for index in run.lines}
    typed: dict[int, list[Typed]] = {}
    for index in sorted(found):
        line = lines[index]
        title, text = _divided(line.rest) if _goes_on(lines, index, found) else ("", line.rest)
        behind = line.start + len(line.text) - len(text)
        own = Typed(line.start, behind, bare_heading(line.printed, title), len(line.number))
        typed.setdefault(line.block, []).append(own)
    return typed


def is_title(line: str) -> bool:
    """Whether a line is a number and a title: the count restarts behind it."""
    match = _TYPED.fullmatch(line)
    return match is not None and not match["rest"][0].islower() and is_bare_heading(match["rest"])


def _lines(blocks: Sequence[tuple[Heading | None, str]]) -> Iterator[_Line]:
    for place, (heading, whole) in enumerate(blocks):
        if heading is not None:
            number = heading.number if heading.number == heading.label else None
            plain = heading.kind is SectionKind.HEADING and number is None
            whole = heading.title if plain and _TYPED.fullmatch(heading.title) else ""
            if not whole:
                yield _Line(place, 0, "", _number(number or ""), heading=heading)
                continue
        start = 0
        for text in whole.split("\n"):
            match = _TYPED.fullmatch(western_digits(text))
            # "1. the rent;" is an item of a list.
            if match and ("." in match["number"] or not match["rest"][0].islower()):
                rest = text[match.start("rest") :]
                yield _Line(place, start, text, _number(match["number"]), match["number"], rest)
            elif text.strip():
                yield _Line(place, start, text)
            start += len(text) + 1


def _number(printed: str) -> _Number:
    parts = [_PART.fullmatch(part) for part in printed.rstrip(".").split(".")]
    return tuple((int(part[1]), part[2]) for part in parts if part) if all(parts) else ()


def _runs(lines: Sequence[_Line]) -> Iterator[_Run]:
    """The runs of lines that count on, without the items of lists."""
    run, listed, item, is_fresh = _Run(), 0, -1, False
    for index, line in enumerate(lines):
        if line.heading is not None:
            kind = line.heading.kind
            if line.number:
                run.path, listed = line.number, 0
            elif kind in ATTACHED:
                yield run
                run = _Run()
            is_fresh = kind in CONTAINERS and not line.number
            run.is_broken |= kind is SectionKind.HEADING and bool(run.lines)
            continue
        if not line.number:
            continue
        before = lines[index - 1].text if index else ""
        single, strong = len(line.number) == 1, _is_strong(lines, index)
        if single and listed and line.number == ((listed + 1, ""),):
            beside = item == index - 1 and lines[item].block == line.block
            if beside or _ITEM_END.search(before) or not _follows(run.path, line.number, strong=strong):
                listed, item = listed + 1, index
                continue
        weak = not run.dotted and 2 * run.strong <= len(run.lines) > 1
        is_again = line.number == _FIRST and run.lines and (is_fresh or weak)
        if is_again and (strong or not _STEM.search(before)):
            # The count restarts in a new Part, and in the text behind its table of contents.
            yield run
            run = _Run()
        is_stem = _STEM.search(before) and (run.path or not strong)
        if _follows(run.path, line.number, strong=strong) and not (single and is_stem):
            run.lines.append(index)
            run.path, listed = line.number, 0
            run.strong, run.dotted = run.strong + strong, run.dotted + (not single)
        elif line.number == _FIRST:
            listed, item = 1, index
        is_fresh = False
    yield run


def _follows(path: _Number, number: _Number, *, strong: bool) -> bool:
    """Whether a number comes next: the first part of what the path leads to, or one step on."""
    if number[:-1] == path or (not path and number == _FIRST * 2):
        return number[-1] == _FIRST[0]
    depth = len(number) - 1
    if depth >= len(path) or number[:depth] != path[:depth]:
        return False
    last, new = path[depth], number[depth]
    return last < new and new[0] <= last[0] + (_GAP if strong or depth else 1)


def _is_strong(lines: Sequence[_Line], index: int) -> bool:
    """Whether a line is a provision by its type: a title above a text, or a number before "(1)"."""
    rest = lines[index].rest
    title, text = _divided(rest.removesuffix(".") if len(rest) <= _SHORT else rest)
    return rest.startswith("(") or bool(title and (text or _has_text(lines, index)))


def _has_text(lines: Sequence[_Line], index: int) -> bool:
    following = lines[index + 1] if index + 1 < len(lines) else None
    if following is None or following.heading is not None or following.text[:1].islower():
        return False
    return not following.number or following.number == _FIRST


def _goes_on(lines: Sequence[_Line], index: int, found: set[int]) -> bool:
    """Whether a text or a part follows, so that the words of a line may be a title."""
    if _divided(lines[index].rest)[1]:
        return True
    following = lines[index + 1] if index + 1 < len(lines) else None
    if following is None or following.heading is not None or following.text[:1].islower():
        return False
    return index + 1 not in found or len(following.number) > len(lines[index].number)


def _divided(rest: str) -> tuple[str, str]:
    """The title that words behind a number are or begin with, and the text behind it."""
    run_on = _RUN_ON.fullmatch(rest)
    title, text = (run_on["title"], run_on["text"]) if run_on else (rest, "")
    title = title.strip()
    return (title, text) if is_bare_heading(title) and not title.startswith("(") else ("", rest)
