from __future__ import annotations

import pytest

from engine.language.references import Resolver
from engine.model import Document, Passage, SectionKind, Status
from tests.engine.language.references.reading import Row, rows

TABLE: list[tuple[str, list[Row]]] = [
    ("应当符合本条例第九条的规定", [("本条例第九条", None, ("article 9",))]),
    ("依照本办法第12条", [("本办法第12条", None, ("article 12",))]),
    ("第一百二十三条之一", [("第一百二十三条之一", None, ("article 123-1",))]),
    ("本条例第四十一条至第四十七条", [("本条例第四十一条至第四十七条", None, ("article 41 .. 47",))]),
    (
        "违反本规定第六条、第九条第二款、第十一条规定",
        [("本规定第六条、第九条第二款、第十一条", None, ("article 6", "article 9/2", "article 11"))],
    ),
    ("第八条第二款、第三款", [("第八条第二款、第三款", None, ("article 8/2", "article 8/3"))]),
    ("本条例第三十条第一款第（五）项", [("本条例第三十条第一款第（五）项", None, ("article 30/1/5",))]),
    ("依照本条例第三章第一节的规定", [("本条例第三章第一节", None, ("chapter 3 > section 1",))]),
    ("《药品管理法》第十三条", [("《药品管理法》第十三条", "《药品管理法》", ("article 13",))]),
    # a name without marks begins behind the words that lead to it
    ("不符合专利法第二十二条", [("专利法第二十二条", "专利法", ("article 22",))]),
    ("是指专利法第二十八条", [("专利法第二十八条", "专利法", ("article 28",))]),
    ("依照专利合作条约第二十三条", [("专利合作条约第二十三条", "专利合作条约", ("article 23",))]),
    # a count, a licence and a plan are no references
    ("第三次修订，第一批，《企业法人营业执照》", []),
    ("前款规定", [("前款", None, ("paragraph",))]),
    ("前条例规定", []),
]


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
