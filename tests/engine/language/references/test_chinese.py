from __future__ import annotations

import pytest

from engine.language.references import Resolver
from engine.model import Document, Passage, SectionKind, Status
from tests.engine.language.references.reading import Row, rows
from tests.tables import pairs

TABLE: list[tuple[str, list[Row]]] = pairs(__file__, "TABLE")


@pytest.mark.parametrize(("text", "expected"), TABLE)
def test_mentions(text: str, expected: list[Row]) -> None:
    assert rows(text, "zh") == expected


BANKS = Document("banks", "中华人民共和国外资银行管理条例", "zh", aliases=("外资银行管理条例",))
RULES = Document("rules", "中华人民共和国外资银行管理条例实施细则", "zh")


def passage(document: str, place: int, number: str, text: str = "条文。", block: str = "") -> Passage:
    return Passage(
        f"{document}/{number}{block}", document, None, place, text, "zh", SectionKind.ARTICLE, number
    )


PASSAGES = [
    passage("banks", 0, "5", "第一款的条文。", "/a"),
    passage("banks", 1, "5", "前款规定的银行，适用第六条第二款。", "/b"),
    passage("banks", 2, "6", "一。", "/a"),
    passage("banks", 3, "6", "二：\n（一）项。", "/b"),
    passage("banks", 4, "6", "（二）另一项。", "/c"),
    passage("banks", 5, "6", "三。", "/d"),
    passage("banks", 6, "7", "依照第六条第三款和前条的规定。"),
    passage("rules", 0, "1", "根据《中华人民共和国外资银行管理条例》（以下简称《条例》），制定本细则。"),
    passage("rules", 1, "2", "《条例》第七条和条例第六条第一款，适用外资银行管理条例第七条。"),
    passage("rules", 2, "3", "依照本细则第二条、商业银行法第七条。"),
]


@pytest.mark.parametrize(
    ("source", "targets"),
    [
        # unnumbered paragraphs are counted; an item belongs to the paragraph before it
        ("banks/5/b", ["banks/5/a", "banks/6/b"]),
        ("banks/7", ["banks/6/d", "banks/6/a"]),
        ("rules/1", ["banks"]),
        ("rules/2", ["banks/7", "banks/6/a", "banks/7"]),
        # the law on commercial banks is not in the corpus
        ("rules/3", ["rules/2"]),
    ],
)
def test_what_is_meant(source: str, targets: list[str]) -> None:
    resolver = Resolver([BANKS, RULES], [], PASSAGES)
    (speaking,) = (one for one in PASSAGES if one.id == source)
    found = resolver.references(speaking)
    assert [one.target_id for one in found if one.status is Status.RESOLVED] == targets
