"""What language models read in a corpus, and what people say of it: beside its data, never inside them."""

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
    judged,
    load_readings,
    load_validations,
    located,
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
    "extracted_graph",
    "judged",
    "load_readings",
    "load_validations",
    "located",
    "proposals",
]
