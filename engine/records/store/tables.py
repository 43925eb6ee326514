"""The tables in which cases are kept.

A case is one row of ``cases`` with what people look for; its rounds, queries, passages and hops are rows of
their own, so that any SQL program can count them. ``states`` has the whole record after each step that was
taken, as the saved file has it: a step can be undone, and nothing is lost to rounding.
"""

from __future__ import annotations

from typing import Any

from sqlalchemy import (
    JSON,
    Boolean,
    Column,
    Dialect,
    Float,
    ForeignKey,
    Index,
    Integer,
    LargeBinary,
    MetaData,
    String,
    Table,
    Text,
    TypeDecorator,
    UniqueConstraint,
)
from sqlalchemy.types import TypeEngine

from engine.errors import DamagedError
from engine.records.store.sealing import is_moment

# Migrations name constraints, so each has a name that is the same everywhere.
METADATA = MetaData(
    naming_convention={
        "ix": "ix_%(table_name)s_%(column_0_N_name)s",
        "uq": "uq_%(table_name)s_%(column_0_N_name)s",
        "fk": "fk_%(table_name)s_%(column_0_N_name)s",
        "pk": "pk_%(table_name)s",
    }
)
# Ids of cases and matters: 22 characters that nobody guesses.
ID = String(32)


class JsonList(JSON):
    """JSON of which each value is a list."""


class Moment(String):
    """A moment or a day in ISO 8601."""


# Times are UTC in ISO 8601, which sorts as text and reads the same in every database.
TIME = Moment(32)


_KINDS: tuple[tuple[type[TypeEngine[Any]], Any], ...] = (
    *((Boolean, bool), (Float, (float, int)), (Integer, int), (LargeBinary, bytes), (String, str)),
    *((JsonList, list), (JSON, dict)),
)


class Stored(TypeDecorator[Any]):
    """The type of a column, whose values are checked as they are read: SQLite stores any value in any column,
    and a damaged file can contain text in the place of a number. ``where`` names table and column."""

    impl: Any = String
    cache_ok = True

    def __init__(self, impl: TypeEngine[Any], where: str, is_nullable: bool) -> None:
        super().__init__()
        self.impl, self.where, self.is_nullable = impl, where, is_nullable
        self._kind = next(kind for type_, kind in _KINDS if isinstance(impl, type_))

    def process_result_value(self, value: Any, dialect: Dialect) -> Any:
        """The value as it is. Raises DamagedError for one of another type."""
        if value is None and self.is_nullable:
            return None
        if not isinstance(value, self._kind) or (isinstance(self.impl, Moment) and not is_moment(value)):
            raise DamagedError(self.where)
        return value


def stored_table(name: str, *parts: Any, **options: Any) -> Table:
    """A table of the store, whose values are checked as they are read."""
    table = Table(name, METADATA, *parts, **options)
    for column in table.c:
        column.type = Stored(column.type, f"{name}.{column.name}", bool(column.nullable))
    return table


def is_json(column: Column[Any]) -> bool:
    """Whether a column of the store contains JSON."""
    return isinstance(column.type, Stored) and isinstance(column.type.impl, JSON)


MATTERS = stored_table(
    "matters",
    Column("id", ID, primary_key=True),
    # Whom it belongs to: a hash of the person's key, empty for whoever sits at the machine.
    Column("owner", String(80), nullable=False),
    Column("name", String(200), nullable=False),
    Column("created", TIME, nullable=False),
    UniqueConstraint("owner", "name"),
)

CASES = stored_table(
    "cases",
    # By which other tables name it; nobody else ever sees it.
    Column("number", Integer, primary_key=True),
    Column("id", ID, nullable=False, unique=True),
    Column("matter", ID, ForeignKey("matters.id"), nullable=False),
    Column("application", String(20), nullable=False),
    Column("name", String(200), nullable=False),
    Column("notes", Text, nullable=False),
    Column("is_shared", Boolean, nullable=False),
    Column("started", TIME, nullable=False),
    Column("completed", TIME, nullable=False),
    Column("changed", TIME, nullable=False),
    # When somebody last looked at it, nothing where nobody has.
    Column("opened", TIME),
    Column("question", Text, nullable=False),
    Column("parts", JsonList, nullable=False),
    Column("language", String(20), nullable=False),
    Column("corpus", String(200), nullable=False),
    Column("fingerprint", String(64), nullable=False),
    Column("engine", String(40), nullable=False),
    Column("settings", JSON, nullable=False),
    Column("day", Moment(10)),
    Column("rounds", Integer, nullable=False),
    Column("stop_reason", String(40), nullable=False),
    Column("passages", Integer, nullable=False),
    Column("pool", Integer, nullable=False),
    Column("completeness", Float),
    Column("mean_similarity", Float),
    Column("top_similarity", Float),
    Column("coverage_score", Float),
    Column("reference_coverage", Float),
    Column("round_efficiency", Float),
    Column("coherence", Float),
    Column("milliseconds", Float, nullable=False),
    Column("model", String(200), nullable=False),
    Column("model_calls", Integer, nullable=False),
    Column("tokens", Integer, nullable=False),
    Column("money", Float),
    Column("evidence", String(20), nullable=False),
    # What a person says of the case, and whether the engine's own verdict was right where somebody knows.
    Column("verdict", String(40)),
    Column("verdict_right", Boolean),
    # Question, name and notes without a difference of capitals, to be searched.
    Column("searched", Text, nullable=False),
    # How many events it has, and the hash of the last.
    Column("events", Integer, nullable=False),
    Column("head", String(64), nullable=False),
    Index(None, "matter", "started"),
    Index(None, "matter", "coverage_score"),
    Index(None, "matter", "verdict"),
)


