"""Exports of an audit: JSON, Markdown, HTML, footnotes; text of strangers is never markup."""

from __future__ import annotations

import orjson

from engine.answers.audit import Auditor, audit
from engine.answers.audit.export import annotated, audit_to_json, markdown
from engine.answers.audit.page import html_page

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
