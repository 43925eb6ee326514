"""Resolve a number in known documents or in any document to one provision, several, or none."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from weakref import WeakKeyDictionary

import numpy as np

from engine.corpus.protocol import Corpus, Rows
from engine.language.addresses import number_key
from engine.language.aliases import name_key
from engine.language.designations import is_designation
from engine.language.references import Mention
from engine.language.references.names import version_date
from engine.model import (
    FAMILY,
    Choice,
    Direction,
    Document,
    NamedProvision,
    Naming,
    Passage,
    Relation,
    SectionKind,
)
from engine.retrieval.planning.named.containers import PRINTED, InContainer, Name, Question
from engine.retrieval.planning.prose import asks_for_text_of

# Passages of a named provision that are admitted to the pool first.
MOST_PASSAGES = 40
MOST_CHOICES = 8
# A chapter of more passages is ranked first only if the question asks for nothing else.
FEW_PASSAGES = 12
NEAREST = 4
# Documents that are searched for a number without a document.
MOST_LOOKED_INTO = 40
# Lexical hits by which documents are sorted for a question.
FIRST_HITS = 100

_Title = tuple[str, tuple[str, ...]]
_PARAGRAPH = re.compile(r"(?:[,،]\s*\w+\s*)?\s*\(\w{1,4}\)\s*\Z")


def in_documents(question: Question, mention: Mention, code: str, name: Name, words: str) -> NamedProvision:
    """Resolve a number in known documents; ``code`` is the language whose grammar parsed it."""
    found: list[Rows] = []
    note = name.note
    for index, documents in enumerate(_versions(question, name.documents)):
        own = _groups(question, mention, code, documents)
        found = found or own
        allowed = _allowed(question, own)
        if allowed:
            note = _joined(note, _of_version(question, documents) if index else "")
            break
    if len(allowed) == 1:
        (rows,) = allowed
        ids = _with_explanations(question, rows[:MOST_PASSAGES])
        note = _joined(note, _lacking_part(question, mention, rows), _not_in_force(question, rows))
        return NamedProvision(words, Naming.FOUND, ids, leads=len(rows) <= FEW_PASSAGES, note=note)
    if allowed:
        # Publishers print the newer wording of a provision after the older one.
        family = {question.reader.documents[n].metadata.get(FAMILY) for n in documents}
        ordered = allowed[::-1] if len(documents) == 1 and None not in family else allowed
        return _several(question, ordered, words, note, len(allowed))
    if found:
        left_out = f"{words} is left out by the filters of the case"
        return NamedProvision(words, Naming.MISSING, note=_joined(name.note, left_out))
    document, address = name.documents[0], mention.targets[0].address
    near = question.reader.nearest(document, address, NEAREST)
    whole = is_designation(address.number or "")
    number = address.number if whole else f"{address.kind.value} {address.number or address.within[-1][1]}"
    missing = f"“{question.reader.documents[document].title}” has no {number}"
    if near:
        heads = question.corpus.passages(np.array([row for _, row in near], np.int32))
        printed = (
            head.number if head.number and number_key(head.number) == key else key
            for (key, _), head in zip(near, heads, strict=True)
        )
        missing += f"; the nearest are {', '.join(printed)}"
    if inserting := _inserting(question, [row for _, row in near], address.number or ""):
        note = f"{missing}; {question.reader.documents[inserting[1]].title} inserts it"
        return NamedProvision(words, Naming.FOUND, inserting[0], leads=True, note=_joined(name.note, note))
    choices = _choices(question, [np.array([row], np.int32) for _, row in near])
    return NamedProvision(words, Naming.MISSING, choices=choices, note=_joined(name.note, missing))


def _inserting(question: Question, near: Sequence[int], number: str) -> tuple[tuple[str, ...], int] | None:
    """Find passages of an act that amends nearby provisions and has the number in quoted text.

    Returns their ids and the act's document number; None without any.
    """
    links = question.corpus.neighbours(np.array(near, np.int32), [Relation.AMENDS], Direction.IN)
    word = re.compile(rf"(?<!\w){re.escape(number)}(?!\w)", re.IGNORECASE)
    for row in dict.fromkeys(links.rows.tolist() if number else ()):
        rows = np.arange(row, min(row + FEW_PASSAGES, len(question.corpus)), dtype=np.int32)
        if question.mask is not None:
            rows = rows[question.mask[rows]]
        passages = question.corpus.passages(rows)
        own = [
            one.id for one in passages if one.section_id == passages[0].section_id and word.search(one.text)
        ]
        if own:
            return tuple(own), int(question.corpus.document_numbers(rows[:1])[0])
    return None


def in_container(question: Question, place: InContainer, name: Name, mention: Mention) -> NamedProvision:
    """Resolve a number in the container that a question names."""
    rows = np.array(sorted(place.rows), np.int32)
    versions = _versions(question, name.documents) if name.documents else ()
    own = np.isin(question.corpus.document_numbers(rows), [one for group in versions for one in group])
    spans = (mention.targets[0].span, place.number, place.name)
    words = question.written[min(one.start for one in spans) : max(one.end for one in spans)]
    rows = rows[own] if own.any() else rows
    groups: dict[tuple[str, tuple[str, ...]], list[int]] = {}
    last = -1
    key: tuple[str, tuple[str, ...]] = "", ()
    for row, passage in zip(rows.tolist(), question.corpus.passages(rows), strict=True):
        document, above = passage.document_id, passage.headings
        if (document, above[: len(key[1])]) != key or row != last + 1:
            key = document, above
        groups.setdefault(key, []).append(row)
        last = row
    allowed = _allowed(question, [np.array(group, np.int32) for group in groups.values()])
    if not allowed:
        return NamedProvision(words, Naming.MISSING, note=f"{words} is left out by the filters of the case")
    if len(allowed) > 1:
        return _several(question, allowed, words, "", len(allowed))
    note = _joined(_lacking_part(question, mention, allowed[0]), _not_in_force(question, allowed[0]))
    ids = _ids(question, allowed[0][:MOST_PASSAGES])
    return NamedProvision(words, Naming.FOUND, ids, leads=len(allowed[0]) <= FEW_PASSAGES, note=note)


def _versions(question: Question, documents: tuple[int, ...]) -> Iterator[tuple[int, ...]]:
    """Yield groups of documents in the order in which they are tried.

    Of versions of one act: the newest on the day, then earlier ones, then later ones. Others form one group.
    """
    same = _titled(question.corpus)[_key_of(question.reader.documents[documents[0]])]
    if not set(documents) <= set(same):
        yield documents
        return
    made = {number: version_date(question.reader.documents[number]) for number in same}
    days = {number: day for number, day in made.items() if day is not None}
    if any(number not in days for number in documents) or len(set(days.values())) < len(days):
        yield documents
        return
    past = sorted((number for number, day in days.items() if day <= question.day), key=lambda n: days[n])
    later = sorted((number for number, day in days.items() if day > question.day), key=lambda n: days[n])
    yield from ((number,) for number in (*reversed(past), *later))


_TITLED: WeakKeyDictionary[Corpus, dict[_Title, list[int]]] = WeakKeyDictionary()


def _titled(corpus: Corpus) -> dict[_Title, list[int]]:
    """Return the documents of each title, versions of one act; read once for an open corpus."""
    titled = _TITLED.get(corpus)
    if titled is None:
        titled = _TITLED[corpus] = {}
        for number, document in enumerate(corpus.documents()):
            titled.setdefault(_key_of(document), []).append(number)
    return titled


def _key_of(document: Document) -> _Title:
    """Return the common key of an act's versions: their family if ingestion found one, else their title."""
    family = document.metadata.get(FAMILY)
    if isinstance(family, str):
        return document.language, (FAMILY, family)
    return document.language, name_key(document.title, document.language)


