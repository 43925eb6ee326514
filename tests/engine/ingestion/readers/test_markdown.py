from __future__ import annotations

from datetime import date
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.ingestion.readers.base import Problem, ReadDocument, SourceFile
from engine.ingestion.readers.markdown import MarkdownReader
from engine.model import Passage

HEAD = "---\nid: code\ntitle: The Code\nlanguage: en\n---\n\n# The Code\n\n"


def read(folder: Path, text: str | bytes, name: str = "law.md") -> tuple[ReadDocument, list[Problem]]:
    path = folder / name
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    items = list(MarkdownReader().read(SourceFile(path)))
    (document,) = [item for item in items if isinstance(item, ReadDocument)]
    return document, [item for item in items if isinstance(item, Problem)]


def passages(folder: Path, body: str, head: str = HEAD) -> dict[str, Passage]:
    document, problems = read(folder, head + body)
    assert problems == []
    return {passage.id.removeprefix("code/"): passage for passage in document.passages}


def test_front_matter(tmp_path: Path) -> None:
    head = """---
id: code
title: Agency Code
type: code
number: '13'
year: 2011
language: en
status: in force
version: v2
valid_from: 2012-01-01
valid_to: 2030-12-31
aliases: [CAC]
amends: [other]
seat: Port
---
"""
    document = read(tmp_path, head + "# Agency Code\n\nText.\n")[0].document
    assert (document.id, document.title, document.type) == ("code", "Agency Code", "code")
    assert (document.number, document.year) == ("13", 2011)
    assert (document.status, document.version, document.language) == ("in force", "v2", "en")
    assert (document.valid_from, document.valid_to) == (date(2012, 1, 1), date(2030, 12, 31))
    assert {"CAC", "Agency Code"} <= set(document.aliases)
    assert document.metadata == {"amends": ["other"], "seat": "Port"}


@pytest.mark.parametrize(
    ("body", "ids"),
    [
        ("## Preamble\n\n(1) Whereas.\n\n(2) Whereas too.", ["preamble/recital-1", "preamble/recital-2"]),
        ("## Article 5 Objection\n\nOne text.", ["art-5"]),
        ("## Part I A\n\n### Article 5 B\n\n(1) One.\n\n(2) Two.", ["art-5/para-1", "art-5/para-2"]),
        (
            "## Article 3 Terms\n\nIn this Code:\n\n(1) a;\n\n(2) b.",
            ["art-3/block-1", "art-3/para-1", "art-3/para-2"],
        ),
        ('## Article 3 Terms\n\n"a" means b;\n\n"c" means d.', ["art-3/block-1", "art-3/block-2"]),
        ("## Annex I Form\n\n(1) Name.\n\n(2) Seat.", ["annex-i/para-1", "annex-i/para-2"]),
        (
            "## Annex I Form\n\n### Article 1 X\n\nText.\n\n## Article 1 Y\n\nText.",
            ["annex-i/art-1", "art-1"],
        ),
        ("## Clause 4 Fees\n\nText.", ["clause-4"]),
        ("#### § 14 Umfang\n\nText.", ["sec-14"]),
        ("### المادة 14 حظر\n\nText.", ["art-14"]),
        ("## BAB I Umum\n\nText.", ["chapter-i"]),
        ("## Part I A\n\nText.\n\n### Chapter 1 B\n\nMore.", ["part-i", "part-i/chapter-1"]),
        ("Before any heading.", ["text"]),
        ("One.\n\nTwo.", ["block-1", "block-2"]),
        ("## Article 9 (repealed)\n\n## Article 10 X\n\nText.", ["art-9", "art-10"]),
        ("## Article 1 X\n\nText.\n\n## Article 1 X\n\nText.", ["art-1", "art-1~2"]),
    ],
)
def test_ids(tmp_path: Path, body: str, ids: list[str]) -> None:
    assert list(passages(tmp_path, body)) == ids


def test_versions_of_an_article(tmp_path: Path) -> None:
    found = passages(
        tmp_path,
        "## Article 22 S {valid_from=2012-01-01 valid_to=2023-12-31}\n\nOld.\n\n"
        "## Article 22 S {valid_from=2024-01-01}\n\nNew.\n\n## Article 23 T\n\nText.",
    )
    assert list(found) == ["art-22", "art-22@2024-01-01", "art-23"]
    assert [(p.valid_from, p.valid_to) for p in found.values()] == [
        (date(2012, 1, 1), date(2023, 12, 31)),
        (date(2024, 1, 1), None),
        (None, None),
    ]
    assert found["art-22"].headings == ("Article 22 S",)


