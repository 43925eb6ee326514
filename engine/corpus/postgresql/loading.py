"""Copy the corpus of a folder to a server, by COPY.

What is copied is the corpus as it answers now: with the ontology in force and the verdicts on links of the
people who use the folder. What lies beside the data otherwise (grades, readings of a language model) stays in
the folder. Readers go on seeing the generation that they opened; the new one is published by one transaction.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from psycopg import Connection, Error, sql

from engine.corpus.address import Address
from engine.corpus.embedded.arrays import Array
from engine.corpus.embedded.block import FIELDS, Block
from engine.corpus.embedded.browsing import Browsing
from engine.corpus.embedded.documents import SECTION_KINDS, DocumentTable, SectionTable
from engine.corpus.embedded.generation import CITED_NAME, SPARSE_NAME, STATE_NAME, Generation, read_published
from engine.corpus.embedded.given_names import GivenNames
from engine.corpus.embedded.judged import Tables, stamp_of_verdicts, with_verdicts
from engine.corpus.embedded.links import LinkIndex, ReferenceTable
from engine.corpus.embedded.manifest import NO_MODEL, Manifest
from engine.corpus.embedded.passages import PassageTable
from engine.corpus.embedded.references import RELATIONS, STATUSES, TARGET_KINDS
from engine.corpus.embedded.store import open_tokens
from engine.corpus.ontology_journal import ontology_in_force
from engine.corpus.postgresql import binary
from engine.corpus.postgresql.catalogue import new_generation, partition, prepare, publish
from engine.corpus.postgresql.schema import TABLES
from engine.corpus.postgresql.server import Server
from engine.language.addresses import number_key
from engine.model import Direction, TargetKind

# What is told of the progress: a table, how many of its rows are there, how many it will have.
Progress = Callable[[str, int, int], None]
# Links that build the graph of an HNSW index, and what is looked at for each (pgvector's own defaults).
HNSW = "with (m = 16, ef_construction = 64)"


def copy_to_server(folder: Path, address: Address, progress: Progress | None = None) -> Manifest:
    """Copy the corpus in a folder to a server, in the place of the one of that name.

    With ``dense=hnsw`` in the address an index for approximate search is made. Returns the manifest as it
    is published. Raises CorpusError, ResourceError.
    """
    server = Server(address)
    try:
        connection = server.connection()
        try:
            # Building an index takes longer than any question may.
            connection.execute("select set_config('statement_timeout', '0', false)")
            connection.commit()
            prepare(connection)
            source = read_published(folder, _Source)
            with new_generation(connection, address.corpus) as generation:
                loader = _Loader(connection, generation, progress or _silent)
                loader.load(source, hnsw=address.dense == "hnsw")
                publish(connection, address.corpus, generation, source.manifest)
            return source.manifest
        finally:
            connection.close()
    except Error as error:
        raise server.told(error) from None
    finally:
        server.close()


class _Source:
    """A generation in a folder, as it answers."""

    def __init__(self, generation: Generation) -> None:
        generation.check_sizes()
        manifest = generation.manifest
        saved = ontology_in_force(generation.folder)
        self.state = state = generation.block(STATE_NAME)
        cited = generation.block(CITED_NAME)
        self.documents, self.sections = DocumentTable(state), SectionTable(state)
        self.passages = PassageTable(state, sorted(manifest.languages), manifest.statuses)
        stated = ReferenceTable(cited, manifest.grammars), LinkIndex(cited)
        tables = Tables(self.passages, self.sections, self.documents)
        judged = bool(stamp_of_verdicts(generation.folder))
        self.references, self.links = with_verdicts(generation.folder, *stated, tables) if judged else stated
        self.sparse: Block | None = None
        if manifest.sparse != NO_MODEL:
            self.sparse = generation.block(SPARSE_NAME)
        self.tokens = open_tokens(generation)
        changes: dict[str, Any] = {"files": {}}
        if judged:
            changes["references_by_status"] = self._counts("status", STATUSES)
            changes["references_by_relation"] = self._counts("relation", RELATIONS)
        if saved is not None:
            changes["ontology"] = saved.content
        self.manifest = manifest.model_copy(update=changes)

    def _counts(self, column: str, names: Sequence[str]) -> dict[str, int]:
        counts = Counter(self.references.column(column).tolist())
        return {str(names[code]): count for code, count in counts.items()}


class _Loader:
    """Fills the tables of one generation."""

    def __init__(self, connection: Connection[Any], generation: int, progress: Progress) -> None:
        self._connection, self._generation, self._progress = connection, generation, progress

    def load(self, source: _Source, *, hnsw: bool) -> None:
        """All tables, with their indexes."""
        state, document = source.state, source.passages.document
        self._rows("documents", len(source.documents), _documents(source))
        self._rows("sections", len(source.sections), _sections(source))
        self._rows("passages", len(source.passages), _passages(source))
        self._rows("stretches", None, _stretches(source))
        for field, name in enumerate(FIELDS):
            rows: Array = state[f"lexical.{name}.rows"]
            sizes = np.diff(state[f"lexical.{name}.pointers"])
            terms = np.repeat(state[f"lexical.{name}.hashes"].view(np.int64), sizes)
            weights = state[f"lexical.{name}.weights"]
            self._columns("postings", [document[rows], np.full(len(rows), field), terms, rows, weights])
        if "vectors" in state.arrays:
            held = np.flatnonzero(state["vectors.present"])
            self._columns("vectors", [document[held], held, state["vectors"][held]])
        for direction in Direction:
            edges, inward = source.links.edges(), direction is Direction.IN
            near, far = (edges.targets, edges.sources) if inward else (edges.sources, edges.targets)
            ends: list[Array] = [document[near], np.full(len(near), inward), near, far]
            self._columns("edges", [*ends, edges.relations, edges.weights, edges.evidence])
        self._rows("citations", len(source.references), _citations(source))
        self._mentions(state, document)
        names = list(GivenNames(state).each())
        self._rows("names", len(names), _names(source, names))
        if source.sparse is not None:
            rows, sizes = source.sparse["rows"], np.diff(source.sparse["pointers"])
            terms = np.repeat(np.arange(len(sizes)), sizes)
            self._columns("sparse", [document[rows], rows, terms, source.sparse["weights"]])
        if source.tokens is not None:
            self._rows("tokens", len(source.passages), _tokens(source))
        self._finish(hnsw and "vectors" in state.arrays, state)

    def _mentions(self, state: Block, document: Array) -> None:
        pointers = state["mentions.entity_pointers"]
        counts = np.diff(pointers)
        entities = np.repeat(np.arange(len(counts)), counts)
        rows, places = state["mentions.entity_rows"], np.arange(len(entities)) - pointers[entities]
        self._columns("mentions", [document[rows], rows, entities, state["mentions.defines"], places])
        records, rarity = state.strings("entities").all(), state["entities.rarity"].tolist()
        each = ((-1, number, rarity[number], record) for number, record in enumerate(records))
        self._rows("entities", len(records), each)

    def _finish(self, hnsw: bool, state: Block) -> None:
        for name, table in TABLES.items():
            own = partition(name, self._generation)
            for index in table.indexes:
                unique, columns = index.startswith("unique "), index.removeprefix("unique ")
                form = "create unique index on {} " if unique else "create index on {} "
                self._connection.execute(sql.SQL(form).format(own) + sql.SQL(columns))
            if hnsw and name == "vectors":
                self._progress("hnsw", 0, 1)
                length = sql.Literal(state["vectors"].shape[1])
                form = "create index on {} using hnsw ((embedding::halfvec({})) halfvec_ip_ops) "
                self._connection.execute(sql.SQL(form).format(own, length) + sql.SQL(HNSW))
                self._progress("hnsw", 1, 1)
            self._connection.execute(sql.SQL("analyze {}").format(own))

    def _rows(self, name: str, size: int | None, rows: Iterable[Sequence[Any]]) -> None:
        statement = sql.SQL("copy {} ({}) from stdin").format(
            partition(name, self._generation), sql.SQL(", ").join(map(sql.Identifier, TABLES[name].names))
        )
        done = 0
        with self._connection.cursor() as cursor, cursor.copy(statement) as copy:
            for row in rows:
                copy.write_row((self._generation, *row))
                done += 1
                if done % binary.AT_ONCE == 0:
                    self._progress(name, done, size or done)
        self._progress(name, done, size or done)

    def _columns(self, name: str, columns: Sequence[Array]) -> None:
        table, size = TABLES[name], len(columns[0])
        statement = sql.SQL("copy {} ({}) from stdin (format binary)").format(
            partition(name, self._generation), sql.SQL(", ").join(map(sql.Identifier, table.names))
        )
        types = ["int", *(column.split()[1] for column in table.columns.split(", "))]
        done = 0
        with self._connection.cursor() as cursor, cursor.copy(statement) as copy:
            copy.write(binary.HEADER)
            for count, part in binary.parts(types, [np.full(size, self._generation), *columns]):
                copy.write(part)
                done += count
                self._progress(name, done, size)
            copy.write(binary.TRAILER)


def _documents(source: _Source) -> Iterator[tuple[Any, ...]]:
    first, records = source.documents.first.tolist(), source.state.strings("documents").all()
    for number, record in enumerate(records):
        yield number, first[number], _clean(record)


def _sections(source: _Source) -> Iterator[tuple[Any, ...]]:
    table, state = source.sections, source.state
    ids, titles = state.strings("sections.id").all(), state.strings("sections.title").all()
    printed = state.strings("sections.number").all()
    columns = (table.document, table.parent, table.kind, table.first, table.stop)
    for number, (document, parent, kind, first, stop) in enumerate(
        zip(*(column.tolist() for column in columns), strict=True)
    ):
        parent_id = ids[parent] if parent >= 0 else ""
        key = number_key(printed[number]) if printed[number] else ""
        words = map(_clean, (printed[number], key, titles[number]))
        yield document, number, ids[number], parent, parent_id, kind, *words, first, stop


def _passages(source: _Source) -> Iterator[tuple[Any, ...]]:
    kinds = {kind: code for code, kind in enumerate(SECTION_KINDS)}
    state = source.state
    own = {
        name: state[f"passages.{name}"].tolist() for name in ("document", "valid_from", "valid_to", "bare")
    }
    headings, heading = state.strings("headings").all(), state["passages.heading"].tolist()
    metadata = state.strings("passages.metadata").all()
    size = len(source.passages)
    for start in range(0, size, 4096):
        rows = np.arange(start, min(start + 4096, size), dtype=np.int32)
        for row, passage in zip(
            rows.tolist(), source.passages.take(rows, source.documents, source.sections), strict=True
        ):
            printed = passage.number or ""
            yield (
                own["document"][row],
                row,
                passage.id,
                passage.section_id or "",
                _clean(passage.text),
                passage.language,
                kinds[passage.kind],
                _clean(printed),
                _clean(number_key(printed) if printed else ""),
                _clean(passage.paragraph or ""),
                _clean(passage.label),
                _clean(headings[heading[row]]),
                passage.source_id,
                passage.status or "",
                own["valid_from"][row],
                own["valid_to"][row],
                -1 if passage.page is None else passage.page,
                passage.overlap,
                _clean(metadata[row]),
                own["bare"][row],
            )


def _stretches(source: _Source) -> Iterator[tuple[Any, ...]]:
    """Consecutive passages of one document with the same section, dates and status."""
    table = source.passages
    columns = (table.document, table.section, table.valid_from, table.valid_to, table.status)
    new = np.ones(len(table), np.bool_)
    new[1:] = np.logical_or.reduce([column[1:] != column[:-1] for column in columns])
    first = np.flatnonzero(new)
    statuses = source.manifest.statuses
    for row, (document, section, start, end, status) in zip(
        first.tolist(), zip(*(column[first].tolist() for column in columns), strict=True), strict=True
    ):
        yield document, row, section, start, end, statuses[status] if status >= 0 else ""


def _citations(source: _Source) -> Iterator[tuple[Any, ...]]:
    table = source.references
    browsing = Browsing(table, source.passages, source.sections, source.documents)
    names = ("source", "start", "end", "relation", "status", "kind", "target")
    columns = zip(*(table.column(name).tolist() for name in names), browsing.heads().tolist(), strict=True)
    provisions = _provisions(source, browsing)
    each = table.each(source.passages, source.sections, source.documents)
    for number, (reference, values, candidates) in enumerate(
        zip(each, columns, table.candidates(), strict=True)
    ):
        row, start, stop, relation, status, kind, target, head = values
        yield (
            int(source.passages.document[row]),
            number,
            row,
            reference.source_id,
            start,
            stop,
            _clean(reference.text),
            relation,
            status,
            kind,
            target,
            reference.target_id or "",
            head,
            *provisions.get(number, (-1, -1, "", -1)),
            reference.confidence,
            reference.grammar,
            _clean(candidates),
        )


def _provisions(source: _Source, browsing: Browsing) -> dict[int, tuple[int, int, str, int]]:
    """Kind, number, id and first row of the provision that each reference counts for, by its number."""
    numbers, kinds, targets = (column.tolist() for column in browsing.provisions())
    found = {}
    for number, kind, target in zip(numbers, kinds, targets, strict=True):
        if TARGET_KINDS[kind] is TargetKind.SECTION:
            own = source.sections.id(target), int(source.sections.first[target])
        else:
            own = source.passages.ids([target])[0], target
        found[number] = (kind, target, *own)
    return found


def _names(source: _Source, names: Sequence[tuple[int, Any]]) -> Iterator[tuple[Any, ...]]:
    records = source.state.strings("names").all() if names else []
    for place, ((row, _), record) in enumerate(zip(names, records, strict=True)):
        document = int(source.passages.document[row])
        yield document, place, row, source.passages.language(row), _clean(record)


def _tokens(source: _Source) -> Iterator[tuple[Any, ...]]:
    assert source.tokens is not None
    means = source.tokens.means()
    for row, document in enumerate(source.passages.document.tolist()):
        _, vectors = source.tokens.take(np.array([row], np.int64))
        yield document, row, binary.vector_text(means[row]), vectors.tobytes()


def _clean(words: str) -> str:
    """PostgreSQL's text holds no NUL: another character keeps its place."""
    return words.replace("\0", "\N{REPLACEMENT CHARACTER}") if "\0" in words else words


def _silent(_table: str, _done: int, _size: int) -> None:
    """Tells nobody."""