def _of_version(question: Question, documents: Sequence[int]) -> str:
    made = version_date(question.reader.documents[documents[0]])
    return f"the version of the day has no such provision: this is that of {made}"


def _not_in_force(question: Question, rows: Rows) -> str:
    """Return a note if a provision is no longer in force on the day."""
    return f"not in force on {question.day}" if question.corpus.out_of_force(question.day)[rows].all() else ""


def _lacking_part(question: Question, mention: Mention, rows: Rows) -> str:
    """Return a note if a provision prints its paragraphs and does not have the requested one."""
    part = mention.targets[0].address.paragraph
    if part is None:
        return ""
    printed = [passage.paragraph for passage in question.corpus.passages(rows) if passage.paragraph]
    requested = part.split("/")[0]
    if not printed or any(paragraph.split("/")[0] == requested for paragraph in printed):
        return ""
    return f"there is no ({requested}) in it: it is shown as a whole"


def in_any(question: Question, mention: Mention, code: str, words: str) -> NamedProvision:
    """Resolve a number without a document: a choice, unless only one document has it."""
    address = mention.targets[0].address
    number = address.number or address.within[-1][1]
    heads = question.corpus.numbered(number)
    if question.mask is not None:
        documents = np.unique(
            question.corpus.document_numbers(np.flatnonzero(question.mask).astype(np.int32))
        )
        heads = heads[np.isin(question.corpus.document_numbers(heads), documents)]
    holders = _readable(question, question.corpus.document_numbers(heads))
    groups: list[Rows] = []
    notes: list[str] = []
    left = set(holders.tolist())
    for document in _by_relevance(question, holders)[:MOST_LOOKED_INTO]:
        if document not in left:
            continue
        # Versions of one text count once: the one of the day, else the nearest before it.
        versions = list(_versions(question, (document,)))
        left.difference_update(number for own in versions for number in own)
        for index, own in enumerate(versions):
            if rows := _allowed(question, _groups(question, mention, code, own)):
                groups.extend(rows)
                notes.append(_of_version(question, own) if index else "")
                break
        if len(groups) >= MOST_CHOICES:
            break
    if not groups:
        return NamedProvision(words, Naming.MISSING, note=f"no document has {words}")
    if len(groups) == 1:
        ids = _with_explanations(question, groups[0][:MOST_PASSAGES])
        # A provision that is mentioned without its document is not always what the question asks for. For a
        # language without a grammar there is no table of words that ask for it.
        asks = mention.grammar == PRINTED or asks_for_text_of(question.text, question.language, mention.span)
        leads = asks and len(ids) <= FEW_PASSAGES
        note = _joined(notes[0], _not_in_force(question, groups[0]))
        return NamedProvision(words, Naming.FOUND, ids, leads=leads, note=note)
    return _several(question, groups, words, "", len(groups) + len(left))


