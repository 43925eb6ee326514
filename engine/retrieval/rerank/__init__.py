"""Judges of a question and a text read together: cross-encoders, by a short spec string."""

from engine.retrieval.rerank.base import Reranker, reads
from engine.retrieval.rerank.judging import BUDGET, STOPPED, Judged, Judging
from engine.retrieval.rerank.spec import NO_RERANKER, reranker

__all__ = ["BUDGET", "NO_RERANKER", "STOPPED", "Judged", "Judging", "Reranker", "reads", "reranker"]
