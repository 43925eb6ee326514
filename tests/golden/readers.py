"""Files of all formats and what is read from them: those in ``files``, and some of Word and PDF."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import orjson

from engine.ingestion.readers.base import Problem, ReadDocument, SourceFile
from engine.ingestion.readers.registry import choose_reader
from tests.engine.ingestion.readers.docx.writing import docx, levels, paragraph, style, table
from tests.engine.ingestion.readers.pdf.drawing import Page, Text, column, pdf

FILES = Path(__file__).parent / "files"
_HEAD = 4096


def files_read(folder: Path) -> Iterator[tuple[str, str]]:
    """What is read from each file: its documents and what is wrong with it."""
    paths = [*sorted(FILES.iterdir()), *_word_files(folder), *_pdf_files(folder)]
    for path in paths:
        reader = choose_reader(path, path.read_bytes()[:_HEAD])
        assert reader is not None, path
        items = list(reader.read(SourceFile(path, path.name)))
        yield path.name, "\n".join([reader.name, *(line for item in items for line in _lines(item))])


def _lines(item: ReadDocument | Problem) -> Iterator[str]:
    if isinstance(item, Problem):
        yield f"problem: {item}"
        return
    yield f"document: {_json(item.document)}"
    yield from (f"section: {_json(section)}" for section in item.sections)
    yield from (f"passage: {_json(passage)}" for passage in item.passages)
    yield from (f"link: {_json(link)}" for link in item.stated)


def _json(one: Any) -> str:
    fields = ((field.name, getattr(one, field.name)) for field in dataclasses.fields(one))
    told = {name: value for name, value in fields if value not in (None, "", ())}
    return orjson.dumps(told, default=_plain).decode()


def _plain(value: Any) -> Any:
    return _json(value) if dataclasses.is_dataclass(value) else dict(value)


def _word_files(folder: Path) -> Iterator[Path]:
    run = '<w:r><w:t xml:space="preserve">{}</w:t></w:r>'
    raised = '<w:r><w:rPr><w:vertAlign w:val="superscript"/></w:rPr><w:t>2</w:t></w:r>'
    note = '<w:r><w:footnoteReference w:id="2"/></w:r>'
    again = '<w:r><w:endnoteReference w:id="3"/></w:r>'
    page = "<w:r><w:lastRenderedPageBreak/></w:r>"
    header, deleted = "<w:trPr><w:tblHeader/></w:trPr>", "<w:trPr><w:del/></w:trPr>"
    grid = table(("Ship", "Fee"), ("small", "5"), ("gone", "0"))
    grid = grid.replace("<w:tr>", f"<w:tr>{header}", 1)
    grid = f"<w:tr>{deleted}".join(grid.rsplit("<w:tr>", 1))
    symbols = '<w:r><w:tab/><w:noBreakHyphen/><w:sym w:font="Symbol" w:char="F0B7"/><w:br/></w:r>'
    changed = f"<w:del>{run.format('old')}</w:del><w:ins>{run.format('new')}</w:ins>"
    box = f"<w:r><w:txbxContent>{paragraph('In a box.')}</w:txbxContent></w:r>"
    checked = '<w:checkBox><w:checked w:val="1"/></w:checkBox>'
    check = f"<w:r><w:fldChar><w:ffData>{checked}</w:ffData></w:fldChar></w:r>"
    notes = f"{raised}{note}{symbols}{changed}{again}{page}"
    yield docx(
        folder / "agreement.docx",
        paragraph("Pilotage Agreement", "T"),
        paragraph("Contents 1", "toc"),
        paragraph("General", "H1", (1, 0)),
        paragraph("A pilot conducts a ship.", numbered=(1, 1)),
        paragraph("by day;", numbered=(1, 2)),
        paragraph("by night.", numbered=(1, 2)),
        paragraph("Restarted.", numbered=(2, 0)),
        f"<w:p>{run.format('Area: 5 m')}{notes}{run.format('Next page.')}</w:p>",
        f"<w:p>{box}{check}{run.format(' agreed')}</w:p>",
        paragraph("Article 9 Fees\nThe fee is paid.", extra='<w:outlineLvl w:val="9"/>'),
        paragraph("Deep", extra='<w:outlineLvl w:val="2"/>'),
        grid,
        table((paragraph("Framed."),), (paragraph("Twice."),)),
        f"<w:sdt><w:sdtContent>{paragraph('Controlled.', '', (1, 1))}</w:sdtContent></w:sdt>",
        core="<dc:title>Document 1</dc:title><dc:creator>A. Clerk</dc:creator>"
        "<dc:language>en-GB</dc:language>"
        "<dcterms:created>2020-01-02T03:04:05Z</dcterms:created><dcterms:modified>bad</dcterms:modified>"
        "<cp:keywords>ports,  pilots</cp:keywords>",
        styles=style("T", "Title")
        + style("H1", "heading 1")
        + style("toc", "toc 1")
        + style("B", "Body", based_on="H1"),
        numbering=levels(("decimal", "%1."), ("decimal", "%1.%2"), ("lowerLetter", "(%3)"))
        + levels(("upperRoman", "Article %1"), number=2, start=4),
        footnotes=f'<w:footnote w:id="2"><w:p>{run.format("A note.")}</w:p></w:footnote>',
        endnotes=f'<w:endnote w:id="3"><w:p>{run.format("At the end.")}</w:p></w:endnote>',
    )


def _pdf_files(folder: Path) -> Iterator[Path]:
    files: dict[str, tuple[Sequence[Page], dict[str, str]]] = {
        "printed.pdf": (
            [Page(_printed(number)) for number in (1, 2, 3)],
            {"Title": "act.indd", "Author": "B"},
        ),
        "styled.pdf": (_styled(), {"CreationDate": "D:20210304"}),
    }
    for name, (pages, information) in files.items():
        (folder / name).write_bytes(pdf(pages, information))
        yield folder / name


def _printed(number: int) -> list[Text]:
    """A page of a gazette: a running title, provisions, a list, a note, the page's number."""
    lines = {
        1: ["CHAPTER I", "GENERAL PROVISIONS", "", "Article 1", "A pilot conducts a ship in the har-",
            "bour and on the rivers of the realm at all", "times. He must", "(a) keep watch;",
            "(b) report.", ""],
        2: ["Article 2", "Fees", "(1) The fee is paid on entry, as Article 1", "says, unless the ship is",
            "small.", "(2) It is repaid under paragraph 1.", "", "Article 3 Disputes", "A court decides."],
        3: ["ANNEX", "", "Ship", "Article 1", "A list of harbours.", "Contents ........ 5"],
    }[number]  # fmt: skip
    body = [
        Text(300 - 3 * len(line) if line.isupper() or line.startswith("Article") else 90, 700 - 14 * n, line)
        for n, line in enumerate(lines)
        if line
    ]
    edges = [Text(60, 770, f"Official Gazette No. 7 of 2020 {number}"), Text(290, 40, f"- {number} -")]
    note = [Text(90, 80, "1 See the tariff.", 7)] if number == 2 else []
    return [*edges, *body, *note]


def _styled() -> list[Page]:
    """A brochure: headings by their setting, a table, text that is not seen, a page without text."""
    rows = [("Berth", "Fee", "Year"), ("Quay", "200", "2019"), ("Basin", "350", "2020")]
    cells = [
        Text(60 + 150 * c, 400 - 14 * r, cell) for r, row in enumerate(rows) for c, cell in enumerate(row)
    ]
    first = [
        Text(60, 750, "Rules of the Harbour", 20, bold=True),
        Text(60, 715, "1. Berths", 12, bold=True),
        *column(["The owner of a berth at the quay gives notice to the master", "before a change."], 60, 690),
        Text(60, 600, "2. Fees and", 12, bold=True),
        Text(60, 586, "dues", 12, bold=True),
        Text(60, 560, "- A fee is due for each berth."),
        Text(60, 546, "- It is paid in advance."),
        *cells,
        Text(60, 200, "Hidden words", invisible=True),
    ]
    return [Page(first), Page(column(["Closing words of the rules."], 60, 700)), Page(picture=True)]
