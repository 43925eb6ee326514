"""Relevance judgements, in and out: TREC's four columns, BEIR's three."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from engine.errors import SourceError
from engine.evaluation.lines import numbered_lines
from engine.evaluation.runs import one_word

Judgements = dict[str, dict[str, float]]
_FORMS = "query-id, corpus-id, score (BEIR) or query-id, 0, corpus-id, score (TREC)"


def read_qrels(path: Path) -> Judgements:
    """Gold passages with their gains, above 0, by question.

    Four columns are TREC's (question, iteration, passage, gain), three are BEIR's (with or without its
    header). Columns are separated by tabs where the line has one, else by spaces. Raises SourceError
    naming file and line.
    """
    gold: Judgements = {}
    for number, line in numbered_lines(path):
        text = line.rstrip("\r\n")
        fields = text.split("\t") if "\t" in text else text.split()
        if not text.strip() or (number == 1 and fields[0] == "query-id"):
            continue
        if len(fields) not in (3, 4):
            raise SourceError(f"{path}, line {number}: not {_FORMS}")
        try:
            gain = float(fields[-1])
        except ValueError as error:
            raise SourceError(f"{path}, line {number}: not {_FORMS}: no number at its end") from error
        if gain > 0:
            gold.setdefault(fields[0], {})[fields[-2]] = gain
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
