"""The page of a case: one file, nothing fetched, nothing run, everything that is others' is text."""

from __future__ import annotations

import base64
import hashlib
import re
from typing import Any

from lxml import html

from engine.corpus.protocol import Corpus
from engine.exports.case_page import case_page
from tests.engine.exports.conftest import HOSTILE, Hand, Record

# Attributes by which a page fetches or runs something.
FETCHING = {"src", "srcset", "action", "formaction", "data", "poster", "background", "xlink:href", "style"}


def parsed(text: str) -> Any:
    return html.document_fromstring(text.encode())


def harmless(page: Any) -> None:
    assert not list(page.iter("script", "iframe", "object", "embed", "img", "link", "base", "form", "input"))
    for element in page.iter():
        for name, value in element.items():
            assert not name.startswith("on"), name
            assert name not in FETCHING, name
            if name == "href":
                assert value.startswith("#")
            assert element.tag != "meta" or element.get("http-equiv") != "refresh"


def test_it_fetches_and_runs_nothing_and_says_so(handed: Hand, asked: Record, harbour: Corpus) -> None:
    text = case_page(handed(asked, harbour))
    page = parsed(text)
    harmless(page)
    [policy] = page.xpath("//meta[@http-equiv='Content-Security-Policy']/@content")
    [style] = page.iter("style")
    digest = base64.b64encode(hashlib.sha256(style.text.encode()).digest()).decode()
    assert policy == (f"default-src 'none'; style-src 'sha256-{digest}'; base-uri 'none'; form-action 'none'")
    assert "@import" not in style.text
    assert "url(" not in style.text


def test_all_ids_are_there_once_and_all_anchors_lead_somewhere(
    handed: Hand, asked: Record, harbour: Corpus
) -> None:
    page = parsed(case_page(handed(asked, harbour)))
    ids = page.xpath("//@id")
    assert len(ids) == len(set(ids))
    anchors = page.xpath("//@href")
    assert anchors
    assert {one.removeprefix("#") for one in anchors} <= set(ids)


def test_it_shows_cards_trails_coverage_and_log(handed: Hand, asked: Record, harbour: Corpus) -> None:
    page = parsed(case_page(handed(asked, harbour, name="Berth 7")))
    assert page.findtext(".//h1") == asked["question"]
    assert page.findtext(".//title") == "Berth 7"
    cards = page.find_class("card")
    assert [card.get("id") for card in cards] == [f"p-{one['rank']}" for one in asked["passages"]]
    assert all(card.find_class("why") for card in cards)
    assert all("word for word" in card.find_class("check")[0].text_content() for card in cards)
    states = [one.get("class") for one in page.xpath("//table[@class='coverage']/tbody/tr")]
    assert states
    assert set(states) <= {"covered", "weak", "missing"}
    said = " ".join(page.text_content().split())
    assert "verdict “sound”; the engine was right" in said
    assert "<b>no</b> use" in said


def test_a_hostile_record_stays_text(handed: Hand, asked: Record) -> None:
    passages = [
        {**one, "title": HOSTILE, "label": HOSTILE, "language": '"><b x="', "validity": HOSTILE}
        for one in asked["passages"]
    ]
    nodes = [{**one, "strategy": '"}</style><script>1</script>'} for one in asked["pool"]["nodes"]]
    record = {
        **asked,
        "question": f"{HOSTILE}\u202eevil",
        "passages": passages,
        "notes": [HOSTILE],
        "pool": {**asked["pool"], "nodes": nodes},
    }
    text = case_page(handed(record, None, notes=HOSTILE, matter=HOSTILE, name=HOSTILE))
    page = parsed(text)
    harmless(page)
    assert page.findtext(".//h1") == f"{HOSTILE}⟦U+202E⟧evil"
    assert "<script" not in text


def test_what_differs_is_marked_on_its_card(handed: Hand, asked: Record, amended: Corpus) -> None:
    page = parsed(case_page(handed(asked, amended)))
    assert page.find_class("warning")
    [differing] = page.xpath("//*[@class='check differs']")
    assert "forty days" in differing.text_content()


def test_arabic_cards_run_from_right_to_left(handed: Hand, arabic: Record, meridia: Corpus) -> None:
    page = parsed(case_page(handed(arabic, meridia)))
    cards = page.find_class("card")
    assert [card.get("dir") for card in cards] == [
        "rtl" if one["language"] == "ar" else "ltr" for one in arabic["passages"]
    ]
    assert cards[0].get("dir") == "rtl"
    assert {one.get("dir") for one in page.find_class("finding")} == {"rtl"}
    assert page.xpath("//*[local-name()='svg']//*[@direction='rtl']")


def test_nothing_found_is_a_page_too(handed: Hand, in_vain: Record, harbour: Corpus) -> None:
    nothing: dict[str, list[str]] = {name: [] for name in in_vain["pool"]}
    empty = {**in_vain, "passages": [], "pool": nothing, "coverage": [], "threads": []}
    text = case_page(handed(empty, harbour))
    assert "No passage is ranked." in text
    assert "Nothing found" in text
    assert not re.search(r'aria-label="Board"', text)
