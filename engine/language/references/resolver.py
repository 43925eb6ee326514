"""Resolves what texts cite to the documents, sections and passages of a corpus.

A number is looked for in the document that the text names, or in its own. Where more than one thing
fits, the reference is ambiguous and says what it may mean; nothing is guessed.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from engine.language.addresses import ATTACHED, CONTAINERS, Address, number_key
from engine.language.references.definitions import Meaning
from engine.language.references.designations import GRAMMAR as DESIGNATION
from engine.language.references.documents import DocumentFinder
from engine.language.references.grammar import Mention, Target
from engine.language.references.lookup import DesignationResolver, Lookup, beside
from engine.language.references.names import Use, Uses
from engine.language.references.provisions import Layout, Provision, Provisions, series_of
from engine.language.references.readings import Readings, TextReadings, recogniser
from engine.language.references.targets import (
    CONTAINER,
    NEIGHBOUR,
    Aim,
    Aims,
    Neighbours,
    is_container,
    reference_to,
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

# How sure a resolution is: as written, or a part that is not printed, so what encloses it.
EXACT, ENCLOSING = 1.0, 0.95
# How sure a provision is that a translated excerpt lacks and the text it was made from has.
FROM_ORIGINAL = 0.7
# More members than this is a whole book: the reference is to its ends, not to all between.
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
        """``readings`` are what the passages say, where that was read before; ``layout`` where the documents
        stand, where that is known without a look at every passage."""
        self._readings = readings or TextReadings(passages)
        self._documents = documents
        self._provisions = Provisions(documents, sections, passages, layout)
        self._rows = self._provisions.layout.rows
        self._finder = DocumentFinder(documents, self._provisions, self._readings)
        self._neighbours = Neighbours(self._provisions)
        self._lookup = Lookup(documents, self._provisions)
        self._aims = Aims(self._provisions)
        self._designations = DesignationResolver(documents, self._finder, self._lookup, self._aims)
        numbers = {document.id: number for number, document in enumerate(documents)}
        named = {number: one.metadata.get("translation_of") for number, one in enumerate(documents)}
        self._original = {own: numbers[str(name)] for own, name in named.items() if str(name) in numbers}

    def forget(self) -> None:
        """Let go of what was found in the documents that were looked into so far."""
        self._provisions.forget()
        self._aims.forget()
        self._designations.forget()

    @property
    def asked(self) -> set[int]:
        """The documents that were looked into so far; whoever keeps references may clear it."""
        return self._lookup.asked

    @property
    def uses(self) -> Uses:
        """What was asked of all documents together so far; whoever keeps references may clear it."""
        return self._finder.uses

    def answers(self) -> Iterator[tuple[Use, str]]:
        """What every question to all documents together has for an answer, where it has one."""
        yield from self._finder.answers()
        for own, original in self._original.items():
            yield ("original", self._documents[own].id), self._documents[original].id

    def own_names(self, document: int) -> str:
        """The names that a document's own text gives, and whom it means by them."""
        return self._finder.own_names(document)

    def references(self, passage: Passage) -> list[Reference]:
        """The references a passage of the corpus makes, in the order of its text; none to itself."""
        row = self._rows.get(passage.id)
        return [] if row is None else self.resolve(self._readings.mentions(row), passage)

    def resolve(self, mentions: Sequence[Mention], passage: Passage) -> list[Reference]:
        """What the mentions of a passage of the corpus refer to, in the order of its text.

        Raises KeyError where the passage is not one of the corpus.
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
                found = beside(found, own, mention)
        return _without_repeats(found)

    def _of_document(
        self, name: Reference, plain: Sequence[Mention], passage: Passage, row: int
    ) -> list[Reference]:
        """The provision right behind the number of its document: "CPS 220 paragraph 23"."""
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
        """Which documents the mentions of a passage of the corpus speak of, in order."""
        return self._finder.meanings(mentions, passage, self._rows[passage.id], self._lookup.exists)

    def called(self, name: str, language: str) -> tuple[int, ...]:
        """The documents that a name means in texts of a language, by their positions."""
        return self._finder.called(name, language)

    def within(self, mention: Mention, documents: Sequence[int], passage: Passage) -> list[Reference]:
        """What a mention refers to where it is known to speak of some documents, by their positions."""
        return self._resolved(mention, Meaning(tuple(documents), True), passage, self._rows[passage.id])

    def nearest(self, document: int, address: Address, count: int) -> list[tuple[str, int]]:
        """The numbers of a document that are next to one that it may not have, and the first row of each.

        At most ``count``, in the order of the document; of the same kind as far as there are any.
        """
        key = number_key(address.number or "")
        return self._neighbours.numbers_beside(document, address.kind, key, count)

    def _resolved(self, mention: Mention, meaning: Meaning, passage: Passage, row: int) -> list[Reference]:
        reader = recogniser(passage.language)
        if reader and meaning.name_end and mention.relation is Relation.CITES:
            # The corpus knows a longer name: "Decree 33 on markets is repealed".
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
        # An unknown name is worth keeping only where a year, a number or its marks show that it is an act's.
        telling = any(letter.isdigit() for letter in mention.text) or mention.text.startswith("《")
        if own in meaning.documents or (not known and not telling):
            return []
        ids = tuple(self._documents[document].id for document in known)
        made = tuple((TargetKind.DOCUMENT, document_id, -1) for document_id in ids)
        span = Span(mention.span.start, meaning.name_end or mention.span.end)
        return [reference_to(passage, mention, span, made, EXACT)]

    def _target(
        self, mention: Mention, target: Target, meaning: Meaning, passage: Passage, row: int
    ) -> list[Reference]:
        if target.step is not None:
            return self._stepped(mention, target, passage, row)
        if target.address.number is None and not target.address.within:
            # "nach dessen Absatz 3": a part of another act's provision, not of the one that speaks.
            return [] if mention.that else self._relative(mention, target, passage, row)
        own = self._provisions.document_of[row]
        is_own = meaning.documents == (own,) and not meaning.named
        if is_own and not mention.bare and _is_own_paragraph(target.address, passage):
            return self._relative(mention, _without_number(target), passage, row)
        span = _extended(target.span, mention, meaning, passage.text)
        if is_own and not target.address.within and not target.through:
            aims = self._annexed(target.address, passage, row)
            if aims is not None:
                aims = [aim for aim in aims if aim[2] != row]
                return [reference_to(passage, mention, span, aims, EXACT)] if aims or not mention.bare else []
        is_item = target.address.kind is SectionKind.PARAGRAPH and "." in (target.address.number or "")
        if mention.bare and not (meaning.named or is_item or _stands_alone(target.address.number)):
            return []
        documents = [document for document in meaning.documents if document is not None]
        if target.through and len(documents) == 1:
            members = self._range(documents[0], target, row)
            if members:
                return [
                    reference_to(passage, mention, span, self._aims.of(member, None), meaning.confidence)
                    for member in members
                    if not self._aims.is_self(member, None, row)
                ]
        found: dict[Aim, None] = {}
        confidence = meaning.confidence
        itself = False
        for document in documents:
            for index in self._lookup.candidates(document, target.address, row):
                if mention.bare and is_item and not self._lookup.is_bare(index):
                    continue
                if self._aims.is_self(index, target.address, row):
                    itself = True
                    continue
                for aim in self._aims.of(index, target.address):
                    found[aim] = None
                confidence = min(confidence, self._certainty(index, target.address, meaning.confidence))
        if not found and (itself or mention.bare):
            return []
        if not found:
            found, confidence = self._in_original(documents, target.address, row), FROM_ORIGINAL
        if mention.relation is Relation.REPEALS and confidence < meaning.confidence:
            # A part that is not printed by itself: what encloses it goes on.
            mention = replace(mention, relation=Relation.AMENDS)
        return [reference_to(passage, mention, span, tuple(found), confidence)]

    def _annexed(self, address: Address, passage: Passage, row: int) -> Sequence[Aim] | None:
        """ "Paragraph 1" in a schedule: what it is there; None where it is none of the schedule's parts."""
        if address.kind not in (SectionKind.PARAGRAPH, SectionKind.SUBSECTION) or address.number is None:
            return None
        own = self._provisions.document_of[row]
        around = self._provisions.ancestors_of(row)
        depth = next((depth for depth, one in enumerate(around) if one[0] in ATTACHED), None)
        if depth is None:
            return None
        if address.kind is SectionKind.SUBSECTION and not self._documents[own].type:
            # A contract calls what stands before its schedules clauses, an act sections.
            return None
        inside = [one for one in around[depth:] if one[0] in CONTAINERS]
        for stop in range(len(inside), 0, -1):
            within = Address(SectionKind.PARAGRAPH, address.number, address.paragraph, tuple(inside[:stop]))
            aims = [
                aim
                for index in self._lookup.candidates(own, within, row)
                if self._has_part(index, within)
                for aim in self._aims.of(index, within)
            ]
            if aims:
                return aims
        is_counted = passage.paragraph is not None or passage.kind is SectionKind.PARAGRAPH
        return () if is_counted and address.kind is SectionKind.PARAGRAPH else None

    def _has_part(self, index: int, address: Address) -> bool:
        """Whether a provision is what an address names, or the schedule that counts it."""
        path = self._aims.path(index, address)
        is_whole = self._provisions.all[index].kind in CONTAINERS
        return not is_whole or (path is not None and self._aims.part(index, path)[1] != "")

    def _in_original(self, documents: Sequence[int], address: Address, row: int) -> dict[Aim, None]:
        """What a translated excerpt leaves out, where the text it translates has it exactly once."""
        found: dict[Aim, None] = {}
        for document in documents:
            self.uses.add(("original", self._documents[document].id))
            original = self._original.get(document)
            if original is not None:
                for index in self._lookup.candidates(original, address, row):
                    found.update(dict.fromkeys(self._aims.of(index, address)))
        return found if len(found) == 1 else {}

    def _certainty(self, index: int, address: Address, sure: float) -> float:
        """How sure a provision is: less where it only encloses what an address names."""
        path = self._aims.path(index, address)
        if path is not None:
            return sure if self._aims.part(index, path)[1] == path else ENCLOSING * sure
        exact = self._provisions.all[index].key == number_key(address.number or "")
        return sure if exact else ENCLOSING * sure

    def _range(self, document: int, target: Target, row: int) -> list[int]:
        """The provisions from one number to another, in the order of the document."""
        assert target.through is not None
        first = self._lookup.candidates(document, target.address, row)
        last = self._lookup.candidates(document, target.through, row)
        if len(first) != 1 or len(last) != 1:
            return []
        start, stop = self._provisions.all[first[0]], self._provisions.all[last[0]]
        dots = start.key.count(".")
        members = [
            index
            for index in self._between(document, start, stop)
            if self._provisions.all[index].key.count(".") == dots
            and series_of(self._provisions.all[index].kind) == series_of(start.kind)
        ]
        return members if len(members) <= LONGEST_RANGE else [first[0], last[0]]

    def _between(self, document: int, start: Provision, stop: Provision) -> list[int]:
        found: dict[int, None] = {}
        for row in range(start.rows[0], stop.rows[-1] + 1):
            index = self._provisions.at(row)
            if index is not None:
                found[index] = None
        return list(found)

    def _stepped(self, mention: Mention, target: Target, passage: Passage, row: int) -> list[Reference]:
        """ "The preceding Article", "the provisions of this Part": what stands beside or around the text."""
        kind, paragraph = target.address.kind, target.address.paragraph
        if kind is SectionKind.PARAGRAPH:
            aims = self._neighbours.paragraphs_beside(target, row)
        elif is_container(kind):
            aims = self._neighbours.containers(target, row)
            if aims and not target.step:
                return [reference_to(passage, mention, target.span, aims, CONTAINER)]
        else:
            aims = []
            for index in self._neighbours.provisions_beside(target, row):
                number = self._provisions.all[index].key
                aims += self._aims.of(index, Address(kind, number, paragraph) if paragraph else None)
        return [reference_to(passage, mention, target.span, (aim,), NEIGHBOUR) for aim in aims]

    def _relative(self, mention: Mention, target: Target, passage: Passage, row: int) -> list[Reference]:
        """ "Paragraph (2)": a part of the provision that speaks, if it is a passage of its own."""
        index = self._provisions.at(row)
        path = target.address.paragraph
        if path is None:
            return []
        printed = self._provisions.paragraph_of(row)
        own = printed.split("/") if printed else []
        for length in range(len(own), -1, -1):
            if index is None:
                break
            wanted = "/".join([*own[:length], *path.split("/")])
            rows, matched = self._aims.part(index, wanted)
            if matched == wanted or (rows and length == 0):
                if row in rows:
                    return []
                aim = (TargetKind.PASSAGE, self._provisions.passages[rows[0]].id, rows[0])
                return [reference_to(passage, mention, target.span, (aim,), EXACT)]
        if ("(" in mention.text) is not passage.text.startswith("("):
            # "(1)" where a schedule counts "1." is a part of one of its parts.
            return []
        number, _, below = path.partition("/")
        aims = self._annexed(Address(SectionKind.PARAGRAPH, number, below or None), passage, row)
        if not aims or aims[0][2] == row:
            return []
        return [reference_to(passage, mention, target.span, aims, EXACT)]


def _is_own_paragraph(address: Address, passage: Passage) -> bool:
    """In a text of articles "paragraph 2" is a part of the article that speaks, as "paragraph (2)" is."""
    bare = address.kind is SectionKind.PARAGRAPH and not address.within
    return bare and passage.kind in (SectionKind.ARTICLE, SectionKind.RECITAL)


def _without_number(target: Target) -> Target:
    address = target.address
    path = "/".join(part for part in (address.number, address.paragraph) if part)
    return replace(target, address=Address(address.kind, None, path))


def _stands_alone(number: str | None) -> bool:
    """Whether a number is a rule's without any word: "4.3.2" or "A4.3", not "4" or "4.3"."""
    return number is not None and (number.count(".") >= 2 or (number[:1].isalpha() and "." in number))


def _extended(span: Span, mention: Mention, meaning: Meaning, text: str) -> Span:
    """A name can be longer than its form shows, and capitals in front of a provision may be no name."""
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
    kept: dict[tuple[object, ...], Reference] = {}
    for reference in found:
        kept.setdefault((reference.span, reference.target_id, reference.candidates), reference)
    return sorted(kept.values(), key=lambda reference: (reference.span.start, reference.span.end))
