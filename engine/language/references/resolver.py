"""Resolve citations in texts to the documents, sections and passages of a corpus.

A number is looked up in the document that the text names, or in its own. If several provisions fit, the
reference is ambiguous and lists the candidates; nothing is guessed.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from engine.language.addresses import ATTACHED, CONTAINERS, Address, number_key
from engine.language.references.definitions import Meaning
from engine.language.references.designations import GRAMMAR as DESIGNATION
from engine.language.references.documents import DocumentFinder
from engine.language.references.grammar import Mention, Target
from engine.language.references.lookup import DesignationResolver, Lookup, merge_designated
from engine.language.references.names import Use, Uses
from engine.language.references.provisions import Layout, Provision, Provisions, series_of
from engine.language.references.readings import Readings, TextReadings, recogniser
from engine.language.references.targets import (
    CONTAINER,
    NEIGHBOUR,
    Destination,
    DestinationFinder,
    Neighbours,
    is_container,
    make_reference,
    natural,
)
from engine.model import (
    Document,
    Passage,
    Reference,
    Relation,
    Section,
    SectionKind,
    Span,
    Status,
    TargetKind,
)

# Confidence of an exact resolution, and of an enclosing part if the part itself is not printed.
EXACT, ENCLOSING = 1.0, 0.95
# Confidence of a provision that only the original of a translated excerpt contains.
FROM_ORIGINAL = 0.7
# A longer range gives references to its ends only.
LONGEST_RANGE = 200


class Resolver:
    """Finds and resolves the references of a corpus's passages. Built once per corpus."""

    def __init__(
        self,
        documents: Sequence[Document],
        sections: Sequence[Section],
        passages: Sequence[Passage],
        readings: Readings | None = None,
        layout: Layout | None = None,
    ) -> None:
        """``readings``: mentions and names of the passages, if already read; ``layout``: positions of the
        documents, if already known."""
        self._readings = readings or TextReadings(passages)
        self._documents = documents
        self._provisions = Provisions(documents, sections, passages, layout)
        self._rows = self._provisions.layout.rows
        self._finder = DocumentFinder(documents, self._provisions, self._readings)
        self._neighbours = Neighbours(self._provisions)
        self._lookup = Lookup(documents, self._provisions)
        self._destinations = DestinationFinder(self._provisions)
        self._designations = DesignationResolver(documents, self._finder, self._lookup, self._destinations)
        numbers = {document.id: number for number, document in enumerate(documents)}
        named = {number: one.metadata.get("translation_of") for number, one in enumerate(documents)}
        self._original = {own: numbers[str(name)] for own, name in named.items() if str(name) in numbers}

    def clear(self) -> None:
        """Clear the caches of consulted documents."""
        self._provisions.clear()
        self._destinations.clear()
        self._designations.clear()

    @property
    def consulted(self) -> set[int]:
        """Documents consulted so far; the caller may clear the set."""
        return self._lookup.consulted

    @property
    def uses(self) -> Uses:
        """Look-ups among all documents so far; the caller may clear the set."""
        return self._finder.uses

    def answers(self) -> Iterator[tuple[Use, str]]:
        """Yield (use, answer) for every possible look-up among all documents."""
        yield from self._finder.answers()
        for own, original in self._original.items():
            yield ("original", self._documents[own].id), self._documents[original].id

    def own_names(self, document: int) -> str:
        """Return the names that a document's own text defines, with their meanings, as a string."""
        return self._finder.own_names(document)

    def references(self, passage: Passage) -> list[Reference]:
        """Return the references of a passage in text order, without references to itself."""
        row = self._rows.get(passage.id)
        return [] if row is None else self.resolve(self._readings.mentions(row), passage)

    def resolve(self, mentions: Sequence[Mention], passage: Passage) -> list[Reference]:
        """Resolve the mentions of a passage in text order.

        Raises KeyError if the passage is not in the corpus.
        """
        if not mentions:
            return []
        row = self._rows[passage.id]
        plain = [one for one in mentions if one.grammar != DESIGNATION]
        meanings = self._finder.meanings(plain, passage, row, self._lookup.exists)
        found: list[Reference] = []
        for mention, meaning in zip(plain, meanings, strict=True):
            found.extend(self._resolved(mention, meaning, passage, row))
        for mention in (one for one in mentions if one.grammar == DESIGNATION):
            own = self._designations.resolved(mention, passage, row, self._provisions.document_of[row])
            if own and own[0].target_kind is TargetKind.DOCUMENT:
                own = self._of_document(own[0], plain, passage, row) or own
            if own:
                found = merge_designated(found, own, mention)
        return _without_repeats(found)

    def _of_document(
        self, name: Reference, plain: Sequence[Mention], passage: Passage, row: int
    ) -> list[Reference]:
        """Resolve the provision directly after the number of its document: "CPS 220 paragraph 23"."""
        for mention in plain:
            between = passage.text[name.span.end : mention.span.start]
            if mention.span.start > name.span.end and between.strip(" ,") == "" and mention.document is None:
                ids = {name.target_id, *name.candidates}
                documents = tuple(n for n, one in enumerate(self._documents) if one.id in ids)
                found = self._resolved(mention, Meaning(documents, True), passage, row)
                if found and all(one.status is not Status.UNRESOLVED for one in found):
                    first, *others = found
                    span = Span(name.span.start, first.span.end)
                    words = passage.text[span.start : span.end]
                    return [replace(first, span=span, text=words), *others]
        return []

    def meanings(self, mentions: Sequence[Mention], passage: Passage) -> list[Meaning]:
        """Return the documents that the mentions of a passage refer to, in order."""
        return self._finder.meanings(mentions, passage, self._rows[passage.id], self._lookup.exists)

    def called(self, name: str, language: str) -> tuple[int, ...]:
        """Return the documents that a name means in texts of a language, by their positions."""
        return self._finder.called(name, language)

    def within(self, mention: Mention, documents: Sequence[int], passage: Passage) -> list[Reference]:
        """Resolve a mention in given documents, by their positions."""
        return self._resolved(mention, Meaning(tuple(documents), True), passage, self._rows[passage.id])

    def nearest(self, document: int, address: Address, count: int) -> list[tuple[str, int]]:
        """Return the numbers of a document next to an address that it may not contain, with their first rows.

        At most ``count``, in document order; of the same kind if possible.
        """
        key = number_key(address.number or "")
        return self._neighbours.neighbouring_numbers(document, address.kind, key, count)

    def _resolved(self, mention: Mention, meaning: Meaning, passage: Passage, row: int) -> list[Reference]:
        reader = recogniser(passage.language)
        if reader and meaning.name_end and mention.relation is Relation.CITES:
            # The corpus contains a longer name: "Decree 33 on markets is repealed".
            relation = reader.relation(passage.text, mention.span.start, meaning.name_end)
            mention = replace(mention, relation=relation)
        if not mention.targets:
            return self._document_reference(mention, meaning, passage, row)
        found: list[Reference] = []
        for target in mention.targets:
            found.extend(self._target(mention, target, meaning, passage, row))
        return found

    def _document_reference(
        self, mention: Mention, meaning: Meaning, passage: Passage, row: int
    ) -> list[Reference]:
        own = self._provisions.document_of[row]
        known = [document for document in meaning.documents if document is not None and document != own]
        # An unknown name is stored only if a year, a number or its marks identify an act.
        is_act_name = any(letter.isdigit() for letter in mention.text) or mention.text.startswith("《")
        if own in meaning.documents or (not known and not is_act_name):
            return []
        ids = tuple(self._documents[document].id for document in known)
        made = tuple((TargetKind.DOCUMENT, document_id, -1) for document_id in ids)
        span = Span(mention.span.start, meaning.name_end or mention.span.end)
        return [make_reference(passage, mention, span, made, EXACT)]

    def _target(
        self, mention: Mention, target: Target, meaning: Meaning, passage: Passage, row: int
    ) -> list[Reference]:
        if target.step is not None:
            return self._stepped(mention, target, passage, row)
        if target.address.number is None and not target.address.within:
            # "nach dessen Absatz 3": a part of another act's provision, not of the citing one.
            return [] if mention.that else self._relative(mention, target, passage, row)
        own = self._provisions.document_of[row]
        is_own = meaning.documents == (own,) and not meaning.named
        if is_own and not mention.bare and _is_own_paragraph(target.address, passage):
            return self._relative(mention, _without_number(target), passage, row)
        span = _extended(target.span, mention, meaning, passage.text)
        if is_own and not target.address.within and not target.through:
            destinations = self._annexed(target.address, passage, row)
            if destinations is not None:
                destinations = [destination for destination in destinations if destination[2] != row]
                return (
                    [make_reference(passage, mention, span, destinations, EXACT)]
                    if destinations or not mention.bare
                    else []
                )
        is_item = target.address.kind is SectionKind.PARAGRAPH and "." in (target.address.number or "")
        if mention.bare and not (meaning.named or is_item or _is_complete(target.address.number)):
            return []
        documents = [document for document in meaning.documents if document is not None]
        if target.through and len(documents) == 1:
            members = self._range(documents[0], target, row)
            if members:
                return [
                    make_reference(
                        passage, mention, span, self._destinations.find(member, None), meaning.confidence
                    )
                    for member in members
                    if not self._destinations.is_self(member, None, row)
                ]
        found: dict[Destination, None] = {}
        confidence = meaning.confidence
        itself = False
        for document in documents:
            address = self._dotted(document, target.address, mention, row)
            for index in self._lookup.candidates(document, address, row):
                if mention.bare and is_item and not self._lookup.is_bare(index):
                    continue
                if self._destinations.is_self(index, address, row):
                    itself = True
                    continue
                for destination in self._destinations.find(index, address):
                    found[destination] = None
                confidence = min(confidence, self._certainty(index, address, meaning.confidence))
        if not found and (itself or mention.bare):
            return []
        if not found:
            found, confidence = self._in_original(documents, target.address, row), FROM_ORIGINAL
        if mention.relation is Relation.REPEALS and confidence < meaning.confidence:
            # The part is not printed separately; the enclosing provision stays in force.
            mention = replace(mention, relation=Relation.AMENDS)
        return [make_reference(passage, mention, span, tuple(found), confidence)]

    def _dotted(self, document: int, address: Address, mention: Mention, row: int) -> Address:
        """Return the address with "3.1" as its number if the document has one, instead of part 1 of 3."""
        if address.paragraph is None or "." not in mention.text:
            return address
        number = f"{address.number}.{address.paragraph.replace('/', '.')}"
        whole = replace(address, number=number, paragraph=None)
        return whole if number in mention.text and self._lookup.exists(document, whole, row) else address

    def _annexed(self, address: Address, passage: Passage, row: int) -> Sequence[Destination] | None:
        """Resolve "Paragraph 1" within a schedule; None if it is not a part of the schedule."""
        if address.kind not in (SectionKind.PARAGRAPH, SectionKind.SUBSECTION) or address.number is None:
            return None
        own = self._provisions.document_of[row]
        around = self._provisions.ancestors_of(row)
        depth = next((depth for depth, one in enumerate(around) if one[0] in ATTACHED), None)
        if depth is None:
            return None
        if address.kind is SectionKind.SUBSECTION and not self._documents[own].type:
            # In a contract, clauses are the provisions before its schedules; in an act, sections.
            return None
        inside = [one for one in around[depth:] if one[0] in CONTAINERS]
        for stop in range(len(inside), 0, -1):
            within = Address(SectionKind.PARAGRAPH, address.number, address.paragraph, tuple(inside[:stop]))
            destinations = [
                destination
                for index in self._lookup.candidates(own, within, row)
                if self._has_part(index, within)
                for destination in self._destinations.find(index, within)
            ]
            if destinations:
                return destinations
        is_counted = passage.paragraph is not None or passage.kind is SectionKind.PARAGRAPH
        return () if is_counted and address.kind is SectionKind.PARAGRAPH else None

    def _has_part(self, index: int, address: Address) -> bool:
        """Return True if a provision is the target of an address, or the schedule that numbers it."""
        path = self._destinations.path(index, address)
        is_whole = self._provisions.all[index].kind in CONTAINERS
        return not is_whole or (path is not None and self._destinations.part(index, path)[1] != "")

    def _in_original(self, documents: Sequence[int], address: Address, row: int) -> dict[Destination, None]:
        """Look up an address that a translated excerpt lacks in its original; empty unless unique."""
        found: dict[Destination, None] = {}
        for document in documents:
            self.uses.add(("original", self._documents[document].id))
            original = self._original.get(document)
            if original is not None:
                for index in self._lookup.candidates(original, address, row):
                    found.update(dict.fromkeys(self._destinations.find(index, address)))
        return found if len(found) == 1 else {}

    def _certainty(self, index: int, address: Address, sure: float) -> float:
        """Return the confidence of a provision: lower if it only encloses the address."""
        path = self._destinations.path(index, address)
        if path is not None:
            return sure if self._destinations.part(index, path)[1] == path else ENCLOSING * sure
        exact = self._provisions.all[index].key == number_key(address.number or "")
        return sure if exact else ENCLOSING * sure

    def _range(self, document: int, target: Target, row: int) -> list[int]:
        """Return the provisions from one number to another in document order."""
        assert target.through is not None
        first = self._lookup.candidates(document, target.address, row)
        last = self._lookup.candidates(document, target.through, row)
        if len(first) != 1 or len(last) != 1:
            return []
        every = self._provisions.all
        start, stop = every[first[0]], every[last[0]]
        lowest, highest = natural(start.key), natural(stop.key)
        # Some codes do not print their articles in the order of their numbers.
        ordered = start.kind not in CONTAINERS and start.key[-1:].isdigit() and lowest <= highest
        members = [
            index
            for index in self._between(start, stop)
            if every[index].key.count(".") == start.key.count(".")
            and series_of(every[index].kind) == series_of(start.kind)
            and not (ordered and not lowest <= natural(every[index].key) <= highest)
        ]
        return members if len(members) <= LONGEST_RANGE else [first[0], last[0]]

    def _between(self, start: Provision, stop: Provision) -> list[int]:
        found: dict[int, None] = {}
        for row in range(start.rows[0], stop.rows[-1] + 1):
            index = self._provisions.at(row)
            if index is not None:
                found[index] = None
        return list(found)

    def _stepped(self, mention: Mention, target: Target, passage: Passage, row: int) -> list[Reference]:
        """Resolve "the preceding Article", "the provisions of this Part" by position."""
        kind, paragraph = target.address.kind, target.address.paragraph
        if kind is SectionKind.PARAGRAPH:
            destinations = self._neighbours.neighbouring_paragraphs(target, row)
        elif is_container(kind):
            destinations = self._neighbours.containers(target, row)
            if destinations and not target.step:
                return [make_reference(passage, mention, target.span, destinations, CONTAINER)]
        else:
            destinations = []
            for index in self._neighbours.neighbouring_provisions(target, row):
                number = self._provisions.all[index].key
                destinations += self._destinations.find(
                    index, Address(kind, number, paragraph) if paragraph else None
                )
        return [
            make_reference(passage, mention, target.span, (destination,), NEIGHBOUR)
            for destination in destinations
        ]

    def _relative(self, mention: Mention, target: Target, passage: Passage, row: int) -> list[Reference]:
        """Resolve "Paragraph (2)": a part of the citing provision, if it is a separate passage."""
        index = self._provisions.at(row)
        path = target.address.paragraph
        if path is None:
            return []
        printed = self._provisions.paragraph_of(row)
        own = printed.split("/") if printed else []
        for length in range(len(own), -1, -1):
            if index is None:
                break
            part_path = "/".join([*own[:length], *path.split("/")])
            rows, matched = self._destinations.part(index, part_path)
            if matched == part_path or (rows and length == 0):
                if row in rows:
                    return []
                destination = (TargetKind.PASSAGE, self._provisions.passages[rows[0]].id, rows[0])
                return [make_reference(passage, mention, target.span, (destination,), EXACT)]
        if ("(" in mention.text) is not passage.text.startswith("("):
            # "(1)" in a schedule numbered "1." is a part of one of its paragraphs.
            return []
        number, _, below = path.partition("/")
        destinations = self._annexed(Address(SectionKind.PARAGRAPH, number, below or None), passage, row)
        if not destinations or destinations[0][2] == row:
            return []
        return [make_reference(passage, mention, target.span, destinations, EXACT)]


