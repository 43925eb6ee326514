"""Expert reviews: criteria, queues, leases and assessments."""

import sqlalchemy as sa
from alembic import op

revision = "0004"
down_revision = "0003"

ID, TIME, REVIEWER = sa.String(length=32), sa.String(length=32), sa.String(length=200)


def upgrade() -> None:
    """Add the tables; stored data is unchanged."""
    _add_criteria_and_queues()
    _add_items()
    op.create_table(
        "assessments",
        sa.Column("number", sa.Integer(), nullable=False),
        sa.Column("case_number", sa.Integer(), nullable=False),
        sa.Column("key", sa.Text(), nullable=False),
        sa.Column("kind", sa.String(length=20), nullable=False),
        sa.Column("item", sa.JSON(), nullable=False),
        sa.Column("queue", ID, nullable=True),
        sa.Column("verdict", sa.String(length=20), nullable=False),
        sa.Column("reason", sa.Text(), nullable=False),
        sa.Column("note", sa.Text(), nullable=False),
        sa.Column("reviewer", REVIEWER, nullable=False),
        sa.Column("source", sa.String(length=10), nullable=False),
        sa.Column("at", TIME, nullable=False),
        sa.Column("sha256", sa.String(length=64), nullable=False),
        sa.Column("fingerprint", sa.String(length=64), nullable=False),
        sa.Column("engine", sa.String(length=40), nullable=False),
        sa.Column("criteria", sa.Integer(), nullable=False),
        sa.Column("seconds", sa.Float(), nullable=True),
        sa.Column("withdraws", sa.Integer(), nullable=True),
        sa.Column("settles", sa.Boolean(), nullable=False),
        sa.Column("stands", sa.Boolean(), nullable=False),
        sa.PrimaryKeyConstraint("number", name=op.f("pk_assessments")),
        _with_its_case("assessments"),
    )
    op.create_index(
        op.f("ix_assessments_case_number_key_reviewer"), "assessments", ["case_number", "key", "reviewer"]
    )


def _add_criteria_and_queues() -> None:
    op.create_table(
        "criteria",
        sa.Column("matter", ID, nullable=False),
        sa.Column("version", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("text", sa.Text(), nullable=False),
        sa.Column("who", REVIEWER, nullable=False),
        sa.Column("at", TIME, nullable=False),
        sa.PrimaryKeyConstraint("matter", "version", name=op.f("pk_criteria")),
        _with_its_matter("criteria"),
    )
    op.create_table(
        "queues",
        sa.Column("id", ID, nullable=False),
        sa.Column("matter", ID, nullable=False),
        sa.Column("name", sa.String(length=200), nullable=False),
        sa.Column("who", REVIEWER, nullable=False),
        sa.Column("created", TIME, nullable=False),
        sa.Column("settings", sa.JSON(), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_queues")),
        _with_its_matter("queues"),
    )
    op.create_index(op.f("ix_queues_matter"), "queues", ["matter"])


def _add_items() -> None:
    op.create_table(
        "queue_items",
        sa.Column("queue", ID, nullable=False),
        sa.Column("number", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("case_number", sa.Integer(), nullable=False),
        sa.Column("key", sa.Text(), nullable=False),
        sa.Column("kind", sa.String(length=20), nullable=False),
        sa.Column("item", sa.JSON(), nullable=False),
        sa.Column("stratum", sa.String(length=40), nullable=False),
        sa.Column("chance", sa.Float(), nullable=False),
        sa.Column("place", sa.Float(), nullable=False),
        sa.Column("assigned", sa.Text(), nullable=False),
        sa.Column("overlap", sa.Integer(), nullable=False),
        sa.Column("wanted", sa.Integer(), nullable=False),
        sa.Column("judged", sa.Integer(), nullable=False),
        sa.PrimaryKeyConstraint("queue", "number", name=op.f("pk_queue_items")),
        sa.ForeignKeyConstraint(
            ["queue"], ["queues.id"], name=op.f("fk_queue_items_queue"), ondelete="CASCADE"
        ),
        _with_its_case("queue_items"),
    )
    op.create_index(op.f("ix_queue_items_case_number_key"), "queue_items", ["case_number", "key"])
    op.create_table(
        "leases",
        sa.Column("queue", ID, nullable=False),
        sa.Column("number", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("reviewer", REVIEWER, nullable=False),
        sa.Column("session", sa.String(length=64), nullable=False),
        sa.Column("until", TIME, nullable=False),
        sa.PrimaryKeyConstraint("queue", "number", "reviewer", name=op.f("pk_leases")),
        sa.ForeignKeyConstraint(
            ["queue", "number"],
            ["queue_items.queue", "queue_items.number"],
            name=op.f("fk_leases_queue_number"),
            ondelete="CASCADE",
        ),
    )


def _with_its_case(table: str) -> sa.ForeignKeyConstraint:
    name = op.f(f"fk_{table}_case_number")
    return sa.ForeignKeyConstraint(["case_number"], ["cases.number"], name=name, ondelete="CASCADE")


def _with_its_matter(table: str) -> sa.ForeignKeyConstraint:
    name = op.f(f"fk_{table}_matter")
    return sa.ForeignKeyConstraint(["matter"], ["matters.id"], name=name, ondelete="CASCADE")
