"""Relevance judgements, in and out: TREC's four columns, BEIR's three."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from engine.errors import SourceError
from engine.evaluation.lines import numbered_lines
from engine.evaluation.runs import one_word

Judgements = dict[str, dict[str, float]]
_FORMS = "query-id, corpus-id, score (BEIR) or query-id, 0, corpus-id, score (TREC)"


@dataclass(frozen=True, slots=True)
class JudgedLine:
    """A line of judgements. ``where`` names it in errors; ``gain`` is finite."""

    where: str
    question: str
    passage: str
    gain: float


def judged_lines(lines: Iterable[str], name: str) -> Iterator[JudgedLine]:
    """The judgements of lines, whatever their gain; ``name`` is what errors call the file.

    Four columns are TREC's (question, iteration, passage, gain), three are BEIR's (with or without its
    header). Columns are separated by tabs where the line has one, else by spaces. Raises SourceError
    naming file and line.
    """
    for number, line in enumerate(lines, 1):
        text = line.rstrip("\r\n")
        fields = text.split("\t") if "\t" in text else text.split()
        if not text.strip() or (number == 1 and fields[0] == "query-id"):
            continue
        where = f"{name}, line {number}"
        if len(fields) not in (3, 4):
            raise SourceError(f"{where}: not {_FORMS}")
        try:
            gain = float(fields[-1])
        except ValueError as error:
            raise SourceError(f"{where}: not {_FORMS}: no number at its end") from error
        if not math.isfinite(gain):
            raise SourceError(f"{where}: not {_FORMS}: no number at its end")
        yield JudgedLine(where, fields[0], fields[-2], gain)


def read_qrels(path: Path) -> Judgements:
    """Gold passages with their gains, above 0, by question. Raises SourceError as ``judged_lines``."""
    gold: Judgements = {}
    for line in judged_lines((text for _, text in numbered_lines(path)), str(path)):
        if line.gain > 0:
            gold.setdefault(line.question, {})[line.passage] = line.gain
    return gold


def write_qrels(gold: Mapping[str, Mapping[str, float]], path: Path) -> None:
    """Write judgements in TREC's form; gains that are whole stay whole. Raises InputError for an id that
    the form cannot hold."""
    lines = [
        f"{one_word(question)} 0 {one_word(passage)} {gain:g}\n"
        for question, passages in gold.items()
        for passage, gain in passages.items()
    ]
    path.write_text("".join(lines), encoding="utf-8")
