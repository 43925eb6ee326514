"""Hits of queries, purposes of rounds, time of last opening; views."""

import sqlalchemy as sa
from alembic import op

from engine.records.store.tables import create_views

revision = "0002"
down_revision = "0001"


def upgrade() -> None:
    """Add the columns, tables and views; stored data is unchanged."""
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
    create_views(op.get_bind())
