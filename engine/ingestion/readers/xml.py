"""Parse XML safely, and convert mixed content to plain text with references."""

from __future__ import annotations

import html
import re
from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass, field

from lxml import etree

from engine.ingestion.readers.base import Problem, SourceFile
from engine.ingestion.structure.assembly import Link

_ENTITIES = "declares entities of its own, which are not read; save it without them"
_SPACE = re.compile(r"\s+")


def parse_root(source: SourceFile) -> etree._Element | Problem:
    """Parse a file and return its root without comments and processing instructions, or a Problem.

    No external data are loaded and no entities expanded: a file that declares entities is rejected, because
    they can expand to gigabytes or to local files. Raises OSError if the file cannot be opened.
    """
    parser = etree.XMLParser(
        resolve_entities=False,
        no_network=True,
        load_dtd=False,
        dtd_validation=False,
        huge_tree=False,
        remove_comments=True,
        remove_pis=True,
    )
    # From memory: if the library reads the file itself, invalid characters appear as disk errors.
    content = source.content()
    try:
        tree = etree.fromstring(content, parser).getroottree()
    except etree.XMLSyntaxError as error:
        line, _ = error.position
        if "amplification" in error.msg:
            return Problem(source.name, _ENTITIES, line or None)
        return Problem(source.name, f"not well-formed XML: {error.msg}", line or None)
    declared = tree.docinfo.internalDTD
    # The stubs of lxml lack this method.
    if declared is not None and any(True for _ in declared.iterentities()):  # type: ignore[union-attr]
        return Problem(source.name, _ENTITIES)
    return tree.getroot()


def tag(element: etree._Element) -> str:
    """Return the name of an element without its namespace; empty for comments and the like."""
    name = element.tag
    return name.rpartition("}")[2] if isinstance(name, str) else ""


def children(element: etree._Element, *names: str) -> Iterator[etree._Element]:
    """Yield the children of an element, optionally only those with certain names."""
    return (child for child in element if not names or tag(child) in names)


def first(element: etree._Element | None, *path: str) -> etree._Element | None:
    """Return the first element along a path of names, or None."""
    for name in path:
        element = None if element is None else next(children(element, name), None)
    return element


def descendants(element: etree._Element, *names: str) -> Iterator[etree._Element]:
    """Yield the descendants of an element with certain names in document order."""
    return (found for found in element.iter() if tag(found) in names)


def plain(element: etree._Element | None) -> str:
    """Return all text of an element on one line."""
    return "" if element is None else " ".join("".join(map(str, element.itertext())).split())


@dataclass(frozen=True, slots=True)
class Wording:
    """How the mixed content of a format is converted to text.

    ``left_out``: elements whose text is ignored. ``lines``: elements on lines of their own. ``labels``:
    elements whose text starts the next line. ``target`` returns the target of a link, None for other
    elements. ``signs`` returns the characters that represent an element.
    """

    left_out: Collection[str]
    lines: Collection[str]
    labels: Collection[str] = ()
    target: Callable[[etree._Element], str | None] = lambda element: None
    signs: Callable[[etree._Element], str | None] = lambda element: None


@dataclass(frozen=True, slots=True)
class Worded:
    """Plain text with its references."""

    text: str
    links: tuple[Link, ...] = ()

    def behind(self, prefix: str) -> Worded:
        """Return the text with a prefix."""
        by = len(prefix)
        moved = (Link(link.start + by, link.end + by, link.target) for link in self.links)
        return Worded(prefix + self.text, tuple(moved))


def convert_to_text(element: etree._Element, wording: Wording) -> Worded:
    """Convert an element with its descendants to text, with white space as in print, and references."""
    writer = _Writer(wording)
    writer.inside(element)
    text = "".join(writer.parts)
    start, end = len(text) - len(text.lstrip()), len(text.rstrip())
    links = (
        Link(max(link.start, start) - start, min(link.end, end) - start, link.target)
        for link in writer.links
        if max(link.start, start) < min(link.end, end)
    )
    return Worded(text[start:end], tuple(links))


@dataclass(slots=True)
class _Writer:
    wording: Wording
    parts: list[str] = field(default_factory=list)
    links: list[Link] = field(default_factory=list)
    length: int = 0
    ends_blank: bool = True
    holds_line: bool = False

    def inside(self, element: etree._Element) -> None:
        self.add(element.text)
        for child in element:
            self.element(child)
            self.add(child.tail)

    def element(self, element: etree._Element) -> None:
        name = tag(element)
        if not name:
            # An undeclared entity: one of HTML's, or unknown.
            self.add(html.unescape(str(element.text or "")))
        elif (sign := self.wording.signs(element)) is not None:
            self._write(sign)
        elif name in self.wording.labels:
            self.line()
            self.inside(element)
            self.add(" ")
            self.holds_line = True
        elif name in self.wording.lines:
            self.line()
            self.inside(element)
            self.line()
        elif name not in self.wording.left_out:
            self._linked(element)

    def _linked(self, element: etree._Element) -> None:
        target, start, place = self.wording.target(element), self.length, len(self.parts)
        self.inside(element)
        if target is None:
            return
        words = "".join(self.parts[place:])
        left = start + len(words) - len(words.lstrip())
        right = start + len(words.rstrip())
        if left < right:
            self.links.append(Link(left, right, target))

    def add(self, text: str | None) -> None:
        if text:
            self._write(_SPACE.sub(" ", text))

    def _write(self, text: str) -> None:
        if self.ends_blank:
            text = text.lstrip(" ")
        if text:
            self.parts.append(text)
            self.length += len(text)
            self.ends_blank = text[-1] in " \n"
            self.holds_line = self.holds_line and not text.strip()

    def line(self) -> None:
        """End the line, unless it contains only a label."""
        if self.length and not self.holds_line and self.parts[-1] != "\n":
            self.parts.append("\n")
            self.length += 1
            self.ends_blank = True
