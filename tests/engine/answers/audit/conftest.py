"""The sample corpus, by words alone: what the audit finds without any model."""

from __future__ import annotations

from datetime import date

import pytest

from engine.answers.audit import Auditor
from engine.corpus.protocol import Corpus

DAY = date(2024, 6, 1)


@pytest.fixture(scope="session")
def auditor(meridia: Corpus) -> Auditor:
    return Auditor(meridia, day=DAY)
