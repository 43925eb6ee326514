from __future__ import annotations

import json
import re
from html import unescape
from typing import Any

from engine.corpus.judgements import current_decisions, load_decisions
from tests.ui.corpus.conftest import VISITOR, Caller
from ui.corpus.access import CorpusDesk


def only_case(html: str) -> tuple[int, list[Any]]:
    found = re.search(r'<li class="case[^"]*" data-ref="(\d+)" data-place="([^"]*)"', html)
    assert found is not None, html
    return int(found[1]), json.loads(unescape(found[2]))


def test_what_is_open_is_listed_with_its_context(mine: Caller) -> None:
    found = mine.good("cases")
    assert found["total"] == 1
    assert "<mark>Article 77 of the Unknown Act</mark>" in found["html"]
    assert "target not found" in found["html"]
    assert [title for _, title in found["sources"]] == ["Agency Act <New>"]
    assert mine.good("cases", kind="ambiguous")["total"] == 0
    assert mine.good("cases", words="unknown act")["html"].count("<li") == 1
    assert mine.good("cases", words="no such words")["html"] == ""


def test_targets_are_suggested_by_name_number_and_id(mine: Caller) -> None:
    assert 'data-target="act' in mine.good("suggest", words="agency limits")["html"]
    assert 'data-target="regulation"' in mine.good("suggest", words="regulation")["html"]
    assert "المادة 2" in mine.good("suggest", words="نظام 2")["html"]
    assert "No matches" in mine.good("suggest", words="zzz")["html"]


def test_a_decision_is_kept_and_can_be_undone(mine: Caller, desk: CorpusDesk) -> None:
    folder = desk.books.find("Mine", VISITOR).folder
    number, place = only_case(mine.good("cases")["html"])
    done = mine.good("decide", refs=[number], target="regulation")["html"]
    assert "Agency Regulation" in done
    assert "data-undo" in done
    (decision,) = current_decisions(load_decisions(folder)).values()
    assert decision.target_id == "regulation"
    assert "Agency Regulation" in mine.good("cases", kind="decided")["html"]

    again = mine.good("undo", refs=[number], place=place)["html"]
    assert "data-none" in again
    assert not current_decisions(load_decisions(folder))
    assert "taken back already" in mine("undo", place=place)["error"]

    assert "No reference" in mine.good("decide", refs=[number])["html"]


def test_a_target_that_is_nowhere_and_a_reference_that_is_none(mine: Caller) -> None:
    number, _ = only_case(mine.good("cases")["html"])
    assert "is not in this corpus" in mine("decide", refs=[number], target="nowhere")["error"]
    assert "no such reference" in mine("decide", refs=[10**8])["error"]


def test_nobody_decides_about_a_corpus_that_is_not_theirs(desk: CorpusDesk) -> None:
    visitor = Caller(desk, VISITOR, "Small")
    assert "cannot be changed" in visitor("decide", refs=[0])["error"]
    assert "data-none" not in visitor.good("cases")["html"]
