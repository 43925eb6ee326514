"""Judges of a question and texts read together, by a short spec string: cross-encoders, language models."""

from engine.retrieval.rerank.base import BUDGET, STOPPED, Judged, Judging, Reranker, reads
from engine.retrieval.rerank.listwise import LISTWISE, ListwiseReranker
from engine.retrieval.rerank.spec import NO_RERANKER, reranker

__all__ = [
    "BUDGET",
    "LISTWISE",
    "NO_RERANKER",
    "STOPPED",
    "Judged",
    "Judging",
    "ListwiseReranker",
    "Reranker",
    "reads",
    "reranker",
]
