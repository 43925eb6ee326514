from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from engine.ingestion.readers.base import Problem, ReadDocument, SourceFile
from engine.ingestion.readers.records import TableReader

LONG = "The authority shall grant a licence to every person who meets the conditions"


def items(
    folder: Path, content: str | bytes, name: str = "law.csv", mapping: Mapping[str, Any] | None = None
) -> list[ReadDocument | Problem]:
    (folder / name).write_bytes(content if isinstance(content, bytes) else content.encode())
    return list(TableReader().read(SourceFile(folder / name, mapping=mapping)))


def test_a_mapping_names_columns(tmp_path: Path) -> None:
    mapping = {"document": {"title": "d"}, "passage": {"text": "w", "id": "k"}}
    (law,) = items(tmp_path, "k,d,w\nx,Act,One\n", mapping=mapping)
    assert isinstance(law, ReadDocument)
    assert [(p.id, p.text) for p in law.passages] == [("x", "One")]
    assert law.document.title == "Act"


@pytest.mark.parametrize(
    ("content", "mapping", "reason"),
    [
        ("a,b\n1,2\n", None, "no column holds text (columns: a, b)"),
        ("only\n1\n", None, "at least two columns"),
        ("a,a\n1,2\n", None, "the column 'a' is there twice"),
        ("a,text\n", None, "no column holds text"),
        ("a,text\n1,x\n", {"passage": {"text": "w"}}, "text: there is no column 'w' (columns: a, text)"),
        ("a,text\n1,x\n", {"items": "a", "passage": {"text": "text"}}, "are for JSON"),
        ("a,text\n1,x\n", {"passage": {"txt": "text"}}, "txt: no such field"),
        ('a,text\n1,"' + "x" * 20_000_000 + '"\n', None, "field larger than field limit"),
    ],
)
def test_what_cannot_be_read_says_why(
    tmp_path: Path, content: str, mapping: dict[str, Any] | None, reason: str
) -> None:
    found = items(tmp_path, content, mapping=mapping)
    assert any(isinstance(item, Problem) and reason in item.reason for item in found), found


def test_uneven_rows_are_named(tmp_path: Path) -> None:
    found = items(tmp_path, f"law,text\nAct,{LONG}\nAct,one,two\n\nAct,{LONG}\n")
    assert [(item.line, item.reason) for item in found if isinstance(item, Problem)] == [
        (3, "a row of 3 cells in a table of 2 columns: left out")
    ]
    many = items(tmp_path, f"law,text\nAct,{LONG}\n" + "one\n" * 30)
    reasons = [item.reason for item in many if isinstance(item, Problem)]
    assert len(reasons) == 21
    assert "10 more rows" in reasons[-1]


def test_rows_with_their_own_validity_are_one_act(tmp_path: Path) -> None:
    rows = ["§ 1;Die Deiche werden geschützt.;01.01.2015;;1.3.2021"]
    rows += ["§ 2;Der Eigentümer unterhält ihn.;01.01.2015;31.12.2022;1.3.2021"]
    rows += ["§ 2;Die Gemeinde unterhält ihn.;01.01.2023;;1.3.2023"]
    for head in ("Gültig von;Gültig bis;Stand", "in Kraft seit;Außerkrafttreten;Fassung vom"):
        (law,) = items(tmp_path, "\n".join((f"Paragraph;Text;{head}", *rows)), "deich.csv")
        assert isinstance(law, ReadDocument)
        assert (law.document.title, str(law.document.valid_from)) == ("deich", "2015-01-01")
        days = [(str(p.valid_from), str(p.valid_to)) for p in law.passages]
        assert days == [("None", "None"), ("None", "2022-12-31"), ("2023-01-01", "None")]


def test_codes_number_the_provisions_of_one_act(tmp_path: Path) -> None:
    for name, rows in {
        "some with titles": "R-1,Toll,One pays.\nR-2,Refund,It returns.\nR-3,Term,It ends.\nR-4,,It lapses.",
        "no titles": "P 1,,One pays.\nP 2,,It returns.",
    }.items():
        (law,) = items(tmp_path, f"code,title,text\n{rows}\n", f"{name}.csv")
        assert isinstance(law, ReadDocument)
        assert [p.label for p in law.passages][:2] in (["R-1", "R-2"], [f"{name} - P 1", f"{name} - P 2"])
