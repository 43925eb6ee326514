"""What people and models say of a corpus, in a table of its server: the journals that a folder has as files.

A verdict on a link takes effect in the transaction that keeps it: the references of the passage are put back
to what the texts say, and changed to what people say of them now (``rejudged``). What the texts say of a
changed reference is kept, so that a verdict can be taken back.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from threading import Lock
from typing import Any

import orjson
from psycopg import Connection
from sqlalchemy import text

from engine.corpus.address import Address
from engine.corpus.embedded.publication import (
    CONFIRMATIONS_NAME,
    DECISIONS_NAME,
    EXTRACTED_NAME,
    GRADES_NAME,
    VALIDATIONS_NAME,
    WEIGHTS_NAME,
)
from engine.corpus.journal import FolderJournals
from engine.corpus.postgresql.schema import SCHEMA
from engine.corpus.postgresql.server import Server
from engine.errors import CorpusError

# The journals that go with a corpus from a folder to a server and back.
KEPT = (CONFIRMATIONS_NAME, DECISIONS_NAME, EXTRACTED_NAME, GRADES_NAME, VALIDATIONS_NAME, WEIGHTS_NAME)

_LINES = f"select line from {SCHEMA}.said where corpus = %s and journal = %s order by number"
_READ = text(f"select line from {SCHEMA}.said where corpus = :name and journal = :journal order by number")
_STAMPS = text(
    f"select journal, max(number), count(*) from {SCHEMA}.said where corpus = :name group by journal"
)
_ADD = f"insert into {SCHEMA}.said (corpus, journal, line) values (%s, %s, %s)"

# What puts a verdict in force: a connection in the transaction of the verdict, and all verdicts of then.
Judge = Callable[[Connection[Any], Sequence[bytes], bytes], None]


class ServedJournals:
    """See ``engine.corpus.journal.Journals``. Stamps are read once, until ``refresh``."""

    def __init__(self, address: Address, server: Server, generation: int, judge: Judge) -> None:
        self._address, self._server, self._generation, self._judge = address, server, generation, judge
        self._stamps: dict[str, tuple[int, ...]] | None = None
        self._lock = Lock()

    def lines(self, name: str) -> list[bytes]:
        """See ``Journals``."""
        found = self._server.read(_READ, {"name": self._address.corpus, "journal": name})
        return [line.encode() for (line,) in found]

    def add(self, name: str, line: bytes) -> None:
        """See ``Journals``; what follows from a verdict on a link is written in the same transaction."""

        def written(connection: Connection[Any]) -> None:
            # Whoever publishes the corpus, or says something else of it, waits.
            held = connection.execute(
                f"select generation from {SCHEMA}.corpora where name = %s for update", (self._address.corpus,)
            ).fetchone()
            if held is None or held[0] != self._generation:
                raise CorpusError(f"{self._address}: the corpus was replaced meanwhile; open it again")
            connection.execute(_ADD, (self._address.corpus, name, line.decode()))
            if name == VALIDATIONS_NAME:
                self._judge(connection, kept_lines(connection, self._address.corpus, name), line)

        self._server.write(written)
        self.refresh()

    def named(self, name: str) -> str:
        """See ``Journals``."""
        return f"{self._address}, {name}"

    def stamp(self, name: str) -> tuple[int, ...]:
        """See ``Journals``."""
        with self._lock:
            if self._stamps is None:
                found = self._server.read(_STAMPS, {"name": self._address.corpus})
                self._stamps = {journal: (last, count) for journal, last, count in found}
            return self._stamps.get(name, ())

    def refresh(self) -> None:
        """Have the stamps read again by whoever asks for one next."""
        with self._lock:
            self._stamps = None


def kept_lines(connection: Connection[Any], corpus: str, name: str) -> list[bytes]:
    """The lines of a journal, as a transaction sees them."""
    return [line.encode() for (line,) in connection.execute(_LINES, (corpus, name)).fetchall()]


def merge(connection: Connection[Any], corpus: str, journals: FolderJournals) -> None:
    """Take the lines of a folder's journals along, among those that the server has, in the order in which
    they were said. Raises CorpusError."""
    for name in KEPT:
        there = kept_lines(connection, corpus, name)
        known = set(there)
        new = [line for line in journals.lines(name) if line not in known]
        if not new:
            continue
        connection.execute(f"delete from {SCHEMA}.said where corpus = %s and journal = %s", (corpus, name))
        lines = sorted([*there, *new], key=_when)
        with connection.cursor() as cursor:
            cursor.executemany(_ADD, [(corpus, name, line.decode()) for line in lines])


def bring_back(connection: Connection[Any], corpus: str, journals: FolderJournals) -> None:
    """Add to a folder's journals the lines of the server that are not in them. Raises CorpusError."""
    for name in KEPT:
        known = set(journals.lines(name))
        for line in kept_lines(connection, corpus, name):
            if line not in known:
                journals.add(name, line)


def _when(line: bytes) -> str:
    return str(orjson.loads(line).get("when", ""))
