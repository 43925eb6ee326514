from __future__ import annotations

import re

import pytest

from engine.access.users import Person
from tests.ui.corpus.conftest import STRANGER, VISITOR, Caller
from ui import calls
from ui.calls import answer
from ui.corpus.access import CorpusAccess, CorpusDesk
from ui.corpus.panel import CALLS


def number(mine: Caller, document_id: str) -> int:
    access = CorpusAccess(mine.desk, calls.Caller(Person(mine.visitor)), mine.corpus, "")
    return [document.id for document in access.browser().documents].index(document_id)


def test_the_shelf_tells_what_may_be_done(mine: Caller) -> None:
    given, own = mine.good("shelf")["corpora"]
    assert (given["name"], given["private"], given["writable"]) == ("Small", False, False)
    assert (own["name"], own["private"], own["writable"], own["deletable"]) == ("Mine", True, True, True)
    assert own["documents"] == 3


def test_a_stranger_reads_nothing_of_it(desk: CorpusDesk) -> None:
    stranger = Caller(desk, STRANGER, "Mine")
    for do in (
        "overview",
        "documents",
        "nodes",
        "piece",
        "head",
        "targets",
        "citing",
        "report",
        "cases",
        "statistics",
    ):
        assert "unknown corpus 'Mine'" in stranger(do)["error"]
    assert [item["name"] for item in stranger.good("shelf")["corpora"]] == ["Small"]


def test_documents_are_listed_filtered_and_escaped(mine: Caller) -> None:
    html = mine.good("documents")["html"]
    assert html.count('class="line doc"') == 3
    assert "Agency Act &lt;New&gt;" in html
    assert "<New>" not in html
    assert "Act · No. 4 of 2012 · en · 4 passages" in html
    assert 'dir="rtl"' in html
    assert '<span class="badge old">until 31 Dec 2020</span>' in html
    assert mine.good("documents", kind="law")["html"].count("line doc") == 1
    assert mine.good("documents", words="regulation 2015")["html"].count("line doc") == 1
    found = mine.good("documents", words="article approval")
    assert found["html"] == ""
    assert "Article 3 Approval" in found["found"]
    assert "المادة 2" in mine.good("documents", words="نظام 2")["found"]


def test_the_tree_opens_level_by_level(mine: Caller) -> None:
    act = number(mine, "act")
    chapters = mine.good("nodes", document=act)["html"]
    assert re.findall(r"Chapter \d \w+", chapters) == ["Chapter 1 General", "Chapter 2 Approval"]
    articles = mine.good("nodes", document=act, section=0)["html"]
    assert re.findall(r"Article \d \w+", articles) == ["Article 1 Powers", "Article 2 Limits"]
    assert "no such section" in mine("nodes", document=act, section=99)["error"]
    assert "no such document" in mine("nodes", document=99)["error"]


def test_text_has_headings_links_and_who_cites_it(mine: Caller) -> None:
    act = number(mine, "act")
    piece = mine.good("piece", document=act)
    html = piece["html"]
    assert (piece["first"], piece["stop"], piece["length"]) == (0, 4, 4)
    assert html.index("Chapter 1 General") < html.index("Article 1 Powers") < html.index("A manager may")
    assert "&lt;q&gt;powers&lt;/q&gt;" in html
    assert re.search(r'<a class="ref resolved"[^>]*>Article 2\(1\)</a>', html)
    assert re.search(r'<a class="ref unresolved"[^>]*>Article 77 of the Unknown Act</a>', html)
    assert "cited by 2" in html
    assert 'data-citation="Agency Act &lt;New&gt; (4 of 2012), Article 1(1) [act/' in html


def test_a_reference_leads_to_its_target(mine: Caller) -> None:
    act, regulation = number(mine, "act"), number(mine, "regulation")
    html = mine.good("piece", document=regulation)["html"]
    refs = re.search(r'ref resolved" href="#" role="link" data-refs="(\d+)"', html)
    assert refs is not None
    found = mine.good("targets", refs=[int(refs[1])])
    assert found["spot"] == {"document": act, "at": 2}
    assert "The limits of the authority" in found["html"]
    citing = mine.good("citing", document=act, at=2)["html"]
    assert "<mark>Article 2(1) of the Agency Act</mark>" in citing
    assert f'data-document="{regulation}"' in citing


def test_an_old_document_says_so_and_arabic_runs_from_the_right(mine: Caller) -> None:
    head = mine.good("head", document=number(mine, "regulation"))["html"]
    assert '<span class="badge old">until 31 Dec 2020</span>' in head
    assert "In force until" in head
    arabic = number(mine, "nizam")
    assert mine.good("head", document=arabic)["direction"] == "rtl"
    assert '<article class="prov" ' in (text := mine.good("piece", document=arabic)["html"])
    assert 'dir="rtl"' in text


def test_a_place_is_found_by_its_id(mine: Caller) -> None:
    act = number(mine, "act")
    assert mine.good("place", target="act")["document"] == act
    passage = re.search(r'data-id="(act/[^"]*art-2[^"]*)"', mine.good("piece", document=act)["html"])
    assert passage is not None
    assert mine.good("place", target=passage[1]) == {"document": act, "at": 2}
    assert "is not in this corpus" in mine("place", target="nowhere")["error"]


@pytest.mark.parametrize(
    "request_", [None, 7, [], {"do": "nothing"}, {}, {"do": "shelf", "document": -1}, {"do": "shelf", "x": 1}]
)
def test_a_request_that_is_none_is_one_line(mine: Caller, request_: object) -> None:
    said = answer(mine.desk, CALLS, request_)["error"]
    assert said
    assert "\n" not in said


@pytest.mark.parametrize(
    ("do", "field", "value"),
    [
        ("documents", "words", "x" * 501), ("documents", "kind", "x" * 201),
        ("cases", "relation", "x" * 41), ("name", "name", "x" * 501), ("embed", "embedding", "x" * 81),
        ("add", "passwords", "x" * 4001), ("add", "mapping", "x" * 200_001), ("add", "files", [{}] * 2501),
        ("place", "target", "x" * 1001), ("rules", "day", "x" * 21), ("shelf", "corpus", "x" * 201),
        ("targets", "refs", [0] * 501), ("rules", "facts", {str(number): "" for number in range(201)}),
        ("rules", "facts", {"a": "x" * 201}),
    ],
)  # fmt: skip
def test_every_field_has_its_bound(mine: Caller, do: str, field: str, value: object) -> None:
    said = answer(mine.desk, CALLS, {"do": do, "visitor": VISITOR, field: value})["error"]
    assert said.startswith(field)
    assert len(said) < 200


def test_a_page_that_has_seen_another_state_is_told(mine: Caller) -> None:
    found = mine("documents", state="1-2-3")
    assert found["changed"] is True
