"""The final ranking: a learned additive model over what text and structure say of a passage."""

from engine.investigation.ranking.order import Ranking, plain, rank

__all__ = ["Ranking", "plain", "rank"]
