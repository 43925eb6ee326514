"""Statements: quantities, duties and negation in sentences, and their comparison."""

from __future__ import annotations

from engine.language.statements.alignment import Alignment, Change, Changed, align, part_of, share_of
from engine.language.statements.comparison import Agreement, Match, compare
from engine.language.statements.quantities import Bound, Kind, Quantity, quantities_in
from engine.language.statements.reading import Modal, Modality, Statement, Term, read
from engine.language.statements.sequence import BINDING, Sort, Token, sequence

__all__ = [
    "BINDING",
    "Agreement",
    "Alignment",
    "Bound",
    "Change",
    "Changed",
    "Kind",
    "Match",
    "Modal",
    "Modality",
    "Quantity",
    "Sort",
    "Statement",
    "Term",
    "Token",
    "align",
    "compare",
    "part_of",
    "quantities_in",
    "read",
    "sequence",
    "share_of",
]
