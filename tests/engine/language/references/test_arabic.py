from __future__ import annotations

import pytest

from engine.language.references import find_mentions
from engine.model import Relation
from tests.engine.language.references.reading import Row, rows

TABLE: list[tuple[str, list[Row]]] = [
    ("حكم المادة (5)", [("المادة (5)", None, ("article 5",))]),
    ("وفقاً للمادة 56.", [("لمادة 56", None, ("article 56",))]),
    ("بالمادة ٥", [("المادة ٥", None, ("article 5",))]),
    ("المواد 5، 6 و7", [("المواد 5، 6 و7", None, ("article 5", "article 6", "article 7"))]),
    (
        "المادتين (الحادية والعشرين) و(الثانية والعشرين)",
        [("المادتين (الحادية والعشرين) و(الثانية والعشرين)", None, ("article 21", "article 22"))],
    ),
    ("المادة الثانية عشرة", [("المادة الثانية عشرة", None, ("article 12",))]),
    (
        "الفقرة (2) من المادة الثالثة",
        [("الفقرة (2) من المادة الثالثة", None, ("article 3/2",))],
    ),
    (
        "الفقرة الفرعية (د) من الفقرة (1) من المادة (التاسعة) من نظام العمل",
        [
            (
                "الفقرة الفرعية (د) من الفقرة (1) من المادة (التاسعة) من نظام العمل",
                "نظام العمل",
                ("article 9/1/د",),
            )
        ],
    ),
    ("المادة (الثالثة) من النظام،", [("المادة (الثالثة) من النظام", "النظام", ("article 3",))]),
    ("المادة (53) (مكرر2)", [("المادة (53) (مكرر2)", None, ("article 53 مكرر 2",))]),
    ("المادة (20) مكرر", [("المادة (20) مكرر", None, ("article 20 مكرر",))]),
    ("المادة الحادية العشرون", [("المادة الحادية العشرون", None, ("article 21",))]),
    ("المواد (5) إلى (9)", [("المواد (5) إلى (9)", None, ("article 5 .. 9",))]),
    ("أحكام المواد من ( 52- 56 )", [("المواد من ( 52- 56 )", None, ("article 52 .. 56",))]),
    (
        "المادتان التاسعة والتسعون بعد التسعمائة والعاشرة",
        [("المادتان التاسعة والتسعون بعد التسعمائة والعاشرة", None, ("article 999", "article 10"))],
    ),
    ("الفقرة (و) من المادة (3)", [("الفقرة (و) من المادة (3)", None, ("article 3/و",))]),
    (
        "الفقرتين (1) و(2) من المادة ٧",
        [("الفقرتين (1) و(2) من المادة ٧", None, ("article 7/1", "article 7/2"))],
    ),
    ("الباب السابع من هذا النظام", [("الباب السابع", None, ("part 7",))]),
    (
        "اللائحة التنفيذية لنظام الخدمة المدنية",
        [("اللائحة التنفيذية لنظام الخدمة المدنية", "اللائحة التنفيذية لنظام الخدمة المدنية", ())],
    ),
    # a name ends where its sentence goes on
    (
        "المادة (423) من نظام المجلس التجاري ولدى الاقتضاء المادة (429)",
        [
            ("المادة (423) من نظام المجلس التجاري", "نظام المجلس التجاري", ("article 423",)),
            ("المادة (429)", None, ("article 429",)),
        ],
    ),
    # "37/3" is no article 37
    ("المادة ( 3 / 37 ) من اللائحة", []),
    # "one article" counts, it does not name
    ("مادة واحدة", []),
    ("المواد الأولية", []),
    ("مواد كيميائية", []),
]


@pytest.mark.parametrize(("text", "expected"), TABLE)
def test_mentions(text: str, expected: list[Row]) -> None:
    assert rows(text, "ar") == expected


@pytest.mark.parametrize("text", ["المادة الخامسة من هذا النظام", "المادة (5) من هذه اللائحة"])
def test_own_document(text: str) -> None:
    (mention,) = find_mentions(text, "ar")
    assert mention.here


@pytest.mark.parametrize(
    ("text", "relation"),
    [
        ("وفقاً لأحكام المادة (5)", Relation.CITES),
        ("استثناءً من حكم المادة (5)", Relation.EXCEPTION_TO),
        ("بناءً على المادة (5)", Relation.CITES),
        ("تنفيذاً للمادة (5)", Relation.BASED_ON),
        ("يلغي هذا النظام المادة (5)", Relation.REPEALS),
        ("تعديل المادة (5) لتكون بالنص الآتي", Relation.AMENDS),
        ("تعديل المواعيد الواردة في المادة (5)", Relation.CITES),
        ("دون الإخلال بأحكام المادة (5)", Relation.WITHOUT_PREJUDICE_TO),
        ("مع عدم الإخلال بما نصت عليه المادة (5)", Relation.WITHOUT_PREJUDICE_TO),
        ("باستثناء ما ورد في المادة (5)", Relation.SUBJECT_TO),
        ("مع مراعاة ما ورد في المادة (5)", Relation.SUBJECT_TO),
        ("لا تسري أحكام المادة (5) على ما يلي", Relation.EXCEPTION_TO),
        ("تم تعديل الفقرة (ج) من هذه المادة", Relation.CITES),
        ("ألغيت المادة (5)", Relation.REPEALS),
        ("يستبدل بنص المادة (5) النص الآتي", Relation.AMENDS),
        ("تضاف فقرة إلى المادة (5)", Relation.AMENDS),
        ("ما تقضي به المادة (5) على النحو الآتي", Relation.CITES),
    ],
)
def test_relations(text: str, relation: Relation) -> None:
    (mention,) = find_mentions(text, "ar")
    assert mention.relation is relation


@pytest.mark.parametrize("text", ["المادة الخامسة من ذلك النظام", "المادة (5) من النظام المشار إليه"])
def test_the_document_named_before(text: str) -> None:
    (mention,) = find_mentions(text, "ar")
    assert mention.that
