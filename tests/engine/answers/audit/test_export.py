"""Exports of an audit: JSON, Markdown, HTML, footnotes; text of strangers is never markup."""

from __future__ import annotations

import os
from pathlib import Path

import orjson
import pytest

from engine.answers.audit import Auditor, audit
from engine.answers.audit.export import annotated, audit_to_json, markdown
from engine.answers.audit.page import html_page
from engine.answers.audit.reading import text_of, text_of_sent
from engine.errors import InputError, RedstringError

TEXT = (
    "An objection must be lodged within 14 days of delivery of the decision. "
    "<script>alert(1)</script> A sub-agent may not sub-delegate further [see](http://x.test) *now*. "
    "The agent shall inform the principal of the sub-delegation within thirty days."
)


def test_json_has_everything(auditor: Auditor) -> None:
    told = audit_to_json(audit(TEXT, auditor))
    assert orjson.loads(orjson.dumps(told)) == orjson.loads(orjson.dumps(told))
    assert told["counts"]["contradicted"] == 1
    assert told["counts"]["outdated"] == 1
    assert sum(told["counts"].values()) == len(told["claims"])
    for claim in told["claims"]:
        start, end = claim["span"]
        assert told["text"][start:end] == claim["text"]
        for source in claim["sources"]:
            for first, last, kind in source["marks"]:
                assert kind in ("same", "different")
                assert source["quote"][first:last]
    wrong = next(claim for claim in told["claims"] if claim["finding"] == "contradicted")
    (mark,) = wrong["sources"][0]["marks"]
    assert wrong["sources"][0]["quote"][mark[0] : mark[1]] == "thirty days"


def test_the_page_is_escaped_and_fetches_nothing(auditor: Auditor) -> None:
    page = html_page(audit(TEXT, auditor))
    assert "<script" not in page
    assert "&lt;script&gt;" in page
    assert "src=" not in page
    assert "href=" not in page
    assert "Outdated" in page


def test_markdown_is_escaped(auditor: Auditor) -> None:
    report = markdown(audit(TEXT, auditor))
    assert "<script>" not in report
    assert "[see](http" not in report
    assert "# Citation audit" in report


def test_every_claim_has_its_footnote(auditor: Auditor) -> None:
    found = audit(TEXT, auditor)
    noted = annotated(found)
    for one in found.checked:
        assert f"{one.claim.text}[^{one.claim.number}]" in noted
        assert f"\n[^{one.claim.number}]: " in noted


def test_texts_of_files(tmp_path: Path) -> None:
    memo = tmp_path / "memo.txt"
    memo.write_text("The deadline is 30 days – no more.", encoding="utf-8")
    assert text_of(memo) == "The deadline is 30 days – no more."
    assert text_of_sent("memo.txt", "Die Frist".encode("utf-16")).strip() == "Die Frist"
    with pytest.raises(RedstringError):
        text_of(tmp_path / "nothing.txt")
    with pytest.raises(RedstringError):
        text_of_sent("memo.docx", b"")


def test_only_a_file_of_data_is_audited(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    os.mkfifo(tmp_path / "pipe.txt")
    for path in (tmp_path / "pipe.txt", tmp_path, Path("/proc/self/environ")):
        with pytest.raises(InputError, match=r"not a file of data|cannot be read"):
            text_of(path)
    monkeypatch.setattr("engine.answers.audit.reading.LARGEST", 10)
    (tmp_path / "large.txt").write_text("x" * 11)
    with pytest.raises(InputError, match=r"large\.txt: larger than 10 bytes"):
        text_of(tmp_path / "large.txt")