def test_long_paragraphs_are_cut_and_know_what_they_are_of(tmp_path: Path) -> None:
    found = passages(tmp_path, "## Article 1 X\n\n(1) " + "A sentence of words. " * 150 + "\n\n(2) Short.")
    assert list(found) == ["art-1/para-1", "art-1/para-1#2", "art-1/para-2"]
    assert found["art-1/para-1#2"].source_id == "code/art-1/para-1"
    assert found["art-1/para-1#2"].paragraph == "1"


def test_a_hash_in_a_fence_is_no_heading_and_its_law_is_read(tmp_path: Path) -> None:
    document, _ = read(tmp_path, "# PM 7\n\n```\n# no heading\nPasal 1\nIsi satu.\nPasal 2\nIsi dua.\n```\n")
    assert [(p.number, p.text) for p in document.passages] == [
        (None, "# no heading"),
        ("1", "Isi satu."),
        ("2", "Isi dua."),
    ]


def test_fields_stated_as_definitions(tmp_path: Path) -> None:
    head = (
        "---\nTitle: Testgesetz\njurabk: TestG\n---\n# Testgesetz\n\nAusfertigungsdatum\n:   2014-08-11\n\n"
    )
    text = head + "## § 1 Ziel\n\nEs gilt und ist.\n"
    document, problems = read(tmp_path, text)
    assert problems == []
    assert (document.document.title, document.document.valid_from) == ("Testgesetz", date(2014, 8, 11))
    assert "TestG" in document.document.aliases
    assert [p.id for p in document.passages] == ["law/sec-1"]


@pytest.mark.parametrize(
    ("head", "reason"),
    [
        ("---\ntitle: [broken\n---\n", "front matter"),
        ("---\n- a\n- b\n---\n", "not a list of fields"),
        ('---\ntitle: "\\ud83d"\n---\n', "invalid Unicode character escape"),
    ],
)
def test_broken_front_matter_is_named_and_the_text_is_read(tmp_path: Path, head: str, reason: str) -> None:
    document, problems = read(tmp_path, head + "# T\n\nText.\n")
    assert [problem.line for problem in problems] == [1]
    assert reason in problems[0].reason
    assert [passage.text for passage in document.passages] == ["Text."]


def test_front_matter_is_never_executed(tmp_path: Path) -> None:
    _, problems = read(tmp_path, "---\nx: !!python/object/apply:os.getcwd []\n---\n# T\n\nText.\n")
    assert len(problems) == 1


@pytest.mark.parametrize(
    ("data", "text", "problem"),
    [
        ("Süß.".encode(), "Süß.", None),
        ("Süß.".encode("utf-8-sig"), "Süß.", None),
        ("Süß.".encode("utf-16"), "Süß.", None),
        (b"line\n\n" + "Süß.".encode("cp1252"), "Süß.", 3),
    ],
)
def test_encodings(tmp_path: Path, data: bytes, text: str, problem: int | None) -> None:
    document, problems = read(tmp_path, data)
    assert document.passages[-1].text == text
    assert [found.line for found in problems] == ([] if problem is None else [problem])


MARKUP = st.lists(
    st.sampled_from(
        [
            *("# T", "## Part I A", "### Article 1 B", "### Article 2", "## Annex I", "(1) One.", "(2) Two."),
            *(
                "(3) Three.",
                "Plain words.",
                "1. item",
                "Pasal 3",
                "第四条 内容",
                "§ 5 Ziel",
                "## Preamble",
                "",
            ),
        ]
    ),
    max_size=25,
)


@given(MARKUP)
def test_every_word_is_in_a_passage_or_a_heading(
    tmp_path_factory: pytest.TempPathFactory, lines: list[str]
) -> None:
    path = tmp_path_factory.mktemp("md") / "x.md"
    path.write_text("\n".join(lines), encoding="utf-8")
    for item in MarkdownReader().read(SourceFile(path)):
        if isinstance(item, ReadDocument):
            covered = " ".join(passage.text for passage in item.passages)
            for line in lines:
                if line.startswith(("(", "Plain", "1.")):
                    assert line in covered
            assert [passage.position for passage in item.passages] == list(range(len(item.passages)))
            for section in item.sections:
                assert section.first < section.stop
