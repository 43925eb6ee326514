"""The provisions that a question names by their numbers, and what it asks besides them."""

from engine.retrieval.planning.named.containers import asked_besides, asks_for_nothing_else
from engine.retrieval.planning.named.naming import MOST_NUMBERS, provisions_named

__all__ = ["MOST_NUMBERS", "asked_besides", "asks_for_nothing_else", "provisions_named"]
