"""What a number names in documents that are known, or in any: one provision, several, or none."""

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
from engine.retrieval.planning.named.containers import PRINTED, Name, Placed, Question
from engine.retrieval.planning.prose import asks_for_text_of

# So many passages of what is named enter the pool first, and so many stand first in the ranking.
MOST_PASSAGES = 40
MOST_CHOICES = 8
# A chapter of more passages stands first only where it alone is asked for.
FEW_PASSAGES = 12
NEAREST = 4
# Documents that are looked into for a number that stands without a document.
MOST_LOOKED_INTO = 40
# How lists of names in text are read on: the passages of a question are looked for among so many first hits.
FIRST_HITS = 100

_Title = tuple[str, tuple[str, ...]]
_PARAGRAPH = re.compile(r"(?:[,،]\s*\w+\s*)?\s*\(\w{1,4}\)\s*\Z")


def in_documents(asked: Question, mention: Mention, code: str, name: Name, words: str) -> NamedProvision:
    """What a number names in documents that are known; ``code`` is the language whose grammar read it."""
    found: list[Rows] = []
    note = name.note
    for place, documents in enumerate(_versions(asked, name.documents)):
        own = _groups(asked, mention, code, documents)
        found = found or own
        allowed = _allowed(asked, own)
        if allowed:
            note = _joined(note, _of_version(asked, documents) if place else "")
            break
    if len(allowed) == 1:
        (rows,) = allowed
        ids = _with_explanations(asked, rows[:MOST_PASSAGES])
        note = _joined(note, _lacking_part(asked, mention, rows), _not_in_force(asked, rows))
        return NamedProvision(words, Naming.FOUND, ids, leads=len(rows) <= FEW_PASSAGES, note=note)
    if allowed:
        # Publishers put the newer wording of a provision behind the older one.
        family = {asked.reader.documents[n].metadata.get(FAMILY) for n in documents}
        ordered = allowed[::-1] if len(documents) == 1 and None not in family else allowed
        return _several(asked, ordered, words, note, len(allowed))
    if found:
        left_out = f"{words} is left out by what the case is limited to"
        return NamedProvision(words, Naming.MISSING, note=_joined(name.note, left_out))
    document, address = name.documents[0], mention.targets[0].address
    near = asked.reader.nearest(document, address, NEAREST)
    whole = is_designation(address.number or "")
    number = address.number if whole else f"{address.kind.value} {address.number or address.within[-1][1]}"
    missing = f"“{asked.reader.documents[document].title}” has no {number}"
    if near:
        heads = asked.corpus.passages(np.array([row for _, row in near], np.int32))
        printed = (
            head.number if head.number and number_key(head.number) == key else key
            for (key, _), head in zip(near, heads, strict=True)
        )
        missing += f"; the nearest are {', '.join(printed)}"
    if inserting := _inserting(asked, [row for _, row in near], address.number or ""):
        note = f"{missing}; {asked.reader.documents[inserting[1]].title} inserts it"
        return NamedProvision(words, Naming.FOUND, inserting[0], leads=True, note=_joined(name.note, note))
    choices = _choices(asked, [np.array([row], np.int32) for _, row in near])
    return NamedProvision(words, Naming.MISSING, choices=choices, note=_joined(name.note, missing))


def _inserting(asked: Question, near: Sequence[int], number: str) -> tuple[tuple[str, ...], int] | None:
    """The passages of the act that amends provisions next to one and has its number in quoted text, and that
    act; None if there is none."""
    links = asked.corpus.neighbours(np.array(near, np.int32), [Relation.AMENDS], Direction.IN)
    word = re.compile(rf"(?<!\w){re.escape(number)}(?!\w)", re.IGNORECASE)
    for row in dict.fromkeys(links.rows.tolist() if number else ()):
        rows = np.arange(row, min(row + FEW_PASSAGES, len(asked.corpus)), dtype=np.int32)
        if asked.mask is not None:
            rows = rows[asked.mask[rows]]
        passages = asked.corpus.passages(rows)
        own = [
            one.id for one in passages if one.section_id == passages[0].section_id and word.search(one.text)
        ]
        if own:
            return tuple(own), int(asked.corpus.document_numbers(rows[:1])[0])
    return None


