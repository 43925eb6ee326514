"""XML is parsed safely, and mixed content becomes plain text with its links in the right places."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from lxml import etree

from engine.ingestion.readers.base import Problem, SourceFile
from engine.ingestion.readers.xml import Wording, convert_to_text, parse_root, plain

WORDING = Wording(
    left_out={"note"},
    lines={"p"},
    labels={"num"},
    target=lambda element: element.get("href"),
    signs=lambda element: "…" if element.tag == "gap" else None,
)
LAUGHS = (
    '<!DOCTYPE a [<!ENTITY b "ha">'
    + "".join(f'<!ENTITY b{n} "{f"&b{n - 1};" * 10 if n else "&b;"}">' for n in range(9))
    + "]><a>&b8;</a>"
)


def saved(folder: Path, text: str) -> SourceFile:
    path = folder / "file.xml"
    path.write_text(text, encoding="utf-8")
    return SourceFile(path)


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        (LAUGHS, "declares entities of its own"),
        ('<!DOCTYPE a [<!ENTITY x SYSTEM "file:///etc/passwd">]><a>&x;</a>', "declares entities of its own"),
        ("<a><b></a>", "not well-formed XML"),
        ("", "not well-formed XML"),
        ("<a>" * 300 + "</a>" * 300, "not well-formed XML"),
    ],
)
def test_an_unread_file_is_reported_with_the_reason(tmp_path: Path, text: str, reason: str) -> None:
    found = parse_root(saved(tmp_path, text))
    assert isinstance(found, Problem)
    assert reason in found.reason


def test_a_doctype_without_entities_is_no_harm_and_nothing_is_fetched(tmp_path: Path) -> None:
    secret = tmp_path / "secret.dtd"
    secret.write_text('<!ENTITY x "inside">', encoding="utf-8")
    root = parse_root(saved(tmp_path, f'<!DOCTYPE a SYSTEM "{secret.as_uri()}"><a>before &x; after</a>'))
    assert not isinstance(root, Problem)
    assert "inside" not in convert_to_text(root, WORDING).text


NAMES = st.sampled_from(["p", "i", "num", "note", "gap", "ref"])
WORDS = st.text(st.sampled_from("ab \n"), max_size=4)


def _element(name: str, text: str, tail: str, inner: list[etree._Element]) -> etree._Element:
    element = etree.Element(name, {"href": "#t"} if name == "ref" else None)
    element.text, element.tail = text, tail
    element.extend(inner)
    return element


TREES = st.recursive(
    st.builds(_element, NAMES, WORDS, WORDS, st.just([])),
    lambda inner: st.builds(_element, NAMES, WORDS, WORDS, st.lists(inner, max_size=3)),
    max_leaves=12,
)


@given(TREES)
def test_no_word_is_lost_and_links_stay_inside(element: etree._Element) -> None:
    element.tail = None
    found = convert_to_text(element, Wording(left_out=(), lines={"p"}, labels={"num"}, target=WORDING.target))
    assert "".join(found.text.split()) == "".join(plain(element).split())
    for link in found.links:
        words = found.text[link.start : link.end]
        assert words
        assert words == words.strip()
