"""Quotations that leave words out: verified only where what is left out changes nothing that binds."""

from __future__ import annotations

import pytest

from engine.answers.audit import Auditor, Finding
from engine.corpus import open_corpus
from engine.ingestion.build import build_corpus
from tests.tables import table

# What a source says, and a quotation of it: without a negation, a verb, a condition, a quantity, a party.
CHANGED = table(__file__, "CHANGED")
# What only tells more of a word, or whole sentences.
SAME = table(__file__, "SAME")


@pytest.fixture(scope="module")
def auditor(tmp_path_factory: pytest.TempPathFactory) -> Auditor:
    root = tmp_path_factory.mktemp("quotations")
    for number, (source, _) in enumerate([*CHANGED, *SAME]):
        (root / f"{number}.md").write_text(
            f"# Deed {number + 10}\n\n## 1. Rule\n{source}\n", encoding="utf-8"
        )
    build_corpus([root], root / "corpus", embedding="none")
    return Auditor(open_corpus(root / "corpus"))


def finding(auditor: Auditor, number: int, quote: str) -> Finding:
    """What is found of a quotation in the language of its source."""
    language = next(one.language for one in auditor.corpus.documents() if one.id == str(number))
    return auditor.claim(f"“{quote}”", language).finding


@pytest.mark.parametrize("number", range(len(CHANGED)), ids=[quote for _, quote in CHANGED])
def test_a_quotation_without_a_word_that_binds_is_not_verified(auditor: Auditor, number: int) -> None:
    said = (Finding.SUPPORTED, Finding.WRONG_PINPOINT, Finding.OUTDATED)
    assert finding(auditor, number, CHANGED[number][1]) not in said


@pytest.mark.parametrize("number", range(len(SAME)), ids=[quote for _, quote in SAME])
def test_a_quotation_without_words_that_bind_nothing_is_verified(auditor: Auditor, number: int) -> None:
    assert finding(auditor, len(CHANGED) + number, SAME[number][1]) is Finding.SUPPORTED
