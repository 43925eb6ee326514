"""Gold questions: reading queries and relevance judgements in BEIR's form."""

from __future__ import annotations

import gzip
import io
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

import orjson

from engine.errors import SourceError


@dataclass(frozen=True, slots=True)
class Question:
    """A question and its gold: corpus id -> gain, above 0."""

    id: str
    text: str
    gold: Mapping[str, float]


def read_questions(queries: Path, qrels: Path) -> list[Question]:
    """Questions that have gold, in the order of the queries file.

    ``queries``: JSON lines with ``id`` or ``_id`` and ``text``, gzipped or not. ``qrels``: tab
    separated query id, corpus id, score, with or without a header. Raises SourceError naming the file
    and line of the first thing that cannot be read, or when no question has gold.
    """
    gold = _read_qrels(qrels)
    questions = [
        Question(query_id, text, gold[query_id])
        for query_id, text in _read_queries(queries)
        if query_id in gold
    ]
    if not questions:
        raise SourceError(f"no question of {queries} has gold in {qrels}")
    return questions


def _lines(path: Path) -> Iterator[tuple[int, str]]:
    try:
        raw = path.read_bytes()
        data = gzip.decompress(raw) if path.suffix == ".gz" else raw
        yield from enumerate(io.StringIO(data.decode("utf-8-sig")), 1)
    except (OSError, EOFError, UnicodeDecodeError) as error:
        raise SourceError(f"{path}: cannot be read ({error})") from error


def _read_queries(path: Path) -> Iterator[tuple[str, str]]:
    for number, line in _lines(path):
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


def _read_qrels(path: Path) -> dict[str, dict[str, float]]:
    gold: dict[str, dict[str, float]] = {}
    for number, line in _lines(path):
        fields = line.rstrip("\r\n").split("\t")
        if not line.strip() or (number == 1 and fields[0] == "query-id"):
            continue
        try:
            query_id, corpus_id, score = fields[0], fields[1], float(fields[2])
        except (IndexError, ValueError) as error:
            raise SourceError(f"{path}, line {number}: not query-id, corpus-id, score") from error
        if score > 0:
            gold.setdefault(query_id, {})[corpus_id] = score
    return gold
