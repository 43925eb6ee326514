"""The deterministic twin: what the corpus's own graph says, as proposals that a person may check.

No model is asked. Of each relation a sample is drawn by a seed, so that verdicts on it give a fair figure
for how often the grammars are right.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

import numpy as np

from engine.corpus.extracted.proposal import Proposal, occurrence_at
from engine.corpus.protocol import Corpus, Rows
from engine.model import Entity, EntityKind, Passage, Relation, Status

CHECKED_RELATIONS = (
    Relation.DEFINES,
    Relation.EXCEPTION_TO,
    Relation.EXTENDS,
    Relation.APPLIES_TO,
    Relation.AMENDS,
)
SAMPLE = 60
TERMS = "definitions"


def stated(corpus: Corpus, *, sample: int = SAMPLE, seed: int = 0) -> list[Proposal]:
    """A sample of the references of each relation, and of the terms that passages define."""
    found: list[Proposal] = []
    for relation in CHECKED_RELATIONS:
        numbers = corpus.reference_numbers(statuses=[Status.RESOLVED], relations=[relation])
        found += _references(corpus, _drawn(numbers, sample, seed))
    return found + list(_terms(corpus, sample, seed))


def stated_counts(corpus: Corpus) -> dict[str, int]:
    """How many there are of each relation, of which ``stated`` draws a sample."""
    counts = {
        relation.value: len(corpus.reference_numbers(statuses=[Status.RESOLVED], relations=[relation]))
        for relation in CHECKED_RELATIONS
    }
    return {name: count for name, count in counts.items() if count}


def _references(corpus: Corpus, numbers: list[int]) -> list[Proposal]:
    references = corpus.references(numbers)
    passages = corpus.passages(corpus.rows([one.source_id for one in references])) if references else []
    found = []
    for reference, passage in zip(references, passages, strict=True):
        if not reference.text.strip() or reference.target_id is None:
            continue
        found.append(
            Proposal(
                source_id=passage.id,
                quote=reference.text,
                occurrence=occurrence_at(passage.text, reference.text, reference.span.start),
                relation=reference.relation,
                target_id=reference.target_id,
                confidence=reference.confidence,
                said_by=reference.grammar,
            )
        )
    return found


def _terms(corpus: Corpus, sample: int, seed: int) -> Iterator[Proposal]:
    """Defined terms whose definition has their name, with it as the words to look at."""
    defined = [
        entity
        for entity in corpus.entities(range(corpus.info().entities))
        if entity.definitions and entity.kind is not EntityKind.TITLE
    ]
    order = np.random.default_rng(seed).permutation(len(defined)).tolist()
    left = sample
    for number in order:
        proposal = _term(defined[number], corpus)
        if proposal is not None:
            yield proposal
            left -= 1
        if left <= 0:
            return


def _term(entity: Entity, corpus: Corpus) -> Proposal | None:
    row = corpus.rows([entity.definitions[0]])
    if int(row[0]) < 0:
        return None
    (passage,) = corpus.passages(row)
    span = _named(entity.name, passage)
    if span is None:
        return None
    words = passage.text[span[0] : span[1]]
    return Proposal(
        source_id=passage.id,
        quote=words,
        occurrence=occurrence_at(passage.text, words, span[0]),
        relation=Relation.DEFINES,
        concept=" ".join(words.split()),
        said_by=TERMS,
    )


def _named(name: str, passage: Passage) -> tuple[int, int] | None:
    words = r"\s+".join(re.escape(word) for word in name.split())
    found = re.search(words, passage.text, re.IGNORECASE) if words else None
    return None if found is None else found.span()


def _drawn(numbers: Rows, sample: int, seed: int) -> list[int]:
    """A sample of some numbers, the same for the same seed, in their order."""
    places = np.sort(np.random.default_rng(seed).permutation(len(numbers))[:sample])
    chosen: list[int] = numbers[places].tolist()
    return chosen
