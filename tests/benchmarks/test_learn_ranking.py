"""Learning the ranking, from questions to two models and a ranking that knows nothing of its questions."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

import numpy as np
import pytest

from benchmarks.learn_ranking import ask, collection_of, figures, learned_twice, unseen
from engine.corpus import open_corpus
from engine.ingestion.build import build_corpus
from tests.engine.harbour import write_harbour

QUESTIONS = {
    "When may the harbour master withdraw a berth?": "harbour-act/art-5/para-1",
    "Who may enter the harbour?": "harbour-act/art-3/para-3",
    "What is a vessel?": "harbour-act/art-5/para-1",
    "Which fee is due for a berth?": "harbour-act/art-3/para-3",
}


@pytest.fixture
def data(tmp_path: Path) -> Path:
    folder = tmp_path / "data" / "harbour"
    folder.mkdir(parents=True)
    lines = [json.dumps({"_id": f"q{at}", "text": text}) for at, text in enumerate(QUESTIONS)]
    with gzip.open(folder / "queries.jsonl.gz", "wt", encoding="utf-8") as file:
        file.write("\n".join(lines))
    rows = [f"q{at}\t{gold}\t1" for at, gold in enumerate(QUESTIONS.values())]
    (folder / "qrels.tsv").write_text("query-id\tcorpus-id\tscore\n" + "\n".join(rows) + "\n", "utf-8")
    return tmp_path / "data"


def test_questions_are_asked_learned_from_and_ranked_by_what_others_taught(
    data: Path, tmp_path: Path
) -> None:
    sources = write_harbour(tmp_path / "sources", ontology=False)
    build_corpus([sources], tmp_path / "corpus", embedding="none")
    asked = ask(open_corpus(tmp_path / "corpus"), "harbour", data, 1)
    assert len(asked) == len(QUESTIONS)
    assert {collection_of(one) for one in asked} == {"harbour"}
    for model in learned_twice(asked):
        assert model.shapes
        assert model.scale > 0
    halves = {id(one): place % 2 for place, one in enumerate(asked)}
    for one, order in zip(asked, unseen(asked, lambda each: halves[id(each)]), strict=True):
        assert np.sort(order).tolist() == list(range(len(one.sources)))
        assert 0 <= figures(one, order)["recall@10"] <= 1
