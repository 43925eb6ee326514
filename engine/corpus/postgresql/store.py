"""The server store: a corpus in the tables of a PostgreSQL database.

Held in memory are the documents, the sections as columns and the stretches of passages with the same dates;
passages, postings, vectors, links and mentions are asked for in sets of rows, one round trip a call.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any
from weakref import finalize

import numpy as np
import orjson
from numpy.typing import NDArray
from psycopg import Connection
from sqlalchemy import text

from engine.corpus.address import Address
from engine.corpus.defaults import CorpusDefaults, Periods, nothing
from engine.corpus.embedded.arrays import Array
from engine.corpus.embedded.best import best_hits, by_product
from engine.corpus.embedded.block import Block
from engine.corpus.embedded.documents import SECTION_KINDS, day_of, load_document, load_metadata
from engine.corpus.embedded.manifest import NO_MODEL, Manifest
from engine.corpus.embedded.mentions import Shared, load_entity, shared_links
from engine.corpus.embedded.references import (
    RELATION_NUMBERS,
    RELATIONS,
    STATUS_NUMBERS,
    STATUSES,
    TARGET_KINDS,
)
from engine.corpus.embedded.store import info_of
from engine.corpus.embedded.structure import Outline
from engine.corpus.embedded.tokens import TokenIndex
from engine.corpus.ontology import ontology_from
from engine.corpus.postgresql.allowed import Allowed, allowed
from engine.corpus.postgresql.binary import vector_of
from engine.corpus.postgresql.catalogue import hold, published
from engine.corpus.postgresql.memory import Remembered
from engine.corpus.postgresql.schema import SCHEMA
from engine.corpus.postgresql.search import Search, is_narrow
from engine.corpus.postgresql.server import Server
from engine.corpus.protocol import Cited, CorpusInfo, Hits, Links, Mask, Mentions, Ontology, Quoted, Rows
from engine.errors import CorpusError, RedstringError
from engine.language.addresses import number_key
from engine.language.analyzer import analyzer
from engine.language.embedders.base import SparseVectors, TokenVectors, Vectors, unit
from engine.language.references.definitions import DefinedName
from engine.model import (
    Direction,
    Document,
    Entity,
    Passage,
    Reference,
    Relation,
    Section,
    Span,
    Status,
)

# Rows that are asked, with their documents and their places among those asked.
_ASKED = "unnest(cast(:rows as int[]), cast(:documents as int[])) with ordinality as a (row, document, place)"
_OWN = "corpus = :corpus and x.document = a.document"

_RECORDS = text(f"select first, record from {SCHEMA}.documents where corpus = :corpus order by document")
_OUTLINE = text(
    f"select document, parent, kind, first, stop from {SCHEMA}.sections "
    "where corpus = :corpus order by number"
)
_STRETCHES = text(
    f"select first, section, valid_from, valid_to, status from {SCHEMA}.stretches "
    "where corpus = :corpus order by first"
)
_PASSAGES = text(
    "select a.place, x.id, x.document, x.section_id, x.row, x.text, x.language, x.kind, x.printed, "
    "x.paragraph, x.label, x.headings, x.source_id, x.status, x.valid_from, x.valid_to, x.page, x.overlap, "
    f"x.metadata from {_ASKED} join {SCHEMA}.passages x on x.{_OWN} and x.row = a.row order by a.place"
)
_BARE = text(f"select a.place, x.bare from {_ASKED} join {SCHEMA}.passages x on x.{_OWN} and x.row = a.row")
_SECTIONS = text(
    "select number, id, document, parent_id, kind, printed, title, first, stop "
    f"from {SCHEMA}.sections where corpus = :corpus and number = any(cast(:numbers as int[]))"
)
_ROWS = text(
    f"select id, row from {SCHEMA}.passages where corpus = :corpus and id = any(cast(:ids as text[]))"
)
_NUMBERED = text(
    "select min(row) from ("
    f"select document, row from {SCHEMA}.passages where corpus = :corpus and key = :key and printed <> '' "
    "union all "
    f"select document, first from {SCHEMA}.sections where corpus = :corpus and key = :key and printed <> ''"
    ") as found group by document order by document"
)
_VECTORS = text(
    f"select a.place, vector_send(x.embedding) from {_ASKED} "
    f"join {SCHEMA}.vectors x on x.{_OWN} and x.row = a.row"
)
_TOKENS = text(
    f"select a.place, x.vectors from {_ASKED} join {SCHEMA}.tokens x on x.{_OWN} and x.row = a.row "
    "order by a.place"
)
_DIMENSIONS = text(f"select vector_dims(mean) from {SCHEMA}.tokens where corpus = :corpus limit 1")
_NEIGHBOURS = text(
    f"select a.place, x.far, x.relation, x.weight, x.evidence from {_ASKED} "
    f"join {SCHEMA}.edges x on x.{_OWN} and x.near = a.row and x.inward = :inward "
    "where cast(:relations as int[]) is null or x.relation = any(cast(:relations as int[])) "
    "order by a.place, x.far, x.relation"
)
_REFERENCES = text(
    "select number, source_id, start, stop, text, relation, status, kind, target_id, candidates, confidence, "
    f"grammar from {SCHEMA}.citations where corpus = :corpus and number = any(cast(:numbers as int[]))"
)
_REFERENCE_NUMBERS = text(
    f"select number from {SCHEMA}.citations where corpus = :corpus "
    "and (cast(:statuses as int[]) is null or status = any(cast(:statuses as int[]))) "
    "and (cast(:relations as int[]) is null or relation = any(cast(:relations as int[]))) "
    "and (cast(:document as int) is null or document = :document) order by number"
)
_MADE_BY = text(
    f"select a.place, x.number from {_ASKED} join {SCHEMA}.citations x on x.{_OWN} and x.source = a.row "
    "order by a.place, x.number"
)
# The shard of what leads here is not known before.
_MADE_TO = text(
    f"select a.place, x.number from {_ASKED} join {SCHEMA}.citations x "
    "on x.corpus = :corpus and x.head = a.row order by a.place, x.number"
)
_COUNTS = text(
    f"select head, count(*) from {SCHEMA}.citations where corpus = :corpus and head >= 0 group by head"
)
_MOST_CITED = text(
    "select provision_kind, provision_id, provision_row, count(*), count(distinct source) "
    f"from {SCHEMA}.citations where corpus = :corpus and provision >= 0 "
    "and (cast(:relations as int[]) is null or relation = any(cast(:relations as int[]))) "
    "group by provision_kind, provision_id, provision_row, provision "
    "order by count(*) desc, provision_row, provision, provision_kind limit :limit"
)
_ENTITIES = text(
    f"select number, record from {SCHEMA}.entities "
    "where corpus = :corpus and document = -1 and number = any(cast(:numbers as int[]))"
)
_ENTITIES_OF = text(
    f"select a.place, x.entity from {_ASKED} join {SCHEMA}.mentions x on x.{_OWN} and x.row = a.row "
    "order by a.place, x.entity"
)
# One more than the limit, since the passage itself is among them.
_SHARED = text(
    "select a.place, x.entity, e.rarity, o.row, o.defines, o.document = a.document "
    f"from {_ASKED} join {SCHEMA}.mentions x on x.{_OWN} and x.row = a.row "
    f"join {SCHEMA}.entities e on e.corpus = :corpus and e.document = -1 and e.number = x.entity "
    f"join {SCHEMA}.mentions o on o.corpus = :corpus and o.entity = x.entity and o.place <= :limit "
    "order by a.place, x.entity, o.place"
)
_MENTIONS = text(
    f"select row, entity, defines from {SCHEMA}.mentions where corpus = :corpus order by entity, place"
)
_RARITY = text(f"select rarity from {SCHEMA}.entities where corpus = :corpus order by number")
_NAMES = text(f"select row, language, record from {SCHEMA}.names where corpus = :corpus order by place")

# What is remembered of passages by the number, of sections and entities; of vectors by the bytes.
MANY, FEW, VECTOR_BYTES = 1 << 16, 1 << 12, 32 << 20


@dataclass(slots=True)
class _Sections:
    document: NDArray[np.int32]
    parent: NDArray[np.int32]
    kind: NDArray[np.int8]
    first: NDArray[np.int32]
    stop: NDArray[np.int32]

    def __len__(self) -> int:
        return len(self.document)


class _Opened:
    """The generation that was opened: each connection keeps it from being dropped."""

    def __init__(self, address: Address) -> None:
        self._address = address
        self._found: tuple[int, Manifest] | None = None

    def welcome(self, connection: Connection[Any]) -> None:
        """Hold the generation for a new connection, the published one for the first of them. Raises
        CorpusError where it is not there."""
        if self._found is None:
            self._found = published(connection, self._address.corpus)
            if self._found is None:
                raise CorpusError(f"{self._address}: no such corpus on the server; `copy` brings one there")
        elif not hold(connection, self._found[0]):
            raise CorpusError(f"{self._address}: the corpus was replaced meanwhile; open it again")

    def published(self) -> tuple[int, Manifest]:
        """The generation and its manifest, once there was a connection."""
        assert self._found is not None
        return self._found


class PostgresCorpus(CorpusDefaults):
    """A corpus on a server. See ``engine.corpus.protocol.Corpus`` for the methods; each of them that asks the
    server raises ResourceError where it does not answer."""

    def __init__(self, address: Address) -> None:
        """Raises CorpusError where the server holds no such corpus, ResourceError where none answers."""
        self.address, self._opened = address, _Opened(address)
        self._server = Server(address, self._opened.welcome)
        # Nobody closes a corpus: its connections end with it.
        finalize(self, self._server.close)
        self._server.read(text("select 1"), {})
        self._generation, self._manifest = self._opened.published()
        # As in a folder, headings count by themselves where no vectors hold them.
        titles = self._manifest.embedding == NO_MODEL
        self._search = Search(self._server, self._generation, titles=titles)

    def close(self) -> None:
        """Close the connections; the corpus can still be asked, through new ones."""
        self._server.close()

    def connection(self) -> Connection[Any]:
        """A connection of one's own, to read all of the corpus. Raises ResourceError."""
        return self._server.connection()

    def told(self, error: Exception) -> RedstringError:
        """What to raise for an error of the driver."""
        return self._server.told(error)

    @property
    def manifest(self) -> Manifest:
        """What is published of the corpus, without its files."""
        return self._manifest

    @property
    def stamp(self) -> int:
        """Another number whenever the corpus is another."""
        return self._generation

    @property
    def name(self) -> str:
        """The corpus's name."""
        return self._manifest.name

    @cached_property
    def ontology(self) -> Ontology | None:
        """The areas that questions to this corpus are checked against."""
        content = self._manifest.ontology
        return None if content is None else ontology_from(content)

    def info(self) -> CorpusInfo:
        """Counts, languages and what the ingestion noted."""
        return info_of(self._manifest)

    # Documents, sections, passages.

    @cached_property
    def _document_records(self) -> tuple[Rows, list[Document]]:
        found = self._read(_RECORDS)
        first = np.array([*(row[0] for row in found), self._manifest.passages], np.int32)
        return first, [load_document(row[1]) for row in found]

    @cached_property
    def _stretches(self) -> tuple[Array, ...]:
        *numbers, statuses = _columns(self._read(_STRETCHES), 5)
        return (*(np.array(column, np.int32) for column in numbers), np.array(statuses, object))

    @cached_property
    def outline(self) -> Outline:
        """Documents and sections as ranges of rows, read once."""
        first, _ = self._document_records
        document, parent, kind, start, stop = _columns(self._read(_OUTLINE), 5)
        sections = _Sections(
            np.array(document, np.int32),
            np.array(parent, np.int32),
            np.array(kind, np.int8),
            np.array(start, np.int32),
            np.array(stop, np.int32),
        )
        begin, section = self._stretches[:2]

        def section_of(rows: Array) -> Array:
            return section[np.searchsorted(begin, rows, "right") - 1]

        return Outline(first, sections, lambda rows: np.searchsorted(first, rows, "right") - 1, section_of)

    @cached_property
    def periods(self) -> Periods:
        """The stretches of passages with the same dates and status."""
        first, _, start, end, status = self._stretches
        return Periods(first, start, end, tuple(status.tolist()))

    def documents(self) -> list[Document]:
        """Every document, in corpus order."""
        return self._document_records[1]

    def passages(self, rows: Rows) -> list[Passage]:
        """The passages at ``rows``."""
        first, documents = self._document_records
        return [
            Passage(
                id=one.id,
                document_id=documents[one.document].id,
                section_id=one.section_id or None,
                position=one.row - int(first[one.document]),
                text=one.text,
                language=one.language,
                kind=SECTION_KINDS[one.kind],
                number=one.printed or None,
                paragraph=one.paragraph or None,
                label=one.label,
                headings=tuple(orjson.loads(one.headings)),
                source_id=one.source_id,
                status=one.status or None,
                valid_from=day_of(one.valid_from),
                valid_to=day_of(one.valid_to),
                page=None if one.page < 0 else one.page,
                overlap=one.overlap,
                metadata=load_metadata(one.metadata),
            )
            for one in self._of(_PASSAGES, rows)
        ]

    def bare_headings(self, rows: Rows) -> Mask:
        """Which passages are nothing but a heading."""
        return np.array(self._bare.get(np.asarray(rows).tolist()), np.bool_)

    @cached_property
    def _bare(self) -> Remembered[int, bool]:
        return Remembered(lambda rows: self._by_row(_BARE, rows), MANY)

    def sections(self, numbers: Sequence[int]) -> list[Section]:
        """Sections by number."""
        return self._sections.get([int(number) for number in numbers])

    @cached_property
    def _sections(self) -> Remembered[int, Section]:
        first, documents = self._document_records

        def fetched(numbers: Sequence[int]) -> dict[int, Section]:
            return {
                one.number: Section(
                    id=one.id,
                    document_id=documents[one.document].id,
                    parent_id=one.parent_id or None,
                    kind=SECTION_KINDS[one.kind],
                    number=one.printed or None,
                    title=one.title,
                    first=one.first - int(first[one.document]),
                    stop=one.stop - int(first[one.document]),
                )
                for one in self._read(_SECTIONS, numbers=list(numbers))
            }

        return Remembered(fetched, FEW)

    def rows(self, passage_ids: Sequence[str]) -> Rows:
        """Rows of passage ids, -1 for one that is not in the corpus."""
        wanted = sorted({one for one in passage_ids if "\0" not in one})
        found = dict(map(tuple, self._read(_ROWS, ids=wanted))) if wanted else {}
        return np.array([found.get(one, -1) for one in passage_ids], np.int32)

    def numbered(self, number: str) -> Rows:
        """The passages that begin what bears a number, one of each document."""
        key = number_key(number).replace("\0", "")
        return np.array([row for (row,) in self._read(_NUMBERED, key=key)], np.int32)

    # Searches.

    def search_lexical(
        self, queries: Sequence[str], language: str, limit: int, *, mask: Mask | None = None
    ) -> list[Hits]:
        """BM25 for each query text, scores above 0 only."""
        return self._search.words(analyzer(language).batch(list(queries)), limit, self._allowed(mask))

    def score_lexical(self, queries: Sequence[str], language: str, rows: Rows) -> NDArray[np.float32]:
        """BM25 of chosen rows, shape (queries, rows), 0 for none."""
        terms = analyzer(language).batch(list(queries))
        scores: NDArray[np.float32] = self._search.score_words(terms, rows, self.document_numbers(rows))
        return scores

    @property
    def embedding(self) -> str:
        """Spec of the model whose vectors the corpus holds, or "none"."""
        return self._manifest.embedding

    @property
    def similarity_floor(self) -> float:
        """Cosine of unrelated passages; 0 in a corpus without vectors."""
        return self._manifest.similarity_floor

    def search_dense(
        self, queries: NDArray[np.float32], limit: int, minimum: float, *, mask: Mask | None = None
    ) -> list[Hits]:
        """Inner product, scores >= ``minimum``: exact, or through the index where the address says so and no
        narrow mask is given."""
        if self._manifest.embedding == NO_MODEL:
            return nothing(len(queries))
        chosen = self._allowed(mask)
        hnsw = self.address.dense == "hnsw" and not is_narrow(chosen, len(self))
        found = self._search.nearest(queries, limit, chosen, hnsw=hnsw)
        if hnsw and any(len(hits.rows) < min(limit, chosen.passages) for hits in found):
            # The scan of the index was given up before it had enough (hnsw.max_scan_tuples).
            found = self._search.nearest(queries, limit, chosen)
        # Scored as in a folder, to the bit.
        every = np.unique(np.concatenate([np.zeros(0, np.int32), *(hits.rows for hits in found)]))
        held = self.vectors(every)
        asked = np.ascontiguousarray(queries, np.float32)
        ranked = []
        for query, hits in zip(asked, found, strict=True):
            rows = np.sort(hits.rows)
            best = by_product(rows, held[np.searchsorted(every, rows)], query)
            kept = best.scores >= np.float32(minimum)
            ranked.append(Hits(best.rows[kept], best.scores[kept]))
        return ranked

    def vectors(self, rows: Rows) -> NDArray[np.float32]:
        """Unit vectors, zero rows where a passage has none; shape (n, 0) in a corpus without vectors."""
        vectors = np.zeros((len(rows), self._manifest.dimensions), np.float32)
        if self._manifest.dimensions and len(rows):
            np.stack(self._vectors.get(np.asarray(rows).tolist()), out=vectors)
        return vectors

    @cached_property
    def _vectors(self) -> Remembered[int, NDArray[np.float32]]:
        none = np.zeros(self._manifest.dimensions, np.float32)

        def fetched(rows: Sequence[int]) -> dict[int, NDArray[np.float32]]:
            sent = self._by_row(_VECTORS, rows)
            return {row: vector_of(sent[row]) if row in sent else none for row in rows}

        return Remembered(fetched, VECTOR_BYTES // (4 * self._manifest.dimensions))

    @property
    def sparse_model(self) -> str:
        """Spec of the model of the learned sparse vectors, or "none"."""
        return self._manifest.sparse

    def search_sparse(self, queries: SparseVectors, limit: int, *, mask: Mask | None = None) -> list[Hits]:
        """Inner product for each query, scores above 0 only."""
        return self._search.sparse(queries, limit, self._allowed(mask))

    def score_sparse(self, queries: SparseVectors, rows: Rows) -> NDArray[np.float32]:
        """Inner product of chosen rows, shape (queries, rows)."""
        scores: NDArray[np.float32] = self._search.score_sparse(queries, rows, self.document_numbers(rows))
        return scores

    @property
    def late_model(self) -> str:
        """Spec of the model of the token vectors, or "none"."""
        return self._manifest.late

    def search_late(
        self, queries: TokenVectors, limit: int, *, also: Rows, mask: Mask | None = None
    ) -> list[Hits]:
        """Exact MaxSim of the passages that are nearest by their mean vectors, and of those in ``also``.

        Raises CorpusError where the vectors are not of the length of the corpus's.
        """
        if self._manifest.late == NO_MODEL:
            return nothing(len(queries.offsets) - 1)
        self._check_tokens(queries)
        counts = np.diff(queries.offsets)
        asked = np.flatnonzero(counts)
        means: Vectors = np.zeros((len(counts), queries.vectors.shape[1]), np.float32)
        if len(asked):
            means[asked] = np.add.reduceat(queries.vectors, queries.offsets[asked], axis=0)
        chosen = self._allowed(mask)
        near = self._search.nearest(unit(means), limit, chosen, table="tokens", column="mean")
        rows = np.unique(np.concatenate([also, *(hits.rows[hits.scores > 0] for hits in near)]))
        rows = (rows if mask is None else rows[mask[rows.astype(np.int64)]]).astype(np.int32)
        scores = self.score_late(queries, rows)
        found = [best_hits(one, limit, 0.0, None, exclusive=True) for one in scores]
        return [Hits(rows[hits.rows], hits.scores) for hits in found]

    def score_late(self, queries: TokenVectors, rows: Rows) -> NDArray[np.float32]:
        """Exact MaxSim of chosen rows, shape (queries, rows). Raises as ``search_late``."""
        if self._manifest.late == NO_MODEL or not len(rows):
            return np.zeros((len(queries.offsets) - 1, len(rows)), np.float32)
        self._check_tokens(queries)
        offsets, held = self.tokens(rows)
        means = np.zeros((len(rows), held.shape[1]), np.float32)
        index = TokenIndex(Block({"offsets": offsets, "means": means}), lambda: held.view(np.uint8))
        return index.score(queries, np.arange(len(rows), dtype=np.int32))

    def tokens(self, rows: Rows) -> tuple[Array, NDArray[np.int8]]:
        """The token vectors of some passages, as ``TokenWriter.add`` takes them."""
        length = self.token_length
        sent = [np.frombuffer(vectors, np.int8) for _, vectors in self._of(_TOKENS, rows)]
        offsets = np.cumsum([0, *(len(own) // length for own in sent)]).astype(np.int64)
        return offsets, np.concatenate([np.zeros(0, np.int8), *sent]).reshape(-1, length)

    @cached_property
    def token_length(self) -> int:
        """Length of a token vector."""
        return int(self._read(_DIMENSIONS)[0][0])

    def _check_tokens(self, queries: TokenVectors) -> None:
        given = queries.vectors.shape[1]
        if given != self.token_length:
            held = self.token_length
            raise CorpusError(
                f"the corpus {self.name!r} holds token vectors of {held} dimensions, not {given}"
            )

    # References and links.

    def neighbours(self, rows: Rows, relations: Sequence[Relation] | None, direction: Direction) -> Links:
        """Passages linked to ``rows`` by resolved references."""
        inward = direction is Direction.IN
        found = self._of(_NEIGHBOURS, rows, relations=_codes(relations, RELATION_NUMBERS), inward=inward)
        places, far, kinds, weights, evidence = _columns(found, 5)
        return Links(
            np.array(places, np.int32) - 1,
            np.array(far, np.int32),
            np.array(kinds, np.int8),
            np.array(weights, np.float32),
            np.array(evidence, np.int32),
        )

    def references(self, numbers: Sequence[int]) -> list[Reference]:
        """Rows of the reference table."""
        made = {
            one.number: Reference(
                source_id=one.source_id,
                span=Span(one.start, one.stop),
                text=one.text,
                relation=RELATIONS[one.relation],
                status=STATUSES[one.status],
                target_kind=None if one.kind < 0 else TARGET_KINDS[one.kind],
                target_id=one.target_id or None,
                candidates=tuple(orjson.loads(one.candidates)) if one.candidates else (),
                confidence=round(one.confidence, 6),
                grammar=one.grammar,
            )
            for one in self._numbered(_REFERENCES, numbers)
        }
        return [made[int(number)] for number in numbers]

    def reference_numbers(
        self,
        *,
        statuses: Sequence[Status] | None = None,
        relations: Sequence[Relation] | None = None,
        document: int | None = None,
    ) -> Rows:
        """Rows of the reference table of these statuses and relations, of one document or of all."""
        found = self._read(
            _REFERENCE_NUMBERS,
            statuses=_codes(statuses, STATUS_NUMBERS),
            relations=_codes(relations, RELATION_NUMBERS),
            document=document,
        )
        return np.array([number for (number,) in found], np.int32)

    def references_from(self, rows: Rows) -> Quoted:
        """The references that passages make, of every status."""
        return _quoted(self._of(_MADE_BY, rows))

    def references_to(self, rows: Rows) -> Quoted:
        """The resolved references that lead to passages, or to sections that begin with them."""
        return _quoted(self._of(_MADE_TO, rows))

    def citation_counts(self) -> Rows:
        """How many references lead to each passage."""
        counts = np.zeros(len(self), np.int32)
        rows, numbers = _columns(self._read(_COUNTS), 2)
        counts[np.array(rows, np.int64)] = numbers
        return counts

    def most_cited(self, limit: int, *, relations: Sequence[Relation] | None = None) -> list[Cited]:
        """The provisions that the most references point at."""
        codes = _codes(relations, RELATION_NUMBERS)
        return [
            Cited(TARGET_KINDS[kind], provision_id, row, references, passages)
            for kind, provision_id, row, references, passages in self._read(
                _MOST_CITED, relations=codes, limit=max(limit, 0)
            )
        ]

    # Entities and names.

    def entities(self, numbers: Sequence[int]) -> list[Entity]:
        """Entities by number."""
        return self._entities.get([int(number) for number in numbers])

    @cached_property
    def _entities(self) -> Remembered[int, Entity]:
        def fetched(numbers: Sequence[int]) -> dict[int, Entity]:
            found = self._read(_ENTITIES, numbers=list(numbers))
            return {number: load_entity(record) for number, record in found}

        return Remembered(fetched, FEW)

    def entities_of(self, rows: Rows) -> list[tuple[int, ...]]:
        """Numbers of the entities that each passage mentions."""
        found: list[list[int]] = [[] for _ in range(len(rows))]
        for place, entity in self._of(_ENTITIES_OF, rows):
            found[place - 1].append(entity)
        return [tuple(own) for own in found]

    def by_entity(self, rows: Rows, limit: int) -> Links:
        """Passages that share entities with ``rows``, weighted by rarity."""
        places, numbers, rarity, reached, defining, near = _columns(
            self._of(_SHARED, rows, limit=max(limit, 0)), 6
        )
        origins, entities = np.array(places, np.int32) - 1, np.array(numbers, np.int32)
        new = np.ones(len(origins), np.bool_)
        new[1:] = (origins[1:] != origins[:-1]) | (entities[1:] != entities[:-1])
        first, own = np.flatnonzero(new), np.asarray(rows, np.int32)[origins[new]]
        found = Shared(
            origins[first],
            entities[first],
            np.cumsum(new) - 1,
            np.array(reached, np.int32),
            np.array(defining, np.bool_),
            own,
        )
        return shared_links(found, np.array(near, np.bool_), limit, np.array(rarity, np.float32)[first])

    def mentions(self) -> Mentions:
        """See ``Corpus.mentions``: the one table that is read as a whole, once for an open corpus."""
        rows, entities, defines = _columns(self._read(_MENTIONS), 3)
        rarity = [one for (one,) in self._read(_RARITY)]
        return Mentions(
            np.array(rows, np.int32),
            np.array(entities, np.int32),
            np.array(defines, np.bool_),
            np.array(rarity, np.float32),
        )

    def given_names(self) -> Iterator[tuple[int, str, DefinedName]]:
        """The names that texts give to documents."""
        for row, language, record in self._read(_NAMES):
            yield row, language, DefinedName(*orjson.loads(record))

    # Asking.

    def _read(self, statement: Any, **parameters: Any) -> Sequence[Any]:
        return self._server.read(statement, {"corpus": self._generation, **parameters})

    def _of(self, statement: Any, rows: Rows, **parameters: Any) -> Sequence[Any]:
        """What is asked of some rows; nothing is asked of none."""
        if not len(rows):
            return []
        asked = {"rows": np.asarray(rows).tolist(), "documents": self.document_numbers(rows).tolist()}
        return self._read(statement, **asked, **parameters)

    def _by_row(self, statement: Any, rows: Sequence[int]) -> dict[int, Any]:
        """What is asked of some rows, by row; a row may have none."""
        found = self._of(statement, np.array(rows, np.int32))
        return {rows[place - 1]: value for place, value in found}

    def _numbered(self, statement: Any, numbers: Sequence[int]) -> Sequence[Any]:
        distinct = sorted({int(number) for number in numbers})
        return self._read(statement, numbers=distinct) if distinct else []

    def _allowed(self, mask: Mask | None) -> Allowed:
        return allowed(mask, len(self))


def _codes(names: Sequence[Any] | None, numbers: Any) -> list[int] | None:
    return None if names is None else [numbers[name] for name in names]


def _columns(rows: Sequence[Any], count: int) -> list[Sequence[Any]]:
    """The columns of some rows; empty ones where there are none."""
    return [*zip(*rows, strict=True)] if rows else [()] * count


def _quoted(rows: Sequence[Any]) -> Quoted:
    places, numbers = _columns(rows, 2)
    return Quoted(np.array(places, np.int32) - 1, np.array(numbers, np.int32))
