"""Investigations: pool, loop, strategies, gate, stopping, coverage, ranking."""

from engine.investigation.case import Case, investigate
from engine.investigation.pool import QUESTION_NODE, Pool
from engine.investigation.record import Investigation

__all__ = ["QUESTION_NODE", "Case", "Investigation", "Pool", "investigate"]
