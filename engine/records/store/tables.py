"""The tables and views of a store of cases."""

from __future__ import annotations

from typing import Any

from sqlalchemy import (
    JSON,
    Boolean,
    Column,
    Connection,
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
    text,
)
from sqlalchemy.types import TypeEngine

from engine.errors import DamagedError
from engine.records.store.chain import is_moment

# A case is one row of ``cases`` with the columns that lists need; its rounds, queries, passages and hops are
# rows of their own, so that any SQL program can count them. ``states`` contains the complete record after
# each step, as in a saved file: a step can be undone without loss of precision.

# Triggers and earlier versions refer to constraints by name.
METADATA = MetaData(
    naming_convention={
        "ix": "ix_%(table_name)s_%(column_0_N_name)s",
        "uq": "uq_%(table_name)s_%(column_0_N_name)s",
        "fk": "fk_%(table_name)s_%(column_0_N_name)s",
        "pk": "pk_%(table_name)s",
    }
)
# Random ids of cases and matters: 22 characters.
ID = String(32)


class JsonList(JSON):
    """JSON whose values are lists."""


class Moment(String):
    """A date or time in ISO 8601."""


# Times are UTC in ISO 8601, which sorts as text and reads the same in every database.
TIME = Moment(32)


_KINDS: tuple[tuple[type[TypeEngine[Any]], Any], ...] = (
    *((Boolean, bool), (Float, (float, int)), (Integer, int), (LargeBinary, bytes), (String, str)),
    *((JsonList, list), (JSON, dict)),
)


class Stored(TypeDecorator[Any]):
    """A column type that checks values when they are read.

    SQLite stores any value in any column, and a damaged file can contain text instead of a number. ``where``
    names table and column.
    """

    impl: Any = String
    cache_ok = True

    def __init__(self, impl: TypeEngine[Any], where: str, is_nullable: bool) -> None:
        super().__init__()
        self.impl, self.where, self.is_nullable = impl, where, is_nullable
        self._kind = next(kind for type_, kind in _KINDS if isinstance(impl, type_))

    def process_result_value(self, value: Any, dialect: Dialect) -> Any:
        """Return the value unchanged. Raises DamagedError for one of another type."""
        if value is None and self.is_nullable:
            return None
        if not isinstance(value, self._kind) or (isinstance(self.impl, Moment) and not is_moment(value)):
            raise DamagedError(self.where)
        return value


def stored_table(name: str, *parts: Any, **options: Any) -> Table:
    """Return a table of the store whose values are checked when they are read."""
    table = Table(name, METADATA, *parts, **options)
    for column in table.c:
        column.type = Stored(column.type, f"{name}.{column.name}", bool(column.nullable))
    return table


def is_json(column: Column[Any]) -> bool:
    """Return whether a column of the store contains JSON."""
    return isinstance(column.type, Stored) and isinstance(column.type.impl, JSON)


MATTERS = stored_table(
    "matters",
    Column("id", ID, primary_key=True),
    # A hash of the owner's key, empty for the machine itself.
    Column("owner", String(80), nullable=False),
    Column("name", String(200), nullable=False),
    Column("created", TIME, nullable=False),
    UniqueConstraint("owner", "name"),
)

CASES = stored_table(
    "cases",
    # The internal key, for foreign keys only.
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
    # Last opened; NULL if never.
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
    # The user's verdict, and whether the engine's evidence status was right (NULL if unknown).
    Column("verdict", String(40)),
    Column("verdict_right", Boolean),
    # Question, name and notes in folded case, for search.
    Column("searched", Text, nullable=False),
    # The number of events and the hash of the last.
    Column("events", Integer, nullable=False),
    Column("head", String(64), nullable=False),
    Index(None, "matter", "started"),
    Index(None, "matter", "coverage_score"),
    Index(None, "matter", "verdict"),
)


def _of_a_case(name: str, key: str, *columns: Column[Any]) -> Table:
    """Return a table whose rows belong to a case and are deleted with it; ``key`` numbers them.

    On PostgreSQL a trigger replaces the foreign key of large tables (see ``replace_keys_by_trigger``).
    """
    owner = ForeignKey("cases.number", ondelete="CASCADE")
    case = Column("case_number", Integer, owner, primary_key=True, autoincrement=False)
    number = Column(key, Integer, primary_key=True, autoincrement=False)
    # SQLite stores the rows of a case together and needs no second index.
    return stored_table(name, case, number, *columns, sqlite_with_rowid=False)


ROUNDS = _of_a_case(
    "rounds",
    "number",
    # Its purposes (broad_scan, reference_expansion, gap_filling, follow_up), and a sentence about them.
    Column("kinds", JsonList, nullable=False),
    Column("purpose", Text, nullable=False),
    Column("seeds", Integer, nullable=False),
    Column("admitted", Integer, nullable=False),
    Column("refused", Integer, nullable=False),
    # Counts by reason.
    Column("refusals", JSON, nullable=False),
    Column("pool", Integer, nullable=False),
    Column("efficiency", Float),
    Column("milliseconds", Float, nullable=False),
    # States of the areas, and ids of those without evidence.
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
    # A view of the question (literal, part, terms, hypothetical, ...), or gap.
    Column("kind", String(40), nullable=False),
    Column("language", String(20), nullable=False),
    Column("text", Text, nullable=False),
    # True for a search text written by a language model.
    Column("is_hypothetical", Boolean, nullable=False),
    Column("weight", Float, nullable=False),
    Column("area", Text, nullable=False),
    # Number of passages found; in cases of format 1, number of ranked ones.
    Column("hits", Integer, nullable=False),
    # Over the stored hits.
    Column("top_similarity", Float),
    Column("mean_similarity", Float),
    # NULL for views of the scan, which are searched together.
    Column("milliseconds", Float),
)

