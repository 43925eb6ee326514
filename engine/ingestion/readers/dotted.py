"""Sections of a rulebook whose lines know only their number, and whose headings are lines themselves.

The line "1.1" has the text "Jurisdiction", the line "1.1.1.(1)" the rule; so the headings above the
rule are "1 Introduction" and "1.1 Jurisdiction".
"""

from __future__ import annotations

from collections.abc import Iterable

from engine.corpus.headings import is_bare_heading
from engine.ingestion.headings import slug_of
from engine.ingestion.outline import Node
from engine.language.addresses import parse_label
from engine.language.characters import visible
from engine.model import SectionKind

Path = tuple[str, ...]


class DottedOutline:
    """The tree of one document's paths; ``lines`` are (path, text), a path None where a line has none."""

    def __init__(self, lines: Iterable[tuple[Path | None, str]], language: str) -> None:
        self._language = language
        self._texts: dict[Path, str] = {}
        inner: set[Path] = set()
        for path, text in lines:
            if path is not None:
                self._texts.setdefault(path, text)
                inner.update(path[:depth] for depth in range(1, len(path)))
        self._nodes = {path: self._node(path) for path in inner}

    def nodes(self, path: Path) -> tuple[Node, ...]:
        """The sections that a line stands in; a line with others below it stands in its own."""
        found = (self._nodes.get(path[:depth]) for depth in range(1, len(path) + 1))
        return tuple(node for node in found if node is not None)

    def is_heading(self, path: Path, text: str) -> bool:
        """Whether a line is the heading of a section."""
        return path in self._nodes and is_bare_heading(text)

    def _node(self, path: Path) -> Node:
        label = ".".join(path)
        address = parse_label(label, self._language)
        title = self._title(path)
        kind = SectionKind.HEADING if address is None else address.kind
        number = None if address is None else address.number
        paragraph = None if address is None else address.paragraph
        if paragraph:
            # Below a provision there are only its parts: "(2)", "Guidance".
            kind = SectionKind.GUIDANCE if "Guidance" in paragraph else SectionKind.PARAGRAPH
            number = f"{number}({paragraph.replace('/', ')(')})" if number else paragraph
        piece = visible(path[-1]).replace("_", " ").strip()
        own = piece if address is None or number is None or paragraph or kind in _NAMED else number
        shown = f"{own} {title}".strip() if title.casefold() != piece.casefold() else title
        return Node("\0".join(path), kind, number, title, shown, slug_of(path[-1]) or "part")

    def _title(self, path: Path) -> str:
        text = self._texts.get(path, "").strip()
        first = text.split("\n", 1)[0].strip()
        return " ".join(first.split()) if is_bare_heading(first) else ""


_NAMED = {SectionKind.PART, SectionKind.CHAPTER, SectionKind.SCHEDULE, SectionKind.ANNEX, SectionKind.BOOK}