def _readable(question: Question, documents: Rows) -> Rows:
    """Return the documents in the language of the question, or all if none is."""
    base = question.language.split("-")[0]
    languages = [question.reader.documents[number].language.split("-")[0] for number in documents.tolist()]
    own = np.array([language == base for language in languages], np.bool_)
    return documents[own] if own.any() else documents


def _by_relevance(question: Question, documents: Rows) -> list[int]:
    """Sort documents by the lexical hits for the question, then in the order of the corpus."""
    (hits,) = question.corpus.search_lexical(
        [question.text], question.language, FIRST_HITS, mask=question.mask
    )
    every = set(documents.tolist())
    near = [number for number in question.corpus.document_numbers(hits.rows).tolist() if number in every]
    return list(dict.fromkeys([*near, *sorted(every)]))


def _groups(question: Question, mention: Mention, code: str, documents: Sequence[int]) -> list[Rows]:
    """Return the rows of each provision that a mention may name in some documents."""
    found: dict[bytes, Rows] = {}
    for reference in question.reader.within(mention, documents, question.text, code, question.day):
        ids = (reference.target_id,) if reference.target_id else reference.candidates
        for target_id in ids:
            rows = question.reader.rows(reference.target_kind, target_id)
            if len(rows):
                found.setdefault(rows.tobytes(), rows)
    return list(found.values())


