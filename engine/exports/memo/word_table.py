"""Tables of the Word file: thin lines between rows, a head that is repeated on each page."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from docx.document import Document
from docx.oxml import OxmlElement, parse_xml
from docx.oxml.ns import nsdecls, qn
from docx.shared import Mm, Pt

from engine.exports.memo.content import OWN, Words
from engine.exports.memo.word_look import CELL, HEAD, LINE
from engine.exports.memo.word_text import add_words, turn
from engine.language.characters import right_to_left


def add_table(
    document: Document,
    heads: Sequence[str],
    rows: Sequence[Sequence[Words]],
    widths: Sequence[float],
    *,
    labelled: bool = False,
) -> None:
    """A table under ``heads``, without a head where there are none; ``widths`` are in millimetres.
    ``labelled``: the first cell of a row says what the others are."""
    titles = [[Words(head) for head in heads]] if heads else []
    table = document.add_table(rows=len(titles) + len(rows), cols=len(widths))
    table.autofit = False
    # Word goes by the grid, others by the cells.
    for column, width in zip(table.columns, widths, strict=True):
        column.width = Mm(width)
    element = document.element.body.findall(qn("w:tbl"))[-1]
    _frame(element.tblPr)
    for number, (row, cells) in enumerate(zip(element.findall(qn("w:tr")), [*titles, *rows], strict=True)):
        is_head = number < len(titles)
        properties = row.get_or_add_trPr()
        properties.append(OxmlElement("w:cantSplit"))
        if is_head:
            properties.append(OxmlElement("w:tblHeader"))
        for place, (cell, words, width) in enumerate(
            zip(row.findall(qn("w:tc")), cells, widths, strict=True)
        ):
            cell.width = Mm(width)
            style = HEAD if is_head or (labelled and place == 0) else CELL
            _write(cell.find(qn("w:p")), words, document.styles[style].style_id)
    # Word wants a paragraph between a table and what follows.
    document.add_paragraph(style=CELL).paragraph_format.line_spacing = Pt(4)


def _write(paragraph: Any, words: Words, style: str) -> None:
    paragraph.style = style
    add_words(paragraph, words)
    if words.language != OWN and right_to_left(words.text):
        turn(paragraph)


def _frame(properties: Any) -> None:
    sides = "".join(
        f'<w:{side} w:val="single" w:sz="4" w:space="0" w:color="{LINE}"/>'
        for side in ("top", "bottom", "insideH")
    )
    margins = "".join(
        f'<w:{side} w:w="{width}" w:type="dxa"/>'
        for side, width in (("top", 40), ("left", 40), ("bottom", 40), ("right", 80))
    )
    for tag, inside, behind in (
        ("w:tblBorders", sides, ("w:shd", "w:tblLayout", "w:tblCellMar", "w:tblLook")),
        ("w:tblCellMar", margins, ("w:tblLook",)),
    ):
        properties.insert_element_before(parse_xml(f"<{tag} {nsdecls('w')}>{inside}</{tag}>"), *behind)
