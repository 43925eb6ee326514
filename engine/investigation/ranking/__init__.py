"""The final ranking: a learned additive model over features of text and structure."""

from engine.investigation.ranking.order import Ranking, rank, rank_by_scan

__all__ = ["Ranking", "rank", "rank_by_scan"]
