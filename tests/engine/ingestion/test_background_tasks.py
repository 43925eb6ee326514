"""Work beside this process is done, waited for, and told where it fails; no child is left behind."""

from __future__ import annotations

import os
import signal
import time
from functools import partial
from pathlib import Path

import psutil
import pytest

from engine.errors import CorpusError, ResourceError
from engine.ingestion.publishing import WORTH_A_CHILD, BackgroundTasks


def told_by(path: Path) -> None:
    path.write_text(str(os.getpid()))


def nothing() -> None:
    """Nobody has had enough."""


def test_it_goes_on_beside_and_is_waited_for(tmp_path: Path) -> None:
    with BackgroundTasks(tmp_path, nothing, WORTH_A_CHILD) as background:
        waits = [background.start(partial(told_by, tmp_path / name)) for name in "ab"]
        for wait in waits:
            wait()
            # Whoever asks again need not wait.
            wait()
        assert len({(tmp_path / name).read_text() for name in "ab"} | {str(os.getpid())}) == 3


def test_what_fails_is_told(tmp_path: Path) -> None:
    def full() -> None:
        raise ResourceError("the disk is full")

    def damaged() -> None:
        raise CorpusError("damaged corpus")

    def killed() -> None:
        os.kill(os.getpid(), signal.SIGKILL)

    def lacking() -> None:
        raise KeyError("no such term")

    with BackgroundTasks(tmp_path, nothing, WORTH_A_CHILD) as background:
        with pytest.raises(ResourceError, match="the disk is full"):
            background.start(full)()
        with pytest.raises(CorpusError, match="damaged corpus"):
            background.start(damaged)()
        with pytest.raises(ResourceError, match=r"could not be written: .*SIGKILL"):
            background.start(killed)()
        with pytest.raises(ResourceError, match=r"could not be written: .*KeyError"):
            background.start(lacking)()


def test_whoever_has_had_enough_does_not_wait_and_leaves_nothing_behind(tmp_path: Path) -> None:
    def enough() -> None:
        raise KeyboardInterrupt

    before = set(psutil.Process().children())
    with pytest.raises(KeyboardInterrupt), BackgroundTasks(tmp_path, enough, WORTH_A_CHILD) as background:
        background.start(lambda: time.sleep(100))()
    assert set(psutil.Process().children()) <= before
