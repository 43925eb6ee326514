from __future__ import annotations

import gzip
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from engine.ingestion.readers.base import Problem, ReadDocument, SourceFile
from engine.ingestion.readers.records import JsonReader
from engine.ingestion.readers.records.documents import numbered_heading

LONG = "The authority shall grant a licence to every person who meets the conditions of this law."
LAW = {
    "title": "نظام التجارة",
    "royal_decree": {"number": "م/5", "text": "بعون الله تعالى نحن ملك المملكة العربية السعودية " * 6},
    "articles": [
        {
            "number": 1,
            "number_text": "المادة الأولى:",
            "text": "تسري أحكام هذا النظام على جميع المنشآت.",
            "status": "active",
            "amendments": [],
        },
        {
            "number": 2,
            "number_text": "الثانية",
            "text": "يشترط ما يأتي:",
            "paragraphs": [
                {"marker": "", "text": "يشترط ما يأتي:"},
                {"marker": "1 -", "text": "أن يكون التاجر مرخصاً له."},
            ],
            "status": "amended",
            "amendments": [{"description": "عدلت هذه المادة بالمرسوم رقم (م/9).", "date": "1440/1/1"}],
        },
    ],
    "law_id": "AB-12",
}


def items(
    folder: Path, content: Any, name: str = "law.json", mapping: Mapping[str, Any] | None = None
) -> list[ReadDocument | Problem]:
    data = content if isinstance(content, str) else json.dumps(content, ensure_ascii=False)
    path = folder / name
    path.write_bytes(gzip.compress(data.encode()) if name.endswith(".gz") else data.encode())
    return list(JsonReader().read(SourceFile(path, mapping=mapping)))


def documents(folder: Path, content: Any, **more: Any) -> list[ReadDocument]:
    found = items(folder, content, **more)
    assert all(isinstance(item, ReadDocument) for item in found), found
    return [item for item in found if isinstance(item, ReadDocument)]


def test_a_law_with_its_articles(tmp_path: Path) -> None:
    (law,) = documents(tmp_path, LAW)
    document = law.document
    assert (document.id, document.title, document.language) == ("ab-12", "نظام التجارة", "ar")
    assert document.number == "م/5"
    assert document.metadata["fields"] == (
        "items: articles; document.id: law_id; document.title: title; document.number: royal_decree.number; "
        "document.texts: royal_decree.text; passage.text: text; passage.parts: paragraphs; "
        "passage.label: number_text; passage.status: status; passage.notes: amendments.description"
    )
    assert [(str(s.kind), s.number, s.title, s.parent_id) for s in law.sections] == [
        ("heading", None, "Royal decree", None),
        ("article", "1", "", None),
        ("article", "2", "", None),
        ("heading", None, "Amendments", "ab-12/art-2"),
    ]
    found = {passage.id: (passage.status, passage.text) for passage in law.passages}
    assert found["ab-12/art-1"] == ("in force", "تسري أحكام هذا النظام على جميع المنشآت.")
    assert found["ab-12/art-2"] == ("amended", "يشترط ما يأتي:\n1 - أن يكون التاجر مرخصاً له.")
    assert found["ab-12/art-2/amendments"][1] == "عدلت هذه المادة بالمرسوم رقم (م/9)."


def test_fields_of_a_path_are_ordered_by_how_often_they_change(tmp_path: Path) -> None:
    articles = [
        {
            "chapter": f"Chapter {n // 4 + 1}",
            "part": f"Part {n // 8 + 1}",
            "article": str(n + 1),
            "text": LONG + str(n),
        }
        for n in range(16)
    ]
    (law,) = documents(tmp_path, {"name": "Act", "articles": articles})
    assert law.passages[5].headings == ("Part 1", "Chapter 2")
    assert law.passages[15].headings == ("Part 2", "Chapter 4")


def test_articles_at_several_depths(tmp_path: Path) -> None:
    content = {
        "law": {
            "title": "Agency Act",
            "year": 2020,
            "chapters": [
                {
                    "number": "Chapter 1",
                    "title": "General",
                    "articles": [{"number": "1", "title": "Scope", "text": LONG}],
                    "sections": [
                        {"number": "Section 1", "title": "Staff", "articles": [{"number": "2", "text": LONG}]}
                    ],
                },
                {"number": "Chapter 2", "articles": [{"number": "3", "text": LONG}]},
            ],
        }
    }
    (law,) = documents(tmp_path, content)
    assert (law.document.title, law.document.year) == ("Agency Act", 2020)
    assert [(p.label, p.headings) for p in law.passages] == [
        ("Article 1", ("Chapter 1 General", "Article 1 Scope")),
        ("Article 2", ("Chapter 1 General", "Section 1 Staff")),
        ("Article 3", ("Chapter 2",)),
    ]


