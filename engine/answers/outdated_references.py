"""Find references to outdated law: repealed, replaced, renumbered, moved, expired or missing.

Only references of texts in force count. A provision with a newer wording under the same number is not
outdated, and a text that amends or repeals another one refers to it rightly.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date
from enum import StrEnum
from functools import cached_property

import numpy as np

from engine.answers.changes import RENUMBERED, ChangeFinder, text_of
from engine.answers.conflicts import CHANGING
from engine.answers.record import Amender, Change, ChangeKind
from engine.corpus.external_text import external_resolver, letters_key
from engine.corpus.protocol import Corpus, Rows
from engine.language.addresses import Address, number_key
from engine.language.references import Mention, find_mentions
from engine.language.word_diff import similarity
from engine.model import OUT_OF_FORCE, Document, Passage, Reference, Relation, Span, Status
from engine.records.phrases import short_citation
from engine.retrieval.planning.named.provisions import provision_label

# References that are read: those that lead nowhere take a millisecond each.
MOST_UNRESOLVED = 5_000
# Passages that are compared with a removed provision to find where it moved.
MOST_SIMILAR = 5
_BLOCK = 5_000
SHORTEST_NAME = 8


class OutdatedKind(StrEnum):
    """What happened to the target of a reference."""

    REPEALED = "repealed"
    REPLACED = "replaced"
    RENUMBERED = "renumbered"
    MOVED = "moved"
    EXPIRED = "expired"
    MISSING = "missing"


@dataclass(frozen=True, slots=True)
class OutdatedReference:
    """A reference to a provision or document that is removed.

    ``words`` are those of the reference, at ``span`` of the ``text`` of its passage. ``target`` is the name
    of what is no longer there, ``target_id`` its id, empty if it is missing. ``since`` is the first day
    without it, None if unknown, ``by`` ended it. ``successor`` is known if it was replaced, renumbered or
    moved; for a missing provision it is the nearest one.
    """

    kind: OutdatedKind
    passage_id: str
    citation: str
    words: str
    text: str
    span: Span
    language: str
    target: str
    target_id: str = ""
    since: date | None = None
    successor: str = ""
    successor_id: str = ""
    by: tuple[Amender, ...] = ()


@dataclass(frozen=True, slots=True)
class OutdatedReferences:
    """The references of a corpus to outdated law on a day; ``unread`` counts those not looked into."""

    corpus: str
    day: date
    references: tuple[OutdatedReference, ...]
    unread: int = 0


def find_outdated_references(corpus: Corpus, day: date) -> OutdatedReferences:
    """Return the references of texts in force to outdated law on a day, in the order of the corpus."""
    reader = _Reader(corpus, day)
    missing, unread = reader.missing()
    found = [*reader.ended(), *missing]
    order = dict(zip(rows := [one.passage_id for one in found], corpus.rows(rows).tolist(), strict=True))
    found.sort(key=lambda one: (order[one.passage_id], one.span.start))
    return OutdatedReferences(corpus.name, day, tuple(found), unread)


class _Reader:
    """Reads the references of a corpus."""

    def __init__(self, corpus: Corpus, day: date) -> None:
        self.corpus, self.day = corpus, day
        self.documents = corpus.documents()
        self.out = corpus.out_of_force(day)
        self.finders: dict[date, ChangeFinder] = {}
        self.changes: dict[tuple[object, date], Mapping[str, Change]] = {}
        self.finder = ChangeFinder(corpus, date.min, day)

    def ended(self) -> Iterator[OutdatedReference]:
        """Yield the references whose target was in force and is no longer, or has another number now."""
        if not self.out.any():
            return
        numbers = self.corpus.reference_numbers(
            statuses=[Status.RESOLVED], relations=[one for one in Relation if one not in CHANGING]
        )
        for start in range(0, len(numbers), _BLOCK):
            for reference in self.corpus.references(numbers[start : start + _BLOCK].tolist()):
                target = self.finder.targets.rows(reference)
                row = self.corpus.rows([reference.source_id])
                if not reference.text or not len(target) or self.out[row].any():
                    continue
                is_outdated = bool(self.out[target].all())
                found = (
                    self._ended(reference, row, target)
                    if is_outdated
                    else self._moved_on(reference, row, target)
                )
                if found is not None:
                    yield found

    def _ended(self, reference: Reference, row: Rows, target: Rows) -> OutdatedReference | None:
        (passage,), (old, *_) = self.corpus.passages(row), self.corpus.passages(target[:1])
        number = int(self.corpus.document_numbers(target[:1])[0])
        document, source = self.documents[number], int(self.corpus.document_numbers(row)[0])
        if text_of(document) == text_of(self.documents[source]):
            # The text keeps its history in one place: its own references follow its versions.
            return None
        whole = reference.target_id == document.id
        last = old.valid_to or document.valid_to
        change = None if last is None else self._changes(number, last).get(old.id)
        if last is not None and change is None:
            # It goes on with the same number.
            return None
        if change is not None and change.kind is ChangeKind.CHANGED:
            return None
        made = OutdatedReference(
            OutdatedKind.EXPIRED, passage.id, short_citation(passage, self.documents[source]), reference.text,
            passage.text, reference.span, passage.language,
            document.title or document.id if whole else f"{document.title}, {provision_label(old)}",
            reference.target_id or "",
        )  # fmt: skip
        return self._with_cause(made, change, old, document)

    def _moved_on(self, reference: Reference, row: Rows, target: Rows) -> OutdatedReference | None:
        """Return a reference to a number that has become that of another provision since it was written."""
        number, source = (int(self.corpus.document_numbers(some[:1])[0]) for some in (target, row))
        document, own = self.documents[number], self.documents[source]
        text = text_of(document)
        versions = self.finder.texts[text]
        if len(versions) < 2 or reference.target_id == document.id or text == text_of(own):
            return None
        (passage,), (new, *_) = self.corpus.passages(row), self.corpus.passages(target[:1])
        first = max(passage.valid_from or own.valid_from or date.max, min(map(self._starts, versions)))
        change = self._by_number(number, first).get(number_key(new.number or ""))
        if change is None or change.kind is not ChangeKind.RENUMBERED:
            return None
        (old,) = self.corpus.passages(self.corpus.rows(change.before[:1]))
        made = OutdatedReference(
            OutdatedKind.RENUMBERED, passage.id, short_citation(passage, own), reference.text, passage.text,
            reference.span, passage.language, f"{change.title}, {provision_label(old)}", old.id,
        )  # fmt: skip
        return self._with_cause(made, change, old, document)

    def _with_cause(
        self, made: OutdatedReference, change: Change | None, old: Passage, document: Document
    ) -> OutdatedReference:
        by = change.by if change else ()
        since = change.days[-1] if change and change.days else None
        made = replace(made, since=since, by=by)
        if change is not None and change.kind is ChangeKind.RENUMBERED:
            successor = f"{change.title}, {change.provision}"
            return replace(
                made, kind=OutdatedKind.RENUMBERED, successor=successor, successor_id=change.passages[0]
            )
        moved = self._moved(old, document)
        if moved is not None:
            return replace(made, kind=OutdatedKind.MOVED, successor=moved[0], successor_id=moved[1])
        replacing = next((one for one in by if one.relation is Relation.SUPERSEDES), None)
        if replacing is not None:
            return replace(
                made,
                kind=OutdatedKind.REPLACED,
                successor=replacing.citation,
                successor_id=replacing.passage_id,
            )
        versions = len(self.finder.texts[text_of(document)]) > 1
        stated = (old.status or document.status or "").casefold()
        repealed = bool(by) or versions or (stated in OUT_OF_FORCE and stated != "expired")
        return replace(made, kind=OutdatedKind.REPEALED if repealed else OutdatedKind.EXPIRED)

    def _changes(self, number: int, last: date) -> Mapping[str, Change]:
        """Return how the passages of a text in force on a day changed until today, by their ids."""
        key = text_of(self.documents[number]), last
        if key not in self.changes:
            finder = self.finders.setdefault(last, ChangeFinder(self.corpus, last, self.day))
            found = finder.in_text(finder.texts[key[0]])
            self.changes[key] = {name: one for one in found for name in one.before}
        return self.changes[key]

    def _moved(self, old: Passage, document: Document) -> tuple[str, str] | None:
        """Return the name and id of a provision of another text with the words of one that is removed."""
        mask = self.corpus.in_force(self.day)
        (hits,) = self.corpus.search_lexical([old.text[:2000]], old.language, MOST_SIMILAR, mask=mask)
        for passage, number in zip(
            self.corpus.passages(hits.rows), self.corpus.document_numbers(hits.rows).tolist(), strict=True
        ):
            other = self.documents[number]
            if text_of(other) == text_of(document):
                continue
            if similarity(old.text, passage.text, passage.language) >= RENUMBERED:
                return f"{other.title}, {provision_label(passage)}", passage.id
        return None

    def missing(self) -> tuple[list[OutdatedReference], int]:
        """Return the references to numbers that their text does not have, and how many were not read."""
        numbers = self.corpus.reference_numbers(statuses=[Status.UNRESOLVED])
        by_passage: dict[str, list[Reference]] = defaultdict(list)
        for reference in self.corpus.references(numbers[:MOST_UNRESOLVED].tolist()):
            by_passage[reference.source_id].append(reference)
        found: list[OutdatedReference] = []
        for name, references in by_passage.items():
            row = self.corpus.rows([name])
            if not self.out[row].any():
                found += self._missing(row, references)
        return found, max(0, len(numbers) - MOST_UNRESOLVED)

    def _missing(self, row: Rows, references: Sequence[Reference]) -> Iterator[OutdatedReference]:
        """Yield the references of a passage to numbers that a text of the corpus does not have.

        The text is named by its title or another whole name, or an earlier version of the passage's own text
        has the number.
        """
        (passage,) = self.corpus.passages(row)
        own = int(self.corpus.document_numbers(row)[0])
        mentions = find_mentions(passage.text, passage.language)
        for reference in references:
            mention, address = _read(mentions, reference)
            if mention is None or address is None:
                continue
            made = OutdatedReference(
                OutdatedKind.MISSING, passage.id, short_citation(passage, self.documents[own]),
                reference.text, passage.text, reference.span, passage.language, "",
            )  # fmt: skip
            number = self._named(mention.document, own)
            change = None if number is None else self._dropped(number, address)
            if number is not None and change is not None:
                (old,) = self.corpus.passages(self.corpus.rows(change.before[:1]))
                made = replace(made, target=f"{change.title}, {provision_label(old)}", target_id=old.id)
                yield self._with_cause(made, change, old, self.documents[number])
            elif number is not None and mention.document:
                near = external_resolver(self.corpus).nearest(number, address, 1)
                nearest = self.corpus.passages(np.array([at for _, at in near], np.int32))
                yield replace(
                    made,
                    target=self.documents[number].title,
                    successor="".join(provision_label(one) for one in nearest),
                    successor_id="".join(one.id for one in nearest),
                )

    def _named(self, name: str | None, own: int) -> int | None:
        """Return the document that has a name, of several versions the one of the day; None for others."""
        if not name:
            return own
        found = self._names.get(letters_key(name), [])
        texts = {text_of(self.documents[number]) for number in found}
        if len(texts) != 1:
            return None
        return max(
            found, key=lambda number: self._starts(number) if self._starts(number) <= self.day else date.min
        )

    def _starts(self, number: int) -> date:
        return self.documents[number].valid_from or date.min

    @cached_property
    def _names(self) -> Mapping[str, Sequence[int]]:
        found: dict[str, list[int]] = defaultdict(list)
        for number, document in enumerate(self.documents):
            names = (document.title, *document.aliases)
            # "Code" and "the Act" are names that a text gives itself.
            for name in {letters_key(one) for one in names if one.isupper() or len(one) >= SHORTEST_NAME}:
                found[name].append(number)
        return found

    def _dropped(self, number: int, address: Address) -> Change | None:
        """Return how a provision with a number left a text, if an earlier version has it."""
        text = text_of(self.documents[number])
        first = min(self._starts(other) for other in self.finder.texts[text])
        return self._by_number(number, first).get(number_key(address.number or ""))

    def _by_number(self, number: int, first: date) -> Mapping[str, Change]:
        """Return the changes since a day by which numbers of a text ceased to mean what they meant."""
        if first >= self.day:
            return {}
        found = {}
        for change in dict.fromkeys(self._changes(number, first).values()):
            (old,) = self.corpus.passages(self.corpus.rows(change.before[:1]))
            if change.provision and change.kind in (ChangeKind.REMOVED, ChangeKind.RENUMBERED) and old.number:
                found[number_key(old.number)] = change
        return found


def _read(mentions: Sequence[Mention], reference: Reference) -> tuple[Mention | None, Address | None]:
    """Return the mention of a reference, and the number that it has there."""
    for mention in mentions:
        for target in mention.targets:
            if target.span.overlaps(reference.span) and target.address.number is not None:
                return mention, target.address
    return None, None
