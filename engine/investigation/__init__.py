"""Investigations: case, research pool, strategies, gate, coverage, stopping and ranking."""

from engine.investigation.case import Case
from engine.investigation.factory import CaseOptions, make_case, reopen_case, run_case
from engine.investigation.pool import QUESTION_NODE, Pool
from engine.investigation.record import Investigation

__all__ = [
    "QUESTION_NODE",
    "Case",
    "CaseOptions",
    "Investigation",
    "Pool",
    "make_case",
    "reopen_case",
    "run_case",
]