def _allowed(question: Question, groups: Sequence[Rows]) -> list[Rows]:
    """Return the rows of each provision that the case may find; of several versions those in force."""
    if question.mask is not None:
        groups = [rows[question.mask[rows]] for rows in groups]
    groups = [rows for rows in groups if len(rows)]
    if len(groups) > 1:
        in_force = question.corpus.in_force(question.day)
        groups = [rows for rows in groups if in_force[rows].any()] or groups
    return list(groups)


def _several(question: Question, groups: Sequence[Rows], words: str, note: str, count: int) -> NamedProvision:
    heads = [rows[:1] for rows in groups[:MOST_CHOICES]]
    ids = _ids(question, np.concatenate(heads).astype(np.int32))
    choices = _choices(question, heads)
    more = f" and {count - len(choices)} more" if count > len(choices) else ""
    ambiguous = f"{words} may be {'; '.join(choice.label for choice in choices)}{more}: say which"
    return NamedProvision(words, Naming.SEVERAL, ids, choices, note=_joined(note, ambiguous))


def _choices(question: Question, heads: Sequence[Rows]) -> tuple[Choice, ...]:
    rows = np.concatenate([np.empty(0, np.int32), *heads]).astype(np.int32)
    documents, passages = question.corpus.document_numbers(rows).tolist(), question.corpus.passages(rows)
    named = [
        (question.reader.documents[document].title, provision_label(passage))
        for passage, document in zip(passages, documents, strict=True)
    ]
    # Two provisions with the same label are distinguished by the heading above them.
    above = [
        "".join(one.headings[:1]) if named.count(own) > 1 else ""
        for one, own in zip(passages, named, strict=True)
    ]
    return tuple(
        Choice(passage.id, ", ".join(filter(None, (title, heading, label))))
        for passage, heading, (title, label) in zip(passages, above, named, strict=True)
    )


def provision_label(passage: Passage) -> str:
    """Return the label of a passage without the number of its paragraph: "Article 22", "§ 22"."""
    label = passage.label
    if not passage.paragraph or not passage.number:
        return label
    number, part = (re.escape(one) for one in (passage.number, passage.paragraph.split("/")[0]))
    printed = re.match(rf".*(?<!\w){number}(?!\w)(?=.*(?<!\w){part}(?!\w))", label, re.IGNORECASE)
    return printed[0] if printed else _PARAGRAPH.sub("", label)


def _ids(question: Question, rows: Rows) -> tuple[str, ...]:
    return tuple(passage.id for passage in question.corpus.passages(rows))


def _with_explanations(question: Question, rows: Rows) -> tuple[str, ...]:
    """Return the passages of a provision, then guidance on it in its document or in another one."""
    (head,), (document,) = (
        question.corpus.passages(rows[:1]),
        question.corpus.document_numbers(rows[:1]).tolist(),
    )
    key = number_key(head.number or "")
    printed = (question.corpus.printed_numbers(document) or {}).get(key, ((), ()))[0]
    linked = question.corpus.neighbours(rows[:1], [Relation.INTERPRETS], Direction.IN).rows
    near = np.unique(np.concatenate([np.array(printed, np.int32), linked])).astype(np.int32)
    if question.mask is not None:
        near = near[question.mask[near]]
    explaining = [
        one.id
        for one in question.corpus.passages(near)
        if one.kind is SectionKind.GUIDANCE and number_key(one.number or "") == key
    ]
    return (*_ids(question, rows), *explaining[: MOST_PASSAGES - len(rows)])


def _joined(*notes: str) -> str:
    return "; ".join(filter(None, notes))
