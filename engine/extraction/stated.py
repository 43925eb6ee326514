"""The deterministic fallback: what the corpus's own graph says, as proposals that a person may check.

No model is asked. Of each relation a sample is drawn by a seed, so that verdicts on it give a fair figure
for how often the grammars are right.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

import numpy as np

from engine.corpus.extracted.proposal import Proposal, occurrence_at
from engine.corpus.protocol import Corpus, Rows
from engine.investigation.definitions import defined_terms
from engine.model import Passage, Relation, Status

CHECKED_RELATIONS = (
    Relation.DEFINES,
    Relation.INTERPRETS,
    Relation.EXCEPTION_TO,
    Relation.SUBJECT_TO,
    Relation.WITHOUT_PREJUDICE_TO,
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
    """Terms and the passages that define them, with the term as the words to look at."""
    terms = defined_terms(corpus)
    order = np.random.default_rng(seed).permutation(len(terms)).tolist()
    drawn = order[: 2 * sample]
    rows = np.array([terms.stated_in(number)[0] for number in drawn], np.int32)
    found = [
        proposal
        for number, passage in zip(drawn, corpus.passages(rows), strict=True)
        if (proposal := _term(terms.names[number], passage)) is not None
    ]
    yield from found[:sample]


def _term(name: str, passage: Passage) -> Proposal | None:
    """A term as its definition writes it; None where it writes it otherwise."""
    span = _named(name, passage.text)
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


def _named(name: str, text: str) -> tuple[int, int] | None:
    """Where a text names a term: in quotation marks or at the beginning of a line first, else anywhere."""
    words = r"\s+".join(re.escape(word) for word in name.split())
    found = re.search(rf"(?:^|[\"“„«‘'])\s*({words})", text, re.IGNORECASE | re.MULTILINE)
    found = found or re.search(f"({words})", text, re.IGNORECASE)
    return None if found is None else found.span(1)


def _drawn(numbers: Rows, sample: int, seed: int) -> list[int]:
    """A sample of some numbers, the same for the same seed, in their order."""
    places = np.sort(np.random.default_rng(seed).permutation(len(numbers))[:sample])
    chosen: list[int] = numbers[places].tolist()
    return chosen
