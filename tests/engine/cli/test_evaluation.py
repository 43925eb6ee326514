"""The command ``evaluate`` beyond its means: runs in and out, comparison, ablation, plots, scoring."""

from __future__ import annotations

from pathlib import Path

import orjson
import pytest

from tests.engine.cli.test_main import QRELS, QUERIES
from tests.engine.command_line import CommandLine

FOREIGN = (
    '{"id": "f1", "text": "Who composed The Magic Flute?"}\n{"id": "f2", "text": "How tall is Everest?"}\n'
)


@pytest.fixture
def ask(tmp_path: Path, harbour_folder: Path) -> tuple[str | Path, ...]:
    """The arguments that put two questions to the harbour's law."""
    (tmp_path / "queries.jsonl").write_text(QUERIES, encoding="utf-8")
    (tmp_path / "qrels.tsv").write_text(QRELS, encoding="utf-8")
    gold = ("--queries", tmp_path / "queries.jsonl", "--qrels", tmp_path / "qrels.tsv")
    return ("evaluate", "--corpus", harbour_folder, *gold)


def test_a_run_written_is_a_run_read(run: CommandLine, ask: tuple[str | Path, ...], tmp_path: Path) -> None:
    files = ("--run", tmp_path / "a.run", "--qrels-out", tmp_path / "a.qrels")
    first = run(*ask, *files, "--results", tmp_path / "a.jsonl", "--json").json
    scored = run("evaluate", "--score", tmp_path / "a.run", "--qrels", tmp_path / "a.qrels", "--json").json
    assert scored["run"] == first["investigation"]
    kept = run("evaluate", "--score", tmp_path / "a.jsonl", "--json").json
    assert kept == first


def test_ablation_as_a_table_and_as_values(run: CommandLine, ask: tuple[str | Path, ...]) -> None:
    ablate = (*ask, "--limit", "1", "--strategies", "citations", "--rounds", "1", "--ablate")
    told = run(*ablate, "--json").json["ablation"]
    labels = [row["label"] for row in told["rows"]]
    assert labels[:2] == ["without citations", "only citations"]
    assert labels[-3:] == ["without rounds", "round 1", "without ontology"]
    assert any(line.startswith("round 1 ") for line in run(*ablate).out.splitlines())


def test_the_ontology_alone_is_left_out(run: CommandLine, ask: tuple[str | Path, ...]) -> None:
    told = run(*ask, "--ablate", "ontology", "--json").json["ablation"]
    assert [(row["kind"], row["label"]) for row in told["rows"]] == [("ontology", "without ontology")]
    run.refused("--ablate: 'ontologies' is no kind of part", *ask, "--ablate", "ontologies")


def test_plots_are_pages_that_ask_nobody(
    run: CommandLine, ask: tuple[str | Path, ...], tmp_path: Path
) -> None:
    run(*ask, "--plots", tmp_path / "plots")
    names = {"recall_by_pool_size", "recall_by_round", "precision_recall"}
    assert {path.stem for path in (tmp_path / "plots").glob("*.html")} == names
    for name in names:
        page = (tmp_path / "plots" / f"{name}.html").read_text(encoding="utf-8")
        assert 'src="plotly.min.js"' in page
        assert 'src="http' not in page
        assert orjson.loads((tmp_path / "plots" / f"{name}.json").read_bytes())["data"]
    assert (tmp_path / "plots" / "plotly.min.js").stat().st_size > 1_000_000


@pytest.mark.parametrize(
    ("more", "message"),
    [
        (("--score", "RUN"), "is a TREC run: it needs judgements"),
        (("--score", "RUN", "--qrels", "QRELS", "--plots", "P"), "a TREC run does not tell"),
        (("--score", "RUN", "--qrels", "OTHER"), "no question in common"),
        (("--score", "BROKEN", "--qrels", "QRELS"), "BROKEN, line 2: not question, Q0, passage"),
        (("--score", "RUN", "--qrels", "QRELS", "--limit", "1"), "--limit does not go with --score"),
    ],
)
def test_what_cannot_be_scored_is_refused(
    run: CommandLine, tmp_path: Path, more: tuple[str, ...], message: str
) -> None:
    (tmp_path / "RUN").write_text("q1 Q0 a 1 0.5 tag\n", encoding="utf-8")
    (tmp_path / "BROKEN").write_text("q1 Q0 a 1 0.5 tag\nq1 a 0.5\n", encoding="utf-8")
    (tmp_path / "QRELS").write_text("q1 0 a 1\n", encoding="utf-8")
    (tmp_path / "OTHER").write_text("q9 0 a 1\n", encoding="utf-8")
    places = {"RUN", "BROKEN", "QRELS", "OTHER", "P"}
    run.refused(message, "evaluate", *(tmp_path / word if word in places else word for word in more))


@pytest.mark.parametrize("qrels", ["", "query-id\tcorpus-id\tscore\n"])
def test_questions_without_gold_are_asked_for_what_is_said_of_them(
    run: CommandLine, harbour_folder: Path, tmp_path: Path, qrels: str
) -> None:
    (tmp_path / "queries.jsonl").write_text(FOREIGN, encoding="utf-8")
    (tmp_path / "qrels.tsv").write_text(qrels, encoding="utf-8")
    gold = ("--queries", tmp_path / "queries.jsonl", "--qrels", tmp_path / "qrels.tsv")
    told = run("evaluate", "--corpus", harbour_folder, *gold, "--json").json
    assert set(told) == {"queries", "milliseconds", "evidence"}
    assert told["evidence"] == {"found": 0, "partial": 0, "none": 2}
    asked = ("evaluate", "--corpus", harbour_folder, *gold, "--run", tmp_path / "a.run")
    run.refused("holds no judgement", *asked)
