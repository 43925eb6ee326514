"""What a span of a retriever says that it retrieved."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import orjson

from engine.exports.reading import Record
from engine.exports.spans.otlp import Attributes, Value

# Collectors take so many attributes of a span, and no more.
MOST = 30
# An id and its score, best first.
Retrieved = tuple[str, float]


def texts_of(record: Record) -> dict[str, str]:
    """The texts that a record has, by passage: those of the ranked ones."""
    return {one.id: one.text for one in record.passages}


def of_strategy(record: Record, number: int, strategy: str, texts: Mapping[str, str]) -> Attributes:
    """What a strategy brought to the pool in a round, with its scores at the gate."""
    brought = [
        (node.id, node.score)
        for node in record.pool.nodes
        if node.round == number and node.strategy == strategy
    ]
    return documents(brought, texts)


def of_retriever(record: Record, retriever: str, texts: Mapping[str, str]) -> Attributes:
    """The ranked passages that a retriever found, each with its best score."""
    best: dict[str, float] = {}
    for one in record.passages:
        scores = [hit.score for hit in one.hits if hit.retriever == retriever]
        if scores:
            best[one.id] = max(scores)
    return documents(best.items(), texts)


def documents(retrieved: Iterable[Retrieved], texts: Mapping[str, str]) -> Attributes:
    """The best of them, flattened as OpenInference has it, and as one JSON text as OpenTelemetry has it;
    ``redstring.documents`` says how many there were."""
    ordered = sorted(retrieved, key=lambda one: (-one[1], one[0]))
    found: dict[str, Value | None] = {"redstring.documents": len(ordered)}
    kept = ordered[:MOST]
    for place, (passage, score) in enumerate(kept):
        name = f"retrieval.documents.{place}.document"
        found |= {f"{name}.id": passage, f"{name}.score": score, f"{name}.content": texts.get(passage)}
    listed = [{"id": passage, "score": score} for passage, score in kept]
    return {**found, "gen_ai.retrieval.documents": orjson.dumps(listed).decode()}
