"""Copy the corpus of a folder to a server, by COPY.

The copy includes the current ontology and the effects of all verdicts; its journals are merged with those of
the server. Readers keep the generation that they opened; the new one is published in one transaction.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from psycopg import Connection, Error, sql

from engine.corpus import Address
from engine.corpus.embedded.arrays import Array
from engine.corpus.embedded.block import FIELDS, Block
from engine.corpus.embedded.deciding import CHANGED, with_verdicts
from engine.corpus.embedded.documents import SECTION_KINDS, DocumentTable, GivenNames, SectionTable
from engine.corpus.embedded.generation import (
    CITED_NAME,
    NO_MODEL,
    SPARSE_NAME,
    STATE_NAME,
    Generation,
    Manifest,
    read_published,
)
from engine.corpus.embedded.links import TARGET_KINDS, LinkIndex, ReferenceTable, Tables
from engine.corpus.embedded.passages import PassageTable
from engine.corpus.embedded.publication import VALIDATIONS_NAME
from engine.corpus.embedded.structure import Browsing
from engine.corpus.extracted import Validation, current_verdicts
from engine.corpus.journal import FolderJournals
from engine.corpus.ontology import ontology_in_force
from engine.corpus.postgresql import queries
from engine.corpus.postgresql.catalogue import (
    TABLES,
    assign_parts,
    get_entity_document,
    new_generation,
    partition,
    prepare,
    publish,
)
from engine.corpus.postgresql.journals import merge, read_lines
from engine.corpus.postgresql.server import Server
from engine.language.addresses import number_key
from engine.model import Direction, TargetKind

# Values of a row after ``corpus`` and ``part``; the first is the document's number.
Row = tuple[Any, ...]
# Key of the vectors' codes in the state of a folder (``embedded.dense``, which is slow to import).
CODES = "vectors.codes"
# Passages of a word's list per row.
LIST = 1 << 16


class Source:
    """A generation in a folder, with verdicts applied."""

    def __init__(self, generation: Generation) -> None:
        generation.check_sizes()
        manifest = generation.manifest
        saved = ontology_in_force(generation.folder)
        self.state = state = generation.block(STATE_NAME)
        cited = generation.block(CITED_NAME)
        self.documents, self.sections = DocumentTable(state), SectionTable(state)
        self.passages = PassageTable(state, sorted(manifest.languages), manifest.statuses)
        self.stated = ReferenceTable(cited, manifest.grammars)
        self.references, self.links = self.stated, LinkIndex(cited)
        self.sparse: Block | None = None
        if manifest.sparse != NO_MODEL:
            self.sparse = generation.block(SPARSE_NAME)
        changes: dict[str, Any] = {"files": {}, "late": NO_MODEL}
        if saved is not None:
            changes["ontology"] = saved.content
        self.manifest = manifest.model_copy(update=changes)

    def judge(self, verdicts: Iterable[Validation]) -> None:
        """Apply the verdicts on links."""
        tables = Tables(self.passages, self.sections, self.documents)
        self.references, self.links = with_verdicts(verdicts, self.stated, self.links, tables)

    @property
    def changed(self) -> NDArray[np.int64]:
        """Return the numbers of the references that verdicts have changed."""
        return np.flatnonzero(
            np.logical_or.reduce(
                [self.references.column(name) != self.stated.column(name) for name in CHANGED]
            )
        )


def documents(source: Source) -> Iterator[Row]:
    """Yield rows of the table of documents."""
    first, records = source.documents.first.tolist(), source.state.strings("documents").all()
    # References are in the order of the citing passages.
    makers = source.passages.document[source.references.column("source")]
    bare = source.state["passages.bare"]
    reference = np.searchsorted(makers, np.arange(len(records))).tolist()
    for number, record in enumerate(records):
        own = bare[first[number] : first[number + 1]]
        yield number, first[number], reference[number], _clean(record), np.packbits(own).tobytes()


def sections(source: Source) -> Iterator[Row]:
    """Yield rows of the table of sections."""
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


def passages(source: Source) -> Iterator[Row]:
    """Yield rows of the table of passages."""
    kinds = {kind: code for code, kind in enumerate(SECTION_KINDS)}
    state = source.state
    own = {name: state[f"passages.{name}"].tolist() for name in ("document", "valid_from", "valid_to")}
    pointers, entities = state["mentions.passage_pointers"].tolist(), state["mentions.passage_entities"]
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
                f"{{{','.join(map(str, entities[pointers[row] : pointers[row + 1]].tolist()))}}}",
            )


def stretches(source: Source) -> Iterator[Row]:
    """Yield ranges of consecutive passages of one document with the same section, dates and status."""
    table = source.passages
    columns = (table.document, table.section, table.valid_from, table.valid_to, table.status)
    new = np.ones(len(table), np.bool_)
    new[1:] = np.logical_or.reduce([column[1:] != column[:-1] for column in columns])
    first = np.flatnonzero(new)
    kept = (column[first].tolist() for column in columns)
    for row, (document, *values) in zip(first.tolist(), zip(*kept, strict=True), strict=True):
        yield document, row, *values


def citations(source: Source) -> Iterator[Row]:
    """Yield rows of the table of references, with verdicts applied."""
    return _references(source, source.references, np.arange(len(source.references)))


def stated(source: Source) -> Iterator[Row]:
    """Yield rows of the references with verdicts, as the texts state them."""
    return _references(source, source.stated, source.changed)


def _references(source: Source, table: ReferenceTable, numbers: NDArray[np.int64]) -> Iterator[Row]:
    if not len(numbers):
        return
    browsing = Browsing(table, source.passages, source.sections, source.documents)
    names = ("source", "start", "end", "relation", "status", "kind", "target")
    columns = [table.column(name)[numbers].tolist() for name in names]
    heads, candidates = browsing.heads()[numbers].tolist(), table.candidates()
    provisions = _provisions(source, browsing)
    each = table.some(numbers, source.passages, source.sections, source.documents)
    for number, reference, values in zip(
        numbers.tolist(), each, zip(*columns, heads, strict=True), strict=True
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
            _clean(candidates[number]),
        )


def cited(source: Source) -> list[Array]:
    """Return the columns of the table of reference targets."""
    browsing = Browsing(source.references, source.passages, source.sections, source.documents)
    heads = browsing.heads()
    numbers = np.flatnonzero(heads >= 0)
    return [source.passages.document[heads[numbers]], heads[numbers], numbers]


def postings(source: Source, parts: NDArray[np.int16]) -> Iterator[Row]:
    """Yield rows of the table of word lists; ``parts`` of the documents, shape (documents,)."""
    state, owner = source.state, source.passages.document
    for field, name in enumerate(FIELDS):
        every, weights = state[f"lexical.{name}.rows"], state[f"lexical.{name}.weights"]
        pointers = state[f"lexical.{name}.pointers"].tolist()
        terms = state[f"lexical.{name}.hashes"].view(np.int64).tolist()
        for term, (start, stop) in zip(terms, pairwise(pointers), strict=True):
            own = parts[owner[every[start:stop]]]
            for part in np.unique(own).tolist():
                places = start + np.flatnonzero(own == part)
                for first in range(0, len(places), LIST):
                    piece = places[first : first + LIST]
                    rows = every[piece]
                    yield (
                        int(owner[rows[0]]),
                        field,
                        term,
                        queries.packed(rows, np.int32),
                        queries.packed(weights[piece], np.float32),
                    )


def codes(source: Source) -> Iterator[Row]:
    """Yield rows of the table of the vectors' codes; none if every vector is compared."""
    state = source.state
    every = state.arrays.get(CODES)
    if every is None:
        return
    for number, (start, stop) in enumerate(pairwise(source.documents.first.tolist())):
        present = np.packbits(state["vectors.present"][start:stop])
        yield number, every[start:stop].tobytes(), present.tobytes()


