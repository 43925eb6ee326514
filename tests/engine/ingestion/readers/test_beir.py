from __future__ import annotations

import gzip
import json
import os
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.ingestion.readers.base import Problem, ReadDocument, SourceFile
from engine.ingestion.readers.beir import BeirReader
from engine.ingestion.structure.segmentation import LONGEST, LONGEST_SENTENCE
from engine.model import SectionKind

DATA = Path(os.environ.get("REDSTRING_DATA", Path(__file__).parents[5] / "shared" / "data"))


def line(line_id: str, text: str = "Some text.", title: str = "", **metadata: Any) -> dict[str, Any]:
    return {"id": line_id, "title": title, "text": text, "metadata": {"language": "en", **metadata}}


def rule(number: str, text: str, **metadata: Any) -> dict[str, Any]:
    path = [piece for piece in number.rstrip(".").replace(".(", "|(").replace(".", "|").split("|") if piece]
    return line(
        number,
        text,
        f"AML {number}",
        document="AML_VER09.211223",
        passage_label=number,
        path=path,
        **metadata,
    )


def read(folder: Path, *lines: dict[str, Any] | bytes) -> tuple[list[ReadDocument], list[Problem]]:
    path = folder / "corpus.jsonl"
    path.write_bytes(
        b"\n".join(item if isinstance(item, bytes) else json.dumps(item).encode() for item in lines)
    )
    items = list(BeirReader().read(SourceFile(path)))
    return (
        [item for item in items if isinstance(item, ReadDocument)],
        [item for item in items if isinstance(item, Problem)],
    )


def one(folder: Path, *lines: dict[str, Any]) -> ReadDocument:
    documents, problems = read(folder, *lines)
    assert problems == []
    assert len(documents) == 1
    return documents[0]


def test_headings_come_from_rows_that_are_headings(tmp_path: Path) -> None:
    document = one(
        tmp_path,
        rule("1.", "INTRODUCTION"),
        rule("1.1", "Jurisdiction"),
        rule("1.1.1.(1)", "The Rulebook is made."),
        rule("1.1.1.(2)", "Nothing here affects it."),
        rule("1.2", "Application"),
        rule("1.2.1", "It applies to all."),
    )
    assert [passage.headings for passage in document.passages] == [
        (),
        ("1 INTRODUCTION",),
        ("1 INTRODUCTION", "1.1 Jurisdiction"),
        ("1 INTRODUCTION", "1.1 Jurisdiction"),
        ("1 INTRODUCTION",),
        ("1 INTRODUCTION", "1.2 Application"),
    ]
    sections = {section.number: (section.first, section.stop, section.title) for section in document.sections}
    assert sections == {
        "1": (0, 6, "INTRODUCTION"),
        "1.1": (1, 4, "Jurisdiction"),
        "1.1.1": (2, 4, ""),
        "1.2": (4, 6, "Application"),
    }
    assert [(p.number, p.paragraph, p.label) for p in document.passages[2:4]] == [
        ("1.1.1", "1", "Rule 1.1.1(1)"),
        ("1.1.1", "2", "Rule 1.1.1(2)"),
    ]
    assert document.document.title == "AML"
    assert "AML" in document.document.aliases


def test_versions_and_languages_are_documents_of_their_own(tmp_path: Path) -> None:
    documents, _ = read(
        tmp_path,
        line("x1-1", regulation="A", version_date="2001-01-01"),
        line("x2-1", regulation="A", version_date="2005-01-01"),
        line("x3-1", regulation="A", version_date="2005-01-01", language="de"),
    )
    assert [(d.document.id, d.document.version, d.document.language) for d in documents] == [
        ("x1", "2001-01-01", "en"),
        ("x2", "2005-01-01", "en"),
        ("x3", "2005-01-01", "de"),
    ]


