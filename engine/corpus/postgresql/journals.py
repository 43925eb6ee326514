"""The journals of a corpus (verdicts of people and models) in a table of its server.

A verdict on a link takes effect in the transaction that stores it: the references of the passage are reset to
those of the texts and then changed by the current verdicts (``apply_verdicts``). The original of a changed
reference is stored, too, so that a verdict can be withdrawn.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from threading import Lock
from types import SimpleNamespace
from typing import Any

import numpy as np
import orjson
from psycopg import Connection

from engine.corpus import Address
from engine.corpus.embedded.arrays import Array
from engine.corpus.embedded.block import Block
from engine.corpus.embedded.deciding import changes, with_changes
from engine.corpus.embedded.links import COLUMNS, KIND_NUMBERS, TARGET_KINDS, Edges, ReferenceTable, Tables
from engine.corpus.embedded.publication import (
    CONFIRMATIONS_NAME,
    DECISIONS_NAME,
    EXTRACTED_NAME,
    GRADES_NAME,
    VALIDATIONS_NAME,
    WEIGHTS_NAME,
)
from engine.corpus.extracted import Validation
from engine.corpus.journal import FolderJournals
from engine.corpus.postgresql.catalogue import SCHEMA, TABLES
from engine.corpus.postgresql.server import Server
from engine.corpus.postgresql.texts import PostgresTexts
from engine.corpus.protocol import Rows
from engine.errors import CorpusError
from engine.model import TargetKind

# The journals that are copied with a corpus from a folder to a server and back.
KEPT = (CONFIRMATIONS_NAME, DECISIONS_NAME, EXTRACTED_NAME, GRADES_NAME, VALIDATIONS_NAME, WEIGHTS_NAME)

_LINES = f"select line from {SCHEMA}.said where corpus = %s and journal = %s order by number"
_READ = f"select line from {SCHEMA}.said where corpus = %(name)s and journal = %(journal)s order by number"
_STAMPS = f"select journal, max(number), count(*) from {SCHEMA}.said where corpus = %(name)s group by journal"
_ADD = f"insert into {SCHEMA}.said (corpus, journal, line) values (%s, %s, %s)"

# Applies a verdict, given the connection of its transaction, all current verdicts, and the new one.
Judge = Callable[[Connection[Any], Sequence[bytes], bytes], None]


class PostgresJournals:
    """See ``engine.corpus.journal.Journals``. Stamps are cached until ``refresh``."""

    def __init__(self, address: Address, server: Server, generation: int, judge: Judge) -> None:
        self._address, self._server, self._generation, self._judge = address, server, generation, judge
        self._stamps: dict[str, tuple[int, ...]] | None = None
        self._lock = Lock()

    def lines(self, name: str) -> list[bytes]:
        """See ``Journals``."""
        found = self._server.read(_READ, {"name": self._address.corpus, "journal": name})
        return [line.encode() for (line,) in found]

    def add(self, name: str, line: bytes) -> None:
        """See ``Journals``. The effects of a verdict on a link are written in the same transaction."""

        def written(connection: Connection[Any]) -> None:
            # Writers that publish the corpus or add to its journals wait for this lock.
            held = connection.execute(
                f"select generation from {SCHEMA}.corpora where name = %s for update", (self._address.corpus,)
            ).fetchone()
            if held is None or held[0] != self._generation:
                raise CorpusError(
                    f"{self._address}: the corpus was replaced after it was opened; open it again"
                )
            connection.execute(_ADD, (self._address.corpus, name, line.decode()))
            if name == VALIDATIONS_NAME:
                self._judge(connection, read_lines(connection, self._address.corpus, name), line)

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
        """Clear the cached stamps; the next request reads them again."""
        with self._lock:
            self._stamps = None


def read_lines(connection: Connection[Any], corpus: str, name: str) -> list[bytes]:
    """Return the lines of a journal as visible to the transaction."""
    return [line.encode() for (line,) in connection.execute(_LINES, (corpus, name)).fetchall()]


def merge(connection: Connection[Any], corpus: str, journals: FolderJournals) -> None:
    """Merge the lines of a folder's journals into those of the server, oldest first.

    Raises CorpusError.
    """
    for name in KEPT:
        there = read_lines(connection, corpus, name)
        known = set(there)
        new = [line for line in journals.lines(name) if line not in known]
        if not new:
            continue
        connection.execute(f"delete from {SCHEMA}.said where corpus = %s and journal = %s", (corpus, name))
        lines = sorted([*there, *new], key=_when)
        with connection.cursor() as cursor:
            cursor.executemany(_ADD, [(corpus, name, line.decode()) for line in lines])


def copy_lines_back(connection: Connection[Any], corpus: str, journals: FolderJournals) -> None:
    """Append lines of the server to a folder's journals if they are missing there. Raises CorpusError."""
    for name in KEPT:
        known = set(journals.lines(name))
        for line in read_lines(connection, corpus, name):
            if line not in known:
                journals.add(name, line)


