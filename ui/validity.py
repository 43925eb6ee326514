"""Whether a passage is in force, as a badge of a few words: the words that every listener uses."""

from engine.records.context import Badge, badge, day, edition

__all__ = ["Badge", "badge", "day", "edition"]
