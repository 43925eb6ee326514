from __future__ import annotations

import random
import subprocess
import sys
from collections import Counter
from dataclasses import replace
from pathlib import Path

import psutil
import pytest

from benchmarks.attacks.soak import Soaked, told, verdicts
from benchmarks.attacks.soaking.samples import NAMES, RSS_MB, Sample, growth, sample

FLAT = Sample(rss_mb=1000, descriptors=20, threads=12, processes=1, files=80, files_mb=3)


def test_growth_is_what_a_line_rises_by_over_the_second_half() -> None:
    assert growth([float(2 * n) for n in range(100)]) == pytest.approx((80, 80))
    assert growth([5.0] * 100) == (0, 0)
    # What is taken before the end of warm-up does not count, nor what is far off once.
    assert growth([float(n) for n in range(20)] + [20.0] * 80) == (0, 0)
    assert growth([7.0] * 50 + [9000.0] + [7.0] * 49) == (0, 0)
    noise = random.Random(1)
    rises, surely = growth([100 + noise.random() for _ in range(200)])
    assert abs(rises) < 0.2
    assert surely < 0
    rises, surely = growth([100 + noise.random() + number / 50 for number in range(200)])
    assert 1.0 < surely < rises < 2.0


@pytest.mark.parametrize("name", NAMES)
def test_each_quantity_that_grows_is_told_and_no_other(name: str) -> None:
    step = 1.0 if name == "rss_mb" else 0.1
    samples = [replace(FLAT, **{name: getattr(FLAT, name) + step * number}) for number in range(120)]
    failed = [one.name for one in verdicts(Soaked(samples)) if not one.held]
    assert failed == [name]
    assert step * 96 / 2 > RSS_MB or name != "rss_mb"


def test_each_honest_request_that_failed_is_counted() -> None:
    soaked = Soaked([FLAT] * 20, Counter({"evaluates": 3, "is_hostile": 1}), ["evaluates: SoakError: no"])
    failed = [one for one in verdicts(soaked) if not one.held]
    assert [(one.name, one.note) for one in failed] == [("evaluates", "evaluates: SoakError: no")]
    assert sum(1 for _ in verdicts(soaked)) == 4 + len(NAMES)
    assert "evaluates 3" in told(soaked)


def test_a_sample_counts_what_a_process_holds(tmp_path: Path) -> None:
    # A process of its own: what else the tests do opens and closes files in this one.
    program = (
        "import sys; print(); sys.stdin.readline(); file = open(sys.argv[1], 'wb', 0)\n"
        "file.write(bytes(2_000_000)); print(); sys.stdin.readline()"
    )
    command = [sys.executable, "-u", "-c", program, str(tmp_path / "file")]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as child:
        assert child.stdin is not None
        assert child.stdout is not None
        process = psutil.Process(child.pid)
        child.stdout.readline()
        before = sample(process, [tmp_path])
        child.stdin.write(b"\n")
        child.stdin.flush()
        child.stdout.readline()
        after = sample(process, [tmp_path])
        child.stdin.close()
    assert (after.files, after.files_mb) == (1, 2.0)
    assert after.descriptors == before.descriptors + 1
    assert after.rss_mb > 1
