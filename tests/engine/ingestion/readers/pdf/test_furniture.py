from __future__ import annotations

from collections.abc import Sequence

from hypothesis import given, settings
from hypothesis import strategies as st

from engine.ingestion.readers.pdf.furniture import remove_furniture
from engine.ingestion.readers.pdf.rows import Sheet, make_rows
from tests.engine.ingestion.readers.pdf.drawing import HEIGHT, WIDTH, words

BODY = (
    *("alpha", "bravo", "charlie", "delta", "echo", "foxtrot", "golf"),
    *("hotel", "india", "juliet", "kilo", "lima", "mike", "november"),
)


def sheet(number: int, lines: Sequence[tuple[float, str]], x: float = 60) -> Sheet:
    runs = [run for y, text in lines for run in words(text, x, y)]
    return Sheet(number, tuple(runs), WIDTH, HEIGHT)


def body(number: int, lines: int) -> list[tuple[float, str]]:
    return [
        (
            680 - 14 * line,
            f"{BODY[(number * 5 + line) % 14]} {BODY[(number + line * 3) % 14]} {'xyz'[line % 3]}",
        )
        for line in range(lines)
    ]


def texts(sheets: list[Sheet]) -> list[list[str]]:
    return [[row.text for row in make_rows(sheet.runs)] for sheet in sheets]


@settings(max_examples=40)
@given(st.integers(3, 9), st.integers(6, 20), st.booleans(), st.integers(1, 400))
def test_heads_feet_and_page_numbers_go_and_the_text_stays(
    pages: int, lines: int, mirrored: bool, first: int
) -> None:
    sheets = []
    for number in range(pages):
        swap = mirrored and number % 2
        head = f"{first + number} Gazette, No. 240" if swap else f"Gazette, No. 240 {first + number}"
        sheets.append(
            sheet(
                number + 1,
                [(770, head), *body(number, lines), (40, "www.example.org"), (20, f"- {number + 1} -")],
            )
        )
    assert texts(remove_furniture(sheets)) == [
        [text for _, text in body(number, lines)] for number in range(pages)
    ]


def test_headings_that_begin_many_pages_stay() -> None:
    sheets = [sheet(n + 1, [(700, f"Pasal {n + 1}"), *body(n, 8)]) for n in range(6)]
    assert [page[0] for page in texts(remove_furniture(sheets))] == [f"Pasal {n + 1}" for n in range(6)]


def test_two_pages_lose_what_stands_at_both_edges_only() -> None:
    sheets = [
        sheet(n + 1, [(780, "Draft of the Act"), (500, "same words inside"), *body(n, 5)]) for n in range(2)
    ]
    for page in texts(remove_furniture(sheets)):
        assert "Draft of the Act" not in page
        assert "same words inside" in page


def test_line_numbers_go() -> None:
    lines = [(700 - 20 * n, f"the court hears {BODY[n % 14]}") for n in range(20)]
    runs = sheet(1, lines).runs + tuple(run for n in range(25) for run in words(str(n + 1), 30, 700 - 20 * n))
    (cleared,) = remove_furniture([Sheet(1, runs, WIDTH, HEIGHT)])
    assert texts([cleared]) == [[text for _, text in lines]]


def test_numbers_of_a_table_stay() -> None:
    lines = [(700 - 20 * n, f"berth {BODY[n]}") for n in range(12)]
    runs = sheet(1, lines).runs + tuple(run for n in range(12) for run in words(str(n * n), 30, 700 - 20 * n))
    (cleared,) = remove_furniture([Sheet(1, runs, WIDTH, HEIGHT)])
    assert len(cleared.runs) == len(runs)
