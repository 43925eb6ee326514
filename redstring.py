"""Redstring for Python programs: ``import redstring``."""

from __future__ import annotations

from typing import TYPE_CHECKING

from engine import __version__
from engine.api import (
    InputError,
    RedstringError,
    answer,
    changes,
    check,
    compare,
    describe,
    evaluate,
    export,
    ingest,
    investigate,
    open_corpus,
    outdated_references,
)

if TYPE_CHECKING:
    from engine.corpus.protocol import Corpus

__all__ = [
    "InputError",
    "RedstringError",
    "__version__",
    "answer",
    "changes",
    "check",
    "compare",
    "describe",
    "evaluate",
    "export",
    "ingest",
    "investigate",
    "open_corpus",
    "open_sample",
    "outdated_references",
]


def open_sample() -> Corpus:
    """Open the sample corpus that ships with Redstring: the law of the fictional Republic of Meridia."""
    from engine.operator_settings import operator_settings
    from ui.sample import sample_folder

    return open_corpus(sample_folder(operator_settings().home_folder))
