"""Readings of language models and users' verdicts on them, stored next to a corpus's data, not in them."""

from engine.corpus.extracted.graph import ExtractedGraph, extracted_graph
from engine.corpus.extracted.readings import (
    LINK_RELATIONS,
    DocumentRead,
    Judgement,
    Proposal,
    Validation,
    WindowRead,
    add_reading,
    add_validation,
    current_verdicts,
    load_readings,
    load_validations,
    locate,
    proposals,
)

__all__ = [
    "LINK_RELATIONS",
    "DocumentRead",
    "ExtractedGraph",
    "Judgement",
    "Proposal",
    "Validation",
    "WindowRead",
    "add_reading",
    "add_validation",
    "current_verdicts",
    "extracted_graph",
    "load_readings",
    "load_validations",
    "locate",
    "proposals",
]
