"""A PostgreSQL server: a pool of connections, and what is told where it does not answer.

A read is tried once more where the connection broke; a write never is. Nothing that is raised holds a
parameter of a statement or a password.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from typing import Any

from psycopg import Connection
from sqlalchemy import TextClause, create_engine, event
from sqlalchemy.engine import make_url
from sqlalchemy.exc import ArgumentError, DBAPIError, NoSuchModuleError, SQLAlchemyError
from sqlalchemy.exc import TimeoutError as NoConnectionError

from engine.corpus.address import Address
from engine.errors import CorpusError, RedstringError, ResourceError

# Connections that stay open, and those that are opened besides where many cases run at once.
KEPT, MORE = 4, 12
CONNECT_SECONDS = 10
# Seconds for which a statement waits for a connection of the pool.
WAIT_SECONDS = 30
# Classes of SQLSTATE: no connection, too few resources, the server is stopped.
_AWAY = ("08", "53", "57P", "58")
_TOO_LONG = "57014"

Parameters = dict[str, Any]


class Server:
    """The server of an address. ``welcome`` is called with each new connection before its first use."""

    def __init__(self, address: Address, welcome: Callable[[Connection[Any]], None] | None = None) -> None:
        """Raises CorpusError for an address that the driver cannot use; nothing is connected yet."""
        self.address = address
        self._welcome = welcome
        try:
            self._engine = create_engine(
                make_url(address.url),
                isolation_level="AUTOCOMMIT",
                hide_parameters=True,
                pool_size=KEPT,
                max_overflow=MORE,
                pool_timeout=WAIT_SECONDS,
                pool_reset_on_return=None,
                connect_args={
                    "connect_timeout": CONNECT_SECONDS,
                    "application_name": "redstring",
                    # A plan that was prepared keeps the settings of the time (hnsw.*): none is.
                    "prepare_threshold": None,
                },
            )
        except (ArgumentError, NoSuchModuleError, ValueError):
            raise CorpusError(f"{address}: this is no address of a PostgreSQL database") from None
        event.listen(self._engine, "connect", self._connected)
        self._process = os.getpid()

    def read(self, statement: TextClause, parameters: Parameters) -> Sequence[Any]:
        """The rows of a statement that changes nothing: one round trip.

        Raises ResourceError where the server cannot be reached or takes too long, CorpusError where it
        refuses.
        """
        if self._process != os.getpid():
            # A connection belongs to the process that opened it.
            self._engine.dispose(close=False)
            self._process = os.getpid()
        try:
            return self._read(statement, parameters)
        except DBAPIError as error:
            if not error.connection_invalidated:
                raise self.told(error) from None
        except SQLAlchemyError as error:
            raise self.told(error) from None
        try:
            return self._read(statement, parameters)
        except SQLAlchemyError as error:
            raise self.told(error) from None

    def connection(self) -> Connection[Any]:
        """A connection of one's own, in a transaction; close it. Raises as ``read``."""
        try:
            raw = self._engine.raw_connection()
        except SQLAlchemyError as error:
            raise self.told(error) from None
        connection = raw.driver_connection
        raw.detach()
        assert isinstance(connection, Connection)
        connection.autocommit = False
        return connection

    def close(self) -> None:
        """Close all connections."""
        self._engine.dispose()

    def told(self, error: Exception) -> RedstringError:
        """What to raise for an error of the driver."""
        if isinstance(error, NoConnectionError):
            return ResourceError(
                f"{self.address}: no connection was free for {WAIT_SECONDS} s; ask for less at once"
            )
        original = getattr(error, "orig", None) or error
        state = getattr(original, "sqlstate", None) or ""
        if state == _TOO_LONG:
            return ResourceError(
                f"{self.address}: a statement took longer than {self.address.timeout:g} s and was stopped; "
                "add ?timeout=SECONDS to the address"
            )
        words = self._without_secrets(str(original).strip().splitlines()[0] if str(original) else "no reason")
        if state.startswith(_AWAY) or (not state and type(original).__name__ == "OperationalError"):
            return ResourceError(
                f"{self.address}: the database server does not answer ({words}); "
                "what is stored is not touched by this; try again when it runs"
            )
        return CorpusError(f"{self.address}: the database server refuses ({words})")

    def _read(self, statement: TextClause, parameters: Parameters) -> Sequence[Any]:
        with self._engine.connect() as connection:
            return connection.execute(statement, parameters).all()

    def _connected(self, connection: Connection[Any], _: object) -> None:
        """Settings of a new connection, and the welcome."""
        connection.autocommit = True
        milliseconds = str(int(self.address.timeout * 1000))
        connection.execute(
            "select set_config('statement_timeout', %s, false), set_config('jit', 'off', false), "
            "set_config('hnsw.iterative_scan', 'relaxed_order', false)",
            (milliseconds,),
        )
        if self._welcome is not None:
            self._welcome(connection)

    def _without_secrets(self, words: str) -> str:
        password = make_url(self.address.url).password
        return words.replace(str(password), "***") if password else words
