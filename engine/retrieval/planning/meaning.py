"""Questions for the meaning of a term: "What is a Relevant Person?", "Was bedeutet 'unverzüglich'?"."""

from __future__ import annotations

from engine.retrieval.planning.words import words_of

LONGEST_TERM = 60
_ENDS = " \t?!.؟？。\"“”„«»‘’'"


def term_asked(text: str, language: str) -> str:
    """The term whose meaning a question asks for, as it writes it; empty where it asks for something else."""
    question = text.strip(" \t?!.؟？。")
    for pattern in words_of(language).meaning:
        match = pattern.fullmatch(question)
        if match:
            term = match["term"].strip(_ENDS)
            return term if len(term) <= LONGEST_TERM else ""
    return ""