def entities(source: Source) -> Iterator[Row]:
    """Yield rows of the table of entities."""
    state, size = source.state, len(source.documents)
    pointers, rarity = state["mentions.entity_pointers"].tolist(), state["entities.rarity"].tolist()
    records = state.strings("entities").all()
    for number, (record, (start, stop)) in enumerate(zip(records, pairwise(pointers), strict=True)):
        rows, defines = state["mentions.entity_rows"][start:stop], state["mentions.defines"][start:stop]
        kept_with = get_entity_document(number, size)
        lists = queries.packed(rows, np.int32), queries.packed(defines, np.bool_)
        yield kept_with, number, rarity[number], _clean(record), *lists


def _provisions(source: Source, browsing: Browsing) -> dict[int, tuple[int, int, str, int]]:
    """Return kind, number, id and first row of the provision that each reference counts for, by number."""
    numbers, kinds, targets = (column.tolist() for column in browsing.provisions())
    found = {}
    for number, kind, target in zip(numbers, kinds, targets, strict=True):
        if TARGET_KINDS[kind] is TargetKind.SECTION:
            own = source.sections.id(target), int(source.sections.first[target])
        else:
            own = source.passages.ids([target])[0], target
        found[number] = (kind, target, *own)
    return found


def names(source: Source) -> Iterator[Row]:
    """Yield rows of the table of names that texts define."""
    given = list(GivenNames(source.state).each())
    records = source.state.strings("names").all() if given else []
    for place, ((row, _), record) in enumerate(zip(given, records, strict=True)):
        document = int(source.passages.document[row])
        yield document, place, row, source.passages.language(row), _clean(record)


def _clean(words: str) -> str:
    """Replace NUL, which PostgreSQL's text cannot contain, without changing offsets."""
    return words.replace("\0", "\N{REPLACEMENT CHARACTER}") if "\0" in words else words


# Reports progress: table, rows copied, rows in total.
Progress = Callable[[str, int, int], None]


