"""Relevance judgements of TREC: a line ``question 0 passage gain`` for each judged passage.

Relevant is 2, partly relevant 1, not relevant 0 (graded judgements as in the TREC Deep Learning tracks). The
format has neither reviewers nor notes: if several people judged a passage for a question, in one case or
several, the lower median of their gains is written, which is above 0 only if most of them approve.
"""

from __future__ import annotations

import io
from collections.abc import Iterable, Mapping
from pathlib import Path
from statistics import median_low
from typing import Final

from engine.errors import InputError, SourceError
from engine.evaluation.questions import judged_lines, one_word, topic_of
from engine.review.exchange.drafts import MOST, Draft, Format, bounded, draft, text_of
from engine.review.model import Assessment, ItemKind, Verdict, current_assessments

GAINS: Final[Mapping[Verdict, int]] = {Verdict.RELEVANT: 2, Verdict.PARTLY: 1, Verdict.IRRELEVANT: 0}


def write(assessments: Iterable[Assessment]) -> bytes:
    """Return the judgements of passages by question. Raises InputError if no passage was judged, or for an id
    with a space."""
    found = gains(assessments)
    if not found:
        raise InputError("no passage has been judged: qrels would be empty")
    lines = (f"{question} 0 {one_word(passage)} {gain}\n" for (question, passage), gain in found.items())
    return "".join(lines).encode()


def gains(assessments: Iterable[Assessment]) -> dict[tuple[str, str], int]:
    """Return the gain of each judged passage, by topic and passage."""
    found: dict[tuple[str, str], dict[str, int]] = {}
    for one in current_assessments(assessments):
        if one.item.kind is ItemKind.PASSAGE:
            # A reviewer who judged a passage in two cases of a question counts once, with the last verdict.
            voices = found.setdefault((topic_of(one.question), one.item.passage_id), {})
            voices[one.reviewer] = GAINS[one.verdict]
    return {judged: median_low(voices.values()) for judged, voices in found.items()}


def read(path: Path, most: int = MOST) -> list[Draft]:
    """Read graded judgements in four columns (TREC) or three (BEIR): 2 is relevant, 1 partly, 0 not. Raises
    SourceError, naming the line, for any other gain."""
    return read_gains(path, {gain: verdict for verdict, gain in GAINS.items()}, most)


def read_gains(path: Path, verdicts: Mapping[int, Verdict], most: int) -> list[Draft]:
    """Read judgements; ``verdicts`` maps gains to verdicts."""
    found = []
    for number, line in enumerate(judged_lines(io.StringIO(text_of(path)), str(path)), 1):
        bounded(number, path, most)
        verdict = verdicts.get(int(line.gain)) if line.gain.is_integer() else None
        if verdict is None:
            known = ", ".join(f"{gain} ({word.value})" for gain, word in sorted(verdicts.items()))
            raise SourceError(f"{line.where}: unknown gain {line.gain:g}; known: {known}")
        fields = {"question_id": line.question, "passage_id": line.passage, "verdict": verdict.value}
        found.append(draft(fields, line.where))
    return found


FORMAT = Format(
    "qrels",
    "Judgements (TREC qrels)",
    "trec_eval, ranx and other programs that measure rankings: relevant 2, partly 1, not relevant 0",
    ".qrels",
    "text/plain",
    read,
    write,
)
