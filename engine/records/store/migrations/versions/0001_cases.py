"""The first tables of cases."""

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None


def upgrade() -> None:
    """Make them."""
    op.create_table(
        "matters",
        sa.Column("id", sa.String(length=32), nullable=False),
        sa.Column("owner", sa.String(length=80), nullable=False),
        sa.Column("name", sa.String(length=200), nullable=False),
        sa.Column("created", sa.String(length=32), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_matters")),
        sa.UniqueConstraint("owner", "name", name=op.f("uq_matters_owner_name")),
    )
    op.create_table(
        "cases",
        sa.Column("number", sa.Integer(), nullable=False),
        sa.Column("id", sa.String(length=32), nullable=False),
        sa.Column("matter", sa.String(length=32), nullable=False),
        sa.Column("application", sa.String(length=20), nullable=False),
        sa.Column("name", sa.String(length=200), nullable=False),
        sa.Column("notes", sa.Text(), nullable=False),
        sa.Column("is_shared", sa.Boolean(), nullable=False),
        sa.Column("started", sa.String(length=32), nullable=False),
        sa.Column("completed", sa.String(length=32), nullable=False),
        sa.Column("changed", sa.String(length=32), nullable=False),
        sa.Column("question", sa.Text(), nullable=False),
        sa.Column("parts", sa.JSON(), nullable=False),
        sa.Column("language", sa.String(length=20), nullable=False),
        sa.Column("corpus", sa.String(length=200), nullable=False),
        sa.Column("fingerprint", sa.String(length=64), nullable=False),
        sa.Column("engine", sa.String(length=40), nullable=False),
        sa.Column("settings", sa.JSON(), nullable=False),
        sa.Column("day", sa.String(length=10), nullable=True),
        sa.Column("rounds", sa.Integer(), nullable=False),
        sa.Column("stop_reason", sa.String(length=40), nullable=False),
        sa.Column("passages", sa.Integer(), nullable=False),
        sa.Column("pool", sa.Integer(), nullable=False),
        sa.Column("completeness", sa.Float(), nullable=True),
        sa.Column("mean_similarity", sa.Float(), nullable=True),
        sa.Column("top_similarity", sa.Float(), nullable=True),
        sa.Column("coverage_score", sa.Float(), nullable=True),
        sa.Column("reference_coverage", sa.Float(), nullable=True),
        sa.Column("round_efficiency", sa.Float(), nullable=True),
        sa.Column("coherence", sa.Float(), nullable=True),
        sa.Column("milliseconds", sa.Float(), nullable=False),
        sa.Column("model", sa.String(length=200), nullable=False),
        sa.Column("model_calls", sa.Integer(), nullable=False),
        sa.Column("tokens", sa.Integer(), nullable=False),
        sa.Column("money", sa.Float(), nullable=True),
        sa.Column("evidence", sa.String(length=20), nullable=False),
        sa.Column("verdict", sa.String(length=40), nullable=True),
        sa.Column("verdict_right", sa.Boolean(), nullable=True),
        sa.Column("searched", sa.Text(), nullable=False),
        sa.Column("events", sa.Integer(), nullable=False),
        sa.Column("head", sa.String(length=64), nullable=False),
        sa.ForeignKeyConstraint(["matter"], ["matters.id"], name=op.f("fk_cases_matter")),
        sa.PrimaryKeyConstraint("number", name=op.f("pk_cases")),
        sa.UniqueConstraint("id", name=op.f("uq_cases_id")),
    )
    op.create_index(
        op.f("ix_cases_matter_coverage_score"), "cases", ["matter", "coverage_score"], unique=False
    )
    op.create_index(op.f("ix_cases_matter_started"), "cases", ["matter", "started"], unique=False)
    op.create_index(op.f("ix_cases_matter_verdict"), "cases", ["matter", "verdict"], unique=False)
    op.create_table(
        "costs",
        sa.Column("case_number", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("number", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("task", sa.String(length=60), nullable=False),
        sa.Column("calls", sa.Integer(), nullable=False),
        sa.Column("prompt_tokens", sa.Integer(), nullable=False),
        sa.Column("cached_tokens", sa.Integer(), nullable=False),
        sa.Column("completion_tokens", sa.Integer(), nullable=False),
        sa.Column("milliseconds", sa.Float(), nullable=False),
        sa.Column("money", sa.Float(), nullable=True),
        sa.ForeignKeyConstraint(
            ["case_number"], ["cases.number"], name=op.f("fk_costs_case_number"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("case_number", "number", name=op.f("pk_costs")),
        sqlite_with_rowid=False,
    )
    op.create_table(
        "events",
        sa.Column("case_number", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("number", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("at", sa.String(length=32), nullable=False),
        sa.Column("who", sa.String(length=200), nullable=False),
        sa.Column("kind", sa.String(length=40), nullable=False),
        sa.Column("data", sa.JSON(), nullable=False),
        sa.Column("state", sa.String(length=64), nullable=True),
        sa.Column("hash", sa.String(length=64), nullable=False),
        sa.ForeignKeyConstraint(
            ["case_number"], ["cases.number"], name=op.f("fk_events_case_number"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("case_number", "number", name=op.f("pk_events")),
        sqlite_with_rowid=False,
    )
    op.create_table(
        "hops",
        sa.Column("case_number", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("number", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("source", sa.Integer(), nullable=True),
        sa.Column("target", sa.Integer(), nullable=False),
        sa.Column("round", sa.Integer(), nullable=False),
        sa.Column("strategy", sa.String(length=60), nullable=False),
        sa.Column("relation", sa.String(length=40), nullable=False),
        sa.Column("direction", sa.String(length=10), nullable=False),
        sa.Column("strength", sa.Float(), nullable=False),
        sa.Column("rank", sa.Integer(), nullable=True),
        sa.ForeignKeyConstraint(
            ["case_number"], ["cases.number"], name=op.f("fk_hops_case_number"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("case_number", "number", name=op.f("pk_hops")),
        sqlite_with_rowid=False,
    )
    op.create_table(
        "passages",
        sa.Column("case_number", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("number", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("passage_id", sa.Text(), nullable=False),
        sa.Column("document_id", sa.Text(), nullable=True),
        sa.Column("rank", sa.Integer(), nullable=True),
        sa.Column("round", sa.Integer(), nullable=False),
        sa.Column("strategy", sa.String(length=60), nullable=False),
        sa.Column("query", sa.Integer(), nullable=True),
        sa.Column("gate_score", sa.Float(), nullable=False),
        sa.Column("score", sa.Float(), nullable=True),
        sa.Column("similarity", sa.Float(), nullable=True),
        sa.Column("referenced_by", sa.Integer(), nullable=False),
        sa.Column("areas", sa.JSON(), nullable=False),
        sa.Column("is_pinned", sa.Boolean(), nullable=False),
        sa.Column("is_dismissed", sa.Boolean(), nullable=False),
        sa.ForeignKeyConstraint(
            ["case_number"], ["cases.number"], name=op.f("fk_passages_case_number"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("case_number", "number", name=op.f("pk_passages")),
        sqlite_with_rowid=False,
    )
    op.create_table(
        "queries",
        sa.Column("case_number", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("number", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("round", sa.Integer(), nullable=False),
        sa.Column("kind", sa.String(length=40), nullable=False),
        sa.Column("language", sa.String(length=20), nullable=False),
        sa.Column("text", sa.Text(), nullable=False),
        sa.Column("is_hypothetical", sa.Boolean(), nullable=False),
        sa.Column("weight", sa.Float(), nullable=False),
        sa.Column("area", sa.Text(), nullable=False),
        sa.Column("hits", sa.Integer(), nullable=False),
        sa.Column("top_similarity", sa.Float(), nullable=True),
        sa.Column("mean_similarity", sa.Float(), nullable=True),
        sa.ForeignKeyConstraint(
            ["case_number"], ["cases.number"], name=op.f("fk_queries_case_number"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("case_number", "number", name=op.f("pk_queries")),
        sqlite_with_rowid=False,
    )
    op.create_table(
        "rounds",
        sa.Column("case_number", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("number", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("purpose", sa.Text(), nullable=False),
        sa.Column("seeds", sa.Integer(), nullable=False),
        sa.Column("admitted", sa.Integer(), nullable=False),
        sa.Column("refused", sa.Integer(), nullable=False),
        sa.Column("refusals", sa.JSON(), nullable=False),
        sa.Column("pool", sa.Integer(), nullable=False),
        sa.Column("efficiency", sa.Float(), nullable=True),
        sa.Column("milliseconds", sa.Float(), nullable=False),
        sa.Column("coverage_before", sa.JSON(), nullable=False),
        sa.Column("coverage_after", sa.JSON(), nullable=False),
        sa.Column("gaps", sa.JSON(), nullable=False),
        sa.Column("judged_by", sa.String(length=20), nullable=True),
        sa.Column("is_sufficient", sa.Boolean(), nullable=True),
        sa.Column("missing", sa.JSON(), nullable=True),
        sa.Column("confidence", sa.Float(), nullable=True),
        sa.Column("reasons", sa.Text(), nullable=True),
        sa.ForeignKeyConstraint(
            ["case_number"], ["cases.number"], name=op.f("fk_rounds_case_number"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("case_number", "number", name=op.f("pk_rounds")),
        sqlite_with_rowid=False,
    )
    op.create_table(
        "states",
        sa.Column("case_number", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("number", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("record", sa.LargeBinary(), nullable=False),
        sa.ForeignKeyConstraint(
            ["case_number"], ["cases.number"], name=op.f("fk_states_case_number"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("case_number", "number", name=op.f("pk_states")),
        sqlite_with_rowid=False,
    )
