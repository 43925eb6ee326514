"""Relevance judgements with two grades, as in most collections of TREC and BEIR: 1 is relevant, 0 is not."""

from __future__ import annotations

from pathlib import Path

from engine.review.exchange.drafts import MOST, Draft, Format
from engine.review.exchange.qrels import read_gains
from engine.review.model import Verdict


def read(path: Path, most: int = MOST) -> list[Draft]:
    """Read judgements in four columns (TREC) or three (BEIR). Raises SourceError, naming the line, for a gain
    other than 0 and 1: such a file has more grades."""
    return read_gains(path, {1: Verdict.RELEVANT, 0: Verdict.IRRELEVANT}, most)


FORMAT = Format(
    "binary-qrels",
    "Judgements of two grades (TREC, BEIR)",
    "judgements that others made: 1 is relevant, 0 is not",
    ".tsv",
    "text/tab-separated-values",
    read,
)
