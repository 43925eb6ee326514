"""Folders that jobs work in: closed to others, and gone with the server, however it ended."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from subprocess import PIPE

import pytest

from ui.serve import FOLDER, PREFIX, ServerFolder, Workspaces, remove_left, temporary_folder

SERVER = (
    "import sys; from pathlib import Path; from ui.serve import Workspaces;"
    "made = Workspaces(Path(sys.argv[1])).new(); (made / 'sent').write_text('x');"
    "print(made, flush=True); input()"
)


def test_folders_are_private_and_removed_at_the_end(tmp_path: Path) -> None:
    made = Workspaces(tmp_path)
    one, two = made.new(), made.new()
    assert one != two
    assert one.is_relative_to(tmp_path)
    for folder in (one, one.parent, one.parent.parent):
        assert folder.stat().st_mode & 0o077 == 0
    made.close()
    assert list((tmp_path / FOLDER).iterdir()) == []


def test_what_a_killed_server_left_is_removed_and_what_a_living_one_uses_stays(tmp_path: Path) -> None:
    servers = [
        subprocess.Popen([sys.executable, "-c", SERVER, tmp_path], stdin=PIPE, stdout=PIPE) for _ in range(2)
    ]
    try:
        folders = [Path(server.stdout.readline().decode().strip()) for server in servers if server.stdout]
        servers[0].send_signal(signal.SIGKILL)
        servers[0].wait()
        assert all(folder.is_dir() for folder in folders)
        Workspaces(tmp_path)
        assert [folder.is_dir() for folder in folders] == [False, True]
    finally:
        for server in servers:
            server.kill()
            server.communicate()


def test_a_server_that_begins_while_another_does_is_not_taken_for_a_dead_one(tmp_path: Path) -> None:
    with ThreadPoolExecutor(8) as threads:
        made = list(threads.map(lambda _: ServerFolder(tmp_path), range(40)))
    assert all(folder.path.is_dir() for folder in made)
    for folder in made:
        folder.close()
    assert list(tmp_path.iterdir()) == []


def test_a_link_that_is_called_like_a_folder_is_not_followed(tmp_path: Path) -> None:
    (tmp_path / "mine").mkdir()
    (tmp_path / "work").mkdir()
    (tmp_path / "work" / f"{PREFIX}x").symlink_to(tmp_path / "mine")
    remove_left(tmp_path / "work")
    assert (tmp_path / "mine").is_dir()


def test_temporary_files_go_with_the_server(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    with temporary_folder() as folder:
        made = Path(tempfile.mkdtemp())
        assert made.parent == folder
        assert folder.stat().st_mode & 0o077 == 0
        assert os.environ["GRADIO_TEMP_DIR"].startswith(str(folder))
    assert list(tmp_path.iterdir()) == []
    assert tempfile.tempdir == str(tmp_path)