def test_a_list_of_laws_and_a_law_a_line(tmp_path: Path) -> None:
    laws = [{"title": f"Act {n}", "articles": [{"number": 1, "text": LONG}]} for n in (1, 2)]
    for content, name in (
        (laws, "laws.json"),
        ({"meta": {}, "laws": laws}, "laws.json"),
        ("\n".join(json.dumps(law) for law in laws), "laws.jsonl"),
        ("\n".join(json.dumps(law) for law in laws), "laws.jsonl.gz"),
        ("\n".join(json.dumps(law) for law in laws), "laws.txt"),
    ):
        found = documents(tmp_path, content, name=name)
        assert [read.document.id for read in found] == ["act-1", "act-2"], name
        assert [p.id for read in found for p in read.passages] == ["act-1/art-1", "act-2/art-1"]


def test_passages_in_a_list(tmp_path: Path) -> None:
    rows = [
        {"id": "a1", "law": "Act A", "article": "Article 1", "content": LONG, "page": 3},
        {"id": "a2", "law": "Act A", "article": "Article 2", "content": LONG},
        {"id": "b1", "law": "Act B", "article": "1", "content": LONG},
    ]
    first, second = documents(tmp_path, rows)
    assert (first.document.title, first.document.language) == ("Act A", "en")
    assert [(p.id, p.label) for p in first.passages] == [("a1", "Article 1"), ("a2", "Article 2")]
    assert first.passages[0].metadata["page"] == 3
    assert [(p.id, p.label) for p in second.passages] == [("b1", "Article 1")]


def test_a_mapping_says_what_a_guess_cannot(tmp_path: Path) -> None:
    content = {"d": [{"n": "Act", "u": [{"k": "§ 5", "w": "Short."}]}]}
    assert isinstance(items(tmp_path, content)[0], Problem)
    mapping = {
        "records": "d",
        "items": "u",
        "document": {"title": "n", "language": {"value": "de"}},
        "passage": {"text": "w", "label": "k"},
    }
    (law,) = documents(tmp_path, content, mapping=mapping)
    assert (law.document.title, law.document.language) == ("Act", "de")
    assert "fields" not in law.document.metadata
    assert [(p.number, p.text) for p in law.passages] == [("5", "Short.")]


@pytest.mark.parametrize(
    ("content", "name", "mapping", "reason", "line"),
    [
        ("{", "a.json", None, "not JSON", 1),
        ('{"a": 1}', "a.json", None, "no field holds text (fields: a); say in a mapping which does", None),
        ("[]", "a.json", None, "no field holds text", None),
        ("5", "a.json", None, "no field holds text", None),
        ('{"a": "b"}', "a.json", {"passage": {}}, "passage.text: Field required", None),
        ('{"a": "b"}', "a.json", {"records": "x", "passage": {"text": "a"}}, "leads to no object", None),
        ('{"a": "b"}', "a.json", {"passage": {"text": "x"}}, "without text", None),
        ('{"a": "b"}', "a.jsonl", {"records": "x", "passage": {"text": "a"}}, "each line is a record", None),
        ("broken\n5\n", "a.jsonl", None, "not JSON in UTF-8", 1),
        ('{"text": "\\ud800"}', "a.json", None, "not JSON", 1),
    ],
)
def test_what_cannot_be_read_says_why(
    tmp_path: Path, content: str, name: str, mapping: dict[str, Any] | None, reason: str, line: int | None
) -> None:
    found = items(tmp_path, content, name=name, mapping=mapping)
    problems = [item for item in found if isinstance(item, Problem)]
    assert len(problems) == len(found)
    assert reason in problems[0].reason
    assert problems[0].line == line


def test_broken_lines_are_named_and_the_rest_is_read(tmp_path: Path) -> None:
    lines = [json.dumps({"law": "Act", "article": n, "text": LONG}) for n in range(3)]
    lines.insert(1, "{broken")
    lines.append('{"law": "Act", "article": 9, "text": ""}')
    found = items(tmp_path, "\n".join(lines), name="a.jsonl")
    assert [(item.line, item.reason[:8]) for item in found if isinstance(item, Problem)] == [
        (2, "not JSON"),
        (5, "the text"),
    ]
    assert [len(item.passages) for item in found if isinstance(item, ReadDocument)] == [3]


@pytest.mark.parametrize(
    ("label", "language", "number"),
    [
        ("المادة الأولى:", "ar", "1"),
        ("الثلاثون بعد الخمسمائة", "ar", "530"),
        ("5", "id", "5"),
        ("§ 5a", "de", "5a"),
        ("Art. 12", "fr", "12"),
        ("(7)", "en", "7"),
        ("第十四条", "zh", "14"),
        ("no number", "en", None),
    ],
)
def test_labels(label: str, language: str, number: str | None) -> None:
    assert numbered_heading(label, language).number == number
