"""Find what changed in a corpus between two days: each provision with both wordings and the amending text.

A text is a document with its versions. Its provisions on the two days are paired by their numbers, those that
remain by their wording (renumbered). Texts that other texts amend, and that have no version of their own with
the amendment, are shown as the amendment changes them, or as "amended: read both" if that is uncertain.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date, timedelta
from itertools import groupby

import numpy as np

from engine.answers.conflicts import CHANGING, apply_amendments, is_one_text, only_inserts_next_to
from engine.answers.record import Amender, Change, ChangeKind, Changes, Part
from engine.corpus.external_text import external_resolver
from engine.corpus.protocol import Corpus, Rows
from engine.errors import InputError
from engine.ingestion.readers.fields import day_of
from engine.language.addresses import PROVISIONS, number_key
from engine.language.dates import dates_in
from engine.language.word_diff import Run, diff_words, similarity
from engine.model import (
    FAMILY,
    OUT_OF_FORCE,
    Direction,
    Document,
    Passage,
    Reference,
    Relation,
    Section,
    Status,
    TargetKind,
)
from engine.records.phrases import short_citation
from engine.retrieval.planning.named.provisions import provision_label

# Provisions with this share of common words are one provision with another number, and paragraphs one
# paragraph that was changed.
RENUMBERED, REVISED = 0.75, 0.4
# Provisions of one text that are compared with each other to find those with another number.
MOST_COMPARED = 400
# Amending passages of one change, and amended passages that are read.
MOST_ACTS, MOST_AMENDED = 3, 4_000
_ONE_DAY = timedelta(days=1)
_TRANSLATION = "translation_of"
_NUMBER = re.compile(r"^\(\w{1,4}\)\s*")


def find_changes(
    corpus: Corpus, first: date, last: date, *, document: str = "", question: str = ""
) -> Changes:
    """Return what changed from ``first`` to ``last``, whole documents last.

    ``document`` (an id or a name) limits it to one text with its versions, ``question`` to the provisions
    that have its words, the best first. Raises InputError for an unknown document, and unless the first day
    is before the last one.
    """
    if first >= last:
        raise InputError(f"the first day, {first}, must be before the last one, {last}")
    finder = ChangeFinder(corpus, first, last)
    numbers = finder.versions_of(document) if document else None
    found = [*finder.in_versions(numbers)]
    found = finder.with_originals([*found, *finder.amended(numbers, found)])
    found.sort(key=lambda one: not one.provision)
    others = 0
    if question.strip():
        about = _about(corpus, found, question)
        others, found = len(found) - len(about), about
    documents = corpus.documents()
    undated = sum(one.valid_from is None and one.valid_to is None for one in documents)
    return Changes(corpus.name, first, last, tuple(found), others, undated)


@dataclass(frozen=True, slots=True)
class _Piece:
    """The passages of one provision that are in force on the same days; ``key`` names it in its text."""

    key: tuple[str, int]
    start: date
    end: date
    passages: tuple[Passage, ...]
    text: str

    @property
    def label(self) -> str:
        """How the provision is cited in its document."""
        head = self.passages[0]
        return provision_label(head) or " › ".join(head.headings[-1:]) or head.id


class Targets:
    """The passages of a corpus that references lead to."""

    def __init__(self, corpus: Corpus) -> None:
        self._corpus = corpus
        self._numbers = {document.id: number for number, document in enumerate(corpus.documents())}
        self._sections: dict[str, dict[str, Section]] = {}

    def rows(self, reference: Reference) -> Rows:
        """Return the rows of the target of a resolved reference, empty if the corpus lacks it."""
        name = reference.target_id or ""
        if reference.target_kind is TargetKind.PASSAGE:
            found = self._corpus.rows([name])
            return found[found >= 0]
        document = name
        while document not in self._numbers and "/" in document:
            document = document.rpartition("/")[0]
        if document not in self._numbers:
            return np.zeros(0, np.int32)
        (rows,) = self._corpus.by_document([document])
        if reference.target_kind is TargetKind.DOCUMENT:
            return rows
        if document not in self._sections:
            numbers = self._corpus.document_sections(self._numbers[document]).tolist()
            self._sections[document] = {one.id: one for one in self._corpus.sections(numbers)}
        section = self._sections[document].get(name)
        return rows[:0] if section is None else rows[section.first : section.stop]


class ChangeFinder:
    """Finds changes in the texts of a corpus: versions of a text first, then what other texts amend."""

    def __init__(self, corpus: Corpus, first: date, last: date) -> None:
        self.corpus, self.first, self.last = corpus, first, last
        self.documents = corpus.documents()
        self.texts: dict[object, list[int]] = defaultdict(list)
        for number, document in enumerate(self.documents):
            self.texts[text_of(document)].append(number)
        self._acts: dict[object, dict[int, list[Amender]]] = {}
        self.targets = Targets(corpus)

    def versions_of(self, name: str) -> set[int]:
        """Return the documents that are versions of a named one. Raises InputError."""
        numbers = [
            number
            for number, one in enumerate(self.documents)
            if name in (one.id, one.title, one.metadata.get(FAMILY))
        ]
        numbers = numbers or list(external_resolver(self.corpus).named(name, ""))
        if not numbers:
            raise InputError(f"{self.corpus.name} has no document {name!r}: give its id or its title")
        return {other for number in numbers for other in self.texts[text_of(self.documents[number])]}

    def in_versions(self, only: set[int] | None) -> Iterator[Change]:
        """Yield the changes of texts that have a wording of their own on each day."""
        differs = self.corpus.in_force(self.first) ^ self.corpus.in_force(self.last)
        rows = np.flatnonzero(differs).astype(np.int32)
        touched = set(self.corpus.document_numbers(rows).tolist())
        for members in self.texts.values():
            if touched.isdisjoint(members) or (only is not None and only.isdisjoint(members)):
                continue
            yield from self.in_text(members)

    def in_text(self, members: Sequence[int]) -> Iterator[Change]:
        """Yield the changes of one text; ``members`` are the numbers of its versions."""
        pieces: dict[object, list[_Piece]] = defaultdict(list)
        for number in members:
            for piece in self._pieces(self.documents[number]):
                pieces[piece.key].append(piece)
        old, new = ({key: _on(own, day) for key, own in pieces.items()} for day in (self.first, self.last))
        before, after = ([one for one in found.values() if one] for found in (old, new))
        if not before or not after:
            if before or after:
                yield self._document_change(before or after, ChangeKind.REMOVED if before else ChangeKind.NEW)
            return
        # A number may have a new provision while the old one moved to another number.
        replaced = {
            one.key for one in before if (other := new[one.key]) is not None and not _is_revision(one, other)
        }
        moved = _renumbered(
            [one for one in before if new[one.key] is None or one.key in replaced],
            [one for one in after if old[one.key] is None or one.key in replaced],
        )
        left = {one.key for one in moved.values()}
        for key, own in pieces.items():
            one, other = old[key], new[key]
            if other is not None and key in moved:
                yield self._change(ChangeKind.RENUMBERED, moved[key], other, (other.start,))
                other = None
            if key in left:
                one = None
            if one is None and other is None:
                continue
            if one is None or other is None or one.text != other.text:
                kind = ChangeKind.CHANGED if one and other else ChangeKind.REMOVED if one else ChangeKind.NEW
                yield self._change(kind, one, other, _days(own, self.first, self.last))

    def _pieces(self, document: Document) -> Iterator[_Piece]:
        """Yield the provisions of a document that are in force on some day between the two."""
        (rows,) = self.corpus.by_document([document.id])
        counts: dict[object, int] = defaultdict(int)
        rows = rows[~self.corpus.bare_headings(rows)]
        for (name, start, end), group in groupby(
            self.corpus.passages(rows), lambda one: (_name(one), *_dates(one, document))
        ):
            own = tuple(group)
            counts[name, start] += 1
            if start <= self.last and end >= self.first:
                text = " ".join(_plain(one.text[one.overlap :]) for one in own)
                yield _Piece((name, counts[name, start]), start, end, own, text)

    def _document_change(self, pieces: Sequence[_Piece], kind: ChangeKind) -> Change:
        """Return the change of a document that is new, or removed."""
        document = self._document(pieces[0])
        if kind is ChangeKind.NEW:
            days = (min(one.start for one in pieces),)
        else:
            days = (max(one.end for one in pieces) + _ONE_DAY,)
        rows = self.corpus.rows([pieces[0].passages[0].id])
        by = self._by(document, rows, days)
        return Change(
            kind, document.id, document.title or document.id, "", document.language, days, by=by,
            size=len(pieces), passages=(pieces[0].passages[0].id,),
            before=() if kind is ChangeKind.NEW else tuple(p.id for one in pieces for p in one.passages),
        )  # fmt: skip

    def _change(
        self, kind: ChangeKind, old: _Piece | None, new: _Piece | None, days: tuple[date, ...]
    ) -> Change:
        shown = new or old
        assert shown is not None
        document = self._document(shown)
        before, after = (one.passages if one else () for one in (old, new))
        parts, unchanged = align(before, after)
        rows = self.corpus.rows([one.id for one in (*before, *after)])
        return Change(
            kind, document.id, document.title or document.id, shown.label, document.language, days,
            old.label if old and kind is ChangeKind.RENUMBERED else "", parts, unchanged,
            self._by(document, rows, days), passages=tuple(one.id for one in shown.passages),
            before=tuple(one.id for one in before),
        )  # fmt: skip

    def _document(self, piece: _Piece) -> Document:
        rows = self.corpus.rows([piece.passages[0].id])
        return self.documents[int(self.corpus.document_numbers(rows)[0])]

    # The amending texts

    def _by(self, document: Document, rows: Rows, days: Sequence[date]) -> tuple[Amender, ...]:
        """Return the passages of other texts that make a change on some days, those that name it first.

        An amending text that names the provision in another way ("after Article 22 ...") comes next, then one
        that only names the document.
        """
        acts = self._acts_of(document)
        named = self._citing(rows, document) if acts else {}
        on_days = [number for number in acts if any(one.since in days for one in acts[number])]
        exact = [one for number in on_days for one in named.get(number, ())]
        found = {one.passage_id: one for one in exact}
        return tuple(found.values())[:MOST_ACTS] or self._on_days(document, days)

    def _on_days(self, document: Document, days: Sequence[date]) -> tuple[Amender, ...]:
        """Return the passages that change a document or any part of it from some days on."""
        acts = [one for own in self._acts_of(document).values() for one in own if one.since in days]
        # A reference in the metadata of a text has no words.
        acts.sort(key=lambda one: not one.words)
        return tuple({one.passage_id: one for one in reversed(acts)}.values())[::-1][:MOST_ACTS]

    def _acts_of(self, document: Document) -> dict[int, list[Amender]]:
        """Return the texts that change a document or one of its versions, by document number."""
        text = text_of(document)
        if text not in self._acts:
            found: dict[int, list[Amender]] = defaultdict(list)
            members = [self.documents[number] for number in self.texts[text]]
            for own in members:
                (rows,) = self.corpus.by_document([own.id])
                for number, one in self._amenders(rows, CHANGING, own):
                    found[number].append(one)
            self._acts[text] = dict(found)
        return self._acts[text]

    def _citing(self, rows: Rows, document: Document) -> dict[int, list[Amender]]:
        """Return the passages that name some rows, by document number.

        Only the best of a document: passages that change these rows, else that change others and name these.
        """
        acts = self._acts_of(document)
        found: dict[int, list[tuple[int, Amender]]] = defaultdict(list)
        for number, one in self._amenders(rows, None, document):
            changes = any(one.passage_id == other.passage_id for other in acts.get(number, ()))
            found[number].append((0 if one.relation in CHANGING else 2 - changes, one))
        return {
            number: [one for rank, one in own if rank == min(other for other, _ in own)]
            for number, own in found.items()
        }

    def _amenders(
        self, rows: Rows, relations: Sequence[Relation] | None, document: Document
    ) -> Iterator[tuple[int, Amender]]:
        links = self.corpus.neighbours(rows, relations, Direction.IN)
        numbers = self.corpus.document_numbers(links.rows).tolist()
        makers = self.corpus.passages(links.rows)
        references = self.corpus.references(links.evidence.tolist())
        for number, passage, reference in zip(numbers, makers, references, strict=True):
            maker = self.documents[number]
            if maker.id == document.id or is_one_text(maker, document):
                continue
            inserts = reference.relation in CHANGING and only_inserts_next_to(reference, passage)
            relation = Relation.CITES if inserts and relations is None else reference.relation
            yield number, _amender(passage, maker, replace(reference, relation=relation))

    # Texts that others amend without a new version

    def amended(self, only: set[int] | None, known: Sequence[Change]) -> Iterator[Change]:
        """Yield the changes of provisions that other texts amend and whose new wording no source prints.

        ``known`` are the changes found in versions of the texts themselves.
        """
        numbers = self.corpus.reference_numbers(statuses=[Status.RESOLVED], relations=[Relation.AMENDS])
        both = self.corpus.in_force(self.first) & self.corpus.in_force(self.last)
        targets: dict[int, None] = {}
        whole: dict[int, list[Amender]] = defaultdict(list)
        for reference in self.corpus.references(numbers.tolist()):
            source, own = self._of(reference.source_id)
            rows = self.targets.rows(reference)
            since = source.valid_from or own.valid_from
            if not len(rows) or (since is not None and since > self.last):
                continue
            number = int(self.corpus.document_numbers(rows[:1])[0])
            if only is not None and number not in only:
                continue
            if reference.target_id == self.documents[number].id:
                if since is not None and since > self.first:
                    whole[number].append(_amender(source, own, reference))
                continue
            targets.update(dict.fromkeys(rows[both[rows]].tolist()))
        found = list(self._derived(list(targets)[:MOST_AMENDED]))
        yield from found
        yield from self._unread(whole, [*known, *found])

    def _of(self, passage_id: str) -> tuple[Passage, Document]:
        row = self.corpus.rows([passage_id])
        (passage,) = self.corpus.passages(row)
        return passage, self.documents[int(self.corpus.document_numbers(row)[0])]

    def _derived(self, rows: Sequence[int]) -> Iterator[Change]:
        """Yield the changes of passages by the amendments of other texts, one for each provision."""
        made: dict[tuple[str, str], list[Change]] = defaultdict(list)
        for row in sorted(rows):
            before, after = (apply_amendments(self.corpus, row, day) for day in (self.first, self.last))
            known = {
                one.passage.id for one in (*(before.by if before else ()), *(before.doubts if before else ()))
            }
            fresh = [
                one for one in (*(after.by if after else ()), *(after.doubts if after else ()))
                if one.passage.id not in known
            ]  # fmt: skip
            if after is None or not fresh:
                continue
            (passage,) = self.corpus.passages(np.array([row], np.int32))
            document = self.documents[int(self.corpus.document_numbers(np.array([row], np.int32))[0])]
            old = before.text if before else passage.text
            doubtful = bool(after.doubts)
            runs = (Run("old", old),) if doubtful else diff_words(old, after.text, passage.language)
            part = Part(passage.id, "" if doubtful else passage.id, passage.label, passage.label, runs)
            by = tuple(_amender(one.passage, one.document, one.reference, one.since) for one in fresh)
            days = tuple(sorted({one.since for one in fresh if one.since is not None}))
            made[document.id, provision_label(passage)].append(
                Change(
                    ChangeKind.AMENDED if doubtful else ChangeKind.CHANGED, document.id,
                    document.title or document.id, provision_label(passage) or passage.id, passage.language,
                    days, "", (part,), 0, by, derived=not doubtful, passages=(passage.id,),
                )
            )  # fmt: skip
        for own in made.values():
            yield _joined(own)

    def _unread(self, whole: Mapping[int, Sequence[Amender]], found: Iterable[Change]) -> Iterator[Change]:
        """Yield the documents that another text amends, if nothing shows which provision it changes."""
        shown = {one.passage_id for change in found for one in change.by}
        makers = {self._of(one)[1].id for one in shown}
        for number, acts in whole.items():
            document = self.documents[number]
            left = [one for one in acts if self._of(one.passage_id)[1].id not in makers]
            incorporated = len(self.texts[text_of(document)]) > 1 or _consolidated(document, left)
            if left and not incorporated:
                days = tuple(sorted({one.since for one in left if one.since is not None}))
                yield Change(
                    ChangeKind.AMENDED, document.id, document.title or document.id, "", document.language,
                    days, by=tuple(left[:MOST_ACTS]),
                )  # fmt: skip

    def with_originals(self, found: Sequence[Change]) -> list[Change]:
        """Return changes; a translation without an amending text has that of its original on the same day."""
        made = {(one.document, self._number(one), one.days): one.by for one in found}
        documents = {one.id: one for one in self.documents}
        return [
            one
            if one.by or original is None
            else replace(
                one,
                by=made.get((original.id, self._number(one), one.days)) or self._on_days(original, one.days),
            )
            for one in found
            for original in (documents.get(str(documents[one.document].metadata.get(_TRANSLATION))),)
        ]

    def _number(self, change: Change) -> str:
        """Return the number of a provision, which its translations share."""
        if not change.passages or not change.provision:
            return ""
        return number_key(self._of(change.passages[0])[0].number or "")


def align(before: Sequence[Passage], after: Sequence[Passage]) -> tuple[tuple[Part, ...], int]:
    """Pair the paragraphs of two wordings of a provision; return those that differ, and how many do not.

    Equal ones are paired first, then the most similar ones, then those with one number.
    """
    old, new = list(before), list(after)
    unchanged = 0
    for one in before:
        same = next((other for other in new if _unnumbered(other) == _unnumbered(one)), None)
        if same is not None:
            old.remove(one)
            new.remove(same)
            unchanged += 1
    pairs: dict[str, Passage] = {}
    alike = sorted(
        (
            (-similarity(_unnumbered(one), _unnumbered(other), other.language), i, j)
            for i, one in enumerate(old[:MOST_COMPARED])
            for j, other in enumerate(new[:MOST_COMPARED])
        ),
    )
    free = set(range(len(old)))
    for negative, i, j in alike:
        if -negative >= REVISED and i in free and new[j].id not in pairs:
            pairs[new[j].id] = old[i]
            free.discard(i)
    for i in sorted(free):
        twin = next((o for o in new if o.id not in pairs and o.label and o.label == old[i].label), None)
        if twin is not None:
            pairs[twin.id] = old[i]
            free.discard(i)
    parts = [_part(pairs.get(other.id), other) for other in new]
    parts += [_part(old[i], None) for i in sorted(free)]
    return tuple(parts), unchanged


def _part(old: Passage | None, new: Passage | None) -> Part:
    shown = new or old
    assert shown is not None
    runs = diff_words(_printed(old), _printed(new), shown.language)
    ids, labels = ([getattr(one, name) if one else "" for one in (old, new)] for name in ("id", "label"))
    return Part(ids[0], ids[1], labels[0], labels[1], runs)


def _printed(passage: Passage | None) -> str:
    return "" if passage is None else passage.text[passage.overlap :].strip()


def _plain(text: str) -> str:
    return " ".join(text.split())


def _unnumbered(passage: Passage) -> str:
    """Return the words of a paragraph without its number: "(3) A clause" and "(2) A clause" are equal."""
    return _NUMBER.sub("", _plain(_printed(passage)), count=1)


def _name(passage: Passage) -> str:
    """Return a name that the versions of a provision share."""
    if passage.number:
        kind = "" if passage.kind in PROVISIONS else passage.kind.value
        return f"{kind} {number_key(passage.number)}"
    return " › ".join(("", *passage.headings[-2:]))


def text_of(document: Document) -> object:
    """Return a key that the versions of a text share."""
    family = document.metadata.get(FAMILY)
    return (family, document.language) if isinstance(family, str) else document.id


def _dates(passage: Passage, document: Document) -> tuple[date, date]:
    """Return the first and the last day of a passage; a text that ended on an unknown day has none."""
    start = passage.valid_from or document.valid_from or date.min
    end = passage.valid_to or document.valid_to
    if end is None and (passage.status or document.status or "").casefold() in OUT_OF_FORCE:
        return start, date.min
    return start, end or date.max


def _on(pieces: Sequence[_Piece], day: date) -> _Piece | None:
    """Return the latest wording of a provision that is in force on a day."""
    return max(
        (one for one in pieces if one.start <= day <= one.end), key=lambda one: one.start, default=None
    )


def _days(pieces: Sequence[_Piece], first: date, last: date) -> tuple[date, ...]:
    """Return the days after ``first`` up to ``last`` on which the wording of a provision changed."""
    possible = {one.start for one in pieces} | {one.end + _ONE_DAY for one in pieces if one.end < date.max}
    days, before = [], _on(pieces, first)
    for day in sorted(day for day in possible if first < day <= last):
        after = _on(pieces, day)
        if (before and before.text) != (after and after.text):
            days.append(day)
        before = after
    return tuple(days)


def _is_revision(old: _Piece, new: _Piece) -> bool:
    """Return whether a wording with the same number is that of the same provision."""
    language = new.passages[0].language
    return old.text == new.text or similarity(_bare(old), _bare(new), language) >= REVISED


def _renumbered(lost: Sequence[_Piece], new: Sequence[_Piece]) -> dict[tuple[str, int], _Piece]:
    """Return, by the key of a new provision, the one with another number that it was."""
    found: dict[tuple[str, int], _Piece] = {}
    left = {one.key: one for one in lost}
    by_text = {_bare(one): one for one in reversed(lost)}
    for other in new:
        one = by_text.get(_bare(other))
        if one is not None and left.pop(one.key, None) is not None:
            found[other.key] = one
    rest = [one for one in new if one.key not in found][:MOST_COMPARED]
    old = list(left.values())[:MOST_COMPARED]
    old_words, new_words = ([frozenset(one.text.casefold().split()) for one in some] for some in (old, rest))
    alike = []
    for other, after in zip(rest, new_words, strict=True):
        for one, before in zip(old, old_words, strict=True):
            # Cheap first: few pairs have most words in common.
            if 2 * len(before & after) < RENUMBERED * (len(before) + len(after)):
                continue
            share = similarity(_bare(one), _bare(other), other.passages[0].language)
            if share >= RENUMBERED:
                alike.append((-share, other.key, one))
    for _, key, one in sorted(alike, key=lambda pair: pair[0]):
        if key not in found and left.pop(one.key, None) is not None:
            found[key] = one
    return found


def _bare(piece: _Piece) -> str:
    return " ".join(_unnumbered(one) for one in piece.passages)


def _amender(
    passage: Passage, document: Document, reference: Reference, since: date | None = None
) -> Amender:
    since = since or passage.valid_from or document.valid_from
    stated = [one.day for one in dates_in(passage.text, passage.language)] if since is None else []
    return Amender(
        passage.id, short_citation(passage, document), passage.text, reference.text, reference.relation,
        since or max(stated, default=None),
    )  # fmt: skip


def _joined(own: Sequence[Change]) -> Change:
    """Return the changes of the paragraphs of one provision as one."""
    doubtful = any(one.kind is ChangeKind.AMENDED for one in own)
    by = {one.passage_id: one for change in own for one in change.by}
    return replace(
        own[0],
        kind=ChangeKind.AMENDED if doubtful else ChangeKind.CHANGED,
        days=tuple(sorted({day for one in own for day in one.days})),
        parts=tuple(part for one in own for part in one.parts),
        by=tuple(by.values())[:MOST_ACTS],
        derived=not doubtful,
        passages=tuple(name for one in own for name in one.passages),
    )


def _consolidated(document: Document, acts: Sequence[Amender]) -> bool:
    """Return whether a text states a version that is no older than its amendments."""
    stated = (document.version, document.metadata.get("last_updated"))
    days = [day for day in (document.valid_from, *map(day_of, stated)) if day is not None]
    return bool(days) and all(one.since is not None and one.since <= max(days) for one in acts)


def _about(corpus: Corpus, found: Sequence[Change], question: str) -> list[Change]:
    """Return the changes whose provisions have words of a question, the best first."""
    scored = []
    for index, change in enumerate(found):
        rows = corpus.rows([*change.passages, *(part.old_id for part in change.parts if part.old_id)])
        scores = corpus.score_lexical([question], change.language, rows[rows >= 0])
        best = float(scores.max(initial=0.0))
        if best > 0:
            scored.append((not change.provision, -best, index))
    return [found[index] for *_, index in sorted(scored)]
