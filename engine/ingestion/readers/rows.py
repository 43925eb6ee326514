"""Tables as text: a line a row, its cells with " | " between them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import takewhile

# A longer table is cut between rows, and its header is said again, as it is printed again on a new page.
LONGEST_TABLE = 1600


@dataclass(frozen=True, slots=True)
class Row:
    """The texts of a row's cells; a cell that is merged with one before it is empty or not there."""

    cells: tuple[str, ...]
    is_header: bool = False

    def __str__(self) -> str:
        texts = [" ".join(cell.replace("|", "/").split()) for cell in self.cells]
        if not any(texts):
            return ""
        while texts and not texts[-1]:
            texts.pop()
        return " ".join(" | ".join(texts).split())


def table_text(rows: Sequence[Row]) -> Iterator[str]:
    """The text of a table, in parts where it is long."""
    header = [str(row) for row in takewhile(lambda row: row.is_header, rows)]
    head = [line for line in header if line]
    part, size, has_rows = list(head), sum(map(len, head)), False
    for row in rows[len(header) :]:
        line = str(row)
        if not line:
            continue
        if has_rows and size + len(line) > LONGEST_TABLE:
            yield "\n".join(part)
            part, size = list(head), sum(map(len, head))
        part.append(line)
        size, has_rows = size + len(line) + 1, True
    if part:
        yield "\n".join(part)
