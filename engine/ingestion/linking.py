"""Read references that sources state outside their texts: in metadata, markup or ``edges.tsv``."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date
from functools import cache
from io import TextIOWrapper
from typing import Any, NamedTuple

from engine.errors import FileRefusedError
from engine.ingestion.readers.base import Problem, SourceFile, StatedReference
from engine.ingestion.structure.assembly import EID
from engine.ingestion.structure.headings import EXPLANATION
from engine.ingestion.view import CorpusView
from engine.language.addresses import PROVISIONS, number_key
from engine.language.aliases import name_key
from engine.language.references.names import Use, Uses
from engine.model import (
    FAMILY,
    Document,
    Passage,
    Reference,
    Relation,
    Section,
    SectionKind,
    Status,
    TargetKind,
)

# Metadata and ``edges.tsv``

# Metadata fields (as in ELI) with references between documents, and their relations.
DECLARED = {
    "based_on": Relation.BASED_ON,
    "amends": Relation.AMENDS,
    "repeals": Relation.REPEALS,
    "supersedes": Relation.SUPERSEDES,
    "replaces": Relation.SUPERSEDES,
    "applies_to": Relation.APPLIES_TO,
    "cites": Relation.CITES,
}
DECLARED_GRAMMAR, VERSIONS_GRAMMAR, EDGES_GRAMMAR = "metadata", "versions", "edges.tsv"
_LONGEST_EDGE = 65_536
# Letters at the beginning of an explanation that may name its act, and of the shortest name.
LONGEST_TITLE, SHORTEST_NAME = 300, 4


class Stated(NamedTuple):
    """A reference without words in a text: from a row of the corpus to a document, section or passage."""

    row: int
    relation: Relation
    kind: TargetKind
    target: int
    grammar: str


def declared_references(documents: Sequence[Document], first_rows: Sequence[int]) -> Iterator[Stated]:
    """Yield the references in metadata to documents by id, from the first passage of each document.

    Values that are not ids of documents in the corpus are ignored: they may be prose.
    """
    numbers = {document.id: number for number, document in enumerate(documents)}
    for own, document in enumerate(documents):
        for field, relation in DECLARED.items():
            for name in _named(document, field):
                target = numbers.get(name, own)
                if target != own:
                    yield Stated(first_rows[own], relation, TargetKind.DOCUMENT, target, DECLARED_GRAMMAR)


def explaining_references(view: CorpusView) -> Iterator[Stated]:
    """Yield the references from explanations in documents of their own to the provisions that they explain.

    The title of such a document, or its beginning, names the act that it explains.
    """
    explaining = [number for number, one in enumerate(view.documents) if EXPLANATION.match(one.title)]
    for number in explaining:
        rows = range(*view.document_rows[number : number + 2].tolist())
        act = _explained(view, number, set(explaining))
        if act is None or not rows:
            continue
        numbered: dict[str, tuple[TargetKind, int]] = {}
        for row in range(*view.document_rows[act : act + 2].tolist()):
            passage = view.passages[row]
            if passage.number and passage.kind in (*PROVISIONS, SectionKind.PARAGRAPH):
                section = passage.section_id and view.sections[view.section_numbers[passage.section_id]]
                is_whole = section and number_key(section.number or "") == number_key(passage.number)
                target = view.section_numbers[section.id] if section and is_whole else row
                kind = TargetKind.SECTION if is_whole else TargetKind.PASSAGE
                numbered.setdefault(number_key(passage.number), (kind, target))
        done = set()
        for row in rows:
            passage = view.passages[row]
            key = number_key(passage.number or "")
            if passage.kind is SectionKind.GUIDANCE and key in numbered and key not in done:
                done.add(key)
                yield Stated(row, Relation.INTERPRETS, *numbered[key], VERSIONS_GRAMMAR)


def _explained(view: CorpusView, number: int, others: Container[int]) -> int | None:
    """Return the act that an explanation names by its longest name, the last version of it; None if it names
    none or several."""
    own = view.documents[number]
    words = f"{own.title} {view.text(int(view.document_rows[number]))[:LONGEST_TITLE]}"
    key = f" {' '.join(name_key(words, own.language))} "
    found: dict[int, list[int]] = {}
    for act, document in enumerate(view.documents):
        if act in others or document.language != own.language:
            continue
        names = (" ".join(name_key(name, own.language)) for name in (document.title, *document.aliases))
        longest = max((len(name) for name in names if name and f" {name} " in key), default=0)
        found.setdefault(longest, []).append(act)
    longest = max(found, default=0)
    acts = found[longest] if longest >= SHORTEST_NAME else []
    families = {view.documents[act].metadata.get(FAMILY, act) for act in acts}
    return acts[-1] if len(families) == 1 else None


def version_references(sections: Sequence[Section], passages: Sequence[Passage]) -> list[tuple[int, str]]:
    """Find references from later to earlier versions of a provision, and from explanations to provisions.

    Returns (row of the first passage, id of the earlier section). Versions follow each other in a document,
    with one number and increasing dates.
    """
    latest: dict[tuple[str, SectionKind, str], Section] = {}
    heads = {(passage.document_id, passage.position): row for row, passage in enumerate(passages)}
    found = []
    for section in sections:
        if section.number is None:
            continue
        explains = section.kind is SectionKind.GUIDANCE
        kinds = PROVISIONS if explains else (section.kind,)
        every = (latest.get((section.document_id, kind, section.number)) for kind in kinds)
        earlier = next(filter(None, every), None)
        latest[section.document_id, section.kind, section.number] = section
        if earlier is None:
            continue
        row = heads.get((section.document_id, section.first))
        old = heads.get((section.document_id, earlier.first))
        if row is None or old is None:
            continue
        since = passages[row].valid_from
        if explains or (since is not None and (passages[old].valid_from or date.min) < since):
            found.append((row, earlier.id))
    return found


def _named(document: Document, field: str) -> Sequence[str]:
    value: Any = document.metadata.get(field)
    if isinstance(value, str):
        return (value,)
    return tuple(str(name) for name in value) if isinstance(value, list | tuple) else ()


class Edge(NamedTuple):
    """A reference between two passages by their source ids, with the line that states it."""

    source: str
    target: str
    path: str = ""
    line: int | None = None


def read_edges(source: SourceFile, problems: list[Problem]) -> Iterator[Edge]:
    """Read the edges of a file: ``source-id``, ``target-id`` and more, tab-separated, with a header line.

    A file that cannot be opened adds a problem and yields nothing.
    """
    try:
        file = TextIOWrapper(source.opened(), encoding="utf-8", errors="replace")
    except (OSError, FileRefusedError) as error:
        problems.append(Problem(source.name, f"cannot be opened ({error})"))
        return
    with file:
        for number, line in enumerate(iter(lambda: file.readline(_LONGEST_EDGE), ""), start=1):
            columns = line.rstrip("\r\n").split("\t")
            if len(line) == _LONGEST_EDGE:
                problems.append(Problem(source.name, "no line of edges: not read from here on", number))
                return
            if number == 1 or not line.strip():
                continue
            if len(columns) < 2:
                reason = "an edge needs a source id, a tab and a target id"
                problems.append(Problem(source.name, reason, number))
            else:
                yield Edge(columns[0], columns[1], source.name, number)


def stated_edges(
    edges: Iterable[Edge], source_ids: Iterable[str], problems: list[Problem]
) -> Iterator[Stated]:
    """Yield the references of edges between passages of the corpus; a new edge without them adds a problem.

    ``source_ids``: the source id of each passage of the corpus, in order.
    """
    first_part: dict[str, int] = {}
    for row, source_id in enumerate(source_ids):
        first_part.setdefault(source_id, row)
    for edge in edges:
        source, target = first_part.get(edge.source), first_part.get(edge.target)
        if source is None or target is None:
            if edge.path:
                missing = edge.source if source is None else edge.target
                problems.append(Problem(edge.path, "no such passage in the corpus", edge.line, missing))
        else:
            yield Stated(source, Relation.CITES, TargetKind.PASSAGE, target, EDGES_GRAMMAR)


# References in markup, found by URI and element id
#
# Markup gives the target and words give the relation: if a grammar has read the same words, its relation is
# kept, and its target is replaced only if unresolved or ambiguous.

STATED_GRAMMAR = "markup"

# Parts of an Akoma Ntoso URI after the work: language and version, component, file.
_EXPRESSION = re.compile(r"/(?:[a-z]{2,3}(?:-[A-Za-z]+)?@[^/]*|!?main(?:\.xml)?|!.*)(?=/|$)|/[a-z]{3}$")
_SUFFIX = re.compile(r"(?:/+|\.(?:xml|akn|html))+$")


@dataclass(frozen=True, slots=True)
class _Target:
    kind: TargetKind
    id: str


class StatedTargets:
    """Targets of URIs and element ids. Built once per corpus; documents are consulted on demand."""

    def __init__(
        self,
        documents: Sequence[Document],
        sections: Callable[[int], Iterable[Section]],
        passages: Callable[[int], Iterable[Passage]],
    ) -> None:
        """``sections`` and ``passages`` return those of a document by its number."""
        self._works: dict[str, list[str]] = defaultdict(list)
        self._languages = {document.id: document.language for document in documents}
        self._numbers = {document.id: number for number, document in enumerate(documents)}
        for document in documents:
            for uri in dict.fromkeys(_uris(document)):
                self._works[uri].append(document.id)
        self._sections, self._passages = sections, passages
        self._elements = cache(self._elements_of)
        self._parents = cache(self._parents_of)
        # Works that were looked up, and documents that were consulted; the caller may clear them.
        self.uses: Uses = set()
        self.consulted: set[str] = set()

    def answers(self) -> Iterator[tuple[Use, str]]:
        """Yield the documents of each work."""
        for uri, found in self._works.items():
            yield ("work", uri), repr([(name, self._languages[name]) for name in found])

    def _elements_of(self, document: str) -> Mapping[str, Sequence[Passage]]:
        found: dict[str, list[Passage]] = defaultdict(list)
        for passage in self._passages(self._numbers[document]):
            eid = passage.metadata.get(EID)
            if isinstance(eid, str):
                for name in _enclosing_ids(eid):
                    found[name].append(passage)
        return found

    def _parents_of(self, document: str) -> Mapping[str, str | None]:
        return {section.id: section.parent_id for section in self._sections(self._numbers[document])}

    def references(self, links: Iterable[StatedReference], source: Mapping[str, str]) -> Iterator[Reference]:
        """Resolve references in markup. ``source``: document ids by passage id."""
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

    def _find(self, target: str, own: str) -> list[_Target]:
        uri, _, eid = target.partition("#")
        if not uri:
            return self._inside(own, eid) if eid else []
        work = normalise_work(uri)
        self.uses.add(("work", work))
        documents = self._works.get(work, [])
        if len(documents) > 1:
            # Prefer documents in the language of the citing text.
            same = [name for name in documents if self._languages[name] == self._languages[own]]
            documents = same or documents
        if not eid:
            return [_Target(TargetKind.DOCUMENT, name) for name in documents]
        inside = [found for name in documents for found in self._inside(name, eid)]
        return inside or [_Target(TargetKind.DOCUMENT, name) for name in documents]

    def _inside(self, document: str, eid: str) -> list[_Target]:
        """Return the passage of an element, or the section that contains all its passages."""
        self.consulted.add(document)
        passages = self._elements(document).get(eid, [])
        sources = {passage.source_id for passage in passages}
        if len(sources) <= 1:
            return [_Target(TargetKind.PASSAGE, passages[0].id)] if passages else []
        common = self._common_section(document, passages)
        return [_Target(TargetKind.SECTION, common)] if common else []

    def _common_section(self, document: str, passages: Sequence[Passage]) -> str | None:
        chains = [list(self._above(document, passage.section_id)) for passage in passages]
        return next((name for name in chains[0] if all(name in chain for chain in chains)), None)

    def _above(self, document: str, section: str | None) -> Iterator[str]:
        while section is not None:
            yield section
            section = self._parents(document).get(section)


def merge_references(found: Sequence[Reference], stated: Sequence[Reference]) -> list[Reference]:
    """Merge references of grammars and of markup without duplicates.

    ``found`` keeps its order; references stated only by markup follow.
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


def normalise_work(uri: str) -> str:
    """Normalise the URI of a work for comparison: without host, language, version and file.

    "/akn/us/act/2011-11-29/112-61/eng@/!main.xml" becomes "us/act/2011-11-29/112-61".
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
            yield normalise_work(value)
    yield from (normalise_work(name) for name in document.aliases if name.startswith(("/", "http")))


def _enclosing_ids(eid: str) -> Iterator[str]:
    """Yield the id of an element and those of its ancestors: "sec_2__subsec_1" and "sec_2"."""
    yield eid
    while "__" in eid:
        eid = eid.rpartition("__")[0]
        yield eid
