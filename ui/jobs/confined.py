"""A module of this project as a program in a confined process, which has its own folders and nothing else."""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from engine.isolation.installation import link_program, python_policy
from ui.jobs.process import Bounds, Program

DOCUMENTS = "documents"
THREADS = ("OMP_NUM_THREADS", "MKL_NUM_THREADS", "OPENBLAS_NUM_THREADS")
# Of the server's environment a process gets what says how to compute, and nothing that says who may what.
PASSED_ON = ("LANG", "LC_ALL", "LC_CTYPE", "TZ", "LD_LIBRARY_PATH", *THREADS, "TOKENIZERS_PARALLELISM")


def confined(
    module: str,
    order: bytes,
    workspace: Path,
    bounds: Bounds,
    *,
    read: Sequence[str] = (),
    write: Sequence[str] = (),
    environment: Mapping[str, str] | None = None,
) -> Program:
    """Make the program that runs ``module`` in the folder ``documents`` of a workspace.

    It may read that folder, write to ``scratch`` next to it, and read and write what is given.
    """
    documents, scratch, program = workspace / DOCUMENTS, workspace / "scratch", workspace / "program"
    for folder in (documents, scratch):
        folder.mkdir(exist_ok=True)
    link_program(program)
    policy = python_policy()
    return Program(
        [sys.executable, "-P", "-m", module],
        _environment(scratch, program) | dict(environment or {}),
        documents,
        order,
        replace(
            policy,
            read=(*policy.read, str(program), str(documents), *read),
            write=(*write, str(scratch)),
            memory=bounds.memory,
            file_bytes=bounds.disk,
            cpu=int(bounds.cpu),
            processes=bounds.processes,
        ),
        bounds,
    )


def _environment(scratch: Path, program: Path) -> dict[str, str]:
    """The environment of a confined process, made for it."""
    return {
        **{name: os.environ[name] for name in PASSED_ON if name in os.environ},
        "PYTHONPATH": str(program),
        "HOME": str(scratch),
        "TMPDIR": str(scratch),
        # A document called "numpy.py" must not be taken for a module.
        "PYTHONSAFEPATH": "1",
        "PYTHONDONTWRITEBYTECODE": "1",
    }
