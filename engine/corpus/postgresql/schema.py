"""The tables of all corpora on a server.

Each table is partitioned by corpus: a generation of a corpus has its number, and a partition of its own in
every table, which can be partitioned again by ``part`` (see ``parts``). Every row carries the number of a
document and its part, and every statement names them wherever they are known, so that corpus and document can
be the key by which a distributed form shards. Numbers of rows, documents, sections, references and entities
are those of ``engine.corpus.protocol``; days and kinds are coded as in the embedded store.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

SCHEMA = "redstring"
# Raised whenever the tables change.
FORMAT = 2


class Table(NamedTuple):
    """Columns behind ``corpus`` and ``part``, in the order in which they are copied, and the indexes."""

    columns: str
    indexes: tuple[str, ...]

    @property
    def names(self) -> list[str]:
        """The names of all columns."""
        return ["corpus", "part", *(column.split()[0] for column in self.columns.split(", "))]


_CITATIONS = (
    "document int, number int, source int, source_id text, start int, stop int, text text, "
    "relation smallint, status smallint, kind smallint, target int, target_id text, head int, "
    "provision_kind smallint, provision int, provision_id text, provision_row int, confidence real, "
    "grammar text, candidates text"
)

# Of one corpus. Text that is missing is '', a number that is missing is -1, as in the embedded store.
#
# What is always read as a whole is packed (``binary.packed``): the passages that hold a word and what it
# scores there, and those that mention an entity. A word's list has a row for each part and each so many
# passages, of the document of the first of them; an entity's has one, of the document that
# ``get_entity_document`` names.
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
    # Of a document's passages: two bits a dimension (``embedded.coded``), and which of them have a vector.
    "codes": Table("document int, codes bytea, present bytea", ("unique (document, part)",)),
    "edges": Table(
        "document int, inward boolean, near int, far int, relation smallint, weight real, evidence int",
        ("(document, near, inward)",),
    ),
    "citations": Table(_CITATIONS, ("unique (document, number, part)", "(document, source)")),
    # What the texts say of the references that people have judged otherwise.
    "stated": Table(_CITATIONS, ("(document, source)",)),
    "cited": Table("document int, head int, number int", ("(document, head)",)),
    "entities": Table(
        "document int, number int, rarity real, record text, passages bytea, defines bytea",
        ("unique (document, number, part)",),
    ),
    "names": Table("document int, place int, row int, language text, record text", ()),
    "sparse": Table("document int, row int, term int, weight real", ("(term, row)",)),
}
# Made by earlier versions: not read, but a generation that had a partition there is dropped with it.
FORMER = ("tokens",)
# Columns of bytes that are read in pieces, or hold numbers that no compression makes shorter.
UNCOMPRESSED = {
    "postings": ("passages", "weights"),
    "entities": ("passages", "defines"),
    "codes": ("codes",),
}

# A number for each generation that was ever begun, and the corpora that are published, by name.
CATALOGUE = (
    f"create schema if not exists {SCHEMA}",
    "create extension if not exists vector",
    f"create sequence if not exists {SCHEMA}.generations as int",
    f"create table if not exists {SCHEMA}.corpora (name text primary key, generation int not null, "
    "format int not null, manifest jsonb not null, published timestamptz not null default now())",
    # What people and models say of a corpus outlives its generations: the lines of its journals.
    f"create table if not exists {SCHEMA}.said (corpus text not null, journal text not null, "
    "number bigint generated always as identity, line text not null, primary key (corpus, journal, number))",
)


def get_entity_document(number: int, documents: int) -> int:
    """An entity belongs to no document: where it is kept, entities are spread over all of them."""
    return number % documents


def parents() -> list[str]:
    """The statements that make the partitioned tables."""
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
