"""Statements: quantities, duties and negation in sentences, and their alignment."""

from __future__ import annotations

from engine.language.statements.alignment import Alignment, Change, Changed, align, part_of, share_of
from engine.language.statements.quantities import Bound, Kind, Quantity, quantities_in
from engine.language.statements.reading import Match, Statement, pair_quantities, read
from engine.language.statements.sequence import BINDING, Sort, Token, sequence

__all__ = [
    "BINDING",
    "Alignment",
    "Bound",
    "Change",
    "Changed",
    "Kind",
    "Match",
    "Quantity",
    "Sort",
    "Statement",
    "Token",
    "align",
    "pair_quantities",
    "part_of",
    "quantities_in",
    "read",
    "sequence",
    "share_of",
]
