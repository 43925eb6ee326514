"""Word files for the tests: the smallest package around a body that a test writes."""

from __future__ import annotations

import zipfile
from pathlib import Path

from engine.ingestion.readers.base import Problem, ReadDocument, SourceFile
from engine.ingestion.readers.docx import DocxReader

_W = 'xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"'
_TYPE = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
_PACKAGE = "http://schemas.openxmlformats.org/package/2006/relationships"
_CORE = "http://schemas.openxmlformats.org/package/2006/relationships/metadata/core-properties"
_PARTS = ("styles", "numbering", "footnotes", "endnotes")


def paragraph(text: str, style: str = "", numbered: tuple[int, int] | None = None, extra: str = "") -> str:
    """A paragraph; ``numbered``: its list and level."""
    inner = f'<w:pStyle w:val="{style}"/>' if style else ""
    if numbered is not None:
        inner += f'<w:numPr><w:ilvl w:val="{numbered[1]}"/><w:numId w:val="{numbered[0]}"/></w:numPr>'
    return f'<w:p><w:pPr>{inner}{extra}</w:pPr><w:r><w:t xml:space="preserve">{text}</w:t></w:r></w:p>'


def table(*rows: tuple[str, ...]) -> str:
    """A table whose cells hold what is given, as text or as XML."""
    cells = (
        "".join(f"<w:tc>{cell if cell.startswith('<') else paragraph(cell)}</w:tc>" for cell in row)
        for row in rows
    )
    return "<w:tbl>" + "".join(f"<w:tr>{row}</w:tr>" for row in cells) + "</w:tbl>"


def levels(*texts: tuple[str, str], number: int = 1, start: int = 1) -> str:
    """An abstract list with (format, text) for each level, and the list of the same number on it."""
    inner = "".join(
        f'<w:lvl w:ilvl="{place}"><w:start w:val="{start}"/><w:numFmt w:val="{form}"/>'
        f'<w:lvlText w:val="{text}"/></w:lvl>'
        for place, (form, text) in enumerate(texts)
    )
    return (
        f'<w:abstractNum w:abstractNumId="{number}">{inner}</w:abstractNum>'
        f'<w:num w:numId="{number}"><w:abstractNumId w:val="{number}"/></w:num>'
    )


def style(own_id: str, name: str, inner: str = "", based_on: str = "") -> str:
    """A paragraph style."""
    based = f'<w:basedOn w:val="{based_on}"/>' if based_on else ""
    return (
        f'<w:style w:type="paragraph" w:styleId="{own_id}"><w:name w:val="{name}"/>{based}'
        f"<w:pPr>{inner}</w:pPr></w:style>"
    )


def docx(path: Path, *body: str, core: str = "", **parts: str) -> Path:
    """Write a file with this body; ``parts``: the inside of its styles, numbering, footnotes or endnotes."""
    relations = "".join(
        f'<Relationship Id="r{name}" Type="{_TYPE}/{name}" Target="{name}.xml"/>' for name in parts
    )
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as package:
        package.writestr("[Content_Types].xml", "<Types/>")
        package.writestr(
            "_rels/.rels",
            f'<Relationships xmlns="{_PACKAGE}"><Relationship Id="a" Type="{_TYPE}/officeDocument" '
            f'Target="word/document.xml"/><Relationship Id="b" Type="{_CORE}" Target="docProps/core.xml"/>'
            "</Relationships>",
        )
        package.writestr(
            "word/document.xml", f"<w:document {_W}><w:body>{''.join(body)}</w:body></w:document>"
        )
        package.writestr(
            "word/_rels/document.xml.rels", f'<Relationships xmlns="{_PACKAGE}">{relations}</Relationships>'
        )
        if core:
            package.writestr(
                "docProps/core.xml",
                '<cp:coreProperties xmlns:cp="c" xmlns:dc="http://purl.org/dc/elements/1.1/" '
                f'xmlns:dcterms="http://purl.org/dc/terms/">{core}</cp:coreProperties>',
            )
        for name, inner in parts.items():
            assert name in _PARTS
            package.writestr(f"word/{name}.xml", f"<w:{name} {_W}>{inner}</w:{name}>")
    return path


def read(path: Path) -> ReadDocument:
    """The one document of a file."""
    (found,) = DocxReader().read(SourceFile(path))
    assert isinstance(found, ReadDocument), found
    return found


def problem(path: Path) -> str:
    """Why a file is not read."""
    (found,) = DocxReader().read(SourceFile(path))
    assert isinstance(found, Problem)
    return found.reason


def texts(path: Path) -> list[str]:
    """The texts of a file's passages."""
    return [passage.text for passage in read(path).passages]
