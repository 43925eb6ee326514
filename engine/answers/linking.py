"""Which sentences of a brief stand in it by a link of the corpus: exceptions, and what prevails."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

import numpy as np

from engine.answers.record import Citation, Link, Sentence
from engine.corpus.protocol import Corpus
from engine.model import Direction, Relation

_RELATIONS = tuple(Relation)
# How what limits a rule is linked to it.
_LIMITING = (
    (Direction.IN, (Relation.EXCEPTION_TO,)),
    (Direction.OUT, (Relation.SUBJECT_TO, Relation.WITHOUT_PREJUDICE_TO)),
)


def with_links(
    sentences: Sequence[Sentence], citations: Sequence[Citation], corpus: Corpus
) -> tuple[Sentence, ...]:
    """Sentences, each with the link by which it limits one before it, where the corpus has such a link."""
    passages = [
        list(dict.fromkeys(place for number in one.citations for place, _ in citations[number - 1].places))
        for one in sentences
    ]
    linked, before = [], dict[str, None]()
    for sentence, own in zip(sentences, passages, strict=True):
        found = _links(list(before), own, corpus) if before and own else iter(())
        linked.append(replace(sentence, link=next(found, None)))
        before.update(dict.fromkeys(own))
    return tuple(linked)


def _links(rules: list[str], limits: list[str], corpus: Corpus) -> Iterator[Link]:
    """The links by which some passages limit others, the first of those first."""
    rows = corpus.rows(rules)
    places = dict(zip(corpus.rows(limits).tolist(), limits, strict=True))
    for direction, relations in _LIMITING:
        found = corpus.neighbours(rows, relations, direction)
        inside = np.isin(found.rows, list(places))
        for origin, row, relation in zip(
            found.origins[inside].tolist(),
            found.rows[inside].tolist(),
            found.relations[inside].tolist(),
            strict=True,
        ):
            ends = (rules[origin], places[row])
            if ends[0] != ends[1]:
                yield (*(ends if direction is Direction.OUT else ends[::-1]), _RELATIONS[relation].value)
