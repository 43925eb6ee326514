"""Where nothing can be written, kept cases are still listed, shown and verified."""

from __future__ import annotations

import shutil
import subprocess
import sys
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from engine.errors import ResourceError
from engine.records.store.database import CaseFilter
from engine.records.store.store import CaseStore

ROOT = Path(__file__).parents[4]
LIST = f"""
import sys
sys.path.insert(0, {str(ROOT)!r})
from engine.cli.main import main
acts = ["list"], ["show", {{case!r}}], ["verify"], ["verify", {{case!r}}]
codes = [main(["cases", *act]) for act in acts]
wrote = main(["cases", "name", {{case!r}}, "--name", "New"])
print(codes, wrote)
"""


@pytest.fixture
def one(made: Path, tmp_path: Path, small: dict[str, Any]) -> tuple[Path, str]:
    """A folder with a store of one case, and its id."""
    home = tmp_path / "home"
    home.mkdir()
    shutil.copy(made, home / "cases.sqlite")
    with closing(CaseStore(f"sqlite:///{home / 'cases.sqlite'}")) as store:
        return home, store.keep(small, store.matter("Harbour"), application="cli", who="Ann")


def test_what_cannot_be_opened_to_be_written_is_read(one: tuple[Path, str], small: dict[str, Any]) -> None:
    home, case_id = one
    # SQLite makes a file of this name before it reads, and follows no link.
    blocked = home / "cases.sqlite-shm"
    blocked.symlink_to("nowhere")
    with closing(CaseStore(f"sqlite:///{home / 'cases.sqlite'}")) as store:
        assert store.listed(CaseFilter()).total == 1
        assert store.record(case_id) == small
        assert store.verify(case_id) == []
        assert store.verify_all() == {"": [], case_id: []}
        assert [matter.name for matter in store.matters()] == ["Harbour"]
        for write in (
            lambda: store.matter("Another"),
            lambda: store.describe(case_id, who="Ann", name="New"),
            lambda: store.delete([case_id]),
        ):
            with pytest.raises(ResourceError, match="cannot be read or written"):
                write()
        # It is noticed when there is room again.
        blocked.unlink()
        store.describe(case_id, who="Ann", name="New")
        assert store.summary(case_id).name == "New"
        assert store.verify(case_id) == []


def test_what_was_not_all_written_is_not_read_as_if_it_was(one: tuple[Path, str]) -> None:
    home, case_id = one
    with closing(CaseStore(f"sqlite:///{home / 'cases.sqlite'}")) as store:
        store.describe(case_id, who="Ann", name="New")
        copy = shutil.copytree(home, home.with_name("copy"))
    (copy / "cases.sqlite-shm").unlink()
    (copy / "cases.sqlite-shm").symlink_to("nowhere")
    with pytest.raises(ResourceError, match=r"the last changes are in cases\.sqlite-wal"):
        CaseStore(f"sqlite:///{copy / 'cases.sqlite'}")


@pytest.mark.parametrize("state", ["read-only", "full"])
def test_a_folder_that_cannot_be_written(one: tuple[Path, str], tmp_path: Path, state: str) -> None:
    home, case_id = one
    there = tmp_path / "there"
    there.mkdir()
    mount = {
        "read-only": f"mount --bind {home} {there} && mount -o remount,ro,bind {there}",
        "full": f"mount -t tmpfs -o size=1m tmpfs {there} && cp {home}/* {there}"
        f" && (dd if=/dev/zero of={there}/fill bs=4k 2>/dev/null || true)",
    }[state]
    command = f'{mount} && exec "$0" -c "$1"'
    arguments = ["unshare", "--mount", "sh", "-c", command, sys.executable, LIST.format(case=case_id)]
    environment = {"REDSTRING_HOME": str(there), "PATH": "/usr/bin:/bin:/usr/sbin:/sbin"}
    done = subprocess.run(arguments, env=environment, capture_output=True, text=True, check=False)
    if "Operation not permitted" in done.stderr or "permission denied" in done.stderr.lower():
        pytest.skip("this account may not mount anything")
    assert done.stdout.splitlines()[-1] == "[0, 0, 0, 0] 1", done.stderr
    assert "1 of 1" in done.stdout
    (told,) = done.stderr.splitlines()
    assert told.startswith("redstring: ")
