"""The tables of reviews: criteria, queues and their items, who looks at what, what was said, and what was
learned of it.

What was said is only added to: ``stands`` alone changes, with what is said later. It goes with its case,
queues, criteria and what was learned with their matter.
"""

from __future__ import annotations

from sqlalchemy import (
    JSON,
    Boolean,
    Column,
    Float,
    ForeignKey,
    ForeignKeyConstraint,
    Index,
    Integer,
    LargeBinary,
    String,
    Text,
)

from engine.records.store.tables import ID, METADATA, TIME, stored_table

# Who reviews, as the store knows them.
REVIEWER = String(200)
KIND = String(20)
VERDICT = String(20)


def _matter() -> Column[str]:
    return Column("matter", ID, ForeignKey("matters.id", ondelete="CASCADE"), nullable=False)


def _case() -> Column[int]:
    return Column("case_number", Integer, ForeignKey("cases.number", ondelete="CASCADE"), nullable=False)


CRITERIA = stored_table(
    "criteria",
    Column("matter", ID, ForeignKey("matters.id", ondelete="CASCADE"), primary_key=True),
    # From 1.
    Column("version", Integer, primary_key=True, autoincrement=False),
    Column("text", Text, nullable=False),
    Column("who", REVIEWER, nullable=False),
    Column("at", TIME, nullable=False),
)

QUEUES = stored_table(
    "queues",
    Column("id", ID, primary_key=True),
    _matter(),
    Column("name", String(200), nullable=False),
    Column("who", REVIEWER, nullable=False),
    Column("created", TIME, nullable=False),
    # How it was sampled, and who may review it.
    Column("settings", JSON, nullable=False),
    Index(None, "matter"),
)

QUEUE_ITEMS = stored_table(
    "queue_items",
    Column("queue", ID, ForeignKey("queues.id", ondelete="CASCADE"), primary_key=True),
    Column("number", Integer, primary_key=True, autoincrement=False),
    _case(),
    # What it is called within its case.
    Column("key", Text, nullable=False),
    Column("kind", KIND, nullable=False),
    # As a reviewer sees it.
    Column("item", JSON, nullable=False),
    # Where it was drawn from, with which chance.
    Column("stratum", String(40), nullable=False),
    Column("chance", Float, nullable=False),
    # Those with less come first.
    Column("place", Float, nullable=False),
    # By whom, each name between two ends of lines; nobody named: by anybody.
    Column("assigned", Text, nullable=False),
    # How many reviewers were to judge it, how many are now that some differ, and how many have.
    Column("overlap", Integer, nullable=False),
    Column("wanted", Integer, nullable=False),
    Column("judged", Integer, nullable=False),
    Index(None, "case_number", "key"),
)

LEASES = stored_table(
    "leases",
    Column("queue", ID, primary_key=True),
    Column("number", Integer, primary_key=True, autoincrement=False),
    Column("reviewer", REVIEWER, primary_key=True),
    # A tab or a program of the reviewer.
    Column("session", String(64), nullable=False),
    Column("until", TIME, nullable=False),
    ForeignKeyConstraint(
        ["queue", "number"], ["queue_items.queue", "queue_items.number"], ondelete="CASCADE"
    ),
)

ASSESSMENTS = stored_table(
    "assessments",
    Column("number", Integer, primary_key=True),
    _case(),
    Column("key", Text, nullable=False),
    Column("kind", KIND, nullable=False),
    Column("item", JSON, nullable=False),
    Column("queue", ID),
    Column("verdict", VERDICT, nullable=False),
    Column("reason", Text, nullable=False),
    Column("note", Text, nullable=False),
    Column("reviewer", REVIEWER, nullable=False),
    Column("source", String(10), nullable=False),
    Column("at", TIME, nullable=False),
    # The words that were judged, the state of the corpus, the engine that made the case.
    Column("sha256", String(64), nullable=False),
    Column("fingerprint", String(64), nullable=False),
    Column("engine", String(40), nullable=False),
    Column("criteria", Integer, nullable=False),
    Column("seconds", Float),
    # The number of what is taken back.
    Column("withdraws", Integer),
    # Whether it ends a disagreement.
    Column("settles", Boolean, nullable=False),
    # Whether nothing was said after it by the same person, and it says something.
    Column("stands", Boolean, nullable=False),
    Index(None, "case_number", "key", "reviewer"),
)

# What was learned of the verdicts of a matter, and by which of it its cases are ranked: acts, as in the
# journal beside a corpus.
WEIGHTS = stored_table(
    "weights",
    Column("number", Integer, primary_key=True),
    _matter(),
    # By its name, as cases have it.
    Column("corpus", String(200), nullable=False),
    # Kept, adopted or shipped; of the last two there is one for each corpus.
    Column("act", String(10), nullable=False),
    Column("id", ID, nullable=False),
    Column("who", REVIEWER, nullable=False),
    Column("at", TIME, nullable=False),
    # What it is shown with, and itself.
    Column("figures", JSON, nullable=False),
    Column("learned", LargeBinary),
    Index(None, "matter"),
)
# All tables of a store, by their names: those of cases, too.
TABLES = METADATA.tables
