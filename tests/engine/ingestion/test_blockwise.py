from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from engine.corpus.embedded.block import hashed
from engine.ingestion import view
from engine.ingestion.view import IdIndex

IDS = ["b/2", "a", "b/1", "ä", "", "z"]


def places(key: Callable[[str], int] = hashed) -> IdIndex:
    return IdIndex(np.array([key(one) for one in IDS], np.uint64), IDS.__getitem__)


def test_ids_that_share_a_hash_are_told_apart(monkeypatch: pytest.MonkeyPatch) -> None:
    def key(name: str) -> int:
        return 7 if len(name) < 2 else hashed(name)

    monkeypatch.setattr(view, "hashed", key)
    assert places(key).of([*IDS, "q"]) == {one: number for number, one in enumerate(IDS)}
