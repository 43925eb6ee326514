"""Arrays that are kept in files."""

from __future__ import annotations

import resource
from pathlib import Path

import numpy as np
import psutil
import pytest

from engine.corpus.embedded.stored import FileArray
from engine.errors import RedstringError
from tests.engine.forked import FORK


def test_what_was_let_go_of_is_still_there_and_leaves_no_file(tmp_path: Path) -> None:
    room = FileArray(tmp_path, 50_000, 100)
    room.array[:] = np.arange(50_000, dtype=np.float32)[:, None]
    held = psutil.Process().memory_info().rss
    room.release()
    assert psutil.Process().memory_info().rss < held - (15 << 20)
    assert (room.array[:, 7] == np.arange(50_000)).all()
    assert list(tmp_path.iterdir()) == []


def test_where_there_is_no_room_it_is_told(tmp_path: Path) -> None:
    def refused() -> None:
        resource.setrlimit(resource.RLIMIT_FSIZE, (10_000, 10_000))
        with pytest.raises(RedstringError, match="write vectors"):
            FileArray(tmp_path, 1000, 100)

    process = FORK.Process(target=refused)
    process.start()
    process.join()
    assert process.exitcode == 0
    with pytest.raises(RedstringError, match="write vectors"):
        FileArray(tmp_path / "missing", 10, 10)
