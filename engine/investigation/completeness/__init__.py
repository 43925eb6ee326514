"""Estimate of the share of relevant passages that the pool has, with an interval, learned from gold sets."""

from engine.investigation.completeness.chao import chao1
from engine.investigation.completeness.estimate import find_completeness

__all__ = ["chao1", "find_completeness"]
