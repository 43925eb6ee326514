"""Statements: what a sentence says of quantities, duties and negation, and whether two say the same."""

from __future__ import annotations

from engine.language.statements.comparison import Agreement, Comparison, Match, Pairing, compare
from engine.language.statements.quantities import Bound, Kind, Quantity, quantities_in
from engine.language.statements.reading import Modal, Modality, Statement, Term, read

__all__ = [
    "Agreement",
    "Bound",
    "Comparison",
    "Kind",
    "Match",
    "Modal",
    "Modality",
    "Pairing",
    "Quantity",
    "Statement",
    "Term",
    "compare",
    "quantities_in",
    "read",
]
