"""Claims with another period or amount than the cited provision, and claims that drop its scope."""

from __future__ import annotations

from typing import Any

import pytest

from engine.answers.audit import Auditor, Finding
from engine.corpus import open_corpus
from engine.ingestion.build import build_corpus
from tests.tables import table

LAWS: list[dict[str, Any]] = table(__file__, "LAWS")


@pytest.fixture(scope="module")
def auditor(tmp_path_factory: pytest.TempPathFactory) -> Auditor:
    root = tmp_path_factory.mktemp("numbers")
    for number, law in enumerate(LAWS):
        (root / f"{number}.md").write_text(law["text"], encoding="utf-8")
    build_corpus([root], root / "corpus", embedding="none")
    return Auditor(open_corpus(root / "corpus"))


def test_another_number_of_the_same_thing_contradicts_and_no_dropped_scope_is_supported(
    auditor: Auditor, subtests: pytest.Subtests
) -> None:
    for law in LAWS:
        for judged in ("contradicted", "supported", "related"):
            for claim in law[judged]:
                with subtests.test(claim):
                    found = auditor.claim(f"{claim} ({law['cited']}).", law["language"])
                    assert found.finding is Finding(judged), found.reason
