"""What a case knows of how complete its pool is, before anyone has judged a passage.

Independent ways that found the same passages (capture and recapture), what the last round still brought,
how far the relevance falls inside the pool, and what kind of question it is. Every piece is in 0..1 and
``SIGNS`` says which way it counts.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType

import numpy as np
from numpy.typing import NDArray

from engine.corpus.protocol import Rows, Scores
from engine.investigation.evidence import LOOKED_AT, Part, comparable_text
from engine.investigation.pool import Entry, Pool, Reading
from engine.investigation.round import NAMED, PERSON, SCAN
from engine.investigation.view import references_held
from engine.language.analysis import analyzer
from engine.language.embedders.transformer import PACKAGED_SPEC
from engine.model import Evidence as Borne
from engine.model import EvidenceStatus, Intent
from engine.retrieval.retrievers.dense import DENSE
from engine.retrieval.retrievers.lexical import LEXICAL
from engine.retrieval.scan import Scan

# +1: the more of it, the more was found; -1: the less. What each is, stands where it is made.
SIGNS: Mapping[str, int] = MappingProxyType(
    {
        "witnessed": 1,
        "ways": 1,
        "agreement": 1,
        "single": -1,
        "peak": 1,
        "border": 1,
        "yield": -1,
        "length": -1,
        "hops": -1,
        "nearness": 1,
        "words": 1,
        "alone": 1,
        "references": 1,
    }
)
# The best passages that stand for what is relevant, and those that are shown to a person.
BEST, SHOWN = 100, 30
# A retriever has found a passage, as one independent witness, if it ranks it this high: further down
# its list holds nearly everything.
WITNESS_DEPTH = 50
# More ways than this to one passage tell no more.
MOST_WAYS = 6
# Places of a retriever's list that are compared with another's, and that make the peak of the relevance.
HEAD = 10
# Terms of a question beyond this number add nothing to its length.
LONGEST = 100


@dataclass(frozen=True, slots=True)
class Evidence:
    """``values`` by the names of ``SIGNS``; what could not be had is left out.

    ``finders`` says how many ways found each of the best passages, best first, shape (at most BEST,);
    ``status`` whether the corpus bears the question at all, by the best of the pool.
    """

    values: Mapping[str, float]
    finders: tuple[int, ...]
    status: EvidenceStatus = EvidenceStatus.FOUND


def evidence_of(found: Scan, pool: Pool, number: int, reading: Reading) -> Evidence | None:
    """The evidence after round ``number`` (0: the scan); None for an empty pool.

    Besides the ways and the relevance: ``nearness`` of the nearest passage, the ``words`` of the question
    that the best passages hold together and that one of them holds ``alone``, and the ``references`` of the
    best whose target the pool holds.
    """
    if not len(pool):
        return None
    rows, entries = pool.rows(), pool.entries()
    corpus = found.relevance.corpus
    relevance = found.relevance.of(rows)
    order = np.lexsort((rows, -relevance))
    best = [entries[place] for place in order[:BEST].tolist()]
    ways = pool.ways((SCAN, PERSON, NAMED))[order[:BEST]].tolist()
    finders = tuple(_retrievers(entry, found) + way for entry, way in zip(best, ways, strict=True))
    values = capture(finders) | shape(relevance[order])
    rounds = np.fromiter((entry.round for entry in entries), np.int32, len(entries))
    values["yield"] = last_yield(relevance, rounds, number)
    agreement = _agreement(found)
    # Words without meaning, or the other way round: half of what the sets were scanned by.
    values["single"] = float(agreement is None)
    if agreement is not None:
        values["agreement"] = agreement
    plan = found.relevance.plan
    terms = len(analyzer(plan.language).terms(plan.question))
    values["length"] = min(math.log1p(terms) / math.log1p(LONGEST), 1.0)
    values["hops"] = float(plan.intent is Intent.MULTI_HOP)
    judged = _judged(found, rows[order][:LOOKED_AT], reading)
    names = {"nearness": "nearness", "together": "words", "best": "alone"}
    values |= {names[name]: value for name, value in judged.numbers.items() if name in names}
    if corpus.embedding != PACKAGED_SPEC:
        # How near is near was measured with the packaged model.
        values.pop("nearness", None)
    references = references_held(corpus, rows[order][:LOOKED_AT], rows)
    if references is not None:
        values["references"] = references
    return Evidence(values, finders, judged.status)


def _judged(found: Scan, best: Rows, reading: Reading) -> Borne:
    """What the best passages are for the question's own words."""
    corpus = found.relevance.corpus
    titles, numbers = corpus.documents(), corpus.document_numbers(best).tolist()
    texts = [
        comparable_text(passage, titles[number].title)
        for passage, number in zip(reading.passages(best), numbers, strict=True)
    ]
    return Part.of(found.relevance, 0).judged(found.relevance, texts)


def capture(finders: Sequence[int]) -> dict[str, float]:
    """How well the best passages are witnessed, from the number of ways that found each.

    ``witnessed``: Good's coverage, 1 - f1 / n, the chance that one more find is no news (Good, Biometrika
    40, 1953; the base of Chao and Lee's estimators, JASA 87, 1992). Unlike Chao1 it never falls when a way
    is added. ``ways``: ways to a passage on average, as a share of MOST_WAYS.
    """
    total = sum(finders)
    once = sum(1 for count in finders if count == 1)
    ways = sum(min(count, MOST_WAYS) for count in finders) / (MOST_WAYS * max(len(finders), 1))
    return {"witnessed": 1.0 - once / total if total else 0.0, "ways": ways}


def shape(relevance: Scores) -> dict[str, float]:
    """How the relevance falls, best first, shape (n,). ``peak``: share of the best HEAD in that of the best
    BEST, above what equal ones had; ``border``: how far the last of the best BEST is below the first."""
    best = np.maximum(relevance[:BEST].astype(np.float64), 0.0)
    total, top = float(best.sum()), float(best[0])
    if total <= 0:
        return {"peak": 0.0, "border": 0.0}
    return {
        "peak": max(0.0, float(best[:HEAD].sum()) / total - min(HEAD / len(best), 1.0)),
        "border": 1.0 - float(best[-1]) / top,
    }


def last_yield(relevance: Scores, rounds: NDArray[np.int32], number: int) -> float:
    """The best that round ``number`` brought as a share of the best there is; 1 after the scan, 0 for a
    round that brought nothing; shapes (n,)."""
    if number == 0:
        return 1.0
    last, best = relevance[rounds == number], float(relevance.max())
    return min(max(float(last.max()) / best, 0.0), 1.0) if len(last) and best > 0 else 0.0


def _retrievers(entry: Entry, found: Scan) -> int:
    """How many retrievers found a passage independently of each other."""
    hits = found.hits.get(entry.row, ())
    return len({hit.retriever for hit in hits if hit.rank <= WITNESS_DEPTH})


def _agreement(found: Scan) -> float | None:
    """Share of the first HEAD passages that words and meaning have in common; None without one of them."""
    answers = found.relevance.found
    if LEXICAL not in answers or DENSE not in answers:
        return None
    words, meaning = (answers[name].hits[0].rows[:HEAD] for name in (LEXICAL, DENSE))
    common = len(np.intersect1d(words, meaning))
    return common / max(1, min(HEAD, len(words), len(meaning)))
