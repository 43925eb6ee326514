"""The question seen several ways, without a language model.

Views: the literal question; its parts, where it asks several things at once; its focus, the words
that carry it without the phrases of asking.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from engine.language.analyzer import analyzer
from engine.language.detect import detect
from engine.model import QueryPlan, View

LITERAL, PART, GAP = "literal", "part", "gap"
PART_WEIGHT = 0.3
# A part of fewer terms ("and why?") says too little to be searched on its own.
SHORTEST_PART = 3
MOST_PARTS = 4
LONGEST_QUESTION = 4_000

# Where a question falls into parts: sentence ends, semicolons, and a comma or "and" before a new
# question word, in the languages that have a grammar here.
_BORDER = re.compile(
    r"(?<=[.?!;؟؛。？；])\s+"
    r"|,?\s+(?:and|und|dan|et|y)\s+(?=(?:what|how|when|which|who|where|whether|under|are|is|do|does|can|must"
    r"|was|wie|wann|welche[rsnm]?|wer|ob|apa|bagaimana|kapan|siapa|apakah|quel|comment|quand|qui)\b)"
    r"|[،,]?\s+و(?=(?:ما|متى|كيف|هل|من)\s)",
    re.IGNORECASE,
)


def make_plan(question: str, languages: Sequence[str], *, views: bool = True) -> QueryPlan:
    """The plan for a question put to a corpus in these languages (most frequent first).

    A question of more than 4,000 characters is cut there, and the plan's notes say so.
    """
    notes: tuple[str, ...] = ()
    text = " ".join(question.split())
    if len(text) > LONGEST_QUESTION:
        text = text[:LONGEST_QUESTION]
        notes = (f"the question was cut to {LONGEST_QUESTION} characters",)
    language = detect(text, tuple(languages)) if languages else "und"
    planned = [View(LITERAL, text)]
    if views:
        planned += [View(PART, part, PART_WEIGHT) for part in parts(text, language)]
    return QueryPlan(question, language, tuple(planned), notes=notes)


def parts(text: str, language: str) -> list[str]:
    """The parts of a question that asks several things; empty where it asks one."""
    pieces = [piece.strip(" -–•") for piece in _BORDER.split(text) if piece and piece.strip()]
    terms = analyzer(language).batch(pieces)
    long_enough = [piece for piece, words in zip(pieces, terms, strict=True) if len(words) >= SHORTEST_PART]
    return long_enough[:MOST_PARTS] if len(long_enough) > 1 else []
