"""The memo as Markdown, read by a renderer that is not ours: words come back, markup does not."""

from __future__ import annotations

import re
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from lxml import html
from markdown_it import MarkdownIt

from engine.corpus.protocol import Corpus
from engine.exports.memo.composing import compose
from engine.exports.memo.markdown import literal, memo_markdown
from engine.language.characters import marked
from tests.engine.exports.conftest import HOSTILE, Hand, Record

# With raw HTML, as on the sites that lawyers' colleagues use.
RENDERER = MarkdownIt("commonmark", {"html": True}).enable("table")
MARKS = st.text(st.sampled_from("*_[]()#|`<>!&;:/\\~^@=+-.1 \t\naé\u05d0\u0627$\"'{}"), max_size=40)


def rendered(text: str) -> Any:
    return html.fromstring(f"<div>{RENDERER.render(text)}</div>")


def words(element: Any) -> str:
    return " ".join(element.text_content().split())


@given(st.one_of(MARKS, st.text(st.characters(exclude_categories=("Cs", "Cc", "Co", "Cn")), max_size=60)))
@example("+ 1. http://a_b")
@example("===")
def test_a_text_of_others_is_shown_as_it_is(text: str) -> None:
    shown = " ".join(marked(" ".join(text.split())).split())
    for before in ("", "- ", "> ", "# ", "*Note:* "):
        page = rendered(f"{before}{literal(text)}\n")
        assert words(page).removeprefix("Note:").strip() == shown
        tags = {one.tag for one in page.iter()} - {"div", "p", "li", "ul", "blockquote", "h1", "em"}
        assert not tags


@given(MARKS)
@example("+")
def test_in_a_table_it_stays_in_its_cell(text: str) -> None:
    page = rendered(f"| a | b |\n| --- | --- |\n| {literal(text)} | end |\n")
    cells = [words(cell) for cell in page.iter("td")]
    assert cells == [" ".join(marked(" ".join(text.split())).split()), "end"]


@pytest.mark.parametrize(
    "text", ["http://evil.example", "see www.evil.example", "a@b.example", "HTTPS://x.y"]
)
def test_an_address_is_no_link(text: str) -> None:
    told = literal(text)
    assert text not in told
    assert words(rendered(told)) == text


def test_footnotes_are_referred_to_and_written_once(handed: Hand, asked: Record, harbour: Corpus) -> None:
    text = memo_markdown(compose(handed(asked, harbour)))
    written = re.findall(r"^\[\^(\d+)\]:", text, re.MULTILINE)
    referred = re.findall(r"\[\^(\d+)\](?!:)", text)
    assert written == sorted(set(referred), key=int)
    assert list(dict.fromkeys(referred)) == written
    assert text.count("Checked against the text: word for word.") == len(written)


def test_hostile_names_stay_words(handed: Hand, asked: Record, harbour: Corpus) -> None:
    passages = [{**one, "title": HOSTILE, "label": HOSTILE} for one in asked["passages"]]
    record = {**asked, "question": HOSTILE, "passages": passages, "notes": [HOSTILE]}
    page = rendered(memo_markdown(compose(handed(record, None, notes=HOSTILE, matter=HOSTILE))))
    assert not list(page.iter("script", "a", "img", "code"))
    assert words(next(page.iter("h1"))).startswith(
        "<script>alert(1)</script> *b* _i_ [x](http://evil.example)"
    )
    assert words(page).count(" ".join(HOSTILE.split())) > len(passages)


def test_arabic_is_set_from_right_to_left(handed: Hand, arabic: Record, meridia: Corpus) -> None:
    page = rendered(memo_markdown(compose(handed(arabic, meridia))))
    turned = [one for one in page.iter("div", "span") if one.get("dir") == "rtl"]
    assert {one.get("lang") for one in turned} >= {"ar"}
    quotes = [one for one in page.iter("blockquote") if "لا يجوز" in one.text_content()]
    assert quotes
    assert all(one.getparent().get("dir") == "rtl" for one in quotes)
    # English sentences stay as they are, around Arabic names.
    [kept] = [one for one in page.iter("em") if "no language model wrote them" in one.text_content()]
    assert kept.getparent().get("dir") is None


def test_a_case_without_anything_is_a_memo_too(handed: Hand, in_vain: Record, harbour: Corpus) -> None:
    nothing: dict[str, list[str]] = {name: [] for name in in_vain["pool"]}
    empty = {**in_vain, "passages": [], "pool": nothing, "coverage": []}
    text = memo_markdown(compose(handed(empty, harbour)))
    assert "## Evidence: Nothing found" in text
    assert "The pool does not contain an answer" in text
