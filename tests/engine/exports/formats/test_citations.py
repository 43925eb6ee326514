"""Citations: one entry for the case and one for each provision, the same in all three formats."""

from __future__ import annotations

import re

import orjson
import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.exports.cases import export_of, record_in
from engine.exports.formats.citations import ACT, Entry, bibtex_entry, entry_kind, ris_record
from engine.model import Document
from tests.engine.exports.cases import KINDS, ORDINARY
from tests.engine.exports.conftest import Cases

KINDS_OF_TEXTS = {
    "act": "legislation",
    "UU (Undang-Undang)": "legislation",
    "Gesetz": "legislation",
    "judgment": "document",
    "contract": "document",
    "Vertrag": "document",
    "Standard": "standard",
    None: "document",
}


@pytest.mark.parametrize("kind", KINDS)
def test_all_formats_cite_the_same(kind: str, cases: Cases) -> None:
    items = orjson.loads(export_of("csl").write(cases[kind]))
    keys = [one["id"] for one in items]
    assert len(set(keys)) == len(keys)
    bibtex, ris = (export_of(name).write(cases[kind]).decode() for name in ("bibtex", "ris"))
    assert re.findall(r"^@\w+\{([^,\s]+),$", bibtex, re.MULTILINE) == keys
    assert re.findall(r"^ID  - (.+?)\r$", ris, re.MULTILINE) == keys
    cited = {(one["title"], one.get("section", "")) for one in items[1:]}
    for passage in record_in(cases[kind]).passages:
        found = " ".join(f"{passage.title or passage.document}|{passage.label}".split())
        assert tuple(found.split("|", 1)) in cited or kind != ORDINARY


def test_the_case_is_cited_with_its_day(cases: Cases) -> None:
    record = record_in(cases[ORDINARY])
    case, *_ = orjson.loads(export_of("csl").write(cases[ORDINARY]))
    assert case["title"] == record.question
    assert case["issued"]["date-parts"] == [[record.begun.year, record.begun.month, record.begun.day]]


def test_only_law_is_cited_as_legislation() -> None:
    kinds = {
        kind: entry_kind(Document("id", "Title", type=kind, number="306", year=2020)).csl
        for kind in KINDS_OF_TEXTS
    }
    assert kinds == KINDS_OF_TEXTS


@given(text=st.text(max_size=40))
def test_no_text_breaks_an_entry(text: str) -> None:
    entry = Entry("key", ACT, text, text, note=text)
    lines = bibtex_entry(entry).split("\n")
    assert lines[0] == "@legislation{key,"
    assert lines[-2:] == ["}", ""]
    assert all(line.startswith("  ") and line.endswith("},") for line in lines[1:-2])
    # Each brace inside a value is escaped.
    bare = re.sub(r"\\[{}]|\\text\w+\{\}", "", "\n".join(lines))
    assert bare.count("{") == bare.count("}")
    assert all(re.match("[A-Z][A-Z0-9]  - ", line) for line in ris_record(entry).split("\r\n") if line)
