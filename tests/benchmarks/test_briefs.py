from __future__ import annotations

import json
from pathlib import Path

import pytest

from benchmarks.briefs import Measured, main, table
from engine.ingestion.build import build_corpus
from tests.engine.harbour import write_harbour


def test_the_table_tells_shares_of_questions() -> None:
    told = dict(
        table(
            [
                Measured(1.0, 1.0, 3, 100, 10.0, 5.0, False, True, False, True, True),
                Measured(0.5, 1.0, 2, 50, 20.0, 5.0, False, False, True, False, True),
                Measured(0.0, 0.5, 0, 0, 0.0, 5.0, True, False, False, False, False),
            ]
        )
    )
    assert told["a gold passage cited"] == "0.667"
    assert told["all gold passages cited"] == "0.333"
    assert told["all gold passages in the ranking"] == "0.667"
    assert told["wrongly said to be missing"] == "0.333"
    assert told["first citation is gold"] == "0.333"
    assert told["a sentence surely answers"] == told["the closest rule is shown"] == "0.333"
    assert (told["- and its first citation is gold"], told["- and that is gold"]) == ("1.000", "0.000")
    assert told["first passage of the ranking is gold"] == "0.667"


def test_a_run_over_a_corpus(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    sources = write_harbour(tmp_path / "sources", ontology=False)
    build_corpus([sources], tmp_path / "harbour", embedding="none")
    question = {"_id": "q1", "text": "When may the harbour master withdraw a berth?"}
    (tmp_path / "queries.jsonl").write_text(json.dumps(question), encoding="utf-8")
    rows = "query-id\tcorpus-id\tscore\nq1\tharbour-act/art-5/para-1\t1\n"
    (tmp_path / "qrels.tsv").write_text(rows, encoding="utf-8")
    files = ["--queries", str(tmp_path / "queries.jsonl"), "--qrels", str(tmp_path / "qrels.tsv")]
    assert main(["--corpus", str(tmp_path / "harbour"), *files, "--preset", "quick"]) == 0
    told = capsys.readouterr().out
    assert "a gold passage cited                           1.000" in told
