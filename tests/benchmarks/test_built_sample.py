"""The vectors of the sample as it ships; ``tests/ui/test_sample.py`` has the rest."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from engine.corpus import open_corpus
from engine.ingestion.build import build_corpus
from ui.sample import BUILT, MODEL, SOURCES, folder_name


def test_the_vectors_that_ship_are_those_of_the_model(tmp_path: Path) -> None:
    """Of one document, in whose language the model reads. Where the CPU computes in bfloat16 a vector differs
    by what that rounds away, and in another batch by less."""
    build_corpus([SOURCES / "circular-6-2021.md"], tmp_path / "corpus", embedding=MODEL)
    fresh, ships = open_corpus(tmp_path / "corpus"), open_corpus(BUILT / folder_name(SOURCES))
    every = np.arange(len(fresh), dtype=np.int32)
    ids = [passage.id for passage in fresh.passages(every)]
    assert len(ids) > 10
    wanted, found = fresh.vectors(every), ships.vectors(ships.rows(ids))
    assert wanted.shape == found.shape
    assert ((wanted * found).sum(axis=1) > 0.999).all(), "run python -m benchmarks.built_sample"
