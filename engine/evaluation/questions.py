"""Gold questions: queries in BEIR's form, with their relevance judgements."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

import orjson

from engine.errors import SourceError
from engine.evaluation.lines import numbered_lines
from engine.evaluation.qrels import read_qrels


@dataclass(frozen=True, slots=True)
class Question:
    """A question and its gold: corpus id -> gain, above 0."""

    id: str
    text: str
    gold: Mapping[str, float]


def read_questions(queries: Path, qrels: Path, *, unjudged: bool = False) -> list[Question]:
    """Questions that have gold, in the order of the queries file.

    ``unjudged``: where the file of judgements is empty all questions count, without gold.
    ``queries``: JSON lines with ``id`` or ``_id`` and ``text``, gzipped or not. ``qrels``: BEIR's
    three columns or TREC's four. Raises SourceError naming the file
    and line of the first thing that cannot be read, or when no question has gold.
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
