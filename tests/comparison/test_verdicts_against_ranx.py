"""What reviewers judged, as ranx reads it (Bassani, ECIR 2022)."""

from __future__ import annotations

from pathlib import Path
from types import ModuleType

from engine.evaluation.questions import topic_of
from engine.review.exchange import format_of
from tests.engine.review.judged import QUESTION, N, P, R, passage, said


def test_ranx_reads_the_gains(ranx: ModuleType, tmp_path: Path) -> None:
    write = format_of("qrels").write
    assert write is not None
    judged = [said(passage(f"p{number}"), verdict, number=number) for number, verdict in enumerate((R, P, N))]
    path = tmp_path / "judgements.trec"
    path.write_bytes(write(judged))
    found = ranx.Qrels.from_file(str(path), kind="trec").to_dict()
    assert found == {topic_of(QUESTION): {"p0": 2, "p1": 1, "p2": 0}}
