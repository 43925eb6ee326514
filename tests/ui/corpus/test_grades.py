"""The table of grades on the page: shown to everybody, changed by whoever may judge."""

from __future__ import annotations

from engine.corpus.grades import load_grades
from tests.ui.corpus.conftest import STRANGER, VISITOR, Caller
from ui.corpus.access import CorpusDesk


def lines(desk: CorpusDesk) -> int:
    return len(load_grades(desk.books.find("Mine", VISITOR).folder))


def test_kinds_are_graded_and_given_back(mine: Caller, desk: CorpusDesk) -> None:
    told = mine.good("grades")
    assert told["writable"]
    assert "Every document has a grade" in told["html"]
    told = mine.good("grade", kind="act", grade="none", name=" A. Jurist ")
    assert "1 document of 3 without a grade" in told["html"]
    assert "A. Jurist" in told["html"]
    told = mine.good("grade", kind="act", grade="table")
    assert "Every document has a grade" in told["html"]
    assert lines(desk) == 2


def test_a_document_is_graded_where_it_is_read(mine: Caller, desk: CorpusDesk) -> None:
    documents = desk.books.corpus("Mine", VISITOR).documents()
    number = [one.id for one in documents].index("act")
    assert 'data-grade-document="act"' in mine.good("head", document=number)["html"]
    told = mine.good("grade", target="act", grade="D")
    assert '<option value="D" selected>' in told["line"]
    assert "Agency Act &lt;New&gt;" in told["html"]
    assert "<New>" not in told["html"]
    assert '<option value="D" selected>' in mine.good("head", document=number)["html"]


def test_who_may_not_grade_sees_the_table_and_no_name(desk: CorpusDesk) -> None:
    stranger = Caller(desk, STRANGER, "Small")
    told = stranger.good("grades")
    assert not told["writable"]
    assert "cannot be changed here" in stranger("grade", kind="act", grade="A")["error"]
    assert "unknown corpus" in Caller(desk, STRANGER, "Mine")("grade", kind="act", grade="A")["error"]
