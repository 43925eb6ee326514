"""What of a case can be judged: its passages, the hops of the trails that it shows, and what is answered."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from hashlib import blake2b
from typing import Any, NamedTuple

from engine.answers.answer import answer
from engine.answers.record import Answer
from engine.corpus.protocol import Corpus
from engine.errors import InputError
from engine.investigation.presentation import group_identical
from engine.model import Direction, Passage
from engine.records.phrases import short_citation
from engine.records.restoring import investigation_of
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
    once = list(_judged_once(items, [read[one].passage for one in order if one in read]))
    size = sum(item.rank is not None for item in once)
    return [replace(item, ranking_size=size) for item in once]


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
            detail=hop["detail"],
            backward=hop["direction"] == Direction.IN,
            source_label=read[hop["source"]].label,
            source_text=read[hop["source"]].passage.text,
            **_described(read[hop["target"]]),
        )
        for key, (hop, rank) in hops.items()
        if hop["source"] in read and hop["target"] in read
    ]


def answer_items(record: Record, case_id: str, corpus: Corpus) -> list[Item]:
    """The sentences of the answer to a case without a language model, which records do not hold: it is given
    again, as the page gives it. Nothing where the corpus has no more what the record names."""
    try:
        made = answer(investigation_of(record, corpus), corpus)
    except InputError:
        return []
    return sentence_items(made, record, case_id, corpus)


def sentence_items(made: Answer, record: Record, case_id: str, corpus: Corpus) -> list[Item]:
    """The sentences of an answer to a case, each once, with the words of the passages that it rests on and
    what it takes of them, a line each; the last of them is its passage, none where it rests on nothing that
    the corpus has."""
    nodes, distances = {node["id"]: node for node in record["pool"]["nodes"]}, None
    cited = [[place for n in one.citations for place in made.citation(n).places] for one in made.sentences]
    read = _read(sorted({passage_id for places in cited for passage_id, _ in places}), corpus)
    found: dict[str, Item] = {}
    for sentence, places in zip(made.sentences, cited, strict=True):
        there = [(read[passage_id], span) for passage_id, span in places if passage_id in read]
        own = there[-1][0] if there else None
        passage_id = "" if own is None else own.passage.id
        # By its words: another answer to the same case may have another sentence in its place.
        digest = blake2b(sentence.text.encode(), digest_size=8).hexdigest()
        key = f"{ItemKind.SENTENCE.value}:{digest}:{passage_id}"
        item = Item(case_id, ItemKind.SENTENCE, key, passage_id, language=sentence.language)
        if own is not None:
            distances = distances or _distances(record["pool"]["edges"])
            node = nodes.get(passage_id, {})
            texts = dict.fromkeys(one.passage.text for one, _ in there)
            labels = dict.fromkeys(one.label for one, _ in there)
            item = replace(
                item,
                **_described(own),
                strategy=node.get("strategy", ""),
                round=node.get("round", 0),
                distance=distances.get(passage_id, 1),
                source_text="\n\n".join(texts),
                source_label="; ".join(labels),
                quote="\n".join(
                    " ".join(one.passage.text[span.start : span.end].split()) for one, span in there
                ),
            )
        found.setdefault(key, replace(item, text=sentence.text))
    return list(found.values())


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
    same, told = group_identical(passages), set[str]()
    keys = {item.passage_id: item.key for item in items}
    for item in items:
        if item.key in told:
            continue
        copies = [keys[one] for one in same.get(item.passage_id, ()) if keys[one] not in (*told, item.key)]
        told.update((item.key, *copies))
        yield replace(item, copies=tuple(copies))
