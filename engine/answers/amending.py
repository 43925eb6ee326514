"""What later texts make of the words of a passage: amendments that the links of a corpus know, put into it.

An amendment is applied where it is certain: the day from which it holds is known and has come, and its old
words occur in the passage. What is not certain is a doubt, and a person has to read both texts.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date

import numpy as np

from engine.corpus.protocol import Corpus
from engine.ingestion.intervals import SURE
from engine.ingestion.readers.fields import day_of
from engine.ingestion.sentences import sentence_starts
from engine.investigation.versions import doors
from engine.language.amendments import Amendment, AmendmentKind, changes_of, names_part
from engine.language.dates import dates_in, takes_the_place
from engine.model import FAMILY, Direction, Document, Passage, Reference, Relation, TargetKind
from engine.records.citation import short_citation

CHANGING = (Relation.AMENDS, Relation.REPEALS, Relation.SUPERSEDES)
# A reference that is less sure than this leads to what encloses the provision that is amended.
_EXACT = 0.99


@dataclass(frozen=True, slots=True)
class Amending:
    """A text that amends or repeals a passage, with the changes of words that it states.

    ``since`` is the day from which it holds, None if that is not known. ``whole``: it names exactly the
    passage."""

    row: int
    passage: Passage
    document: Document
    reference: Reference
    changes: tuple[Amendment, ...]
    since: date | None
    whole: bool

    @property
    def words(self) -> str:
        """The amending text, cited, with the day from which it holds."""
        since = f" (since {self.since.isoformat()})" if self.since else ""
        return f"{short_citation(self.passage, self.document)}{since}"

    def apply(self, text: str) -> str | None:
        """A text with the changes made; None where that is not certain, or the text is repealed."""
        made: str | None = text if self.reference.relation is Relation.AMENDS else None
        for change in self.changes:
            if change.kind is AmendmentKind.REWRITTEN and not self.whole:
                return None
            made = change.apply(made) if made is not None else None
        return made if self.changes else None


@dataclass(frozen=True, slots=True)
class Amended:
    """A passage with what amends it. ``text`` is how it reads with the amendments ``by`` others that are
    certain; ``doubts`` are those that are not, and ``otherwise`` is how it reads with them, None if that
    cannot be known."""

    text: str
    by: tuple[Amending, ...] = ()
    doubts: tuple[Amending, ...] = ()
    otherwise: str | None = None


def amended(corpus: Corpus, row: int, day: date) -> Amended | None:
    """How a passage reads on a day by the amendments that its corpus knows; None where none concerns it."""
    (passage,) = corpus.passages(np.array([row], np.int32))
    text = passage.text
    by: list[Amending] = []
    doubts: list[Amending] = []
    known = sorted(_amending(corpus, row, passage), key=lambda one: (one.since is None, one.since or day))
    for one in known:
        if one.since is not None and one.since > day:
            continue
        made = one.apply(text)
        if made == text:
            continue
        if made is None or one.since is None or doubts:
            doubts.append(one)
        else:
            text = made
            by.append(one)
    if not by and not doubts:
        return None
    changed: str | None = text
    for one in doubts:
        changed = one.apply(changed) if changed is not None else None
    return Amended(text, tuple(by), tuple(doubts), changed if doubts else None)


def _amending(corpus: Corpus, row: int, passage: Passage) -> Iterator[Amending]:
    own = np.array([row], np.int32)
    number = int(corpus.document_numbers(own)[0])
    document = corpus.documents()[number]
    section = int(corpus.section_numbers(own)[0])
    members = 1
    rows = {row, int(doors(corpus, own)[0])}
    if section >= 0:
        (first, stop), start = _extent(corpus, section), int(corpus.by_document([document.id])[0][0])
        rows.add(start + first)
        members = stop - first
    asked = np.array(sorted(rows), np.int32)
    links = corpus.neighbours(asked, CHANGING, Direction.IN)
    seen: set[int] = set()
    for origin, source, evidence in zip(
        links.origins.tolist(), links.rows.tolist(), links.evidence.tolist(), strict=True
    ):
        (reference,) = corpus.references([evidence])
        if evidence in seen or not _covers(reference, passage, int(asked[origin]) == row):
            continue
        seen.add(evidence)
        (amending,) = corpus.passages(np.array([source], np.int32))
        maker = corpus.documents()[int(corpus.document_numbers(np.array([source], np.int32))[0])]
        if maker.id == document.id or _is_one_text(maker, document) or reference.confidence < SURE:
            continue
        if reference.relation is not Relation.AMENDS and document.status is not None:
            # The source states the status of the document itself.
            continue
        replaces = takes_the_place(amending.text, reference.span, amending.language)
        if reference.relation is Relation.SUPERSEDES and not replaces:
            continue
        alone = reference.target_kind is TargetKind.PASSAGE or members == 1
        found = _read(corpus, source, amending, maker, reference, alone)
        if found.since is None or not _is_incorporated(passage, document, found.since):
            yield found


def _extent(corpus: Corpus, section: int) -> tuple[int, int]:
    (found,) = corpus.sections([section])
    return found.first, found.stop


def _covers(reference: Reference, passage: Passage, direct: bool) -> bool:
    """Whether what a reference names has the passage in it. A whole document is repealed with all of its
    provisions; that it is amended tells nothing of one."""
    if reference.target_kind is TargetKind.DOCUMENT:
        return reference.relation is not Relation.AMENDS
    return direct or (
        reference.target_kind is TargetKind.SECTION and reference.target_id == passage.section_id
    )


def _is_one_text(one: Document, other: Document) -> bool:
    family = one.metadata.get(FAMILY)
    return family is not None and family == other.metadata.get(FAMILY)


def _is_incorporated(passage: Passage, document: Document, since: date) -> bool:
    """Whether a text is of a later day than what amends it: then it is the amended text."""
    stated = (document.version, document.metadata.get("last_updated"))
    days = [passage.valid_from, document.valid_from, *map(day_of, stated)]
    return any(day is not None and day >= since for day in days)


def _read(
    corpus: Corpus, row: int, passage: Passage, document: Document, reference: Reference, alone: bool
) -> Amending:
    """An amending text with the words that it changes of what one of its references names."""
    text, language = passage.text, passage.language
    every = corpus.references(corpus.references_from(np.array([row], np.int32)).numbers.tolist())
    spans = sorted({one.span for one in every if one.relation in CHANGING}, key=lambda span: span.start)
    changes, named = changes_of(text, reference.span, spans, language), reference.text
    whole = alone and reference.confidence >= _EXACT and not names_part(named, 0, len(named), language)
    since = passage.valid_from or document.valid_from
    starts = [*sentence_starts(text, language), len(text)]
    for one in changes:
        first = max(start for start in starts if start <= min(reference.span.start, one.span.start))
        last = min((start for start in starts if start >= one.span.end), default=len(text))
        # "The second sentence of section 5 is replaced": not the whole of it.
        if one.kind is AmendmentKind.REWRITTEN and names_part(text, first, one.span.start, language):
            whole = False
        # "With effect from 1 January 2030, in rule 4 ...": later than the text itself.
        said = f"{text[first : one.span.start]} {text[one.span.end : last]}"
        since = since and max([since, *(found.day for found in dates_in(said, language))])
    return Amending(row, passage, document, reference, tuple(changes), since, whole)