def test_a_long_line_is_cut_at_its_paragraphs_and_keeps_its_id(tmp_path: Path) -> None:
    text = "\n\n".join(f"({n}) " + "Wort " * 150 for n in (1, 2, 3))
    document = one(
        tmp_path,
        line(
            "de-bgb-1",
            "Kurz.",
            regulation="Bürgerliches Gesetzbuch",
            abbreviation="BGB",
            language="de",
            article="1",
            heading="§ 1 Beginn",
            path=["Buch 1 - Allgemeiner Teil"],
        ),
        line(
            "de-bgb-2",
            text,
            regulation="Bürgerliches Gesetzbuch",
            abbreviation="BGB",
            language="de",
            article="2",
            heading="§ 2 Ende",
            path=["Buch 1 - Allgemeiner Teil"],
        ),
    )
    assert [(p.id, p.source_id, p.paragraph, p.label) for p in document.passages] == [
        ("de-bgb-1", "de-bgb-1", None, "§ 1"),
        ("de-bgb-2", "de-bgb-2", "1", "§ 2 Abs. 1"),
        ("de-bgb-2#2", "de-bgb-2", "2", "§ 2 Abs. 2"),
        ("de-bgb-2#3", "de-bgb-2", "3", "§ 2 Abs. 3"),
    ]
    assert [(s.kind, s.number, s.title, s.first, s.stop) for s in document.sections] == [
        (SectionKind.BOOK, "1", "Allgemeiner Teil", 0, 4),
        (SectionKind.SECTION, "2", "Ende", 1, 4),
    ]
    assert document.passages[1].headings == ("Buch 1 - Allgemeiner Teil", "Ende")
    assert "BGB" in document.document.aliases


@pytest.mark.parametrize(
    ("metadata", "kind", "number", "label"),
    [
        ({"article": "5", "heading": "Principles"}, SectionKind.ARTICLE, "5", "Article 5"),
        ({"unit": "recital", "recital": 7}, SectionKind.RECITAL, "7", "Recital 7"),
        ({"article": "25", "language": "id"}, SectionKind.ARTICLE, "25", "Pasal 25"),
        ({"article": "pembukaan", "language": "id"}, SectionKind.PREAMBLE, None, ""),
        ({"article": "第十二条", "language": "zh"}, SectionKind.ARTICLE, "12", "第12条"),
        (
            {"article": 12, "article_label": "المادة الثانية عشرة:", "language": "ar"},
            SectionKind.ARTICLE,
            "12",
            "المادة 12",
        ),
        # a source that counts in hundreds: the label is what the document prints
        (
            {"article": 42, "article_label": "المادة الثانية والأربعون بعد المائة:", "language": "ar"},
            SectionKind.ARTICLE,
            "142",
            "المادة 142",
        ),
        (
            {"article": "1", "heading": "Art 1 Grundsatz", "language": "de"},
            SectionKind.ARTICLE,
            "1",
            "Art. 1",
        ),
        ({"passage_label": "1.2.1.Guidance.3."}, SectionKind.GUIDANCE, "1.2.1", "Rule 1.2.1 Guidance 3"),
        ({"passage_label": "Part 6.Chapter 2.52.(4)"}, SectionKind.SECTION, "52", "Section 52(4)"),
    ],
)
def test_addresses(
    tmp_path: Path, metadata: dict[str, Any], kind: SectionKind, number: str, label: str
) -> None:
    (passage,) = one(tmp_path, line("d-1", regulation="Act", **metadata)).passages
    assert (passage.kind, passage.number, passage.label) == (kind, number, label)


def test_repealed_articles_say_so(tmp_path: Path) -> None:
    passages = one(
        tmp_path,
        line("d-1", regulation="A", repealed=True),
        line("d-2", regulation="A", article_status="canceled"),
        line("d-3", regulation="A", repealed=False),
    ).passages
    assert [passage.status for passage in passages] == ["repealed", "repealed", None]


