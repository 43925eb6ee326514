from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import cast

from engine.model import Document
from tests.ui.corpus.conftest import Caller
from ui.corpus.browser import Browser
from ui.corpus.ingestion import file_rows
from ui.corpus.statistics import types_plot, years_plot


def test_plots_count_documents_and_references(mine: Caller) -> None:
    found = mine.good("statistics")
    by_title = {plot["title"]: plot for plot in found["plots"]}
    (years,) = by_title["Documents by year"]["data"]
    assert dict(zip(years["x"], years["y"], strict=True)) == {2011: 1, 2012: 1, 2013: 0, 2014: 0, 2015: 1}
    relations = by_title["References by relation and status"]["data"]
    assert {one["name"]: sum(one["x"]) for one in relations}["no target found"] == 1


@dataclass(frozen=True)
class Typed:
    documents: Sequence[Document]


def test_a_type_is_text_in_the_chart_and_no_markup() -> None:
    hostile = '<a href="https://evil.example">act</a> & <b>bold</b>'
    plot = types_plot(cast(Browser, Typed([Document("a", "A", "en", type=hostile)])))
    assert plot is not None
    shown = plot["data"][0]["y"]
    assert shown == ['&lt;a href="https://evil.example"&gt;act&lt;/a&gt; &amp; &lt;b&gt;bold&lt;/b&gt;']


# Numbers that a document may state as its year.
NO_YEARS = (
    *range(-5, 0), *(10**power for power in range(4, 20)), *(2**power for power in (16, 31, 32, 63, 64, 100)),
    *(-(10**power) for power in (1, 3, 6, 9, 18)), 12_024, 20_240, 202_401, 20_240_131, 99_999,
)  # fmt: skip


def test_a_number_that_no_calendar_has_makes_the_axis_of_years_no_longer() -> None:
    assert len(NO_YEARS) > 30
    for year in NO_YEARS:
        documents = [Document("a", "A", "en", year=1986), Document("b", "B", "en", year=year)]
        plot = years_plot(cast(Browser, Typed(documents)))
        assert plot is not None
        assert plot["data"][0]["x"] == [1986], year
    assert years_plot(cast(Browser, Typed([Document("b", "B", "en", year=10**9)]))) is None


def test_the_most_cited_lead_to_their_place(mine: Caller) -> None:
    html = mine.good("statistics")["cited"]
    first = html.split("</li>")[0]
    assert "Article 2 Limits" in first
    assert 'data-at="2"' in first
    assert "<New>" not in html


def test_the_report_tells_what_became_of_each_file() -> None:
    rows = file_rows(
        {
            "files": [
                {"name": "half.pdf", "documents": 1, "status": "partly", "reason": "page 3 is a picture"},
                {"name": "bad.pdf", "documents": 0, "status": "not read", "reason": "needs a password"},
            ],
            "problems": [
                {"path": "bad.pdf", "reason": "needs a password", "line": None, "id": None},
                {"path": "list.csv", "reason": "no text", "line": 7, "id": None},
            ],
            "skipped": [{"path": "README.md", "reason": "skipped: about the documents"}],
        }
    )
    assert [name for name, _, _, _ in rows] == ["bad.pdf", "list.csv", "half.pdf", "README.md"]
    assert rows[1][3] == "line 7: no text"
