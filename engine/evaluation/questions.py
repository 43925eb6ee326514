"""Gold questions with their judgements, rankings in TREC's formats, and the choice of questions."""

from __future__ import annotations

import hashlib
import io
import math
import os
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import orjson

from engine.bounded import LARGEST, open_gzip
from engine.errors import InputError, SettingsError, SourceError, UnpackingError

# Maximum characters of a line.
LONGEST = 1 << 24


def numbered_lines(path: Path) -> Iterator[tuple[int, str]]:
    """Yield the numbered lines, from 1, of a UTF-8 file, gzipped or not. Raises SourceError."""
    try:
        with path.open("rb") as file:
            size = os.fstat(file.fileno()).st_size
            data = open_gzip(file, size, LARGEST) if path.suffix == ".gz" else file
            with io.TextIOWrapper(data, "utf-8-sig", newline="\n") as lines:
                for number, line in enumerate(iter(lambda: lines.readline(LONGEST), ""), 1):
                    if len(line) == LONGEST:
                        raise SourceError(f"{path}, line {number}: longer than {LONGEST:,} characters")
                    yield number, line
    except (OSError, UnpackingError, UnicodeDecodeError) as error:
        raise SourceError(f"{path}: cannot be read ({error})") from error


# Rankings in TREC's run format: ``question Q0 passage rank score tag``, one a line.
RUN_DEPTH = 100
RUN_TAG = "redstring"
# Hexadecimal digits of a digest that identify a question within a collection.
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
    """Return a question's name in TREC files: the same for the same words."""
    words = " ".join(question.split())
    return "q" + hashlib.sha256(words.encode()).hexdigest()[:TOPIC_DIGITS]


def write_run(run: Run, path: Path, tag: str = RUN_TAG) -> None:
    """Write all rankings. Raises InputError for an id with a space, which the format cannot contain."""
    path.write_text("".join(run_lines(run, tag)), encoding="utf-8")


def run_lines(run: Run, tag: str = RUN_TAG) -> list[str]:
    """Return the lines of a run, with ranks from 1."""
    lines = []
    for question, passages in run.rankings.items():
        for rank, (passage, score) in enumerate(zip(passages, run.scores[question], strict=True), 1):
            lines.append(f"{one_word(question)} Q0 {one_word(passage)} {rank} {score:.6f} {tag}\n")
    return lines


def one_word(name: str) -> str:
    """Return an id valid in TREC's formats. Raises InputError if it is empty or has a space."""
    if not name or _SPACE.search(name):
        raise InputError(f"the id {name!r} is not possible in a TREC file: it is empty or has a space")
    return name


def read_run(path: Path) -> Run:
    """Read a run, gzipped or not. As in trec_eval, scores determine the order, not the written ranks;
    passages with equal scores keep the order of the file. Lines beginning with # are comments.

    Raises SourceError naming file and line for an invalid line and for a duplicate.
    """
    by_question: dict[str, dict[str, float]] = {}
    for number, line in numbered_lines(path):
        fields = line.split()
        if not fields or line.startswith("#"):
            continue
        if len(fields) != 6:
            raise SourceError(f"{path}, line {number}: not question, Q0, passage, place, score, tag")
        question, _, passage, _, written, _ = fields
        ranked = by_question.setdefault(question, {})
        if passage in ranked:
            raise SourceError(f"{path}, line {number}: {passage} is listed twice for question {question}")
        ranked[passage] = _score(path, number, written)
    if not by_question:
        raise SourceError(f"{path}: the run has no lines")
    run = Run()
    for question, ranked in by_question.items():
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


def pair_with_gold(
    run: Run, gold: Mapping[str, Mapping[str, float]]
) -> dict[str, tuple[tuple[str, ...], Mapping[str, float]]]:
    """Return each judged question's ranking (empty if the run has none) with its gold."""
    if not run.rankings.keys() & gold.keys():
        raise InputError("the run and the judgements have no question in common")
    return {question: (run.rankings.get(question, ()), passages) for question, passages in gold.items()}


# Relevance judgements: TREC's four columns, BEIR's three.
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
    """Yield the judgements of lines, with any gain; errors use ``name`` for the file.

    Four columns are TREC's (question, iteration, passage, gain), three are BEIR's (with or without its
    header). Columns are separated by tabs if the line has one, else by spaces. Raises SourceError naming file
    and line.
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
    """Read gold passages with gains above 0, by question. Raises SourceError as ``judged_lines``."""
    gold: Judgements = {}
    for line in judged_lines((text for _, text in numbered_lines(path)), str(path)):
        if line.gain > 0:
            gold.setdefault(line.question, {})[line.passage] = line.gain
    return gold


def write_qrels(gold: Mapping[str, Mapping[str, float]], path: Path) -> None:
    """Write judgements in TREC's format; integer gains stay integers. Raises InputError for an invalid id."""
    lines = [
        f"{one_word(question)} 0 {one_word(passage)} {gain:g}\n"
        for question, passages in gold.items()
        for passage, gain in passages.items()
    ]
    path.write_text("".join(lines), encoding="utf-8")


# Gold questions: queries in BEIR's format, with their relevance judgements.


@dataclass(frozen=True, slots=True)
class Question:
    """A question and its gold: corpus id -> gain, above 0."""

    id: str
    text: str
    gold: Mapping[str, float]


def read_questions(queries: Path, qrels: Path, *, unjudged: bool = False) -> list[Question]:
    """Read the questions that have gold, in the order of the queries file.

    ``unjudged``: if the file of judgements is empty, all questions count, without gold. ``queries``: JSON
    lines with ``id`` or ``_id`` and ``text``, gzipped or not. ``qrels``: BEIR's three columns or TREC's four.
    Raises SourceError naming file and line of the first error, or if no question has gold.
    """
    gold = read_qrels(qrels)
    questions = [
        Question(query_id, text, gold.get(query_id, {}))
        for query_id, text in _read_queries(queries)
        if query_id in gold or (unjudged and not gold)
    ]
    if not questions:
        raise SourceError(f"no question of {queries} has gold in {qrels}")
    return questions


def _read_queries(path: Path) -> Iterator[tuple[str, str]]:
    for number, line in numbered_lines(path):
        if not line.strip():
            continue
        try:
            record = orjson.loads(line)
            query_id, text = record.get("id", record.get("_id")), record["text"]
        except (orjson.JSONDecodeError, AttributeError, KeyError) as error:
            raise SourceError(f"{path}, line {number}: not a query with id and text") from error
        if not isinstance(query_id, str) or not isinstance(text, str):
            raise SourceError(f"{path}, line {number}: id and text must be strings")
        yield query_id, text


def choose_questions(
    questions: Sequence[Question],
    limit: int | None = None,
    every: int | None = None,
    most: int | None = None,
) -> list[Question]:
    """Return every ``every``-th question, of those the first ``limit``, and of those ``most`` evenly spaced
    ones.

    Raises SettingsError for a number below 1.
    """
    for name, value in (("--limit", limit), ("--every", every), ("--most", most)):
        if value is not None and value < 1:
            raise SettingsError(f"{name}: must be at least 1 (given: {value})")
    selected = list(questions[:: every or 1])[:limit]
    return selected if most is None else spread_evenly(selected, most)


def spread_evenly(questions: Sequence[Question], count: int) -> list[Question]:
    """Return ``count`` evenly spaced questions: the first ones of a set are seldom representative."""
    if len(questions) <= count:
        return list(questions)
    return [questions[number * len(questions) // count] for number in range(count)]
