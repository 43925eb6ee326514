"""The retrieval audit of a case: what was searched, what was not found, and what to do about it."""

from __future__ import annotations

import shutil
from datetime import date
from pathlib import Path

import orjson
import pytest

from engine.answers.answer import answer
from engine.answers.case_audit import (
    CaseAudit,
    case_audit,
    case_audit_html,
    case_audit_markdown,
    case_audit_to_json,
)
from engine.cli.main import main
from engine.corpus.protocol import Corpus
from engine.investigation import Case
from engine.settings import preset

DAY = date(2024, 6, 1)
BORNE = "Can a manager with limited authority grant an agent broader powers than those in the register?"
FOREIGN = "Which vaccines do zebrafish <img src=x onerror=alert(1)> breeders need?"


def audited(corpus: Corpus, question: str) -> CaseAudit:
    case = Case(corpus, question, preset("balanced"), day=DAY)
    for _ in case.run():
        pass
    found = case.investigation()
    return case_audit(found, corpus, answer(found, corpus))


@pytest.fixture(scope="module")
def borne(meridia: Corpus) -> CaseAudit:
    return audited(meridia, BORNE)


@pytest.fixture(scope="module")
def foreign(meridia: Corpus) -> CaseAudit:
    return audited(meridia, FOREIGN)


def test_a_case_that_is_borne(borne: CaseAudit, meridia: Corpus) -> None:
    assert borne.support is not None
    assert borne.support > 0.7
    assert {one.retriever for one in borne.retrievers} >= {"bm25", "dense"}
    assert all(one.hits > 0 for one in borne.queries)
    titles = {one.title for one in meridia.documents()}
    assert set(borne.unreached) < titles
    told = case_audit_markdown(borne)
    for words in ("Support score", "Documents reached", "## The index", "Nothing to report under: "):
        assert words in told


def test_a_case_that_is_not(foreign: CaseAudit) -> None:
    assert foreign.support is None
    told = case_audit_markdown(foreign)
    assert "zebrafish" in told.partition("## Parts without support")[2].partition("##")[0]
    assert "Add texts on the subject" in told
    assert "no answer has a sentence" in told
    plain = orjson.loads(orjson.dumps(case_audit_to_json(foreign), default=dict))
    assert plain["evidence"] == "none"
    assert "zebrafish" in plain["missing"]


def test_the_page_is_escaped(foreign: CaseAudit) -> None:
    assert "<img" not in case_audit_html(foreign)


def test_references_that_lead_nowhere_are_told_with_the_passage(meridia: Corpus) -> None:
    found = audited(meridia, "Was sagt § 4 der Steuerverfahrensverordnung zur Frist der Steuererklärung?")
    dead = dict(found.dead)
    assert all(dead.values())
    if dead:
        assert "To resolve" in case_audit_markdown(found)


@pytest.mark.parametrize("form", ["md", "html", "json"])
def test_the_flag(sample_folder: Path, tmp_path: Path, form: str) -> None:
    folder = tmp_path / "meridia"
    shutil.copytree(sample_folder, folder)
    report = tmp_path / f"report.{form}"
    given = ["investigate", "When must an objection be lodged?", "--corpus", str(folder), "--json"]
    assert main([*given, "--preset", "quick", "--report", str(report)]) == 0
    told = report.read_text(encoding="utf-8")
    assert "objection" in told
    assert "upport" in told


def test_the_audit_of_a_saved_case_is_that_of_the_case(
    sample_folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    case, fresh = tmp_path / "case.json", tmp_path / "fresh.json"
    of = ["--corpus", str(sample_folder)]
    asked = "How long is the notice period, and when must an objection be lodged?"
    kept = ["--save", str(case), "--report", str(fresh)]
    assert main(["investigate", asked, *of, "--preset", "quick", *kept, "--json"]) == 0
    capsys.readouterr()
    page, report = tmp_path / "again.html", tmp_path / "again.md"
    written = ["--html", str(page), "--markdown", str(report), "--json"]
    assert main(["report", "--case", str(case), *of, *written]) == 0
    assert orjson.loads(capsys.readouterr().out) == orjson.loads(fresh.read_bytes())
    assert "# Retrieval audit of a case" in report.read_text(encoding="utf-8")
    assert "<h1>Retrieval audit of a case</h1>" in page.read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("more", "told"),
    [
        ([], "case.json: not a saved investigation: it has no field 'format'"),
        (["--limit", "3"], "--limit: a saved case has its own"),
        (["--as-of", "2024-01-01"], "--as-of: a saved case has its own"),
    ],
)
def test_what_is_no_case_is_refused(
    sample_folder: Path,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    more: list[str],
    told: str,
) -> None:
    (tmp_path / "case.json").write_text('{"question": "x"}')
    given = ["report", "--case", str(tmp_path / "case.json"), "--corpus", str(sample_folder)]
    assert main([*given, *more]) == 2
    assert told in capsys.readouterr().err


def test_another_form_is_refused_before_the_case(
    sample_folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    given = ["investigate", "x", "--corpus", str(sample_folder), "--report", str(tmp_path / "r.pdf")]
    assert main(given) == 2
    assert ".md, .html or .json" in capsys.readouterr().err
