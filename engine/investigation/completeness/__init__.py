"""How much relevant material is still outside the pool: an estimate with an interval, learned from gold."""

from engine.investigation.completeness.chao import chao1
from engine.investigation.completeness.estimate import completeness_of

__all__ = ["chao1", "completeness_of"]
