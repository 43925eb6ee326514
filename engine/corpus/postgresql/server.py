"""A PostgreSQL server: a pool of connections, and what is told where it does not answer.

A read is tried once more where the connection broke; a write never is. Nothing that is raised holds a
parameter of a statement or a password.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import Any, TypeVar

from psycopg import Connection, Cursor, OperationalError
from psycopg import Error as DriverError
from psycopg.pq import Format
from sqlalchemy import TextClause, create_engine, event, text
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
# Seconds for which a replica that failed is not asked again.
AWAY_SECONDS = 30
# Seconds after which it is made sure that the corpus is still kept.
HELD_SECONDS = 5
# Classes of SQLSTATE: no connection, too few resources, the server is stopped.
_AWAY = ("08", "53", "57P", "58")
_TOO_LONG = "57014"

Parameters = dict[str, Any]
T = TypeVar("T")


class _BinaryCursor(Cursor[Any]):
    """Answers come in the server's binary format: bytes and arrays are not written out as text."""

    def __init__(self, *arguments: Any, **options: Any) -> None:
        super().__init__(*arguments, **options)
        self.format = Format.BINARY


class Server:
    """The server of an address. ``welcome`` is called with each new connection before its first use."""

    def __init__(
        self,
        address: Address,
        welcome: Callable[[Connection[Any]], None] | None = None,
        *,
        url: str | None = None,
    ) -> None:
        """``url``: where it is, if not where the address says. Raises CorpusError for an address that the
        driver cannot use; nothing is connected yet."""
        self.address = address
        self._welcome = welcome
        try:
            self._url = make_url(url or address.url)
            self._engine = create_engine(
                self._url,
                isolation_level="AUTOCOMMIT",
                hide_parameters=True,
                pool_size=KEPT,
                max_overflow=MORE,
                pool_timeout=WAIT_SECONDS,
                pool_reset_on_return=None,
                connect_args={
                    "connect_timeout": CONNECT_SECONDS,
                    "application_name": "redstring",
                    # A prepared plan keeps the settings of the time it was made: none is prepared.
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
        self._of_this_process()
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

    def whole(self, read: Callable[[Connection[Any]], T]) -> T:
        """What is read by the driver itself, which changes nothing, over a connection of the pool; tried once
        more where the connection broke. Raises as ``read``."""
        self._of_this_process()
        try:
            return self._whole(read)
        except OperationalError as error:
            if error.sqlstate == _TOO_LONG:
                raise self.told(error) from None
        except (SQLAlchemyError, DriverError) as error:
            raise self.told(error) from None
        try:
            return self._whole(read)
        except (SQLAlchemyError, DriverError) as error:
            raise self.told(error) from None

    def write(self, change: Callable[[Connection[Any]], T]) -> T:
        """What is changed in one transaction, over a connection of the pool; never tried again. Raises as
        ``read``, and what ``change`` raises."""
        self._of_this_process()

        def changed(connection: Connection[Any]) -> T:
            with connection.transaction():
                return change(connection)

        try:
            return self._whole(changed)
        except (SQLAlchemyError, DriverError) as error:
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

    def _whole(self, read: Callable[[Connection[Any]], T]) -> T:
        with self._engine.connect() as connection:
            driver = connection.connection.driver_connection
            assert isinstance(driver, Connection)
            try:
                return read(driver)
            except DriverError:
                connection.invalidate()
                raise

    def _of_this_process(self) -> None:
        if self._process != os.getpid():
            # A connection belongs to the process that opened it.
            self._engine.dispose(close=False)
            self._process = os.getpid()

    def _connected(self, connection: Connection[Any], _: object) -> None:
        """Settings of a new connection, and the welcome."""
        connection.autocommit = True
        connection.cursor_factory = _BinaryCursor
        milliseconds = str(int(self.address.timeout * 1000))
        connection.execute(
            "select set_config('statement_timeout', %s, false), set_config('jit', 'off', false)",
            (milliseconds,),
        )
        if self._welcome is not None:
            self._welcome(connection)

    def _without_secrets(self, words: str) -> str:
        password = self._url.password
        return words.replace(str(password), "***") if password else words


class Replicated:
    """A server whose reads go to a replica: where that does not answer, or has not got the corpus yet, to the
    server itself, and for ``AWAY_SECONDS`` nobody asks the replica again."""

    def __init__(self, server: Server, replica: Server) -> None:
        self._server, self._replica = server, replica
        self._away = self._held = 0.0

    def read(self, statement: TextClause, parameters: Parameters) -> Sequence[Any]:
        """See ``Server``."""
        return self._asked(lambda server: server.read(statement, parameters))

    def whole(self, read: Callable[[Connection[Any]], T]) -> T:
        """See ``Server``."""
        return self._asked(lambda server: server.whole(read))

    def close(self) -> None:
        """Close the connections to the replica."""
        self._replica.close()

    def _asked(self, ask: Callable[[Server], T]) -> T:
        now = time.monotonic()
        if now >= self._held:
            # The server's own connections keep the corpus from being dropped: where they broke, this tells.
            self._held = now + HELD_SECONDS
            with suppress(ResourceError):
                self._server.read(text("select 1"), {})
        if now >= self._away:
            try:
                return ask(self._replica)
            except RedstringError:
                self._away = time.monotonic() + AWAY_SECONDS
        return ask(self._server)
