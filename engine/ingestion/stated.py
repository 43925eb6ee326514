"""Links that the markup of sources makes: found in the corpus by URI and element id.

The markup knows where a reference points, the words know what it says: where a grammar read the same
words, its relation is kept and the markup's target is put in only where the grammar was in doubt.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache

from engine.ingestion.assembly import EID
from engine.ingestion.readers.base import StatedReference
from engine.language.references.names import Use, Uses
from engine.model import Document, Passage, Reference, Relation, Section, Status, TargetKind

STATED_GRAMMAR = "markup"

# What a URI of Akoma Ntoso says behind the work: language and version, component, file.
_EXPRESSION = re.compile(r"/(?:[a-z]{2,3}(?:-[A-Za-z]+)?@[^/]*|!?main(?:\.xml)?|!.*)(?=/|$)|/[a-z]{3}$")
_SUFFIX = re.compile(r"(?:/+|\.(?:xml|akn|html))+$")


@dataclass(frozen=True, slots=True)
class _Found:
    kind: TargetKind
    id: str


class StatedTargets:
    """Where URIs and element ids lead to. Built once for a corpus; the sections and passages of a document
    are looked at when a link leads into it."""

    def __init__(
        self,
        documents: Sequence[Document],
        sections: Callable[[int], Iterable[Section]],
        passages: Callable[[int], Iterable[Passage]],
    ) -> None:
        """``sections`` and ``passages`` of a document by its number."""
        self._works: dict[str, list[str]] = defaultdict(list)
        self._languages = {document.id: document.language for document in documents}
        self._numbers = {document.id: number for number, document in enumerate(documents)}
        for document in documents:
            for uri in dict.fromkeys(_uris(document)):
                self._works[uri].append(document.id)
        self._sections, self._passages = sections, passages
        self._elements = cache(self._elements_of)
        self._parents = cache(self._parents_of)
        # The works that were asked for, and the documents that were looked into; whoever keeps references may
        # clear them.
        self.uses: Uses = set()
        self.asked: set[str] = set()

    def answers(self) -> Iterator[tuple[Use, str]]:
        """Which documents are of each work."""
        for uri, found in self._works.items():
            yield ("work", uri), repr([(name, self._languages[name]) for name in found])

    def _elements_of(self, document: str) -> Mapping[str, Sequence[Passage]]:
        found: dict[str, list[Passage]] = defaultdict(list)
        for passage in self._passages(self._numbers[document]):
            eid = passage.metadata.get(EID)
            if isinstance(eid, str):
                for name in _with_those_around(eid):
                    found[name].append(passage)
        return found

    def _parents_of(self, document: str) -> Mapping[str, str | None]:
        return {section.id: section.parent_id for section in self._sections(self._numbers[document])}

    def references(self, links: Iterable[StatedReference], source: Mapping[str, str]) -> Iterator[Reference]:
        """The references that links make. ``source``: the document's id by the id of its passage."""
        for link in links:
            found = self._find(link.target, source[link.source_id])
            if any(target.id == link.source_id for target in found):
                continue
            one = found[0] if len(found) == 1 else None
            status = Status.RESOLVED if one else Status.AMBIGUOUS if found else Status.UNRESOLVED
            yield Reference(
                link.source_id,
                link.span,
                link.text,
                Relation.CITES,
                status,
                one.kind if one else None,
                one.id if one else None,
                candidates=() if one else tuple(target.id for target in found),
                grammar=STATED_GRAMMAR,
            )

    def _find(self, target: str, own: str) -> list[_Found]:
        uri, _, eid = target.partition("#")
        if not uri:
            return self._inside(own, eid) if eid else []
        work = work_of(uri)
        self.uses.add(("work", work))
        documents = self._works.get(work, [])
        if len(documents) > 1:
            # A text cites an act in its own language where it is there.
            same = [name for name in documents if self._languages[name] == self._languages[own]]
            documents = same or documents
        if not eid:
            return [_Found(TargetKind.DOCUMENT, name) for name in documents]
        inside = [found for name in documents for found in self._inside(name, eid)]
        return inside or [_Found(TargetKind.DOCUMENT, name) for name in documents]

    def _inside(self, document: str, eid: str) -> list[_Found]:
        """What an element is: a passage, or the section that holds all its passages."""
        self.asked.add(document)
        passages = self._elements(document).get(eid, [])
        sources = {passage.source_id for passage in passages}
        if len(sources) <= 1:
            return [_Found(TargetKind.PASSAGE, passages[0].id)] if passages else []
        common = self._common_section(document, passages)
        return [_Found(TargetKind.SECTION, common)] if common else []

    def _common_section(self, document: str, passages: Sequence[Passage]) -> str | None:
        chains = [list(self._above(document, passage.section_id)) for passage in passages]
        return next((name for name in chains[0] if all(name in chain for chain in chains)), None)

    def _above(self, document: str, section: str | None) -> Iterator[str]:
        while section is not None:
            yield section
            section = self._parents(document).get(section)


def merged(found: Sequence[Reference], stated: Sequence[Reference]) -> list[Reference]:
    """References of grammars and of markup as one list, none of them twice.

    ``found`` keeps its order; what only the markup states follows.
    """
    by_source: dict[str, list[Reference]] = defaultdict(list)
    for reference in stated:
        by_source[reference.source_id].append(reference)
    used: set[int] = set()
    joined: list[Reference] = []
    for reference in found:
        over = [mark for mark in by_source.get(reference.source_id, ()) if _overlap(reference, mark)]
        used.update(id(mark) for mark in over)
        certain = next((mark for mark in over if mark.status is Status.RESOLVED), None)
        if certain is not None and reference.status is not Status.RESOLVED:
            reference = replace(
                reference,
                status=Status.RESOLVED,
                target_kind=certain.target_kind,
                target_id=certain.target_id,
                candidates=(),
            )
        joined.append(reference)
    return joined + [reference for reference in stated if id(reference) not in used]


def _overlap(one: Reference, other: Reference) -> bool:
    return one.span.start < other.span.end and other.span.start < one.span.end


def work_of(uri: str) -> str:
    """The URI of a work without host, language, version and file, for comparing.

    "/akn/us/act/2011-11-29/112-61/eng@/!main.xml" is "us/act/2011-11-29/112-61".
    """
    path = re.sub(r"^https?://[^/]+", "", uri.strip()).casefold()
    path = _SUFFIX.sub("", path)
    path = _EXPRESSION.sub("", path)
    path = re.sub(r"/{2,}", "/", path).strip("/")
    return path.removeprefix("akn/").removeprefix("id/").removesuffix("/main").removesuffix("/enacted")


def _uris(document: Document) -> Iterator[str]:
    for name in ("work", "uri"):
        value = document.metadata.get(name)
        if isinstance(value, str) and value:
            yield work_of(value)
    yield from (work_of(name) for name in document.aliases if name.startswith(("/", "http")))


def _with_those_around(eid: str) -> Iterator[str]:
    """An element's id and those of the elements around it: "sec_2__subsec_1" and "sec_2"."""
    yield eid
    while "__" in eid:
        eid = eid.rpartition("__")[0]
        yield eid
