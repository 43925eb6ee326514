"""Passages of a document within a size limit, and values shortened to a size."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from typing import Any

import numpy as np

from engine.corpus.protocol import Corpus, Rows
from engine.errors import InputError
from engine.model import Document, Naming, Passage, Status
from engine.records.context import badge
from engine.records.phrases import full_citation
from engine.retrieval.planning.named import provisions_named

# Shortening of plain values: texts are cut at a word, lists at an entry. A shortened text ends with its full
# length, and ``left_out`` counts the omitted entries by path.

LEFT_OUT = "left_out"
# Maximum text length and number of entries (None: unlimited), tried in turn until the values fit.
_STEPS: tuple[tuple[int | None, int | None], ...] = (
    (None, None), (3000, None), (2000, 200), (1200, 100), (900, 100), (700, 60), (500, 60), (400, 60),
    (300, 60), (250, 40), (200, 30), (200, 20), (150, 15), (120, 10), (100, 6), (80, 4), (60, 2), (40, 1),
)  # fmt: skip
# Fields that identify something for a further request are not cut.
_NAMES = frozenset({
    "id", "case", "passage", "passages", "document", "corpus", "url", "source", "target", "to", "assembled",
})  # fmt: skip
_LONGEST_NAME = 200


def characters(value: object) -> int:
    """Return the length of a value as JSON, in characters."""
    return len(json.dumps(value, ensure_ascii=False, separators=(",", ":")))


def cut(text: str, longest: int) -> str:
    """Return a text cut at a word, with its full length: "The owner … (5,210 characters)"."""
    if len(text) <= longest:
        return text
    length_note = f"… ({len(text):,} characters)"
    head = text[: max(longest - len(length_note) - 1, 0)]
    words = head.rsplit(None, 1)
    # A text without spaces is cut anywhere.
    head = words[0] if len(words) == 2 and len(words[0]) > len(head) // 2 else head.rstrip()
    return f"{head} {length_note}".lstrip()


def shorten_to_fit(
    values: Mapping[str, Any], longest: int, weigh: Callable[[object], int] = characters
) -> dict[str, Any]:
    """Return values shortened until their size by ``weigh`` is at most ``longest``; unchanged if they fit.

    Raises InputError if they do not fit even in the shortest form.
    """
    for text, entries in _STEPS:
        left: Counter[str] = Counter()
        made = {name: _cut(value, name, text, entries, left, name) for name, value in values.items()}
        if left:
            made[LEFT_OUT] = dict(left)
        if weigh(made) <= longest:
            return made
    raise InputError("the answer is too long: request fewer items, or detail=full")


def _cut(value: Any, name: str, text: int | None, entries: int | None, left: Counter[str], place: str) -> Any:
    if isinstance(value, str):
        if text is None:
            return value
        return cut(value, max(text, _LONGEST_NAME) if name in _NAMES else text)
    if isinstance(value, Mapping):
        return {
            cut(key, _LONGEST_NAME) if text is not None else key: _cut(
                one, key, text, entries, left, f"{place}.{key}" if key.isidentifier() else place
            )
            for key, one in _first(
                list(value.items()), None if entries is None else 2 * entries + 20, left, place
            )
        }
    if isinstance(value, list | tuple):
        return [_cut(one, name, text, entries, left, place) for one in _first(value, entries, left, place)]
    return value


def _first(found: Any, entries: int | None, left: Counter[str], place: str) -> Any:
    if entries is None or len(found) <= entries:
        return found
    left[place[:_LONGEST_NAME]] += len(found) - entries
    return found[:entries]


# Passages of a document from a position on, with their references.

# Longest names, most headings and most references listed with a passage.
LONGEST_NAME, MOST_HEADINGS, MOST_CITED = 300, 10, 8
# References examined in one call.
MOST_REFERENCES = 2000


@dataclass(frozen=True, slots=True)
class Spot:
    """A position in a document.

    ``document`` is an index into the documents, ``position`` counts passages from 0; ``whole``: the request
    named a document or section, not a passage.
    """

    document: int
    position: int
    whole: bool


@dataclass(frozen=True, slots=True)
class Choices:
    """Provisions that a citation may mean, by passage id; ``note`` explains why there are several."""

    choices: dict[str, str]
    note: str


def find_spot(corpus: Corpus, what: str, day: date) -> Spot | Choices:
    """Return the position of a passage, section or document by its id, or of a cited provision.

    Raises InputError if nothing matches.
    """
    row = int(corpus.rows([what])[0])
    if row >= 0:
        return _find_row(corpus, row)
    documents = corpus.documents()
    for number, document in enumerate(documents):
        if document.id == what:
            return Spot(number, 0, whole=True)
    section = _find_section(corpus, documents, what)
    return section or _find_citation(corpus, what, day)


def _find_row(corpus: Corpus, row: int) -> Spot:
    own = np.asarray([row], np.int32)
    (passage,) = corpus.passages(own)
    return Spot(int(corpus.document_numbers(own)[0]), passage.position, whole=False)


def _find_section(corpus: Corpus, documents: Sequence[Document], what: str) -> Spot | None:
    for number, document in enumerate(documents):
        if not what.startswith(document.id):
            continue
        for section in corpus.sections(corpus.document_sections(number).tolist()):
            if section.id == what:
                return Spot(number, section.first, whole=True)
    return None


def _find_citation(corpus: Corpus, words: str, day: date) -> Spot | Choices:
    languages = list(corpus.info().languages)
    named = provisions_named(corpus, words, languages[0], day) if languages else []
    for one in named:
        if one.status is Naming.FOUND and one.passage_ids:
            return _find_row(corpus, int(corpus.rows([one.passage_ids[0]])[0]))
    choices = {choice.passage_id: choice.label for one in named for choice in one.choices}
    note = "; ".join(dict.fromkeys(one.note for one in named if one.note))
    if choices:
        return Choices(choices, note or f"{words!r} is ambiguous; read one of these by its id")
    raise InputError(
        f"{words[:80]!r} is neither an id in the corpus {corpus.name!r} nor a citation of a provision in it"
        + (f": {note}" if note else "")
    )


def read_passages(
    corpus: Corpus,
    number: int,
    first: int,
    stop: int,
    day: date,
    *,
    start: int = 0,
    room: int,
    weigh: Callable[[object], int] = characters,
) -> dict[str, Any]:
    """Return the passages of a document between two positions, as many as ``room`` allows by ``weigh``.

    ``start`` is the character of the first passage to begin at. A first passage that does not fit is cut at a
    word; ``next`` is the position and character to continue at, None at the end.
    """
    document = corpus.documents()[number]
    (rows,) = corpus.by_document([document.id])
    first, stop = max(first, 0), min(stop, len(rows))
    if first >= len(rows):
        raise InputError(f"at: {document.id!r} has {len(rows):,} passages, the first is 0")
    own = rows[first:stop]
    passages: list[dict[str, Any]] = []
    next_start: dict[str, int] | None = None
    cites = _cites(corpus, own)
    citing = np.bincount(corpus.references_to(own).origins, minlength=len(own)).tolist()
    for index, passage in enumerate(corpus.passages(own)):
        since = start if index == 0 else 0
        if since > len(passage.text):
            raise InputError(f"start: the passage has {len(passage.text):,} characters")
        passage_values = _passage_values(passage, document, day, since)
        passage_values |= {"cites": cites.get(index, []), "cited_by": citing[index]}
        room -= weigh(passage_values)
        if room < 0 and passages:
            next_start = {"at": passage.position, "start": 0}
            break
        if room < 0:
            passage_values["text"] = _beginning(
                passage_values["text"], room + weigh(passage_values), passage_values, weigh
            )
            passages.append(passage_values)
            next_start = {"at": passage.position, "start": since + len(passage_values["text"])}
            passage_values["text"] += f" … ({len(passage.text):,} characters)"
            break
        passages.append(passage_values)
    if next_start is None and stop < len(rows):
        next_start = {"at": stop, "start": 0}
    return {"passages": passages, "first": first, "length": len(rows), "next": next_start}


def _beginning(text: str, room: int, one: dict[str, Any], weigh: Callable[[object], int]) -> str:
    """Return as much of a text as fits with the other fields of its passage; at least one word."""
    around, low, high = weigh({**one, "text": ""}), 1, len(text)
    while low < high:
        middle = (low + high + 1) // 2
        if around + weigh(text[:middle]) <= room:
            low = middle
        else:
            high = middle - 1
    head = text[:low]
    words = head.rsplit(None, 1)[0] if any(map(str.isspace, head.strip())) else head
    return words or head


def _passage_values(passage: Passage, document: Document, day: date, since: int) -> dict[str, Any]:
    found = badge(passage, document, day)
    return {
        "id": passage.id,
        "at": passage.position,
        "label": cut(passage.label, LONGEST_NAME),
        "headings": [cut(heading, LONGEST_NAME) for heading in passage.headings[:MOST_HEADINGS]],
        "citation": cut(full_citation(passage, document), 2 * LONGEST_NAME),
        "page": passage.page,
        "language": passage.language,
        "validity": None if found is None else found.words,
        "out_of_force": found is not None and found.old,
        "text": passage.text[since:],
        "characters": len(passage.text),
    }


def _cites(corpus: Corpus, rows: Rows) -> dict[int, list[dict[str, Any]]]:
    made = corpus.references_from(rows)
    found: dict[int, list[dict[str, Any]]] = {}
    origins = made.origins.tolist()[:MOST_REFERENCES]
    references = corpus.references(made.numbers.tolist()[:MOST_REFERENCES])
    texts = [passage.text for passage in corpus.passages(rows)]
    for origin, reference in zip(origins, references, strict=True):
        cited = found.setdefault(origin, [])
        if len(cited) < MOST_CITED:
            target = reference.target_id if reference.status is Status.RESOLVED else None
            cited.append(
                {
                    "words": cut(texts[origin][reference.span.start : reference.span.end], LONGEST_NAME),
                    "relation": reference.relation.value,
                    "to": target,
                    "status": reference.status.value,
                }
            )
    return found
