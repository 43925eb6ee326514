"""What of a case can be judged: its passages, and the hops of the trails that it shows."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

from engine.corpus.protocol import Corpus
from engine.investigation.presentation import same_words
from engine.model import Direction, Passage
from engine.records.citation import short_citation
from engine.review.model import Item, ItemKind

Record = Mapping[str, Any]


class _Read(NamedTuple):
    passage: Passage
    title: str
    document_type: str
    label: str


def passage_items(record: Record, case_id: str, corpus: Corpus) -> list[Item]:
    """The passages of a case's pool: those that are ranked in their order, then the others in that of their
    admission. Of passages with the same words there is the first, which names the others.

    ``record`` is what ``investigation_to_json`` makes. Passages that the corpus has no more are left out.
    """
    nodes = {node["id"]: node for node in record["pool"]["nodes"]}
    ranked = {passage["id"]: passage for passage in record["passages"]}
    order = [*ranked, *(one for one in nodes if one not in ranked)]
    read, distances = _read(order, corpus), _distances(record["pool"]["edges"])
    items = [
        Item(
            case_id,
            ItemKind.PASSAGE,
            f"{ItemKind.PASSAGE.value}:{one}",
            one,
            strategy=nodes[one]["strategy"] if one in nodes else "",
            round=nodes[one]["round"] if one in nodes else 0,
            distance=distances.get(one, 1),
            rank=ranked[one]["rank"] if one in ranked else None,
            score=ranked[one]["score"] if one in ranked else None,
            **_described(read[one]),
        )
        for one in order
        if one in read
    ]
    return list(_judged_once(items, [read[one].passage for one in order if one in read]))


def hop_items(record: Record, case_id: str, corpus: Corpus) -> list[Item]:
    """The hops between passages on the trails that a case shows, each once, in the order of the ranking; not
    those from the question or from a query. As ``passage_items`` besides."""
    hops: dict[str, tuple[Mapping[str, Any], int | None]] = {}
    for passage in record["passages"]:
        for hop in (hop for trail in passage["trails"] for hop in trail):
            if hop["source"] is not None:
                key = f"{ItemKind.HOP.value}:{hop['source']}>{hop['relation']}>{hop['target']}"
                hops.setdefault(key, (hop, passage["rank"]))
    ends = {end for hop, _ in hops.values() for end in (hop["source"], hop["target"])}
    read, distances = _read(sorted(ends), corpus), _distances(record["pool"]["edges"])
    return [
        Item(
            case_id,
            ItemKind.HOP,
            key,
            hop["target"],
            source_id=hop["source"],
            relation=hop["relation"],
            strategy=hop["strategy"],
            round=hop["round"],
            distance=distances.get(hop["target"], 1),
            rank=rank,
            quote=hop["quote"],
            backward=hop["direction"] == Direction.IN,
            source_label=read[hop["source"]].label,
            source_text=read[hop["source"]].passage.text,
            **_described(read[hop["target"]]),
        )
        for key, (hop, rank) in hops.items()
        if hop["source"] in read and hop["target"] in read
    ]


def sentence_items(
    sentences: Iterable[tuple[str, str]], record: Record, case_id: str, corpus: Corpus
) -> list[Item]:
    """The sentences of an answer to a case, each with the id of the passage that it rests on, empty for
    none."""
    told = list(sentences)
    read = _read([passage_id for _, passage_id in told if passage_id], corpus)
    items = []
    for number, (sentence, passage_id) in enumerate(told, 1):
        own = read.get(passage_id)
        item = Item(
            case_id,
            ItemKind.SENTENCE,
            f"{ItemKind.SENTENCE.value}:{number}:{passage_id}",
            passage_id if own is not None else "",
            language=record["plan"]["language"],
        )
        if own is not None:
            item = replace(
                item, **_described(own) | {"source_text": own.passage.text, "source_label": own.label}
            )
        items.append(replace(item, text=sentence))
    return items


def _described(read: _Read) -> dict[str, Any]:
    passage = read.passage
    return {
        "document_id": passage.document_id,
        "document_type": read.document_type,
        "language": passage.language,
        "title": read.title,
        "label": read.label,
        "text": passage.text,
    }


def _read(ids: Sequence[str], corpus: Corpus) -> dict[str, _Read]:
    """Passages by their ids, as far as the corpus has them."""
    rows = corpus.rows(list(ids))
    there = rows[rows >= 0]
    documents, numbers = corpus.documents(), corpus.document_numbers(there).tolist()
    found = {}
    for passage, number in zip(corpus.passages(there), numbers, strict=True):
        own = documents[number]
        found[passage.id] = _Read(passage, own.title, own.type or "", short_citation(passage, own))
    return found


def _distances(edges: Iterable[Mapping[str, Any]]) -> dict[str, int]:
    """How many hops each passage of a pool is away from the question, or from a query for a gap."""
    onward: dict[str | None, list[str]] = {}
    for edge in edges:
        onward.setdefault(edge["source"], []).append(edge["target"])
    found: dict[str, int] = {}
    waiting: deque[tuple[str | None, int]] = deque([(None, 0)])
    while waiting:
        place, distance = waiting.popleft()
        for target in onward.get(place, ()):
            if target not in found:
                found[target] = distance + 1
                waiting.append((target, distance + 1))
    return found


def _judged_once(items: Sequence[Item], passages: Sequence[Passage]) -> Iterator[Item]:
    """Of items whose passages have the same words the first, with the keys of the others."""
    same, told = same_words(passages), set[str]()
    keys = {item.passage_id: item.key for item in items}
    for item in items:
        if item.key in told:
            continue
        copies = [keys[one] for one in same.get(item.passage_id, ()) if keys[one] not in (*told, item.key)]
        told.update((item.key, *copies))
        yield replace(item, copies=tuple(copies))
