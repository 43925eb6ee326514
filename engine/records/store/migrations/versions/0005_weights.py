"""Weights learned from the verdicts of a matter."""

import sqlalchemy as sa
from alembic import op

revision = "0005"
down_revision = "0004"

ID, TIME = sa.String(length=32), sa.String(length=32)


def upgrade() -> None:
    """Add the table; stored data is unchanged."""
    op.create_table(
        "weights",
        sa.Column("number", sa.Integer(), nullable=False),
        sa.Column("matter", ID, nullable=False),
        sa.Column("corpus", sa.String(length=200), nullable=False),
        sa.Column("act", sa.String(length=10), nullable=False),
        sa.Column("id", ID, nullable=False),
        sa.Column("who", sa.String(length=200), nullable=False),
        sa.Column("at", TIME, nullable=False),
        sa.Column("figures", sa.JSON(), nullable=False),
        sa.Column("learned", sa.LargeBinary(), nullable=True),
        sa.PrimaryKeyConstraint("number", name=op.f("pk_weights")),
        sa.ForeignKeyConstraint(
            ["matter"], ["matters.id"], name=op.f("fk_weights_matter"), ondelete="CASCADE"
        ),
    )
    op.create_index(op.f("ix_weights_matter"), "weights", ["matter"])
