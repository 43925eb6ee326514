from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from benchmarks.citation_turn import links_of, ours, plain
from benchmarks.hashed import hashed, in_place_of_the_model
from benchmarks.scale import number_of, plotted, told
from engine.corpus import open_corpus
from engine.language.embedders import embedder

TABLE = [
    {"passages": 1_000, "walk p50, ms": 2.0, "opening, ms": 10.0},
    {"passages": 10_000, "walk p50, ms": 20.0, "opening, ms": 10.0, "only here, ms": 3.0},
]


@pytest.mark.parametrize(("word", "size"), [("13k", 13_000), ("1M", 1_000_000), ("2.5k", 2_500), ("70", 70)])
def test_sizes_are_read(word: str, size: int) -> None:
    assert number_of(word) == size


def test_the_table_tells_how_each_grows() -> None:
    lines = told(TABLE).splitlines()
    assert lines[0] == "| passages | 1,000 | 10,000 | grows as n^ |"
    assert "| walk p50, ms | 2 | 20 | 1.00 |" in lines
    assert "| opening, ms | 10 | 10 | 0.00 |" in lines
    assert "| only here, ms | – | 3 | – |" in lines
    assert "walk p50" in plotted(TABLE)


def test_made_vectors_are_unit_and_near_where_words_are_shared() -> None:
    texts = ["The harbour master grants a licence", "A licence of the harbour master", "Fees for parking", ""]
    with in_place_of_the_model():
        model = embedder("minilm")
        assert model is not None
        vectors = model.encode(texts)
    assert np.linalg.norm(vectors, axis=1) == pytest.approx(1.0, abs=1e-5)
    assert vectors[0] @ vectors[1] > 0.5 > vectors[0] @ vectors[2]
    assert hashed(texts).tolist() == vectors.tolist()


@pytest.mark.parametrize("hops", [1, 2, 3])
def test_the_turn_reaches_what_a_plain_walk_reaches(sample_folder: Path, hops: int) -> None:
    meridia = open_corpus(sample_folder)
    links = links_of(meridia)
    seeds = np.array(sorted(links)[::40], np.int32)
    pool, _, _ = ours(meridia, seeds, "licence", hops)
    reached, _ = plain(links, seeds, hops)
    assert set(pool.rows().tolist()) == set(reached)
