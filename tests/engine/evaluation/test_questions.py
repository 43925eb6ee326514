"""Reading gold questions: forms that are accepted, and errors that name file and line."""

from __future__ import annotations

import gzip
from pathlib import Path

import pytest

from engine.errors import SourceError
from engine.evaluation.questions import read_questions

QUERIES = '{"id": "q1", "text": "What?"}\n\n{"_id": "q2", "text": "How?"}\n'
QRELS = "query-id\tcorpus-id\tscore\nq1\ta\t1\nq1\tb\t2\nq2\tc\t0\n"


def write(folder: Path, queries: str, qrels: str) -> tuple[Path, Path]:
    (folder / "queries.jsonl").write_text(queries, encoding="utf-8")
    (folder / "qrels.tsv").write_text(qrels, encoding="utf-8")
    return folder / "queries.jsonl", folder / "qrels.tsv"


def test_questions_with_gold_are_read_and_others_left_out(tmp_path: Path) -> None:
    questions = read_questions(*write(tmp_path, QUERIES, QRELS))
    assert [(q.id, q.text, dict(q.gold)) for q in questions] == [("q1", "What?", {"a": 1.0, "b": 2.0})]


def test_gzip_and_byte_order_mark_are_read(tmp_path: Path) -> None:
    _, qrels = write(tmp_path, "", QRELS)
    queries = tmp_path / "queries.jsonl.gz"
    queries.write_bytes(gzip.compress(b"\xef\xbb\xbf" + QUERIES.encode()))
    assert len(read_questions(queries, qrels)) == 1


@pytest.mark.parametrize(
    ("queries", "qrels", "message"),
    [
        ('{"id": "q1"}', QRELS, r"queries.jsonl, line 1: not a query"),
        ('{"id": "q1", "text": "a"}\nnot json', QRELS, r"queries.jsonl, line 2: not a query"),
        ('{"id": 1, "text": "a"}', QRELS, r"queries.jsonl, line 1: id and text must be strings"),
        ("[1]", QRELS, r"queries.jsonl, line 1: not a query"),
        (QUERIES, "q1\ta\tmany\n", r"qrels.tsv, line 1: not query-id"),
        (QUERIES, "q1\ta\n", r"qrels.tsv, line 1: not query-id"),
        (QUERIES, "q9\ta\t1\n", r"no question of .* has gold"),
    ],
)
def test_what_cannot_be_read_is_named(tmp_path: Path, queries: str, qrels: str, message: str) -> None:
    with pytest.raises(SourceError, match=message):
        read_questions(*write(tmp_path, queries, qrels))


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    (tmp_path / "qrels.tsv").write_text(QRELS, encoding="utf-8")
    with pytest.raises(SourceError, match=r"absent\.jsonl"):
        read_questions(tmp_path / "absent.jsonl", tmp_path / "qrels.tsv")
