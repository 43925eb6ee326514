"""The randomisation test agrees with ranx's (Bassani, ECIR 2022), and the run form with its reader."""

from __future__ import annotations

from pathlib import Path
from types import ModuleType

import numpy as np
import pytest

from engine.evaluation.compare import paired
from engine.evaluation.questions import Run, write_run


@pytest.mark.parametrize("shift", [0.0, 0.05])
def test_the_same_p_but_for_the_draw(ranx: ModuleType, shift: float) -> None:
    random = np.random.default_rng(11)
    theirs = random.uniform(0, 1, 60)
    ours = theirs + random.normal(shift, 0.15, 60)
    np.random.seed(11)  # ranx draws from numpy's global state
    expected, _ = ranx.statistical_tests.fisher_randomization_test(theirs, ours, n_permutations=4_000)
    # Of 4,000 draws the standard error of a p of .5 is .8 points of 100, of our 10,000 half a point.
    assert paired(ours.tolist(), theirs.tolist()).p == pytest.approx(expected, abs=0.02)


def test_ranx_reads_our_run(ranx: ModuleType, tmp_path: Path) -> None:
    run = Run()
    run.add("q1", ["a", "b"], [0.9, 0.4])
    run.add("q2", ["c"], [1.0])
    write_run(run, tmp_path / "run.trec")
    read = ranx.Run.from_file(str(tmp_path / "run.trec"), kind="trec")
    assert {name: dict(found) for name, found in read.to_dict().items()} == {
        "q1": {"a": 0.9, "b": 0.4},
        "q2": {"c": 1.0},
    }
