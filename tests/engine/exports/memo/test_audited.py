"""A memo of the product that is checked by its own audit: only its findings are claims."""

from __future__ import annotations

from pathlib import Path

import pytest

from engine.answers.audit import Auditor, Finding, audit
from engine.answers.audit.claims import find_statements
from engine.corpus.protocol import Corpus
from engine.exports.memo.composing import compose
from engine.exports.memo.markdown import memo_markdown
from engine.exports.memo.word import memo_word
from engine.ingestion.reading import read_text
from tests.engine.exports.conftest import Hand, Record


@pytest.mark.parametrize("written", ["md", "docx"])
def test_findings_are_the_only_claims(
    handed: Hand, asked: Record, harbour: Corpus, tmp_path: Path, written: str
) -> None:
    memo = compose(handed(asked, harbour))
    file = tmp_path / f"memo.{written}"
    file.write_bytes(memo_word(memo) if written == "docx" else memo_markdown(memo).encode())
    found = audit(read_text(file), Auditor(harbour))
    findings = (*memo.findings.findings, *memo.findings.to_read)
    assert len(found.checked) >= len(findings) > 0
    for one in found.checked:
        assert one.finding is Finding.SUPPORTED, one.claim.text
    assert [note for note in found.notes if note.startswith("a memo of a case")]


def test_a_text_that_is_no_memo_is_read_whole() -> None:
    text = "## Findings\n\nThe pilot must hold a licence.[1]\n\n## Sources\n\nThe pilot must keep a log."
    found = [span for one in find_statements(text, ("en",)) for span in one.clauses]
    assert [text[span.start : span.end] for span in found] == [
        "The pilot must hold a licence.",
        "The pilot must keep a log.",
    ]
