"""Grades: the table, what people say over it, and that what has none is taken for nothing else."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.corpus import open_corpus
from engine.corpus.embedded.publication import GRADES_NAME
from engine.corpus.grades import (
    Basis,
    GradeLine,
    current_grades,
    default_grade,
    grade_from,
    grades_of,
    grades_to_json,
    kind_rows,
    load_grades,
    set_grade,
    ungraded,
    withdraw_grade,
)
from engine.corpus.verifying import verify
from engine.errors import CorpusError, InputError
from engine.ingestion.build import build_corpus
from engine.model import Document, Grade
from tests.tables import table

LAW: str = table(__file__, "LAW")


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("graded")
    for name, kind in (("harbour", "act"), ("tides", "Act"), ("letter", "postcard")):
        (folder / f"{name}.md").write_text(LAW.format(name=name, kind=kind), encoding="utf-8")
    build_corpus(sorted(folder.glob("*.md")), folder / "corpus", name="Graded", embedding="none")
    return folder


@pytest.fixture
def folder(made: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(made / "corpus", tmp_path / "corpus"))


@pytest.mark.parametrize(
    ("kind", "grade"),
    [
        ("Act", Grade.A),
        ("  amending   ACT ", Grade.A),
        ("UU (Undang-Undang)", Grade.A),
        ("PMK (Peraturan Menteri Keuangan)", Grade.B),
        ("postcard", None),
        ("active", None),
    ],
)
def test_the_default_table(kind: str, grade: Grade | None) -> None:
    assert default_grade(kind) is grade


def test_a_better_grade_reaches_a_lower_one() -> None:
    assert Grade.A.reaches(Grade.B)
    assert Grade.B.reaches(Grade.B)
    assert not Grade.C.reaches(Grade.B)


def test_a_persons_word_comes_before_every_table(folder: Path) -> None:
    corpus = open_corpus(folder)
    by_id = {one.id: one for one in corpus.documents()}
    assert grades_of(corpus).explain(by_id["harbour"]) == (Grade.A, Basis.DEFAULT)
    assert grades_of(corpus).explain(by_id["letter"]) == (None, Basis.NOTHING)
    set_grade(corpus, "kind", "ACT", Grade.C, reviewer="Ada")
    set_grade(corpus, "document", "tides", None, note="a forgery")
    found = grades_of(corpus)
    assert found.explain(by_id["harbour"]) == (Grade.C, Basis.CORPUS)
    assert found.explain(by_id["tides"]) == (None, Basis.HAND)
    assert {one.id for one in ungraded(found, corpus.documents())} == {"tides", "letter"}
    withdraw_grade(corpus, "document", "tides")
    assert grades_of(corpus).of(by_id["tides"]) is Grade.C
    withdraw_grade(corpus, "kind", "act")
    assert grades_of(corpus).of(by_id["tides"]) is Grade.A
    lines = load_grades(folder)
    assert [line.reviewer for line in lines] == ["Ada", "", "", ""]
    assert all(line.when for line in lines)
    assert grades_of(corpus).version == 4
    assert verify(folder).entries == {GRADES_NAME: 4}


def test_the_grade_that_a_source_came_with_stands_between() -> None:
    document = Document("x", "X", type="act", quality=0.5)
    assert current_grades([]).explain(document) == (Grade.C, Basis.SOURCE)
    said = GradeLine(of="kind", name="act", grade=Grade.E)
    assert current_grades([said]).explain(document) == (Grade.E, Basis.CORPUS)


def test_what_is_not_in_the_corpus_is_not_graded(folder: Path) -> None:
    corpus = open_corpus(folder)
    for of, name, words in (
        ("kind", "circular", "document of"),
        ("document", "gone", "document of"),
        ("document", "", "id of a document"),
        ("kind", "x" * 201, "longer than 200"),
        ("document", "x" * 10_000, "longer than 1,000"),
        ("document", "<script>", "document of"),
    ):
        with pytest.raises(InputError, match=words) as caught:
            set_grade(corpus, of, name, Grade.A)  # type: ignore[arg-type]
        assert len(str(caught.value)) < 200
    with pytest.raises(InputError, match="has not been graded"):
        withdraw_grade(corpus, "kind", "act")
    assert not (folder / GRADES_NAME).exists()


def test_hostile_names_are_one_line_or_refused(folder: Path) -> None:
    corpus = open_corpus(folder)
    line = set_grade(corpus, "kind", "act", Grade.B, reviewer=" Ad\u202ea <b> ", note="x\r\ny\tz")
    assert (line.reviewer, line.note) == ("Ada <b>", "x y z")
    for hostile in ({"reviewer": "x" * 101}, {"note": "x" * 2001}, {"reviewer": "\ud800"}):
        with pytest.raises(InputError):
            set_grade(corpus, "kind", "act", Grade.B, **hostile)
    assert len(load_grades(folder)) == 1


def test_documents_that_have_no_kind_can_be_graded_together(folder: Path, tmp_path: Path) -> None:
    (tmp_path / "plain.md").write_text("# Plain\n\nA text that says something.\n", encoding="utf-8")
    build_corpus([tmp_path / "plain.md"], tmp_path / "plain", name="Plain", embedding="none")
    corpus = open_corpus(tmp_path / "plain")
    set_grade(corpus, "kind", "", Grade.D)
    assert grades_of(corpus).of(corpus.documents()[0]) is Grade.D
    told = grades_to_json(grades_of(corpus), corpus, names=False)
    assert told["kinds"][0]["grade"] == "D"
    assert "reviewer" not in told["kinds"][0]["said"]


def test_grades_survive_ingesting_again(folder: Path, made: Path) -> None:
    set_grade(open_corpus(folder), "kind", "act", Grade.E)
    set_grade(open_corpus(folder), "document", "tides", Grade.B)
    build_corpus([made / "harbour.md", made / "letter.md"], folder, name="Graded", embedding="none")
    corpus = open_corpus(folder)
    found = grades_of(corpus)
    assert found.of(next(one for one in corpus.documents() if one.id == "harbour")) is Grade.E
    told = grades_to_json(found, corpus)
    assert told["documents"][0] | {"when": ""} == {
        "id": "tides", "there": False, "grade": "B", "when": "", "reviewer": "", "note": "",
    }  # fmt: skip
    withdraw_grade(corpus, "document", "tides")
    assert not grades_of(corpus).documents
    assert [row.kind for row in kind_rows(found, corpus.documents())] == ["act", "postcard"]


def test_a_damaged_line_is_named(folder: Path) -> None:
    (folder / GRADES_NAME).write_text('{"of":"kind","name":"act","grade":"F"}\n', encoding="utf-8")
    with pytest.raises(CorpusError, match=r"grades.jsonl:1: not a grade"):
        grades_of(open_corpus(folder))


@given(st.text(max_size=60))
def test_any_words_are_a_grade_or_are_refused(text: str) -> None:
    try:
        assert grade_from(text) in (None, *Grade)
    except InputError:
        assert text.strip().upper() not in {*"ABCDE", "NONE"}