def copy_to_server(
    folder: Path, address: Address, progress: Progress | None = None, *, by: str | None = None
) -> Manifest:
    """Copy the corpus in a folder to a server, replacing the one of the same name.

    ``by`` selects the partitioning of documents (``catalogue.assign_parts``). Returns the published manifest.
    Raises CorpusError, InputError, ResourceError.
    """
    server = Server(address)
    try:
        connection = server.connection()
        try:
            # Building an index takes longer than the statement timeout of queries.
            connection.execute("select set_config('statement_timeout', '0', false)")
            connection.commit()
            prepare(connection)
            source = read_published(folder, Source)
            parts = assign_parts(source.documents.all, by)
            journals = FolderJournals(folder)
            with new_generation(connection, address.corpus, int(parts.max(initial=0)) + 1) as generation:
                merge(connection, address.corpus, journals)
                lines = read_lines(connection, address.corpus, VALIDATIONS_NAME)
                source.judge(
                    current_verdicts([Validation.model_validate_json(line) for line in lines]).values()
                )
                loader = _Loader(connection, generation, parts, progress or _silent)
                loader.load(source)
                publish(connection, address.corpus, generation, source.manifest)
            return source.manifest
        finally:
            connection.close()
    except Error as error:
        raise server.convert(error) from None
    finally:
        server.close()


class _Loader:
    """Fills the tables of one generation."""

    def __init__(
        self,
        connection: Connection[Any],
        generation: int,
        parts: NDArray[np.int16],
        progress: Progress,
    ) -> None:
        """``parts`` of the documents, shape (documents,)."""
        self._connection, self._generation, self._progress = connection, generation, progress
        self._parts = parts

    def load(self, source: Source) -> None:
        """Copy all tables and create their indexes."""
        state, document = source.state, source.passages.document
        self._rows("documents", len(source.documents), documents(source))
        self._rows("sections", len(source.sections), sections(source))
        self._rows("passages", len(source.passages), passages(source))
        self._rows("stretches", None, stretches(source))
        self._rows("postings", None, postings(source, self._parts))
        if "vectors" in state.arrays:
            held = np.flatnonzero(state["vectors.present"])
            self._columns("vectors", [document[held], held, state["vectors"][held]])
        self._rows("codes", None, codes(source))
        for direction in Direction:
            edges, inward = source.links.edges(), direction is Direction.IN
            near, far = (edges.targets, edges.sources) if inward else (edges.sources, edges.targets)
            ends: list[Array] = [document[near], np.full(len(near), inward), near, far]
            self._columns("edges", [*ends, edges.relations, edges.weights, edges.evidence])
        self._rows("citations", len(source.references), citations(source))
        self._rows("stated", len(source.changed), stated(source))
        self._columns("cited", cited(source))
        self._rows("entities", len(state["entities.rarity"]), entities(source))
        self._rows("names", None, names(source))
        if source.sparse is not None:
            holding, sizes = source.sparse["rows"], np.diff(source.sparse["pointers"])
            terms = np.repeat(np.arange(len(sizes)), sizes)
            self._columns("sparse", [document[holding], holding, terms, source.sparse["weights"]])
        self._finish()

    def _finish(self) -> None:
        for name, table in TABLES.items():
            own = partition(name, self._generation)
            for index in table.indexes:
                unique, columns = index.startswith("unique "), index.removeprefix("unique ")
                form = "create unique index on {} " if unique else "create index on {} "
                self._connection.execute(sql.SQL(form).format(own) + sql.SQL(columns))
            self._connection.execute(sql.SQL("analyze {}").format(own))

    def _statement(self, name: str, options: str = "") -> sql.Composed:
        columns = sql.SQL(", ").join(map(sql.Identifier, TABLES[name].names))
        copy = sql.SQL("copy {} ({}) from stdin").format(partition(name, self._generation), columns)
        return copy + sql.SQL(options)

    def _rows(self, name: str, size: int | None, each: Iterable[Sequence[Any]]) -> None:
        done, parts = 0, self._parts.tolist()
        with self._connection.cursor() as cursor, cursor.copy(self._statement(name)) as copy:
            for row in each:
                copy.write_row((self._generation, parts[row[0]], *row))
                done += 1
                if done % queries.AT_ONCE == 0:
                    self._progress(name, done, size or done)
        self._progress(name, done, size or done)

    def _columns(self, name: str, columns: Sequence[Array]) -> None:
        table, size = TABLES[name], len(columns[0])
        types = ["int", "smallint", *(column.split()[1] for column in table.columns.split(", "))]
        done, parts = 0, self._parts[columns[0]]
        statement = self._statement(name, " (format binary)")
        with self._connection.cursor() as cursor, cursor.copy(statement) as copy:
            copy.write(queries.HEADER)
            for count, part in queries.parts(types, [np.full(size, self._generation), parts, *columns]):
                copy.write(part)
                done += count
                self._progress(name, done, size)
            copy.write(queries.TRAILER)


def _silent(_table: str, _done: int, _size: int) -> None:
    """Ignore progress."""