def in_container(asked: Question, place: Placed, name: Name, mention: Mention) -> NamedProvision:
    """What a number names in the container that a question names."""
    rows = np.array(sorted(place.rows), np.int32)
    own = np.isin(asked.corpus.document_numbers(rows), name.documents)
    spans = (mention.targets[0].span, place.number, place.name)
    words = asked.written[min(one.start for one in spans) : max(one.end for one in spans)]
    rows = rows[own] if own.any() else rows
    groups: dict[tuple[str, tuple[str, ...]], list[int]] = {}
    last = -1
    key: tuple[str, tuple[str, ...]] = "", ()
    for row, passage in zip(rows.tolist(), asked.corpus.passages(rows), strict=True):
        document, above = passage.document_id, passage.headings
        if (document, above[: len(key[1])]) != key or row != last + 1:
            key = document, above
        groups.setdefault(key, []).append(row)
        last = row
    allowed = _allowed(asked, [np.array(group, np.int32) for group in groups.values()])
    if not allowed:
        return NamedProvision(
            words, Naming.MISSING, note=f"{words} is left out by what the case is limited to"
        )
    if len(allowed) > 1:
        return _several(asked, allowed, words, "", len(allowed))
    note = _joined(_lacking_part(asked, mention, allowed[0]), _not_in_force(asked, allowed[0]))
    ids = _ids(asked, allowed[0][:MOST_PASSAGES])
    return NamedProvision(words, Naming.FOUND, ids, leads=len(allowed[0]) <= FEW_PASSAGES, note=note)


def _versions(asked: Question, documents: tuple[int, ...]) -> Iterator[tuple[int, ...]]:
    """Documents in the order in which they may be meant: of the versions of one act the newest that there was
    on the day, then those before it, then later ones; others all at once."""
    same = _titled(asked.corpus)[_key_of(asked.reader.documents[documents[0]])]
    if not set(documents) <= set(same):
        yield documents
        return
    made = {number: version_date(asked.reader.documents[number]) for number in same}
    days = {number: day for number, day in made.items() if day is not None}
    if any(number not in days for number in documents) or len(set(days.values())) < len(days):
        yield documents
        return
    past = sorted((number for number, day in days.items() if day <= asked.day), key=lambda n: days[n])
    later = sorted((number for number, day in days.items() if day > asked.day), key=lambda n: days[n])
    yield from ((number,) for number in (*reversed(past), *later))


_TITLED: WeakKeyDictionary[Corpus, dict[_Title, list[int]]] = WeakKeyDictionary()


def _titled(corpus: Corpus) -> dict[_Title, list[int]]:
    """The documents of each title: versions of one act; read once for an open corpus."""
    titled = _TITLED.get(corpus)
    if titled is None:
        titled = _TITLED[corpus] = {}
        for number, document in enumerate(corpus.documents()):
            titled.setdefault(_key_of(document), []).append(number)
    return titled


def _key_of(document: Document) -> _Title:
    """What versions of one act have in common: their family where ingestion found one, else their title."""
    family = document.metadata.get(FAMILY)
    if isinstance(family, str):
        return document.language, (FAMILY, family)
    return document.language, name_key(document.title, document.language)


def _of_version(asked: Question, documents: Sequence[int]) -> str:
    made = version_date(asked.reader.documents[documents[0]])
    return f"the version of the day has no such provision: this is that of {made}"


def _not_in_force(asked: Question, rows: Rows) -> str:
    """That a provision was in force before the day, and is no more."""
    return f"not in force on {asked.day}" if asked.corpus.out_of_force(asked.day)[rows].all() else ""


def _lacking_part(asked: Question, mention: Mention, rows: Rows) -> str:
    """That a provision prints its parts and has none of the number that is asked for; empty where it has it,
    or where that cannot be told."""
    part = mention.targets[0].address.paragraph
    if part is None:
        return ""
    printed = [passage.paragraph for passage in asked.corpus.passages(rows) if passage.paragraph]
    wanted = part.split("/")[0]
    if not printed or any(one.split("/")[0] == wanted for one in printed):
        return ""
    return f"there is no ({wanted}) in it: it is shown as a whole"


def in_any(asked: Question, mention: Mention, code: str, words: str) -> NamedProvision:
    """What a number names that stands without any document: a choice, unless one document alone has it."""
    address = mention.targets[0].address
    number = address.number or address.within[-1][1]
    heads = asked.corpus.numbered(number)
    if asked.mask is not None:
        documents = np.unique(asked.corpus.document_numbers(np.flatnonzero(asked.mask).astype(np.int32)))
        heads = heads[np.isin(asked.corpus.document_numbers(heads), documents)]
    holders = _readable(asked, asked.corpus.document_numbers(heads))
    groups: list[Rows] = []
    notes: list[str] = []
    left = set(holders.tolist())
    for document in _by_relevance(asked, holders)[:MOST_LOOKED_INTO]:
        if document not in left:
            continue
        # Versions of one text are one: that of the day, else the nearest before it.
        versions = list(_versions(asked, (document,)))
        left.difference_update(number for own in versions for number in own)
        for place, own in enumerate(versions):
            if rows := _allowed(asked, _groups(asked, mention, code, own)):
                groups.extend(rows)
                notes.append(_of_version(asked, own) if place else "")
                break
        if len(groups) >= MOST_CHOICES:
            break
    if not groups:
        return NamedProvision(words, Naming.MISSING, note=f"no document has {words}")
    if len(groups) == 1:
        ids = _with_explanations(asked, groups[0][:MOST_PASSAGES])
        # One that is mentioned without its document need not be what is asked for.
        # Of a language without a grammar no words are known that ask for it.
        asks = mention.grammar == PRINTED or asks_for_text_of(asked.text, asked.language, mention.span)
        leads = asks and len(ids) <= FEW_PASSAGES
        note = _joined(notes[0], _not_in_force(asked, groups[0]))
        return NamedProvision(words, Naming.FOUND, ids, leads=leads, note=note)
    return _several(asked, groups, words, "", len(groups) + len(left))


