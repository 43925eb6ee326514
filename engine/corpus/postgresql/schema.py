"""The tables of all corpora on a server.

Each table is partitioned by corpus: a generation of a corpus has its number, and a partition of its own in
every table, which can be partitioned again by ``part`` (see ``assign_parts``). Every row contains the number
of a document and its part, and every statement names them if they are known, so that a distributed
installation can shard by corpus and document. Numbers of rows, documents, sections, references and entities
are those of ``engine.corpus.protocol``; days and kinds are coded as in the embedded store.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

SCHEMA = "redstring"
# Raised whenever the tables change.
FORMAT = 2


class Table(NamedTuple):
    """Columns after ``corpus`` and ``part``, in the order of COPY, and the indexes."""

    columns: str
    indexes: tuple[str, ...]

    @property
    def names(self) -> list[str]:
        """Return the names of all columns."""
        return ["corpus", "part", *(column.split()[0] for column in self.columns.split(", "))]


_CITATIONS = (
    "document int, number int, source int, source_id text, start int, stop int, text text, "
    "relation smallint, status smallint, kind smallint, target int, target_id text, head int, "
    "provision_kind smallint, provision int, provision_id text, provision_row int, confidence real, "
    "grammar text, candidates text"
)

# The tables of a corpus. Missing text is '', a missing number is -1, as in the embedded store.
#
# Data that is always read as a whole is packed (``binary.packed``): the passages that contain a word with
# their scores, and those that mention an entity. The list of a word has a row per part and per block of
# passages, stored with the document of its first passage; that of an entity has one row, stored with the
# document of ``get_entity_document``.
TABLES: Mapping[str, Table] = {
    "documents": Table(
        "document int, first int, reference int, record text, bare bytea", ("unique (document, part)",)
    ),
    "sections": Table(
        "document int, number int, id text, parent int, parent_id text, kind smallint, printed text, "
        "key text, title text, first int, stop int",
        ("unique (document, number, part)", "(id)", "(key)"),
    ),
    "passages": Table(
        "document int, row int, id text, section_id text, text text, language text, kind smallint, "
        "printed text, key text, paragraph text, label text, headings text, source_id text, status text, "
        "valid_from int, valid_to int, page int, overlap int, metadata text, entities int[]",
        ("unique (document, row, part)", "(id)", "(key)"),
    ),
    "stretches": Table(
        "document int, first int, section int, valid_from int, valid_to int, status smallint", ()
    ),
    "postings": Table(
        "document int, field smallint, term bigint, passages bytea, weights bytea", ("(term, field)",)
    ),
    "vectors": Table("document int, row int, embedding vector", ("unique (document, row, part)",)),
    # Per document: codes of its passages, two bits a dimension (``embedded.coded``), and a has-vector mask.
    "codes": Table("document int, codes bytea, present bytea", ("unique (document, part)",)),
    "edges": Table(
        "document int, inward boolean, near int, far int, relation smallint, weight real, evidence int",
        ("(document, near, inward)",),
    ),
    "citations": Table(_CITATIONS, ("unique (document, number, part)", "(document, source)")),
    # References with verdicts, as the texts state them.
    "stated": Table(_CITATIONS, ("(document, source)",)),
    "cited": Table("document int, head int, number int", ("(document, head)",)),
    "entities": Table(
        "document int, number int, rarity real, record text, passages bytea, defines bytea",
        ("unique (document, number, part)",),
    ),
    "names": Table("document int, place int, row int, language text, record text", ()),
    "sparse": Table("document int, row int, term int, weight real", ("(term, row)",)),
}
# Tables of earlier versions: not read, but dropped with a generation that has a partition there.
FORMER = ("tokens",)
# Columns of bytes that are read in pieces, or that compression does not shorten.
UNCOMPRESSED = {
    "postings": ("passages", "weights"),
    "entities": ("passages", "defines"),
    "codes": ("codes",),
}

# The numbers of all generations ever begun, and the published corpora by name.
CATALOGUE = (
    f"create schema if not exists {SCHEMA}",
    "create extension if not exists vector",
    f"create sequence if not exists {SCHEMA}.generations as int",
    f"create table if not exists {SCHEMA}.corpora (name text primary key, generation int not null, "
    "format int not null, manifest jsonb not null, published timestamptz not null default now())",
    # The journals of a corpus outlive its generations.
    f"create table if not exists {SCHEMA}.said (corpus text not null, journal text not null, "
    "number bigint generated always as identity, line text not null, primary key (corpus, journal, number))",
)


def get_entity_document(number: int, documents: int) -> int:
    """Return the document that stores an entity: entities are spread evenly over all documents."""
    return number % documents


def parents() -> list[str]:
    """Return the statements that create the partitioned tables."""
    made = []
    for name, table in TABLES.items():
        columns = ", ".join(f"{column} not null" for column in table.columns.split(", "))
        made.append(
            f"create table if not exists {SCHEMA}.{name} "
            f"(corpus int not null, part smallint not null, {columns}) partition by list (corpus)"
        )
    for name, columns_of_bytes in UNCOMPRESSED.items():
        for column in columns_of_bytes:
            made.append(f"alter table {SCHEMA}.{name} alter {column} set storage external")
    return made