def _of_a_case(name: str, key: str, *columns: Column[Any]) -> Table:
    """A table whose rows belong to a case and go with it; ``key`` numbers them within it. On PostgreSQL those
    of many rows have a trigger of ``cases`` instead of the foreign key (``views``)."""
    owner = ForeignKey("cases.number", ondelete="CASCADE")
    case = Column("case_number", Integer, owner, primary_key=True, autoincrement=False)
    number = Column(key, Integer, primary_key=True, autoincrement=False)
    # SQLite keeps the rows of a case together, and no second index of them.
    return stored_table(name, case, number, *columns, sqlite_with_rowid=False)


ROUNDS = _of_a_case(
    "rounds",
    "number",
    # What it was made for (broad_scan, reference_expansion, gap_filling, follow_up), and the same in words.
    Column("kinds", JsonList, nullable=False),
    Column("purpose", Text, nullable=False),
    Column("seeds", Integer, nullable=False),
    Column("admitted", Integer, nullable=False),
    Column("refused", Integer, nullable=False),
    # Why, by reason.
    Column("refusals", JSON, nullable=False),
    Column("pool", Integer, nullable=False),
    Column("efficiency", Float),
    Column("milliseconds", Float, nullable=False),
    # States of the areas, and the ids of those that lack evidence.
    Column("coverage_before", JSON, nullable=False),
    Column("coverage_after", JSON, nullable=False),
    Column("gaps", JsonList, nullable=False),
    Column("judged_by", String(20)),
    Column("is_sufficient", Boolean),
    Column("missing", JsonList),
    Column("confidence", Float),
    Column("reasons", Text),
)

QUERIES = _of_a_case(
    "queries",
    "number",
    Column("round", Integer, nullable=False),
    # View of the question (literal, part, terms, hypothetical, ...), or gap.
    Column("kind", String(40), nullable=False),
    Column("language", String(20), nullable=False),
    Column("text", Text, nullable=False),
    # Whether the text is one that a language model made up to be searched by.
    Column("is_hypothetical", Boolean, nullable=False),
    Column("weight", Float, nullable=False),
    Column("area", Text, nullable=False),
    # How many passages it found; in cases of format 1 how many that are ranked.
    Column("hits", Integer, nullable=False),
    # Of the hits that are kept.
    Column("top_similarity", Float),
    Column("mean_similarity", Float),
    # Nothing for the views of the scan, which are searched together.
    Column("milliseconds", Float),
)

HITS = _of_a_case(
    "hits",
    "number",
    # The best passages of each query, in their order.
    Column("query", Integer, nullable=False),
    Column("rank", Integer, nullable=False),
    Column("passage_id", Text, nullable=False),
    # Cosine to the query.
    Column("similarity", Float),
    # Its rank by each retriever.
    Column("ranks", JSON, nullable=False),
)

PASSAGES = _of_a_case(
    "passages",
    # The order of admission to the pool.
    "number",
    Column("passage_id", Text, nullable=False),
    Column("document_id", Text),
    # The place in the ranking, nothing for what is in the pool alone.
    Column("rank", Integer),
    Column("round", Integer, nullable=False),
    Column("strategy", String(60), nullable=False),
    # The query that found it first, nothing for one that was only followed to.
    Column("query", Integer),
    Column("gate_score", Float, nullable=False),
    Column("score", Float),
    # Cosine to the question; in cases of format 1 the best to any query, of ranked passages alone.
    Column("similarity", Float),
    # How many passages of the pool refer to it.
    Column("referenced_by", Integer, nullable=False),
    Column("areas", JsonList, nullable=False),
    Column("is_pinned", Boolean, nullable=False),
    Column("is_dismissed", Boolean, nullable=False),
)

HOPS = _of_a_case(
    "hops",
    "number",
    # Numbers of passages; no source where the hop began at the question or at a query for a gap.
    Column("source", Integer),
    Column("target", Integer, nullable=False),
    Column("round", Integer, nullable=False),
    Column("strategy", String(60), nullable=False),
    Column("relation", String(40), nullable=False),
    Column("direction", String(10), nullable=False),
    Column("strength", Float, nullable=False),
    Column("rank", Integer),
)

COSTS = _of_a_case(
    "costs",
    "number",
    Column("task", String(60), nullable=False),
    Column("calls", Integer, nullable=False),
    Column("prompt_tokens", Integer, nullable=False),
    Column("cached_tokens", Integer, nullable=False),
    Column("completion_tokens", Integer, nullable=False),
    Column("milliseconds", Float, nullable=False),
    Column("money", Float),
)

EVENTS = _of_a_case(
    "events",
    "number",
    Column("at", TIME, nullable=False),
    Column("who", String(200), nullable=False),
    Column("kind", String(40), nullable=False),
    Column("data", JSON, nullable=False),
    # The hash of the state that it left, nothing where it left the record as it was.
    Column("state", String(64)),
    Column("hash", String(64), nullable=False),
)

STATES = _of_a_case(
    "states",
    # The number of the event that it stands behind.
    "number",
    # Compressed by zlib.
    Column("record", LargeBinary, nullable=False),
)
# What a case is made of, in the order in which it is written.
OF_A_CASE = (ROUNDS, QUERIES, HITS, PASSAGES, HOPS, COSTS)