HITS = _of_a_case(
    "hits",
    "number",
    # The best passages of each query in order.
    Column("query", Integer, nullable=False),
    Column("rank", Integer, nullable=False),
    Column("passage_id", Text, nullable=False),
    # Cosine to the query.
    Column("similarity", Float),
    # Its rank in each retriever.
    Column("ranks", JSON, nullable=False),
)

PASSAGES = _of_a_case(
    "passages",
    # The order of admission to the pool.
    "number",
    Column("passage_id", Text, nullable=False),
    Column("document_id", Text),
    # The rank, NULL if it is in the pool only.
    Column("rank", Integer),
    Column("round", Integer, nullable=False),
    Column("strategy", String(60), nullable=False),
    # The query that found it first, NULL if it was reached by a hop.
    Column("query", Integer),
    Column("gate_score", Float, nullable=False),
    Column("score", Float),
    # Cosine to the question; in cases of format 1 the highest to any query, for ranked passages only.
    Column("similarity", Float),
    # Number of pool passages that refer to it.
    Column("referenced_by", Integer, nullable=False),
    Column("areas", JsonList, nullable=False),
    Column("is_pinned", Boolean, nullable=False),
    Column("is_dismissed", Boolean, nullable=False),
)

HOPS = _of_a_case(
    "hops",
    "number",
    # Numbers of passages; NULL if the hop starts at the question or at a query for a gap.
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
    # The hash of the record after the event, NULL if unchanged.
    Column("state", String(64)),
    Column("hash", String(64), nullable=False),
)

STATES = _of_a_case(
    "states",
    # The number of the event that it follows.
    "number",
    # Compressed with zlib.
    Column("record", LargeBinary, nullable=False),
)
# The tables of a case's record, in the order of writing.
OF_A_CASE = (ROUNDS, QUERIES, HITS, PASSAGES, HOPS, COSTS)


# Views for SQL users, and a trigger.

# Columns that lists of averages contain.
AVERAGED = (
    *("coverage_score", "mean_similarity", "top_similarity", "reference_coverage", "round_efficiency"),
    *("completeness", "passages", "milliseconds"),
)
_MEANS = ", ".join(f"avg(cases.{name}) as {name}" for name in AVERAGED)
_IN_MATTERS = "from cases join matters on matters.id = cases.matter"
VIEWS = {
    "low_coverage": (
        "select matters.owner, matters.name as matter, cases.id, cases.started, cases.corpus, "
        f"cases.question, cases.coverage_score, cases.passages, cases.evidence, cases.verdict {_IN_MATTERS} "
        "where cases.coverage_score < 0.7"
    ),
    "by_verdict": f"select cases.verdict, count(*) as cases, {_MEANS} from cases group by cases.verdict",
    "over_time": (
        f"select substr(cases.started, 1, 10) as day, count(*) as cases, {_MEANS} from cases "
        "group by substr(cases.started, 1, 10)"
    ),
    "matter_by_verdict": (
        f"select matters.owner, matters.name as matter, cases.verdict, count(*) as cases, "
        f"{_MEANS} {_IN_MATTERS} group by matters.owner, matters.name, cases.verdict"
    ),
    "matter_over_time": (
        "select matters.owner, matters.name as matter, substr(cases.started, 1, 10) as day, "
        f"count(*) as cases, {_MEANS} {_IN_MATTERS} "
        "group by matters.owner, matters.name, substr(cases.started, 1, 10)"
    ),
}
# On PostgreSQL a trigger deletes the rows of these tables with their case: foreign keys were checked for each
# of thousands of rows, a third of the time to save a case.
BY_TRIGGER = ("hops", "hits")


def create_views(connection: Connection) -> None:
    """Create the views."""
    for name, selection in VIEWS.items():
        connection.execute(text(f"create view {name} as {selection}"))


def replace_keys_by_trigger(connection: Connection) -> None:
    """On PostgreSQL, replace the foreign keys of tables with many rows by a trigger."""
    if connection.dialect.name != "postgresql":
        return
    deleted = "".join(f"delete from {table} where case_number = old.number; " for table in BY_TRIGGER)
    connection.execute(
        text(
            "create function rows_of_deleted_case() returns trigger language plpgsql "
            f"set search_path from current as $$ begin {deleted}return old; end $$"
        )
    )
    connection.execute(
        text(
            "create trigger rows_of_deleted_case after delete on cases "
            "for each row execute function rows_of_deleted_case()"
        )
    )
    for table in BY_TRIGGER:
        connection.execute(text(f"alter table {table} drop constraint fk_{table}_case_number"))
