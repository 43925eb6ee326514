from __future__ import annotations

from pathlib import Path

from hypothesis import given, settings
from hypothesis import strategies as st

from engine.ingestion.readers.base import ReadDocument, SourceFile
from engine.ingestion.readers.pdf import PdfReader
from engine.ingestion.readers.pdf.lines import find_gutters, find_regions
from engine.ingestion.readers.pdf.rows import Run, make_rows
from tests.engine.ingestion.readers.pdf.drawing import Page, column, pdf, words

LINE = "obligations of operators follow from it"  # 39 letters, 234 points wide


def page(columns: int, lines: int, shift: float = 0.0, title: bool = False) -> list[Run]:
    runs = words("A title that runs over all of the columns of this page", 60, 760) if title else []
    size = 10 if columns == 2 else 6.6
    width = 234 if columns == 2 else 155
    for number in range(columns):
        for line in range(lines):
            y = 700 - 12 * line - shift * number
            runs += words(f"{LINE[:-2]}{number}{line % 10}", 30 + number * (width + 18), y, size)
    return runs


def order(runs: list[Run]) -> list[str]:
    return [row.text for region in find_regions(runs) for row in make_rows(region.runs)]


@settings(max_examples=30)
@given(st.integers(2, 3), st.integers(8, 40), st.floats(0, 11), st.booleans())
def test_columns_are_read_one_after_the_other(columns: int, lines: int, shift: float, title: bool) -> None:
    runs = page(columns, lines, shift, title)
    expected = [f"{LINE[:-2]}{column}{line % 10}" for column in range(columns) for line in range(lines)]
    if title:
        expected.insert(0, "A title that runs over all of the columns of this page")
    assert order(runs) == expected


@settings(max_examples=30)
@given(
    st.lists(
        st.tuples(st.floats(0, 580), st.floats(0, 780), st.integers(1, 12), st.floats(4, 30)), max_size=60
    )
)
def test_no_run_is_lost_or_read_twice(boxes: list[tuple[float, float, int, float]]) -> None:
    runs = [
        Run(f"{n}" * length, x, y, x + length * size * 0.6, y + size)
        for n, (x, y, length, size) in enumerate(boxes)
    ]
    assert sorted(id(run) for region in find_regions(runs) for run in region.runs) == sorted(map(id, runs))


def test_labels_beside_a_text_are_no_column() -> None:
    runs = words("Menimbang :", 50, 700) + words("Mengingat :", 50, 628)
    for line in range(12):
        runs += words(LINE, 160, 700 - 12 * line)
    assert len(find_regions(runs)) == 1
    assert find_gutters(runs) == []


def test_columns_from_right_to_left_begin_at_the_right() -> None:
    runs = []
    for line in range(12):
        for x in (30, 300):
            runs += words("واجبات المشغل المبينة في هذا القانون", x, 700 - 12 * line)
    regions = find_regions(runs)
    assert [region.left for region in regions] == [300, 30]


def test_a_short_last_column_is_found_where_other_pages_have_one() -> None:
    runs = page(2, 20)
    short = [run for run in runs if run.left < 270 or run.bottom > 680]
    assert len(find_regions(short, find_gutters(runs))) == 2


def test_a_number_without_a_full_stop_begins_its_text(tmp_path: Path) -> None:
    lines = ["Section 1 A dock opens at six in the morning on every", "working day of the week."]
    lines += ["Section 2 A dock closes at nine in the evening unless", "the harbour master orders otherwise."]
    (tmp_path / "dock.pdf").write_bytes(pdf([Page(column(lines))]))
    (read,) = PdfReader().read(SourceFile(tmp_path / "dock.pdf"))
    assert isinstance(read, ReadDocument)
    assert [(one.label, one.text[:6]) for one in read.passages] == [
        ("Section 1", "A dock"),
        ("Section 2", "A dock"),
    ]
