"""Section trees written by hand, and how much of one a reader found.

A ``.tree`` file holds one section a line, indented by two spaces a level: ``kind number | title``. The
number or the title may be missing ("chapter I | GENERAL", "article 1 |", "preamble | Menimbang"); the
kind is a word of ``SectionKind``. Empty lines and lines that begin with ``#`` say nothing.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from engine.ingestion.readers.base import ReadDocument
from engine.language.addresses import number_key
from engine.model import SectionKind

TREES = Path(__file__).parent


@dataclass(frozen=True, slots=True)
class Branch:
    """A section of a tree and the section above it."""

    kind: SectionKind
    number: str | None
    title: str
    parent: Branch | None = None

    @property
    def own(self) -> tuple[str, ...]:
        """What makes it the same section: kind and number, or kind and title where it has no number."""
        return (self.kind, number_key(self.number)) if self.number else (self.kind, "", folded(self.title))

    @property
    def key(self) -> tuple[tuple[str, ...], ...]:
        """Its own identity and its parent's."""
        return (self.own, self.parent.own if self.parent else ())

    def __str__(self) -> str:
        line = f"{self.kind} {self.number or ''} | {self.title}".replace("  ", " ").rstrip(" ")
        above = (
            f"below {self.parent.kind} {self.parent.number or self.parent.title}"
            if self.parent
            else "outermost"
        )
        return f"{line}  [{above}]"


@dataclass(frozen=True, slots=True)
class Comparison:
    """What of the hand-written tree was found, in the same order, with right kind, number and parent."""

    found: tuple[Branch, ...]
    missing: tuple[Branch, ...]
    extra: tuple[Branch, ...]
    other_titles: tuple[tuple[str, str], ...]

    @property
    def share(self) -> float:
        """The share of the hand-written sections that were found, in 0..1."""
        return len(self.found) / max(1, len(self.found) + len(self.missing))

    @property
    def precision(self) -> float:
        """The share of the reader's sections that stand in the hand-written tree, in 0..1."""
        return len(self.found) / max(1, len(self.found) + len(self.extra))

    def __str__(self) -> str:
        lines = [f"{self.share:.3f} of the sections found, {self.precision:.3f} of those found are right"]
        lines += [f"missing: {branch}" for branch in self.missing]
        lines += [f"extra:   {branch}" for branch in self.extra]
        lines += [f"title:   {right!r} read as {read!r}" for right, read in self.other_titles]
        return "\n".join(lines)


def read_tree(path: Path) -> list[Branch]:
    """The branches of a ``.tree`` file. Raises ValueError for a line that is none."""
    return parse_tree(path.read_text(encoding="utf-8"))


def parse_tree(text: str) -> list[Branch]:
    """The branches of a tree in order. Raises ValueError for a line that is none."""
    branches: list[Branch] = []
    above: list[Branch] = []
    for place, line in enumerate(text.splitlines(), start=1):
        if not line.strip() or line.lstrip().startswith("#"):
            continue
        depth, odd = divmod(len(line) - len(line.lstrip(" ")), 2)
        if odd or depth > len(above):
            raise ValueError(f"line {place}: indented by neither one level more nor fewer: {line!r}")
        label, _, title = line.strip().partition("|")
        kind, _, number = label.strip().partition(" ")
        branch = Branch(
            SectionKind(kind), number.strip() or None, title.strip(), above[depth - 1] if depth else None
        )
        above[depth:] = [branch]
        branches.append(branch)
    return branches


def tree_of(read: ReadDocument) -> list[Branch]:
    """The branches of a document that was read."""
    made: dict[str, Branch] = {}
    for section in read.sections:
        parent = made[section.parent_id] if section.parent_id else None
        made[section.id] = Branch(section.kind, section.number, section.title, parent)
    return list(made.values())


def compare(right: Sequence[Branch], read: Sequence[Branch]) -> Comparison:
    """Match two trees in order: the longest series of sections that both have."""
    pairs = _longest_common([branch.key for branch in right], [branch.key for branch in read])
    mine, theirs = {left for left, _ in pairs}, {other for _, other in pairs}
    return Comparison(
        found=tuple(right[left] for left, _ in pairs),
        missing=tuple(branch for place, branch in enumerate(right) if place not in mine),
        extra=tuple(branch for place, branch in enumerate(read) if place not in theirs),
        other_titles=tuple(
            (right[left].title, read[other].title)
            for left, other in pairs
            if folded(right[left].title) != folded(read[other].title)
        ),
    )


def folded(title: str) -> str:
    """Letters and digits only: the white space and marks of a print do not count."""
    return "".join(letter for letter in title.casefold() if letter.isalnum())


def _longest_common(left: Sequence[object], right: Sequence[object]) -> list[tuple[int, int]]:
    longest = [[0] * (len(right) + 1) for _ in range(len(left) + 1)]
    for i in reversed(range(len(left))):
        for j in reversed(range(len(right))):
            longest[i][j] = (
                longest[i + 1][j + 1] + 1
                if left[i] == right[j]
                else max(longest[i + 1][j], longest[i][j + 1])
            )
    pairs, i, j = [], 0, 0
    while i < len(left) and j < len(right):
        if left[i] == right[j]:
            pairs.append((i, j))
            i, j = i + 1, j + 1
        elif longest[i + 1][j] >= longest[i][j + 1]:
            i += 1
        else:
            j += 1
    return pairs