@pytest.mark.parametrize(
    ("broken", "reason"),
    [
        (b"{not json", "not JSON"),
        (b'{"id": "x", "text": "caf\xe9"}', "not JSON in UTF-8"),
        (b"[1, 2]", "not a JSON object"),
        (b'{"text": "no id"}', 'no "id"'),
        (b'{"id": true, "text": "no id"}', 'no "id"'),
        (b'{"id": "x", "text": 5}', "must be strings"),
        (b'{"id": "x", "text": "t", "metadata": []}', None),
        (b'{"id": "x", "text": "t", "metadata": [1]}', "must be strings"),
        (b'{"id": "x", "text": "  "}', "the text is empty"),
        (b'{"id": "good", "text": "again"}', "earlier line"),
    ],
)
def test_a_broken_line_is_named_and_the_rest_is_read(
    tmp_path: Path, broken: bytes, reason: str | None
) -> None:
    documents, problems = read(tmp_path, line("good"), broken, line("fine"))
    assert {"good", "fine"} <= {p.id for d in documents for p in d.passages}
    if reason is None:
        assert problems == []
        return
    (problem,) = problems
    assert problem.line == 2
    assert reason in problem.reason


def test_bom_underscore_id_and_numbers_as_ids(tmp_path: Path) -> None:
    documents, problems = read(
        tmp_path, b'\xef\xbb\xbf{"_id": 7, "text": "t"}', b"", b'{"_id": "8", "text": "t"}'
    )
    assert problems == []
    assert [d.document.id for d in documents] == ["7", "8"]


@pytest.mark.parametrize("keep", [30, 200])
def test_a_truncated_archive_gives_what_came_before(tmp_path: Path, keep: int) -> None:
    lines = b"\n".join(json.dumps(line(f"w-{n}", os.urandom(40).hex())).encode() for n in range(200))
    path = tmp_path / "corpus.jsonl.gz"
    packed = gzip.compress(lines)
    path.write_bytes(packed[: len(packed) * keep // 250])
    items = list(BeirReader().read(SourceFile(path)))
    assert isinstance(items[-1], ReadDocument)
    (problem,) = [item for item in items if isinstance(item, Problem)]
    assert "compressed file is broken" in problem.reason


TEXT = st.characters(exclude_categories=["Cs"])


def test_a_large_file_is_read_a_document_at_a_time(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    lines: list[dict[str, Any] | bytes] = [
        line(f"{act}-{number}", regulation=f"Act {act}") for number in range(3) for act in ("a", "b", "c")
    ]
    lines += [b"broken", line("a-1", regulation="Act a"), line("d")]
    whole, problems = read(tmp_path, *lines)
    monkeypatch.setattr("engine.ingestion.readers.beir.LARGEST_AT_ONCE", 0)
    apart, same_problems = read(tmp_path, *lines)
    assert sorted(apart, key=lambda item: item.document.id) == sorted(
        whole, key=lambda item: item.document.id
    )
    assert [str(problem) for problem in same_problems] == [str(problem) for problem in problems]
    assert [item.document.id for item in apart] == ["b", "c", "a", "d"]


@given(st.text(TEXT, min_size=1, max_size=40), st.integers(1, 400))
def test_parts_cover_the_text(tmp_path_factory: pytest.TempPathFactory, text: str, times: int) -> None:
    folder = tmp_path_factory.mktemp("beir")
    whole = (text + " ") * times
    documents, _ = read(folder, line("x", whole))
    passages = [passage for document in documents for passage in document.passages]
    parts = ["".join(passage.text[passage.overlap :].split()) for passage in passages]
    assert "".join(parts) == "".join(whole.split())
    assert all(len(passage.text) - passage.overlap <= LONGEST_SENTENCE * LONGEST for passage in passages)


@pytest.mark.corpora
@pytest.mark.parametrize(
    ("name", "documents", "lines"),
    [("obliqa_adgm", 40, 13_012), ("id_kuhperdata", 1, 2_127), ("hipporag_2wiki", 6_119, 6_119)],
)
def test_large_corpora_are_read_whole(name: str, documents: int, lines: int) -> None:
    path = DATA / name / "corpus.jsonl.gz"
    if not path.exists():
        pytest.skip(f"no {path}")
    items = list(BeirReader().read(SourceFile(path)))
    read_documents = [item for item in items if isinstance(item, ReadDocument)]
    assert len(read_documents) == len(items) == documents
    passages = [passage for document in read_documents for passage in document.passages]
    assert len({passage.source_id for passage in passages}) == lines
    assert len({passage.id for passage in passages}) == len(passages)
    for document in read_documents:
        for section in document.sections:
            assert 0 <= section.first < section.stop <= len(document.passages)
