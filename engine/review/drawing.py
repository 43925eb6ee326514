"""A queue drawn from cases: what of each is judged, and how that was chosen, to be estimated from later."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import asdict, fields
from typing import Any

from engine.corpus.protocol import Corpus
from engine.errors import InputError
from engine.review.items import Record, hop_items, passage_items
from engine.review.kept import Queue, QueuedItem
from engine.review.model import Item
from engine.review.sampling import Sampling, drawn


def drawn_from(cases: Iterable[tuple[str, Record]], corpus: Corpus, sampling: Sampling) -> list[QueuedItem]:
    """Items of cases, given by their ids and records, one case after the other."""
    found = []
    for case_id, record in cases:
        hops = hop_items(record, case_id, corpus) if sampling.hops else []
        found += drawn(passage_items(record, case_id, corpus), hops, record, sampling)
    return found


def items_named(
    cases: Iterable[tuple[str, str, Record]], corpus: Corpus, *, hops: bool
) -> Iterator[tuple[Item, str]]:
    """All items of cases, given by their ids, questions and records, with the questions."""
    for case_id, question, record in cases:
        for item in passage_items(record, case_id, corpus):
            yield item, question
        for item in hop_items(record, case_id, corpus) if hops else ():
            yield item, question


def settings_of(sampling: Sampling) -> dict[str, Any]:
    """How items were drawn, as the settings of their queue."""
    return {"sampling": asdict(sampling) | {"assigned": list(sampling.assigned)}}


def sampling_of(queue: Queue) -> Sampling:
    """How the items of a queue were drawn. Raises InputError where it does not say."""
    said = queue.settings.get("sampling")
    names = {one.name for one in fields(Sampling)}
    if not isinstance(said, Mapping) or not names <= said.keys():
        raise InputError(f"queue {queue.id} does not say how it was drawn: nothing is estimated from it")
    return Sampling(**{name: said[name] for name in names} | {"assigned": tuple(said["assigned"])})
