"""What the gate opens, and what it does not, however it is dressed."""

from __future__ import annotations

import os
import socket
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from engine import files
from engine.errors import FileRefusedError


@pytest.fixture
def secret(tmp_path: Path) -> Path:
    (tmp_path / "outside").mkdir()
    (tmp_path / "in").mkdir()
    (tmp_path / "outside" / "secret.txt").write_text("canary")
    return tmp_path / "outside" / "secret.txt"


def test_a_file_of_data_is_opened(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "law.txt").write_text("words")
    assert files.read(tmp_path / "law.txt", 5) == b"words"
    monkeypatch.chdir(tmp_path)
    with files.opened(Path("law.txt")) as file:
        assert os.get_blocking(file.fileno())
        assert file.read() == b"words"
    with pytest.raises(FileRefusedError, match="larger than 4 bytes"):
        files.read(tmp_path / "law.txt", 4)
    with pytest.raises(FileNotFoundError):
        files.opened(tmp_path / "none.txt")


def test_links_of_every_kind_are_refused(tmp_path: Path, secret: Path) -> None:
    inside = tmp_path / "in"
    (inside / "file").symlink_to(secret)
    (inside / "relative").symlink_to("../outside/secret.txt")
    (inside / "folder").symlink_to(secret.parent)
    (inside / "chain").symlink_to(inside / "file")
    (inside / "self").symlink_to(inside / "self")
    (inside / "deep").mkdir()
    (inside / "deep" / "up").symlink_to("../folder")
    for path in ("file", "relative", "folder/secret.txt", "chain", "self", "deep/up/secret.txt"):
        with pytest.raises(FileRefusedError, match="a link: not followed"):
            files.opened(inside / path)
        assert not files.is_there(inside / path)
    for folder in ("folder", "deep/up"):
        with pytest.raises(FileRefusedError, match="a link: not followed"):
            files.entries(inside / folder)


def test_what_an_operator_names_may_be_a_link(tmp_path: Path, secret: Path) -> None:
    (tmp_path / "current").symlink_to(secret)
    assert files.named(tmp_path / "current") == secret
    assert files.read_named(tmp_path / "current", 100) == b"canary"


@pytest.fixture
def special(tmp_path: Path) -> Iterator[list[Path]]:
    os.mkfifo(tmp_path / "pipe")
    with socket.socket(socket.AF_UNIX) as listening:
        listening.bind(str(tmp_path / "socket"))
        yield [
            tmp_path / "pipe",
            tmp_path / "socket",
            tmp_path,
            Path("/dev/null"),
            Path(f"/proc/{os.getpid()}/environ"),
            Path(f"/proc/{os.getpid()}/maps"),
            Path("/sys/kernel/mm/transparent_hugepage/enabled"),
        ]


def test_special_files_are_never_opened(special: list[Path]) -> None:
    for path in special:
        if path.exists():
            with pytest.raises(FileRefusedError, match="not a file of data"):
                files.opened(path)
    with pytest.raises(FileRefusedError, match="not a file of data"):
        files.entries(Path(f"/proc/{os.getpid()}"))


@pytest.mark.parametrize("what", ["file", "folder"])
def test_a_link_put_in_place_in_between_is_never_followed(tmp_path: Path, secret: Path, what: str) -> None:
    """Somebody who may write into the sources exchanges a file or its folder all the time."""
    place = tmp_path / "in" / "laws"
    place.mkdir()
    (place / "secret.txt").write_text("harmless")
    (place / "link").symlink_to(secret)
    (tmp_path / "in" / "link").symlink_to(secret.parent)
    pair = (place / "secret.txt", place / "link") if what == "file" else (place, tmp_path / "in" / "link")
    seen: set[bytes] = set()
    stop = threading.Event()

    def exchange() -> None:
        spare = tmp_path / "in" / "spare"
        while not stop.is_set():
            pair[0].rename(spare)
            pair[1].rename(pair[0])
            pair[0].rename(pair[1])
            spare.rename(pair[0])

    thread = threading.Thread(target=exchange)
    thread.start()
    refused = tries = 0
    try:
        while tries < 2000 or (tries < 200_000 and not (refused and seen)):
            tries += 1
            try:
                seen.add(files.read(place / "secret.txt", 100))
            except FileRefusedError:
                refused += 1
            except (FileNotFoundError, NotADirectoryError):
                # It looked at the moment at which there was neither.
                continue
    finally:
        stop.set()
        thread.join()
    assert seen == {b"harmless"}
    assert refused
