"""Hypothetical passages: texts that might answer a question, searched beside it.

A question and the provision that answers it are written in different words; a passage that only might
answer is written in those of the provision (HyDE, Gao et al. 2023, https://arxiv.org/abs/2212.10496).
``writing.py`` has a language model write them, ``feeding.py`` takes the first passages found
for them, ``weighing.py`` says how far each is to be trusted. They are views of the plan: shown, edited and
switched off like all others, and never shown as evidence.
"""

from engine.retrieval.planning.hypothetical.feeding import fed_back
from engine.retrieval.planning.hypothetical.writing import (
    FORM,
    LOW_CONFIDENCE,
    LOWEST_SIMILARITY,
    TASK,
    Draft,
    Passages,
    Weighed,
    Wish,
    check_language,
    prompt,
    target_language,
    weighed,
    written,
)

__all__ = [
    "FORM",
    "LOWEST_SIMILARITY",
    "LOW_CONFIDENCE",
    "TASK",
    "Draft",
    "Passages",
    "Weighed",
    "Wish",
    "check_language",
    "fed_back",
    "prompt",
    "target_language",
    "weighed",
    "written",
]
