"""Real footnotes of a Word file: the part that holds them, and references to them.

python-docx 1.2 knows no footnotes. ECMA-376, part 1, 11.3.7 and 17.11: a part ``footnotes.xml`` with a
separator, a continuation separator and one element a note; a style for its text and one for its number; and
the separators named in the settings.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from docx.document import Document
from docx.opc.constants import CONTENT_TYPE, RELATIONSHIP_TYPE
from docx.opc.packuri import PackURI
from docx.opc.part import XmlPart
from docx.oxml import OxmlElement, parse_xml
from docx.oxml.ns import nsdecls, qn

# Ids of the two lines between text and notes.
_SEPARATORS = ((-1, "separator"), (0, "continuationSeparator"))
# What stands behind the footnotes' properties in the settings (CT_Settings).
_BEHIND = (
    *("w:endnotePr", "w:compat", "w:docVars", "w:rsids", "m:mathPr", "w:attachedSchema", "w:themeFontLang"),
    *("w:clrSchemeMapping", "w:doNotIncludeSubdocsInStats", "w:shapeDefaults", "w:decimalSymbol"),
)


class Footnotes:
    """The footnotes of a document. Each is written once, and may be referred to again by its number."""

    def __init__(self, document: Document) -> None:
        root = parse_xml(f"<w:footnotes {nsdecls('w', 'r')}/>")
        for number, name in _SEPARATORS:
            root.append(_separator(number, name))
        part = XmlPart(
            PackURI("/word/footnotes.xml"), CONTENT_TYPE.WML_FOOTNOTES, root, document.part.package
        )
        document.part.relate_to(part, RELATIONSHIP_TYPE.FOOTNOTES)
        _set_separators(document.settings.element)
        self._root = root
        self._known: set[int] = set()

    def refer(self, paragraph: Any, number: int, write: Any) -> None:
        """Refer to a note from a paragraph: its first reference makes the note, whose paragraph ``write`` is
        given to fill; each further one is a field that shows the number of the first."""
        if number in self._known:
            paragraph.append(_again(number))
            return
        self._known.add(number)
        for element in _first(number):
            paragraph.append(element)
        note = OxmlElement("w:footnote")
        note.set(qn("w:id"), str(number))
        own = OxmlElement("w:p")
        own.append(_styled("w:pPr", "w:pStyle", "FootnoteText"))
        own.append(_run("FootnoteReference", OxmlElement("w:footnoteRef")))
        note.append(own)
        self._root.append(note)
        write(own)


def _separator(number: int, name: str) -> Any:
    return parse_xml(
        f'<w:footnote {nsdecls("w")} w:type="{name}" w:id="{number}"><w:p><w:pPr><w:spacing w:after="0" '
        f'w:line="240" w:lineRule="auto"/></w:pPr><w:r><w:{name}/></w:r></w:p></w:footnote>'
    )


def _set_separators(settings: Any) -> None:
    named = "".join(f'<w:footnote w:id="{number}"/>' for number, _ in _SEPARATORS)
    settings.insert_element_before(
        parse_xml(f"<w:footnotePr {nsdecls('w')}>{named}</w:footnotePr>"), *_BEHIND
    )


def _first(number: int) -> Iterable[Any]:
    """The reference inside of a bookmark, to which further references lead."""
    start, end = OxmlElement("w:bookmarkStart"), OxmlElement("w:bookmarkEnd")
    for mark in (start, end):
        mark.set(qn("w:id"), str(number))
    start.set(qn("w:name"), _bookmark(number))
    reference = OxmlElement("w:footnoteReference")
    reference.set(qn("w:id"), str(number))
    return start, _run("FootnoteReference", reference), end


def _again(number: int) -> Any:
    field = OxmlElement("w:fldSimple")
    field.set(qn("w:instr"), f" NOTEREF {_bookmark(number)} \\f \\h ")
    text = OxmlElement("w:t")
    text.text = str(number)
    field.append(_run("FootnoteReference", text))
    return field


def _bookmark(number: int) -> str:
    return f"_RefNote{number}"


def _run(style: str, child: Any) -> Any:
    run = OxmlElement("w:r")
    run.append(_styled("w:rPr", "w:rStyle", style))
    run.append(child)
    return run


def _styled(properties: str, tag: str, style: str) -> Any:
    element, named = OxmlElement(properties), OxmlElement(tag)
    named.set(qn("w:val"), style)
    element.append(named)
    return element
