"""Rankings in TREC's run form, out and in: ``question Q0 passage place score tag``, one a line."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from engine.errors import InputError, SourceError
from engine.evaluation.lines import numbered_lines

RUN_DEPTH = 100
RUN_TAG = "redstring"
# So many hexadecimal digits of its digest tell a question from all others of a collection.
TOPIC_DIGITS = 16
_SPACE = re.compile(r"\s")


@dataclass(slots=True)
class Run:
    """Rankings by question: ids of passages, best first, with their scores."""

    rankings: dict[str, tuple[str, ...]] = field(default_factory=dict)
    scores: dict[str, tuple[float, ...]] = field(default_factory=dict)

    def add(self, question: str, passages: Sequence[str], scores: Sequence[float]) -> None:
        """Add the ranking of one question, best first."""
        self.rankings[question], self.scores[question] = tuple(passages), tuple(scores)


def topic_of(question: str) -> str:
    """Return the name of a question in files of TREC's forms: the same for the same words."""
    words = " ".join(question.split())
    return "q" + hashlib.sha256(words.encode()).hexdigest()[:TOPIC_DIGITS]


def write_run(run: Run, path: Path, tag: str = RUN_TAG) -> None:
    """Write all rankings. Raises InputError for an id with a space in it, which the form cannot hold."""
    path.write_text("".join(run_lines(run, tag)), encoding="utf-8")


def run_lines(run: Run, tag: str = RUN_TAG) -> list[str]:
    """The lines of a run, places from 1."""
    lines = []
    for question, passages in run.rankings.items():
        for place, (passage, score) in enumerate(zip(passages, run.scores[question], strict=True), 1):
            lines.append(f"{one_word(question)} Q0 {one_word(passage)} {place} {score:.6f} {tag}\n")
    return lines


def one_word(name: str) -> str:
    """An id as TREC's forms take it. Raises InputError where it has a space or is empty."""
    if not name or _SPACE.search(name):
        raise InputError(f"the id {name!r} cannot stand in a TREC file: it is empty or has a space in it")
    return name


def read_run(path: Path) -> Run:
    """Read a run, gzipped or not. As in trec_eval the score decides, not the written place; passages of
    equal score stay in the order of the file. Lines that begin with # are comments.

    Raises SourceError naming file and line of what is not a line of a run, or stands twice.
    """
    found: dict[str, dict[str, float]] = {}
    for number, line in numbered_lines(path):
        fields = line.split()
        if not fields or line.startswith("#"):
            continue
        if len(fields) != 6:
            raise SourceError(f"{path}, line {number}: not question, Q0, passage, place, score, tag")
        question, _, passage, _, written, _ = fields
        ranked = found.setdefault(question, {})
        if passage in ranked:
            raise SourceError(f"{path}, line {number}: {passage} stands twice for question {question}")
        ranked[passage] = _score(path, number, written)
    if not found:
        raise SourceError(f"{path}: the run has no lines")
    run = Run()
    for question, ranked in found.items():
        ordered = sorted(ranked.items(), key=lambda item: -item[1])
        run.add(question, [name for name, _ in ordered], [score for _, score in ordered])
    return run


def _score(path: Path, number: int, written: str) -> float:
    try:
        score = float(written)
    except ValueError:
        score = float("nan")
    if score != score:
        raise SourceError(f"{path}, line {number}: the score {written!r} is not a number")
    return score


def scored(
    run: Run, gold: Mapping[str, Mapping[str, float]]
) -> dict[str, tuple[tuple[str, ...], Mapping[str, float]]]:
    """Each judged question's ranking, empty where the run has none for it, beside its gold."""
    if not run.rankings.keys() & gold.keys():
        raise InputError("the run and the judgements have no question in common")
    return {question: (run.rankings.get(question, ()), passages) for question, passages in gold.items()}
