"""Rerankers, which read a question and a text together: cross-encoders and language models."""

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
