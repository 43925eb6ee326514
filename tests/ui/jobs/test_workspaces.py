"""Folders that jobs work in: closed to others, and gone with the server, however it ended."""

from __future__ import annotations

import signal
import subprocess
import sys
from pathlib import Path
from subprocess import PIPE

from ui.jobs.workspaces import FOLDER, Workspaces

SERVER = (
    "import sys; from pathlib import Path; from ui.jobs.workspaces import Workspaces;"
    "made = Workspaces(Path(sys.argv[1])).new(); (made / 'sent').write_text('x');"
    "print(made, flush=True); input()"
)


def test_folders_are_closed_to_others_and_gone_in_the_end(tmp_path: Path) -> None:
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