def _when(line: bytes) -> str:
    return str(orjson.loads(line).get("when", ""))


_ALL = ", ".join(TABLES["citations"].names)
_OWN = "corpus = %(corpus)s and part = %(part)s and document = %(document)s and source = %(row)s"
_FAR = "corpus = %(corpus)s and part = any(%(parts)s) and document = any(%(documents)s)"
_PUT_BACK = (
    f"delete from {SCHEMA}.citations where {_OWN} and number in "
    f"(select number from {SCHEMA}.stated where {_OWN})",
    f"insert into {SCHEMA}.citations ({_ALL}) select {_ALL} from {SCHEMA}.stated where {_OWN}",
    f"delete from {SCHEMA}.stated where {_OWN}",
)
_KEEP = (
    f"insert into {SCHEMA}.stated ({_ALL}) select {_ALL} from {SCHEMA}.citations where {_OWN} "
    "and number = any(%(numbers)s)"
)
_CHANGE = (
    f"update {SCHEMA}.citations set relation = %(relation)s, status = %(status)s, kind = %(kind)s, "
    "target = %(target)s, target_id = %(target_id)s, head = %(head)s, confidence = %(confidence)s, "
    "provision_kind = %(provision_kind)s, provision = %(provision)s, provision_id = %(provision_id)s, "
    f"provision_row = %(provision_row)s where {_OWN} and number = %(number)s"
)
_REFERENCES = (
    f"select number, start, stop, relation, status, kind, target, confidence, head from {SCHEMA}.citations "
    f"where {_OWN} order by number"
)
_EDGES_OUT = (
    f"{SCHEMA}.edges where corpus = %(corpus)s and part = %(part)s and document = %(document)s "
    "and near = %(row)s and not inward"
)


def apply_verdicts(
    connection: Connection[Any], corpus: PostgresTexts, source_id: str, verdicts: Iterable[Validation]
) -> None:
    """Apply the current verdicts to the references and links of one passage.

    No-op if the passage is not in the corpus. Raises the driver's errors, ResourceError.
    """
    row = int(corpus.rows([source_id])[0])
    if row >= 0:
        own = [one for one in verdicts if one.proposal.source_id == source_id]
        _VerdictWriter(connection, corpus, row).judge(own)


