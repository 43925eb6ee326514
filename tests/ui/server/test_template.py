"""What is forked from the template computes, whatever the environment says of threads."""

from __future__ import annotations

import os
import subprocess
import sys
from contextlib import suppress

import pytest

from tests.conftest import ROOT

# As the template does it: a search over vectors, a fork, the same search in the child.
SEARCHED = """
import os, sys
import faiss, numpy as np
from ui.server.template import compute_alone

if sys.argv[1] == "alone":
    compute_alone()
vectors = np.random.default_rng(1).random((20_000, 64), np.float32)
search = lambda: faiss.knn(vectors[:16], vectors, 5, metric=faiss.METRIC_INNER_PRODUCT)
search()
if os.fork() == 0:
    search()
    os._exit(7)
print(os.waitstatus_to_exitcode(os.wait()[1]))
"""


def searched(how: str, seconds: float) -> str:
    command = [sys.executable, "-c", SEARCHED, how]
    # As images of machines with several cores have it.
    environment = os.environ | {"OMP_NUM_THREADS": "2", "PYTHONPATH": str(ROOT)}
    with subprocess.Popen(
        command, env=environment, cwd=ROOT, stdout=subprocess.PIPE, start_new_session=True
    ) as process:
        try:
            return process.communicate(timeout=seconds)[0].decode().strip()
        finally:
            # Its child, which may wait for ever, too.
            with suppress(ProcessLookupError):
                os.killpg(process.pid, 9)


def test_a_worker_waits_for_no_thread_that_the_template_had() -> None:
    assert searched("alone", 60) == "7"


def test_else_it_would_wait_for_ever() -> None:
    with pytest.raises(subprocess.TimeoutExpired):
        searched("as it comes", 4)
