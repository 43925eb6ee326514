from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from engine.access.users import Person, key_of, read_private, server_secret, visitors_folder, write_private
from engine.errors import InputError


def test_the_secret_is_made_once_whoever_asks_first(tmp_path: Path) -> None:
    with ThreadPoolExecutor(8) as pool:
        found = set(pool.map(lambda _: server_secret(tmp_path / "home"), range(32)))
    assert len(found) == 1
    assert len(found.pop()) == 32
    assert [path.name for path in (tmp_path / "home").iterdir()] == ["secret"]
    assert (tmp_path / "home" / "secret").stat().st_mode & 0o777 == 0o600
    (tmp_path / "home" / "secret").write_bytes(b"")
    with pytest.raises(InputError, match="not 32 bytes"):
        server_secret(tmp_path / "home")


def test_what_cannot_be_written_or_read_is_told(tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(b"")
    with pytest.raises(InputError, match="cannot be written"):
        write_private(tmp_path / "file" / "users.json", b"")
    with pytest.raises(InputError, match="cannot be read"):
        read_private(tmp_path / "nothing")


def test_a_key_belongs_to_one_browser(tmp_path: Path) -> None:
    keys = {
        key_of("anna", "login", b"1" * 32),
        key_of("anna", "login", b"2" * 32),
        key_of("anna", "huggingface", b"1" * 32),
        key_of("boris", "login", b"1" * 32),
    }
    assert len(keys) == 4
    folders = {visitors_folder(tmp_path, key) for key in keys}
    assert len(folders) == 4
    assert not any(key in str(folder) for key in keys for folder in folders)
    for no_key in ("", "short", "../../etc", "a" * 19, "a" * 81, "user:anna-anna-anna-anna", Person().key):
        assert visitors_folder(tmp_path, no_key) is None
