"""The retrieval audit of a corpus: what is found, what is not, and what to do about it."""

from __future__ import annotations

import shutil
from datetime import date
from pathlib import Path

import pytest

from engine.answers.retrieval_audit import (
    MOST_QUESTIONS,
    RetrievalAudit,
    retrieval_audit,
    retrieval_audit_html,
    retrieval_audit_markdown,
    retrieval_audit_to_json,
)
from engine.cli.main import main
from engine.corpus.protocol import Corpus
from engine.errors import InputError
from engine.settings import preset

DAY = date(2024, 6, 1)
BORNE = "When must an objection be lodged?"
FOREIGN = "Which vaccines do zebrafish breeders need?"


@pytest.fixture(scope="module")
def found(meridia: Corpus) -> RetrievalAudit:
    return retrieval_audit(meridia, [BORNE, FOREIGN], preset("quick"), DAY)


def test_what_is_found_and_what_is_not(found: RetrievalAudit, meridia: Corpus) -> None:
    assert (found.info.documents, found.info.passages) == (len(meridia.documents()), len(meridia))
    assert [one.text for one in found.without_evidence] == [FOREIGN]
    assert found.support is not None
    assert found.support > 0.5
    titles = {one.title for one in meridia.documents()}
    assert set(found.unreached) < titles
    assert found.dead


def test_the_report_says_what_to_do(found: RetrievalAudit) -> None:
    told = retrieval_audit_markdown(found)
    for words in ("Support score", "zebrafish", "Add the documents that they name", "no question reached"):
        assert words in told
    assert retrieval_audit_to_json(found)["zero_hits"] == [FOREIGN]


def test_the_page_is_escaped(meridia: Corpus) -> None:
    told = retrieval_audit(meridia, ["<img src=x onerror=alert(1)> | zebrafish?"], preset("quick"), DAY)
    page = retrieval_audit_html(told)
    assert "<img" not in page
    assert "zebrafish" in page


def test_too_many_questions_are_refused(meridia: Corpus) -> None:
    with pytest.raises(InputError, match="at most"):
        retrieval_audit(meridia, ["?"] * (MOST_QUESTIONS + 1), preset("quick"), DAY)


def test_the_command(sample_folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = tmp_path / "meridia"
    shutil.copytree(sample_folder, folder)
    queries = tmp_path / "queries.jsonl"
    queries.write_text('{"text": "When must an objection be lodged?"}\nWho may ratify?\n', encoding="utf-8")
    report = tmp_path / "report.html"
    given = ["report", "--corpus", str(folder), "--preset", "quick", "--as-of", "2024-06-01"]
    assert main([*given, "--queries", str(queries), "--html", str(report)]) == 0
    assert "2 questions" in report.read_text(encoding="utf-8")
    queries.write_text('{"words": "?"}\n', encoding="utf-8")
    assert main([*given, "--queries", str(queries)]) == 2
    assert "no question" in capsys.readouterr().err
