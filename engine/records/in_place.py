"""Passages read in place, within the room that is given."""

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
from engine.records.wording import full_citation
from engine.retrieval.planning.named import provisions_named

# Plain values made short enough to be read at once: texts are cut at a word, lists at an entry.
#
# Nothing is cut in silence: a text that was cut ends with its whole length, and ``left_out``
# counts by their place the entries that are not there.

LEFT_OUT = "left_out"
# Longest text, and most entries of a list, None for any: what is tried in turn until the whole is short.
_STEPS: tuple[tuple[int | None, int | None], ...] = (
    (None, None), (3000, None), (2000, 200), (1200, 100), (900, 100), (700, 60), (500, 60), (400, 60),
    (300, 60), (250, 40), (200, 30), (200, 20), (150, 15), (120, 10), (100, 6), (80, 4), (60, 2), (40, 1),
)  # fmt: skip
# By these names something is asked for again: they are worth nothing in part.
_NAMES = frozenset({
    "id", "case", "passage", "passages", "document", "corpus", "url", "source", "target", "to", "assembled",
})  # fmt: skip
_LONGEST_NAME = 200


def characters(value: object) -> int:
    """How long a value is as JSON."""
    return len(json.dumps(value, ensure_ascii=False, separators=(",", ":")))


def cut(text: str, longest: int) -> str:
    """The beginning of a text, cut at a word, and how long the whole is: "The owner … (5,210 characters)"."""
    if len(text) <= longest:
        return text
    told = f"… ({len(text):,} characters)"
    head = text[: max(longest - len(told) - 1, 0)]
    words = head.rsplit(None, 1)
    # A text without spaces is cut where it is.
    head = words[0] if len(words) == 2 and len(words[0]) > len(head) // 2 else head.rstrip()
    return f"{head} {told}".lstrip()


def fitted(
    values: Mapping[str, Any], longest: int, weigh: Callable[[object], int] = characters
) -> dict[str, Any]:
    """The values as they are where they weigh ``longest`` at most; else as much of them as does.

    Raises InputError where even a word of each is too much.
    """
    for text, entries in _STEPS:
        left: Counter[str] = Counter()
        made = {name: _cut(value, name, text, entries, left, name) for name, value in values.items()}
        if left:
            made[LEFT_OUT] = dict(left)
        if weigh(made) <= longest:
            return made
    raise InputError("the answer is too long to be sent so: ask for less, or for detail=full")


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


# Documents read in place: passages from a position on, with what they cite and how often they are
# cited.

# What stands around the words of a passage: names so long, so many headings, so much of what it cites.
LONGEST_NAME, MOST_HEADINGS, MOST_CITED = 300, 10, 8
# References of one stretch that are looked at.
MOST_REFERENCES = 2000


@dataclass(frozen=True, slots=True)
class Spot:
    """A place in a document: its row among the documents, and a position in it, from 0. ``whole``: the
    document or a section was named, and not a passage of it."""

    document: int
    position: int
    whole: bool


@dataclass(frozen=True, slots=True)
class Choices:
    """Provisions that words may mean, by the ids of their passages; ``note`` says why there is not one."""

    choices: dict[str, str]
    note: str


def spot_of(corpus: Corpus, what: str, day: date) -> Spot | Choices:
    """The place of a passage, a section or a document by its id, or of the provision that words cite.

    Raises InputError where nothing is there.
    """
    row = int(corpus.rows([what])[0])
    if row >= 0:
        return _spot_of_row(corpus, row)
    documents = corpus.documents()
    for number, document in enumerate(documents):
        if document.id == what:
            return Spot(number, 0, whole=True)
    section = _section(corpus, documents, what)
    return section or _cited(corpus, what, day)


def _spot_of_row(corpus: Corpus, row: int) -> Spot:
    own = np.asarray([row], np.int32)
    (passage,) = corpus.passages(own)
    return Spot(int(corpus.document_numbers(own)[0]), passage.position, whole=False)


def _section(corpus: Corpus, documents: Sequence[Document], what: str) -> Spot | None:
    for number, document in enumerate(documents):
        if not what.startswith(document.id):
            continue
        for section in corpus.sections(corpus.document_sections(number).tolist()):
            if section.id == what:
                return Spot(number, section.first, whole=True)
    return None


def _cited(corpus: Corpus, words: str, day: date) -> Spot | Choices:
    languages = list(corpus.info().languages)
    named = provisions_named(corpus, words, languages[0], day) if languages else []
    for one in named:
        if one.status is Naming.FOUND and one.passage_ids:
            return _spot_of_row(corpus, int(corpus.rows([one.passage_ids[0]])[0]))
    choices = {choice.passage_id: choice.label for one in named for choice in one.choices}
    note = "; ".join(dict.fromkeys(one.note for one in named if one.note))
    if choices:
        return Choices(
            choices, note or f"there are several: {words!r} may be any of them; read one by its id"
        )
    raise InputError(
        f"{words[:80]!r} is no id of the corpus {corpus.name!r} and cites no provision of it"
        + (f": {note}" if note else "")
    )


def stretch(
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
    """The passages of a document from one position to another, as many as weigh ``room``.

    ``start``: the character of the first passage at which to begin. One passage that is longer than the room
    is cut at a word; ``next`` is the position, and the character in it, at which to go on, None at the end.
    """
    document = corpus.documents()[number]
    (rows,) = corpus.by_document([document.id])
    first, stop = max(first, 0), min(stop, len(rows))
    if first >= len(rows):
        raise InputError(f"at: {document.id!r} has {len(rows):,} passages, the first is 0")
    own = rows[first:stop]
    told: list[dict[str, Any]] = []
    going_on: dict[str, int] | None = None
    cites = _cites(corpus, own)
    citing = np.bincount(corpus.references_to(own).origins, minlength=len(own)).tolist()
    for index, passage in enumerate(corpus.passages(own)):
        since = start if index == 0 else 0
        if since > len(passage.text):
            raise InputError(f"start: the passage has {len(passage.text):,} characters")
        one = _told(passage, document, day, since)
        one |= {"cites": cites.get(index, []), "cited_by": citing[index]}
        room -= weigh(one)
        if room < 0 and told:
            going_on = {"at": passage.position, "start": 0}
            break
        if room < 0:
            one["text"] = _beginning(one["text"], room + weigh(one), one, weigh)
            told.append(one)
            going_on = {"at": passage.position, "start": since + len(one["text"])}
            one["text"] += f" … ({len(passage.text):,} characters)"
            break
        told.append(one)
    if going_on is None and stop < len(rows):
        going_on = {"at": stop, "start": 0}
    return {"passages": told, "first": first, "length": len(rows), "next": going_on}


def _beginning(text: str, room: int, one: dict[str, Any], weigh: Callable[[object], int]) -> str:
    """As much of a text as weighs so much together with what stands around it; at least a word of it."""
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


def _told(passage: Passage, document: Document, day: date, since: int) -> dict[str, Any]:
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
        told = found.setdefault(origin, [])
        if len(told) < MOST_CITED:
            target = reference.target_id if reference.status is Status.RESOLVED else None
            told.append(
                {
                    "words": cut(texts[origin][reference.span.start : reference.span.end], LONGEST_NAME),
                    "relation": reference.relation.value,
                    "to": target,
                    "status": reference.status.value,
                }
            )
    return found
