"""The provisions that a question names by their numbers, and how much else it asks."""

from engine.retrieval.planning.named.containers import asks_only_for, count_further_words
from engine.retrieval.planning.named.naming import MOST_NUMBERS, provisions_named

__all__ = ["MOST_NUMBERS", "asks_only_for", "count_further_words", "provisions_named"]
