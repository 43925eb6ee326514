"""References of a text, found by the grammar of its jurisdiction and resolved in a corpus."""

from __future__ import annotations

from engine.language.references.grammar import Grammar, Mention, Target
from engine.language.references.readings import (
    Readings,
    find_mentions,
    grammars,
    packed,
    read_mentions,
    recogniser,
    unpacked,
)
from engine.language.references.resolver import Resolver

__all__ = [
    "Grammar",
    "Mention",
    "Readings",
    "Resolver",
    "Target",
    "find_mentions",
    "grammars",
    "packed",
    "read_mentions",
    "recogniser",
    "unpacked",
]