class _VerdictWriter:
    """Updates the references of one passage in a transaction."""

    def __init__(self, connection: Connection[Any], corpus: PostgresTexts, row: int) -> None:
        self._connection, self._corpus, self._row = connection, corpus, row
        document = int(corpus.document_numbers(np.array([row]))[0])
        (part,) = corpus.parts(np.array([document]))
        self._own = {"corpus": corpus.stamp, "part": part, "document": document, "row": row}
        named: Any = SimpleNamespace
        outline, sections = corpus.outline, corpus.outline.sections
        self._tables = Tables(
            named(rows=corpus.rows, texts=self._texts),
            named(first=sections.first, stop=sections.stop, find=corpus.section_number),
            named(first=outline.first, numbers={one.id: n for n, one in enumerate(corpus.documents())}),
        )

    def judge(self, verdicts: Sequence[Validation]) -> None:
        """Reset the references to those of the texts, then apply the verdicts."""
        led = self._heads()
        for statement in _PUT_BACK:
            self._connection.execute(statement, self._own)
        found = self._connection.execute(_REFERENCES, self._own).fetchall()
        numbers, start, stop, relation, status, kind, target, confidence, _ = (
            zip(*found, strict=True) if found else ((),) * 9
        )
        columns = {"start": start, "end": stop, "relation": relation, "status": status, "kind": kind}
        columns |= {"target": target, "confidence": confidence}
        columns |= {"source": (self._row,) * len(found), "grammar": (0,) * len(found)}
        block = Block({name: np.array(columns[name], kind) for name, kind in COLUMNS.items()})
        block.put_strings("candidates", [""] * len(found))
        stated = ReferenceTable(block, [""])
        changed = dict(changes(verdicts, stated, self._tables))
        if changed:
            self._connection.execute(_KEEP, {**self._own, "numbers": [numbers[place] for place in changed]})
        for place, values in changed.items():
            self._change(numbers[place], values)
        self._lead(numbers, led)
        table = with_changes(stated, changed)
        self._link(table.edges(self._tables.sections, self._tables.documents), np.array(numbers, np.int32))

    def _change(self, number: int, values: tuple[float, ...]) -> None:
        relation, status, kind, target, confidence = values
        ends = self._ends(int(kind), int(target))
        changed = {"relation": int(relation), "status": int(status), "kind": int(kind), "target": int(target)}
        self._connection.execute(
            _CHANGE, {**self._own, **changed, **ends, "confidence": confidence, "number": number}
        )

    def _ends(self, kind: int, target: int) -> dict[str, int | str]:
        """Return the columns of a reference that describe its target."""
        corpus, named = self._corpus, TARGET_KINDS[kind] if kind >= 0 else None
        passage = corpus.passages(np.array([target]))[0] if named is TargetKind.PASSAGE else None
        target_id = corpus.documents()[target].id if named is TargetKind.DOCUMENT else ""
        number = target if named is TargetKind.SECTION else -1
        if passage is not None:
            number = int(corpus.section_numbers(np.array([target]))[0])
        section = corpus.sections([number])[0] if number >= 0 else None
        head, provision = -1, (-1, -1, "", -1)
        # A cited paragraph counts for the provision that contains it: the section with its number.
        if section is not None and (passage is None or (passage.number and passage.number == section.number)):
            head, target_id = int(corpus.outline.sections.first[number]), section.id
            provision = (KIND_NUMBERS[TargetKind.SECTION], number, section.id, head)
        elif passage is not None:
            provision = (kind, target, passage.id, target)
        if passage is not None:
            head, target_id = target, passage.id
        names = ("provision_kind", "provision", "provision_id", "provision_row")
        return {"target_id": target_id, "head": head, **dict(zip(names, provision, strict=True))}

    def _texts(self, rows: Sequence[int]) -> list[str]:
        return [passage.text for passage in self._corpus.passages(np.array(rows, np.int32))]

    def _heads(self) -> list[tuple[int, int]]:
        """Return the numbers of the references, and the target passages."""
        found = self._connection.execute(_REFERENCES, self._own).fetchall()
        return [(one[0], one[-1]) for one in found if one[-1] >= 0]

    def _lead(self, numbers: Sequence[int], before: Sequence[tuple[int, int]]) -> None:
        """Update the target passages of the references."""
        old = np.array([head for _, head in before], np.int32)
        self._connection.execute(
            f"delete from {SCHEMA}.cited where {_FAR} and head = any(%(heads)s) "
            "and number = any(%(numbers)s)",
            {**self._far(old), "heads": old.tolist(), "numbers": list(numbers)},
        )
        now = self._heads()
        heads = np.array([head for _, head in now], np.int32)
        own = [number for number, _ in now]
        self._insert("cited", heads, [heads.tolist(), own])

    def _link(self, edges: Edges, numbers: Array) -> None:
        """Replace the links of the passage, in both directions."""
        old = self._connection.execute(f"select far from {_EDGES_OUT}", self._own).fetchall()
        far = np.array([one for (one,) in old], np.int32)
        self._connection.execute(f"delete from {_EDGES_OUT}", self._own)
        self._connection.execute(
            f"delete from {SCHEMA}.edges where {_FAR} and near = any(%(near)s) and inward and far = %(row)s",
            {**self._own, **self._far(far), "near": far.tolist()},
        )
        evidence = numbers[edges.evidence].tolist()
        own, targets = np.full(len(evidence), self._row, np.int32), edges.targets.astype(np.int32)
        rest = [edges.relations.tolist(), edges.weights.tolist(), evidence]
        for near, away, inward in ((own, targets, False), (targets, own, True)):
            self._insert("edges", near, [[inward] * len(evidence), near.tolist(), away.tolist(), *rest])

    def _far(self, rows: Rows) -> dict[str, Any]:
        documents = np.unique(self._corpus.document_numbers(rows))
        own = {"documents": documents.tolist(), "parts": self._corpus.parts(documents)}
        return {"corpus": self._corpus.stamp, **own}

    def _insert(self, table: str, rows: Rows, columns: Sequence[Sequence[Any]]) -> None:
        """Insert rows into a table; each belongs to the document of a passage."""
        documents = self._corpus.document_numbers(rows).tolist()
        parts = [self._corpus.parts(np.array([one]))[0] for one in documents]
        names = TABLES[table].names
        statement = (
            f"insert into {SCHEMA}.{table} ({', '.join(names)}) values ({', '.join(['%s'] * len(names))})"
        )
        each = zip(parts, documents, *columns, strict=True)
        with self._connection.cursor() as cursor:
            cursor.executemany(statement, [(self._corpus.stamp, *one) for one in each])
