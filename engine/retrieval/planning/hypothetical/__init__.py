"""Hypothetical passages: texts that might answer a question, searched in addition to it.

A question and the provision that answers it have different words; a passage that might answer has the words
of the provision (HyDE, Gao et al. 2023, https://arxiv.org/abs/2212.10496). ``writing.py`` lets a language
model write and weighs them, ``feeding.py`` uses the first passages found instead. They are views of the plan,
which can be edited and switched off like all others, and are never evidence.
"""

from engine.retrieval.planning.hypothetical.feeding import feedback_drafts
from engine.retrieval.planning.hypothetical.writing import (
    FORM,
    LOW_CONFIDENCE,
    LOWEST_SIMILARITY,
    TASK,
    Draft,
    DraftRequest,
    Passages,
    WeighedDraft,
    check_language,
    prompt,
    target_language,
    weigh_drafts,
    write_drafts,
)

__all__ = [
    "FORM",
    "LOWEST_SIMILARITY",
    "LOW_CONFIDENCE",
    "TASK",
    "Draft",
    "DraftRequest",
    "Passages",
    "WeighedDraft",
    "check_language",
    "feedback_drafts",
    "prompt",
    "target_language",
    "weigh_drafts",
    "write_drafts",
]
