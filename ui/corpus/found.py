"""What a retrieval audit of a corpus has found so far, and how many of them there may be."""

from __future__ import annotations

from dataclasses import dataclass

from engine.answers.retrieval_audit import RetrievalAudit
from ui.jobs.jobs import Rules

# Of all visitors at the same time, those that wait, the longest of one, s.
RULES = Rules("report", running=1, waiting=6, seconds=300.0)
# Questions of one.
MOST_ASKED, LONGEST_ASKED = 25, 1000


@dataclass(slots=True)
class Found:
    """The audit, once it is there."""

    audit: RetrievalAudit | None = None
