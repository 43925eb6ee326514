"""All gold sets with one command: here two small ones, of which one must be ingested first."""

from __future__ import annotations

import gzip
from pathlib import Path

import orjson
import pytest

from benchmarks.gold_sets import main
from engine.evaluation.results import read_results
from engine.settings import preset

TEXTS = {
    "a": "The harbour master gives every vessel a berth and keeps a register of berths.",
    "b": "Dues in arrears bear interest at four per cent for each year of delay.",
    "c": "A pilot is taken by vessels of more than five hundred tons.",
}
QUERIES = {"q1": "What interest do dues in arrears bear?", "q2": "Which vessels take a pilot?"}
QRELS = "query-id\tcorpus-id\tscore\nq1\tb\t1\nq2\tc\t1\nq2\ta\t1\n"


def lines(rows: dict[str, str]) -> bytes:
    return gzip.compress(b"".join(orjson.dumps({"id": k, "text": v}) + b"\n" for k, v in rows.items()))


@pytest.fixture
def data(tmp_path: Path) -> Path:
    """Two sets; the second puts its questions to the first one's corpus."""
    for name in ("2wiki_dev164", "obliqa_mp"):
        folder = tmp_path / "data" / name
        folder.mkdir(parents=True)
        (folder / "queries.jsonl.gz").write_bytes(lines(QUERIES))
        (folder / "qrels.tsv").write_text(QRELS, encoding="utf-8")
    (tmp_path / "data" / "2wiki_dev164" / "corpus.jsonl.gz").write_bytes(lines(TEXTS))
    (tmp_path / "data" / "obliqa_mp" / "corpus.ref").write_text("elsewhere/2wiki_dev164\n", encoding="utf-8")
    return tmp_path / "data"


def run(data: Path, *more: str | Path, sets: str = "2wiki_dev164,obliqa_mp") -> int:
    given = [data, data.parent / "corpora", "--sets", sets, "--embedding", "none", *more]
    return main([str(word) for word in given])


def test_one_table_for_all_sets(data: Path, capsys: pytest.CaptureFixture[str]) -> None:
    kept = data.parent / "kept"
    files = ("--markdown", data.parent / "t.md", "--json", data.parent / "t.json", "--plots", kept / "plots")
    assert run(data, "--results", kept, "--ablate", "--ablate-most", "1", *files) == 0
    printed = capsys.readouterr().out
    assert (data.parent / "t.md").read_text(encoding="utf-8") == printed.rstrip("\n") + "\n"
    for told in ("| 2wiki_dev164 (2) | scan |", "| obliqa_mp (2) | scan |", "| obliqa_mp | recall@10 |"):
        assert told in printed
    assert "| obliqa_mp (1) | full settings |" in printed
    assert "|  | without citations |" in printed
    # The command is told without the places of this machine.
    assert str(data) not in printed
    assert "python -m benchmarks.gold_sets data corpora" in printed
    table = orjson.loads((data.parent / "t.json").read_bytes())
    assert table["sets"]["obliqa_mp"]["queries"] == 2
    assert table["settings"] == preset("balanced").model_dump(mode="json")
    assert table["ablation"]["obliqa_mp"]["questions"] == 1
    assert table["commit"]
    # One corpus for both sets, ingested once.
    assert [folder.name for folder in (data.parent / "corpora").iterdir()] == ["2wiki_dev164"]
    assert len(read_results(kept / "obliqa_mp.jsonl")[1]) == 2
    assert (kept / "obliqa_mp.run").read_text(encoding="utf-8").startswith("q1 Q0 b 1 ")
    for place in ("plots/obliqa_mp/recall_by_round.html", "plots/obliqa_mp/ablation.html"):
        assert (kept / place).is_file()


def test_fewer_questions(data: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(data, "--most", "1", sets="2wiki_dev164") == 0
    assert "| 2wiki_dev164 (1) | scan |" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("sets", "more", "message"),
    [
        ("atlantis", (), "--sets: unknown atlantis"),
        ("hotpotqa_dev200", (), "no gold set 'hotpotqa_dev200'"),
        ("obliqa_mp", ("--preset", "hasty"), "unknown preset 'hasty'"),
        ("obliqa_mp", ("--most", "0"), "--most: must be at least 1"),
    ],
)
def test_what_cannot_be_measured_is_told(
    data: Path, capsys: pytest.CaptureFixture[str], sets: str, more: tuple[str, ...], message: str
) -> None:
    assert run(data, *more, sets=sets) == 2
    assert message in capsys.readouterr().err
