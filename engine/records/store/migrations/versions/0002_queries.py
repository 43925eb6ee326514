"""What each query found, what each round was made for, when a case was opened; ready views."""

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"

FIGURES = (
    *("coverage_score", "mean_similarity", "top_similarity", "reference_coverage", "round_efficiency"),
    *("completeness", "passages", "milliseconds"),
)
MEANS = ", ".join(f"avg(cases.{name}) as {name}" for name in FIGURES)
IN_MATTERS = "from cases join matters on matters.id = cases.matter"
VIEWS = {
    "low_coverage": (
        "select matters.owner, matters.name as matter, cases.id, cases.started, cases.corpus, "
        f"cases.question, cases.coverage_score, cases.passages, cases.evidence, cases.verdict {IN_MATTERS} "
        "where cases.coverage_score < 0.7"
    ),
    "by_verdict": f"select cases.verdict, count(*) as cases, {MEANS} from cases group by cases.verdict",
    "over_time": (
        f"select substr(cases.started, 1, 10) as day, count(*) as cases, {MEANS} from cases "
        "group by substr(cases.started, 1, 10)"
    ),
    "matter_by_verdict": (
        f"select matters.owner, matters.name as matter, cases.verdict, count(*) as cases, "
        f"{MEANS} {IN_MATTERS} group by matters.owner, matters.name, cases.verdict"
    ),
    "matter_over_time": (
        "select matters.owner, matters.name as matter, substr(cases.started, 1, 10) as day, "
        f"count(*) as cases, {MEANS} {IN_MATTERS} "
        "group by matters.owner, matters.name, substr(cases.started, 1, 10)"
    ),
}


def upgrade() -> None:
    """Add them; what is kept stays as it is."""
    op.add_column("cases", sa.Column("opened", sa.String(length=32), nullable=True))
    op.add_column("rounds", sa.Column("kinds", sa.JSON(), nullable=False, server_default="[]"))
    op.add_column("queries", sa.Column("milliseconds", sa.Float(), nullable=True))
    op.create_table(
        "hits",
        sa.Column("case_number", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("number", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("query", sa.Integer(), nullable=False),
        sa.Column("rank", sa.Integer(), nullable=False),
        sa.Column("passage_id", sa.Text(), nullable=False),
        sa.Column("similarity", sa.Float(), nullable=True),
        sa.Column("ranks", sa.JSON(), nullable=False),
        sa.ForeignKeyConstraint(
            ["case_number"], ["cases.number"], name=op.f("fk_hits_case_number"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("case_number", "number", name=op.f("pk_hits")),
        sqlite_with_rowid=False,
    )
    for name, selection in VIEWS.items():
        op.execute(f"create view {name} as {selection}")
