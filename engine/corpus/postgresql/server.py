"""A PostgreSQL server: a pool of connections, and the errors that are raised if it does not answer.

A read is tried once more if the connection broke; a write never is. No error contains a parameter of a
statement or a password.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import closing, suppress
from typing import Any, TypeVar

import psycopg
from psycopg import Connection
from psycopg.conninfo import conninfo_to_dict
from psycopg.rows import namedtuple_row
from sqlalchemy.exc import TimeoutError as NoConnectionError
from sqlalchemy.pool import QueuePool

from engine.corpus import Address
from engine.errors import CorpusError, RedstringError, ResourceError

# Connections that stay open, and those opened in addition while many cases run at once.
KEPT, MORE = 4, 12
CONNECT_SECONDS = 10
# Seconds for which a statement waits for a connection of the pool.
WAIT_SECONDS = 30
# Seconds for which a failed replica is not used.
AWAY_SECONDS = 30
# Seconds between checks that the connections still hold the corpus.
HELD_SECONDS = 5
# Classes of SQLSTATE: no connection, too few resources, server stopped.
_AWAY = ("08", "53", "57P", "58")
_TOO_LONG = "57014"

Parameters = Mapping[str, Any]
T = TypeVar("T")


class Server:
    """The server of an address. ``welcome`` is called with each new connection before its first use."""

    def __init__(
        self,
        address: Address,
        welcome: Callable[[Connection[Any]], None] | None = None,
        *,
        url: str | None = None,
    ) -> None:
        """Create the pool; nothing is connected yet.

        ``url`` replaces the URL of the address. Raises CorpusError if the driver cannot use it.
        """
        self.address, self._url, self._welcome = address, url or address.url, welcome
        try:
            self._password = conninfo_to_dict(self._url).get("password")
        except psycopg.Error:
            raise CorpusError(f"{address}: this is no address of a PostgreSQL database") from None
        connect: Any = self._connect
        self._pool = QueuePool(connect, KEPT, MORE, WAIT_SECONDS, reset_on_return=None)
        self._process = os.getpid()

    def read(self, statement: str, parameters: Parameters) -> Sequence[Any]:
        """Return the rows of a statement that changes nothing: one round trip.

        Raises ResourceError if the server cannot be reached or takes too long, CorpusError if it refuses.
        """
        # In the binary format, bytes and arrays are not written out as text.
        return self.use(lambda one: one.execute(statement.encode(), parameters, binary=True).fetchall())

    def use(self, ask: Callable[[Connection[Any]], T], *, tries: int = 2) -> T:
        """Return the result of ``ask`` with a connection of the pool; retried if the connection broke.

        Raises as ``read``.
        """
        if self._process != os.getpid():
            # A connection belongs to the process that opened it.
            self._pool, self._process = self._pool.recreate(), os.getpid()
        try:
            with closing(self._pool.connect()) as held:
                connection: Any = held.driver_connection
                try:
                    return ask(connection)
                except psycopg.Error:
                    held.invalidate()
                    if connection.closed:
                        # The other connections have lost the server, too.
                        self.close()
                        if tries > 1:
                            return self.use(ask, tries=tries - 1)
                    raise
        except (NoConnectionError, psycopg.Error) as error:
            raise self.convert(error) from None

    def write(self, change: Callable[[Connection[Any]], T]) -> T:
        """Make a change in one transaction, without retries.

        Raises as ``read``, and the errors of ``change``.
        """

        def change_all(connection: Connection[Any]) -> T:
            with connection.transaction():
                return change(connection)

        return self.use(change_all, tries=1)

    def connection(self) -> Connection[Any]:
        """Return a new connection, in a transaction; the caller closes it. Raises as ``read``."""
        try:
            connection = self._connect()
        except psycopg.Error as error:
            raise self.convert(error) from None
        connection.autocommit = False
        return connection

    def close(self) -> None:
        """Close all connections; new ones are opened when they are needed."""
        self._pool.dispose()
        self._pool = self._pool.recreate()

    def convert(self, error: Exception) -> RedstringError:
        """Return the error to raise for an error of the driver."""
        if isinstance(error, NoConnectionError):
            return ResourceError(
                f"{self.address}: no connection was free for {WAIT_SECONDS} s; ask for less at once"
            )
        state = getattr(error, "sqlstate", None) or ""
        if state == _TOO_LONG:
            return ResourceError(
                f"{self.address}: a statement took longer than {self.address.timeout:g} s and was stopped; "
                "add ?timeout=SECONDS to the address"
            )
        reason = str(error).strip().splitlines()[0] if str(error) else "no reason"
        reason = reason.replace(str(self._password), "***") if self._password else reason
        if state.startswith(_AWAY) or (not state and isinstance(error, psycopg.OperationalError)):
            return ResourceError(
                f"{self.address}: the database server does not answer ({reason}); "
                "what is stored is not touched by this; try again when it runs"
            )
        return CorpusError(f"{self.address}: the database server refuses ({reason})")

    def _connect(self) -> Connection[Any]:
        connection: Connection[Any] = psycopg.connect(
            self._url,
            autocommit=True,
            row_factory=namedtuple_row,
            # A prepared plan keeps the settings of its creation: prepare none.
            prepare_threshold=None,
            connect_timeout=CONNECT_SECONDS,
            application_name="redstring",
        )
        try:
            connection.execute(
                "select set_config('statement_timeout', %s, false), set_config('jit', 'off', false) as jit",
                (str(int(self.address.timeout * 1000)),),
            )
            if self._welcome is not None:
                self._welcome(connection)
        except BaseException:
            connection.close()
            raise
        return connection


class Replicated:
    """A server with a replica for reads.

    If the replica does not answer, or does not contain the corpus yet, reads go to the server itself, and the
    replica is not used for ``AWAY_SECONDS``.
    """

    def __init__(self, server: Server, replica: Server) -> None:
        self._server, self._replica = server, replica
        self._away = self._held = 0.0

    def read(self, statement: str, parameters: Parameters) -> Sequence[Any]:
        """See ``Server``."""
        return self._ask(lambda server: server.read(statement, parameters))

    def use(self, ask: Callable[[Connection[Any]], T]) -> T:
        """See ``Server``."""
        return self._ask(lambda server: server.use(ask))

    def close(self) -> None:
        """Close the connections to the replica."""
        self._replica.close()

    def _ask(self, ask: Callable[[Server], T]) -> T:
        now = time.monotonic()
        if now >= self._held:
            # The server's own connections keep the corpus from being dropped: this detects broken ones.
            self._held = now + HELD_SECONDS
            with suppress(ResourceError):
                self._server.read("select 1", {})
        if now >= self._away:
            try:
                return ask(self._replica)
            except RedstringError:
                self._away = time.monotonic() + AWAY_SECONDS
        return ask(self._server)
