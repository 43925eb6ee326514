"""Ctrl-C, really sent to a command at work."""

from __future__ import annotations

import signal
import subprocess
import sys
import time
from pathlib import Path

ROOT = Path(__file__).parents[3]
SOON = 30.0


def test_ctrl_c_is_told_in_a_line_and_leaves_nothing_half_written(tmp_path: Path) -> None:
    lines = (
        f'{{"id": "d{n}", "text": "Article {n}. The pier of {n}. See article 3."}}\n' for n in range(40_000)
    )
    (tmp_path / "lines.jsonl").write_text("".join(lines))
    corpus = tmp_path / "corpus"
    # Whoever runs the tests in the background has them ignore the signal.
    command = ["env", "--default-signal=INT", sys.executable, "-m", "engine", "ingest"]
    command += [str(tmp_path / "lines.jsonl"), "--embedding", "none"]
    with subprocess.Popen(
        [*command, "--corpus", str(corpus)], cwd=ROOT, stderr=subprocess.PIPE, text=True
    ) as process:
        until = time.monotonic() + SOON
        while not list(corpus.glob("data-*")):
            assert process.poll() is None
            assert time.monotonic() < until
            time.sleep(0.01)
        process.send_signal(signal.SIGINT)
        _, told = process.communicate(timeout=SOON)
    assert process.returncode == 130
    assert "Traceback" not in told
    assert told.splitlines()[-1] == "redstring: stopped; what was not finished is not kept"
    assert not corpus.exists()
