"""The type of transaction that a question is about, proposed from what it asks and what it finds.

A type is told by its own words in the question, or by what they mean, and by its areas: their shares of what
the question finds, each the less the more other types need it. None is proposed where none stands out.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from engine.corpus.protocol import Ontology, Rows
from engine.investigation.affinity import affinity
from engine.investigation.facets import NONE, keywords_in, keywords_of, shares_of
from engine.language.embedders import Embedder
from engine.model import Transaction
from engine.retrieval.relevance import Relevance
from engine.settings import AUTO

# What areas, words and meaning count, and the sum from which a type is proposed; fitted on half of the
# sample's questions (see "Coverage" in benchmarks/RESULTS.md). Without vectors the meaning is the usual one.
OF_AREAS, OF_WORDS, USUAL_MEANING, CLEAR = 2.0, 0.6, 0.4, 0.75
# What a keyword of an area in the question is worth of a share.
ASKED = 0.1
# The sum that is as clear as can be.
CERTAIN = 2.0


def transaction_of(
    relevance: Relevance, first: Rows, wanted: str | None, embedder: Embedder | None = None
) -> Transaction | None:
    """The type that a person wants, or the one that the question tells; None without an ontology that has
    types. ``first`` are the scan's best rows, best first. Raises ModelError where the embedder fails."""
    ontology = relevance.corpus.ontology
    if ontology is None or not ontology.transactions:
        return None
    if wanted != AUTO:
        return Transaction(None if wanted == NONE else wanted)
    strengths = proposed(ontology, relevance, first, embedder)
    best = max(strengths, key=lambda name: strengths[name])
    clear = strengths[best] >= CLEAR / CERTAIN
    return Transaction(best if clear else None, True, strengths[best])


def proposed(
    ontology: Ontology, relevance: Relevance, first: Rows, embedder: Embedder | None = None
) -> Mapping[str, float]:
    """How clearly a question tells each type of transaction, 0..1."""
    text, language = relevance.plan.views[0].text, relevance.plan.language
    corpus = relevance.corpus
    belongs = affinity(corpus, ontology.areas).of(corpus, first, embedder)
    shares = shares_of(belongs, relevance.of(first))
    touched = {
        area.id: float(share) + ASKED * keywords_in(text, keywords_of(area, language), language)
        for area, share in zip(ontology.areas, shares, strict=True)
    }
    types = ontology.transactions
    needing = Counter(area for areas in types.values() for area in set(areas))
    rarity = {area: math.log1p(len(types) / count) ** 2 for area, count in needing.items()}
    found = {}
    for name, areas in types.items():
        total = sum(rarity[area] for area in areas)
        of_areas = sum(rarity[area] * touched[area] for area in areas) / total if total else 0.0
        words = _words(ontology, name, language)
        own = keywords_in(text, words, language)
        meant = _meant(relevance, words, embedder)
        sure = OF_AREAS * of_areas + OF_WORDS * own / (own + 1) + meant
        found[name] = max(0.0, min(1.0, sure / CERTAIN))
    return found


def _meant(relevance: Relevance, words: tuple[str, ...], embedder: Embedder | None) -> float:
    """The highest cosine that one of a type's words has to the question."""
    if embedder is None or relevance.vectors is None or not words:
        return USUAL_MEANING
    return float((_embedded(embedder, words) @ relevance.vectors[0]).max())


@lru_cache(maxsize=64)
def _embedded(embedder: Embedder, words: tuple[str, ...]) -> NDArray[np.float32]:
    """Vectors of a type's words, the same for every question."""
    return embedder.encode(words, "query")


def kinds_of(ontology: Ontology | None, language: str) -> dict[str, str]:
    """What the types of transactions of an ontology are called in a language, by their ids."""
    if ontology is None:
        return {}
    plain = {name: name.replace("-", " ").replace("_", " ").capitalize() for name in ontology.transactions}
    named = {name: words.names for name, words in ontology.wording.items()}
    return {name: named.get(name, {}).get(language, plain[name]) for name in plain}


def _words(ontology: Ontology, name: str, language: str) -> tuple[str, ...]:
    """What a type is called in a language; without words of its own, by its id."""
    wording = ontology.wording.get(name)
    if wording is None:
        return (name.replace("-", " ").replace("_", " "),)
    own = wording.names.get(language)
    return (*wording.keywords.get(language, ()), *((own,) if own else ()))