def _is_own_paragraph(address: Address, passage: Passage) -> bool:
    """Return True if "paragraph 2" in a text of articles is a part of the citing article, like "paragraph
    (2)"."""
    bare = address.kind is SectionKind.PARAGRAPH and not address.within
    return bare and passage.kind in (SectionKind.ARTICLE, SectionKind.RECITAL)


def _without_number(target: Target) -> Target:
    address = target.address
    path = "/".join(part for part in (address.number, address.paragraph) if part)
    return replace(target, address=Address(address.kind, None, path))


def _is_complete(number: str | None) -> bool:
    """Return True if a number identifies a rule without a word: "4.3.2" or "A4.3", not "4" or "4.3"."""
    return number is not None and (number.count(".") >= 2 or (number[:1].isalpha() and "." in number))


def _extended(span: Span, mention: Mention, meaning: Meaning, text: str) -> Span:
    """Adjust the span to the name: it may be longer than its form shows, or capitals may be no name."""
    if meaning.weak and mention.document and span.start == mention.name_at:
        start = span.start + len(mention.document)
        while text[start].isspace():
            start += 1
        return Span(start, span.end)
    behind = mention.name_at is not None and mention.name_at > mention.span.start
    if meaning.weak and behind and span.end == mention.span.end and mention.name_at is not None:
        return Span(span.start, max(span.start, len(text[: mention.name_at].rstrip())))
    if meaning.name_end and (behind or mention.name_at is None) and span.end == mention.span.end:
        return Span(span.start, meaning.name_end)
    return span


def _without_repeats(found: list[Reference]) -> list[Reference]:
    distinct: dict[tuple[object, ...], Reference] = {}
    for reference in found:
        distinct.setdefault((reference.span, reference.target_id, reference.candidates), reference)
    return sorted(distinct.values(), key=lambda reference: (reference.span.start, reference.span.end))
