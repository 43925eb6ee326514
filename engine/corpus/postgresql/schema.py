"""The tables of all corpora on a server.

Each table is partitioned by corpus: a generation of a corpus has its number, and a partition of its own in
every table. Rows carry the number of their document, so that a distributed form can shard by both. Numbers of
rows, documents, sections, references and entities are those of ``engine.corpus.protocol``; days and kinds are
coded as in the embedded store.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

SCHEMA = "redstring"
# Raised whenever the tables change.
FORMAT = 1


class Table(NamedTuple):
    """Columns behind ``corpus``, in the order in which they are copied, and the indexes of a partition."""

    columns: str
    indexes: tuple[str, ...]

    @property
    def names(self) -> list[str]:
        """The names of all columns."""
        return ["corpus", *(column.split()[0] for column in self.columns.split(", "))]


# Of one corpus. Text that is missing is '', a number that is missing is -1, as in the embedded store.
TABLES: Mapping[str, Table] = {
    "documents": Table("document int, first int, record text", ("unique (document)",)),
    "sections": Table(
        "document int, number int, id text, parent int, parent_id text, kind smallint, printed text, "
        "key text, title text, first int, stop int",
        ("unique (document, number)", "(number)", "(key)"),
    ),
    "passages": Table(
        "document int, row int, id text, section_id text, text text, language text, kind smallint, "
        "printed text, key text, paragraph text, label text, headings text, source_id text, status text, "
        "valid_from int, valid_to int, page int, overlap int, metadata text, bare boolean",
        ("unique (document, row)", "(row)", "(id)", "(key)"),
    ),
    "stretches": Table("document int, first int, section int, valid_from int, valid_to int, status text", ()),
    "postings": Table("document int, field smallint, term bigint, row int, weight real", ("(term, row)",)),
    "vectors": Table("document int, row int, embedding vector", ("unique (document, row)", "(row)")),
    "edges": Table(
        "document int, inward boolean, near int, far int, relation smallint, weight real, evidence int",
        ("(near, inward)",),
    ),
    "citations": Table(
        "document int, number int, source int, source_id text, start int, stop int, text text, "
        "relation smallint, status smallint, kind smallint, target int, target_id text, head int, "
        "provision_kind smallint, provision int, provision_id text, provision_row int, confidence real, "
        "grammar text, candidates text",
        ("unique (document, number)", "(number)", "(source)", "(head)"),
    ),
    "mentions": Table(
        "document int, row int, entity int, defines boolean, place int", ("(row, entity)", "(entity, place)")
    ),
    "entities": Table("document int, number int, rarity real, record text", ("unique (document, number)",)),
    "names": Table("document int, place int, row int, language text, record text", ()),
    "sparse": Table("document int, row int, term int, weight real", ("(term, row)",)),
    "tokens": Table("document int, row int, mean vector, vectors bytea", ("unique (document, row)", "(row)")),
}

# A number for each generation that was ever begun; the corpora that are published, by name.
CATALOGUE = (
    f"create schema if not exists {SCHEMA}",
    "create extension if not exists vector",
    f"create sequence if not exists {SCHEMA}.generations as int",
    f"create table if not exists {SCHEMA}.corpora (name text primary key, generation int not null, "
    "format int not null, manifest jsonb not null, published timestamptz not null default now())",
)


def parents() -> list[str]:
    """The statements that make the partitioned tables."""
    made = []
    for name, table in TABLES.items():
        columns = ", ".join(f"{column} not null" for column in table.columns.split(", "))
        made.append(
            f"create table if not exists {SCHEMA}.{name} (corpus int not null, {columns}) "
            "partition by list (corpus)"
        )
    return made
