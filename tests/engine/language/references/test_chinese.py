from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.language.references import Resolver, find_mentions
from engine.model import Document, Passage, Relation, SectionKind, Status
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


@given(number=st.integers(1, 999), paragraph=st.integers(1, 20))
def test_a_citation_is_found_wherever_it_stands(number: int, paragraph: int) -> None:
    (mention,) = find_mentions(f"有关单位违反本条例第{number}条第{paragraph}款规定的，给予警告。", "zh")
    (target,) = mention.targets
    assert (target.address.number, target.address.paragraph) == (str(number), str(paragraph))


@pytest.mark.parametrize(
    ("text", "relation"),
    [
        ("依照本条例第五条处理", Relation.CITES),
        ("除本条例第五条规定的情形外", Relation.SUBJECT_TO),
        ("除依照本条例第五条规定处罚外，还应当公告", Relation.EXTENDS),
        ("不受本条例第五条规定的限制", Relation.EXCEPTION_TO),
        ("第一款规定的第二类医疗器械的除外", Relation.SUBJECT_TO),
        ("企业所得税法第四条所称收入，是指", Relation.INTERPRETS),
        ("《中外合资企业管理办法》同时废止", Relation.REPEALS),
        ("第五条修改为：", Relation.AMENDS),
        ("根据《立法法》第六十五条，制定本条例", Relation.BASED_ON),
    ],
)
def test_relations(text: str, relation: Relation) -> None:
    assert find_mentions(text, "zh")[0].relation is relation


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


def test_an_act_in_marks_is_kept_where_the_corpus_lacks_it() -> None:
    lone = passage("rules", 0, "9", "依照《中华人民共和国商业银行法》的规定执行。")
    (found,) = Resolver([RULES], [], [lone]).references(lone)
    assert (found.text, found.status) == ("《中华人民共和国商业银行法》", Status.UNRESOLVED)
