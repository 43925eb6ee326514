"""Audit of a text against a corpus: its claims, compared with the sources."""

from __future__ import annotations

from engine.answers.audit.auditing import Auditor, Step, audit
from engine.answers.audit.record import Audit, Checked, Citation, Claim, Finding, Reading, Source

__all__ = [
    "Audit",
    "Auditor",
    "Checked",
    "Citation",
    "Claim",
    "Finding",
    "Reading",
    "Source",
    "Step",
    "audit",
]
