"""What a database of cases has besides its tables: views for people who read it with SQL, and a trigger."""

from __future__ import annotations

from sqlalchemy import Connection, text

_FIGURES = (
    *("coverage_score", "mean_similarity", "top_similarity", "reference_coverage", "round_efficiency"),
    *("completeness", "passages", "milliseconds"),
)
_MEANS = ", ".join(f"avg(cases.{name}) as {name}" for name in _FIGURES)
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
# On PostgreSQL the rows of these tables are deleted with their case by a trigger: a foreign key was looked up
# for each of the thousands of rows of a case, a third of the time to save one.
_BY_TRIGGER = ("hops", "hits")


def create_views(connection: Connection) -> None:
    """Create the views."""
    for name, selection in VIEWS.items():
        connection.execute(text(f"create view {name} as {selection}"))


def replace_keys_by_trigger(connection: Connection) -> None:
    """On PostgreSQL, replace the foreign keys of tables with many rows by a trigger."""
    if connection.dialect.name != "postgresql":
        return
    deleted = "".join(f"delete from {table} where case_number = old.number; " for table in _BY_TRIGGER)
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
    for table in _BY_TRIGGER:
        connection.execute(text(f"alter table {table} drop constraint fk_{table}_case_number"))
