"""Coverage against gold by area."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.metrics import roc_auc_score  # type: ignore[import-untyped]

from benchmarks.coverage import auc, kinds_in, main, read_areas
from engine.ingestion.build import build_corpus
from tests.engine.harbour import write_harbour

AREAS = "query-id\tarea\tcorpus-id\nq1\tpilotage\tpilot-regulation/section-2\nq1\tdues\tdues-act/art-5\n"


@given(st.lists(st.tuples(st.sampled_from([0.0, 0.2, 0.5, 1.0]), st.booleans()), min_size=2, max_size=40))
def test_the_auc_is_that_of_scikit_learn(pairs: list[tuple[float, bool]]) -> None:
    scores, true = [score for score, _ in pairs], np.array([label for _, label in pairs])
    if true.all() or not true.any():
        assert np.isnan(auc(scores, true))
    else:
        assert auc(scores, true) == pytest.approx(roc_auc_score(true, scores))


def test_a_run_over_a_small_corpus(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    build_corpus([write_harbour(tmp_path / "sources", ontology=True)], tmp_path / "corpus", embedding="none")
    (tmp_path / "queries.jsonl").write_text('{"id": "q1", "text": "Who needs a pilot\'s certificate?"}\n')
    (tmp_path / "qrels.tsv").write_text("query-id\tcorpus-id\tscore\nq1\tpilot-regulation/section-2\t1\n")
    (tmp_path / "areas.tsv").write_text(AREAS)
    (tmp_path / "kinds.jsonl").write_text(
        '{"text": "Who needs a pilot\'s certificate?", "transaction": "pilot-exemption"}\n{"text": "?"}\n'
    )
    assert kinds_in(tmp_path / "kinds.jsonl") == [("Who needs a pilot's certificate?", "pilot-exemption")]
    assert read_areas(tmp_path / "areas.tsv")["q1"].keys() == {"pilotage", "dues"}
    files = [str(tmp_path / name) for name in ("corpus", "queries.jsonl", "qrels.tsv")]
    more = ["--areas", str(tmp_path / "areas.tsv"), "--kinds", str(tmp_path / "kinds.jsonl")]
    assert main([*files, *more]) == 0
    said = capsys.readouterr().out
    assert said.startswith("4 pairs, ")
    assert "type of transaction right: 1.000 of 1" in said
