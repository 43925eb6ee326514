"""What was found for each part of a question, as the page tells it."""

from __future__ import annotations

import re

from engine.model import Document, Evidence, EvidenceStatus, PartEvidence
from tests.ui.values import passage
from ui.investigate.progress import parts_html

FOUND = PartEvidence(
    "who <b>may", EvidenceStatus.FOUND, (), ((passage("p<1"), Document("act", "Agency <Code>")),)
)
NONE = PartEvidence("and why?", EvidenceStatus.NONE, ("Peru",))
EVIDENCE = Evidence(EvidenceStatus.PARTIAL, ("Peru",), parts=(FOUND, NONE))


def test_a_question_of_one_part_has_no_line() -> None:
    assert parts_html(None) == ""
    assert parts_html(Evidence(EvidenceStatus.PARTIAL)) == ""


def test_each_part_is_shown_with_its_status_and_its_passages() -> None:
    html = parts_html(EVIDENCE)
    assert re.findall(r'<li data-status="(\w+)"', html) == ["found", "none"]
    assert "Who &lt;b&gt;may" in html
    assert "nothing was found; without evidence: “Peru”" in html
    assert html.count('data-passage="') == 1
    assert "<b>" not in html
    assert "p<1" not in html


def test_what_is_shown_in_front_of_all_parts_is_left_out() -> None:
    parts = tuple(
        PartEvidence(f"Our agent died. {asked}", EvidenceStatus.FOUND) for asked in ("Who is told?", "When?")
    )
    html = parts_html(Evidence(EvidenceStatus.FOUND, parts=parts))
    assert "Our agent died" not in html
    assert "… Who is told<" in html
