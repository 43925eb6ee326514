"""The randomisation test agrees with ranx's (Bassani, ECIR 2022), and the run form with its reader."""

from __future__ import annotations

import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from engine.evaluation.runs import Run, write_run
from engine.evaluation.significance import paired


@pytest.fixture(scope="module")
def reference() -> Any:
    with warnings.catch_warnings():
        # numba, which ranx compiles with, warns of numpy's own deprecations.
        warnings.simplefilter("ignore")
        import ranx
        from ranx.statistical_tests import fisher_randomization_test

        return ranx, fisher_randomization_test


@pytest.mark.parametrize("shift", [0.0, 0.03, 0.05, 0.2])
def test_the_same_p_but_for_the_draw(reference: Any, shift: float) -> None:
    random = np.random.default_rng(11)
    theirs = random.uniform(0, 1, 60)
    ours = theirs + random.normal(shift, 0.15, 60)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        expected, _ = reference[1](theirs, ours, n_permutations=10_000)
    # Ten thousand draws each: the standard error of a p of .5 is half a point of 100.
    assert paired(ours.tolist(), theirs.tolist()).p == pytest.approx(expected, abs=0.02)


def test_ranx_reads_our_run(reference: Any, tmp_path: Path) -> None:
    run = Run()
    run.add("q1", ["a", "b"], [0.9, 0.4])
    run.add("q2", ["c"], [1.0])
    write_run(run, tmp_path / "run.trec")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        read = reference[0].Run.from_file(str(tmp_path / "run.trec"), kind="trec")
    assert {name: dict(found) for name, found in read.to_dict().items()} == {
        "q1": {"a": 0.9, "b": 0.4},
        "q2": {"c": 1.0},
    }