def _readable(asked: Question, documents: Rows) -> Rows:
    """The documents in the language of the question, all where none is."""
    base = asked.language.split("-")[0]
    languages = [asked.reader.documents[number].language.split("-")[0] for number in documents.tolist()]
    own = np.array([language == base for language in languages], np.bool_)
    return documents[own] if own.any() else documents


def _by_relevance(asked: Question, documents: Rows) -> list[int]:
    """Documents in the order in which the words of the question find them, then in that of the corpus."""
    (hits,) = asked.corpus.search_lexical([asked.text], asked.language, FIRST_HITS, mask=asked.mask)
    every = set(documents.tolist())
    near = [number for number in asked.corpus.document_numbers(hits.rows).tolist() if number in every]
    return list(dict.fromkeys([*near, *sorted(every)]))


def _groups(asked: Question, mention: Mention, code: str, documents: Sequence[int]) -> list[Rows]:
    """The rows of each provision that a mention may name in some documents."""
    found: dict[bytes, Rows] = {}
    for reference in asked.reader.within(mention, documents, asked.text, code, asked.day):
        ids = (reference.target_id,) if reference.target_id else reference.candidates
        for target_id in ids:
            rows = asked.reader.rows(reference.target_kind, target_id)
            if len(rows):
                found.setdefault(rows.tobytes(), rows)
    return list(found.values())


def _allowed(asked: Question, groups: Sequence[Rows]) -> list[Rows]:
    """What the case may look at of each provision; of several versions those in force on the day."""
    if asked.mask is not None:
        groups = [rows[asked.mask[rows]] for rows in groups]
    groups = [rows for rows in groups if len(rows)]
    if len(groups) > 1:
        in_force = asked.corpus.in_force(asked.day)
        groups = [rows for rows in groups if in_force[rows].any()] or groups
    return list(groups)


def _several(asked: Question, groups: Sequence[Rows], words: str, note: str, count: int) -> NamedProvision:
    heads = [rows[:1] for rows in groups[:MOST_CHOICES]]
    ids = _ids(asked, np.concatenate(heads).astype(np.int32))
    choices = _choices(asked, heads)
    more = f" and {count - len(choices)} more" if count > len(choices) else ""
    told = f"{words} may be {'; '.join(choice.label for choice in choices)}{more}: say which"
    return NamedProvision(words, Naming.SEVERAL, ids, choices, note=_joined(note, told))


def _choices(asked: Question, heads: Sequence[Rows]) -> tuple[Choice, ...]:
    rows = np.concatenate([np.empty(0, np.int32), *heads]).astype(np.int32)
    documents, passages = asked.corpus.document_numbers(rows).tolist(), asked.corpus.passages(rows)
    named = [
        (asked.reader.documents[document].title, _label(passage))
        for passage, document in zip(passages, documents, strict=True)
    ]
    # Two provisions of one label are told by the heading above them.
    above = [
        "".join(one.headings[:1]) if named.count(own) > 1 else ""
        for one, own in zip(passages, named, strict=True)
    ]
    return tuple(
        Choice(passage.id, ", ".join(filter(None, (title, heading, label))))
        for passage, heading, (title, label) in zip(passages, above, named, strict=True)
    )


def _label(passage: Passage) -> str:
    """What a provision is called by the label of its first passage, without the number of its paragraph."""
    label = passage.label
    return _PARAGRAPH.sub("", label) if passage.paragraph and passage.number else label


def _ids(asked: Question, rows: Rows) -> tuple[str, ...]:
    return tuple(passage.id for passage in asked.corpus.passages(rows))


def _with_explanations(asked: Question, rows: Rows) -> tuple[str, ...]:
    """The passages of a provision, then those that explain it, of its document or of another one."""
    (head,), (document,) = asked.corpus.passages(rows[:1]), asked.corpus.document_numbers(rows[:1]).tolist()
    key = number_key(head.number or "")
    printed = (asked.corpus.printed_numbers(document) or {}).get(key, ((), ()))[0]
    linked = asked.corpus.neighbours(rows[:1], [Relation.INTERPRETS], Direction.IN).rows
    near = np.unique(np.concatenate([np.array(printed, np.int32), linked])).astype(np.int32)
    if asked.mask is not None:
        near = near[asked.mask[near]]
    explaining = [
        one.id
        for one in asked.corpus.passages(near)
        if one.kind is SectionKind.GUIDANCE and number_key(one.number or "") == key
    ]
    return (*_ids(asked, rows), *explaining[: MOST_PASSAGES - len(rows)])


def _joined(*notes: str) -> str:
    return "; ".join(filter(None, notes))
