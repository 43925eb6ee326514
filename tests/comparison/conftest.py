"""The reference implementation of metrics and tests of significance."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from types import ModuleType

import numba
import pytest


@pytest.fixture(scope="package")
def ranx() -> Iterator[ModuleType]:
    """ranx as plain Python: compiled, it takes longer than all that is asked of it, and obeys no seed."""
    with pytest.MonkeyPatch.context() as changed, warnings.catch_warnings():
        changed.setattr(numba.config, "DISABLE_JIT", True)
        # numba warns of numpy's own deprecations.
        warnings.simplefilter("ignore")
        import ranx

        yield ranx
