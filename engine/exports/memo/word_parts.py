"""Parts of a Word file: styles, paragraphs, notes, tables."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import Any

from docx.document import Document
from docx.enum.style import WD_STYLE_TYPE
from docx.opc.constants import CONTENT_TYPE, RELATIONSHIP_TYPE
from docx.opc.packuri import PackURI
from docx.opc.part import XmlPart
from docx.oxml import OxmlElement, parse_xml
from docx.oxml.ns import nsdecls, qn
from docx.shared import Mm, Pt, RGBColor

from engine.exports.cases import for_xml
from engine.exports.memo.content import OWN, Words
from engine.language.characters import marked, pieces, right_to_left

# Runs of text with language and direction, without hidden characters and characters invalid in XML.

_LANGUAGE = re.compile(r"[a-z]{2,3}(?:-[A-Za-z0-9]{2,8})*")
ENGLISH = "en-GB"
# Language of right-to-left text whose own is unknown (see word_look.py).
ARABIC = "ar"


def add_words(paragraph: Any, words: Words, style: str = "", *, strong: bool = False) -> None:
    """Append words to a paragraph as runs of one direction each, keeping line breaks."""
    language = ENGLISH if words.language == OWN else words.language
    for number, line in enumerate(marked(words.text).splitlines() or [""]):
        if number:
            run = OxmlElement("w:r")
            run.append(OxmlElement("w:br"))
            paragraph.append(run)
        for text, turned in _parts(line, whole=words.language != OWN):
            paragraph.append(_run(clean(text), language, style, turned=turned, strong=strong))


def turn(paragraph: Any) -> None:
    """Set a paragraph to right-to-left."""
    paragraph.get_or_add_pPr().insert_element_before(
        OxmlElement("w:bidi"),
        *("w:adjustRightInd", "w:snapToGrid", "w:spacing", "w:ind", "w:contextualSpacing"),
        *("w:mirrorIndents", "w:suppressOverlap", "w:jc", "w:textDirection", "w:textAlignment"),
        *("w:textboxTightWrap", "w:outlineLvl", "w:divId", "w:cnfStyle", "w:rPr", "w:sectPr", "w:pPrChange"),
    )


def turn_border(paragraph: Any, colour: str) -> None:
    """Move the border of a quote to its right side."""
    sides = f'<w:left w:val="nil"/><w:right w:val="single" w:sz="12" w:space="8" w:color="{colour}"/>'
    paragraph.get_or_add_pPr().insert_element_before(
        parse_xml(f"<w:pBdr {nsdecls('w')}>{sides}</w:pBdr>"),
        "w:shd",
        "w:tabs",
        "w:bidi",
        "w:spacing",
        "w:ind",
    )


def clean(text: str) -> str:
    """Return a line without characters invalid in XML."""
    return for_xml(" ".join(re.split("[\t\n\r]", text)))


def _parts(line: str, *, whole: bool) -> list[tuple[str, bool]]:
    """Return the pieces of a line; a right-to-left line is one piece, including numbers and signs."""
    return [(line, True)] if whole and right_to_left(line) else list(pieces(line))


def _run(text: str, language: str, style: str, *, turned: bool, strong: bool) -> Any:
    run, properties = OxmlElement("w:r"), OxmlElement("w:rPr")
    # Order required by the schema: style, weight, direction, language.
    if style:
        _add(properties, "w:rStyle", {"w:val": style})
    if strong:
        properties.append(OxmlElement("w:b"))
        properties.append(OxmlElement("w:bCs"))
    if turned:
        properties.append(OxmlElement("w:rtl"))
    known = language if _LANGUAGE.fullmatch(language) and language != "und" else ""
    if turned:
        _add(properties, "w:lang", {"w:bidi": ARABIC if known in ("", ENGLISH) else known})
    elif known:
        # The second attribute is for East Asian characters.
        _add(properties, "w:lang", {"w:val": known, "w:eastAsia": known})
    if len(properties):
        run.append(properties)
    element = OxmlElement("w:t")
    element.text = text
    element.set(qn("xml:space"), "preserve")
    run.append(element)
    return run


def _add(parent: Any, tag: str, attributes: dict[str, str]) -> None:
    element = OxmlElement(tag)
    for name, value in attributes.items():
        element.set(qn(name), value)
    parent.append(element)


# Look: A4, a serif for text and a sans for labels, named styles throughout.

SERIF, SANS = "Georgia", "Arial"
INK, SOFT, LINE, ACCENT = "1D1D1F", "6B6A66", "E4E1DA", "B3261E"
# Own styles by purpose.
LEAD, QUOTE, CITE, LABEL, WARNING, CELL, HEAD = (
    *("Memo Lead", "Memo Quote", "Memo Citation", "Memo Label", "Memo Warning", "Memo Cell", "Memo Head"),
)


def look(document: Document) -> None:
    """Set page, fonts and styles."""
    _page(document)
    _defaults(document)
    styles = document.styles
    _font(styles["Normal"], SERIF, 10.5, INK)
    _space(styles["Normal"], after=6, line=1.25)
    for name, size, before, after, colour in (
        ("Title", 16, 0, 5, INK),
        ("Heading 1", 12.5, 16, 5, INK),
        ("Heading 2", 10, 10, 3, SOFT),
    ):
        style = styles[name]
        _plain(style)
        _font(style, SERIF if name == "Title" else SANS, size, colour, bold=True)
        _space(style, before=before, after=after, line=1.15, keep=True)
    for name, font, size, colour, after in (
        (LEAD, SERIF, 9.5, SOFT, 5),
        (QUOTE, SERIF, 10.5, INK, 7),
        (CITE, SERIF, 9.5, INK, 3),
        (LABEL, SANS, 8, SOFT, 2),
        (WARNING, SANS, 9, ACCENT, 6),
        (CELL, SERIF, 8.5, INK, 0),
        (HEAD, SANS, 7.5, SOFT, 0),
    ):
        style = styles.add_style(name, WD_STYLE_TYPE.PARAGRAPH)
        style.base_style = styles["Normal"]
        _font(style, font, size, colour, bold=name in (WARNING, HEAD), italic=name == LEAD)
        _space(style, after=after, line=1.15 if size < 10 else 1.25)
    _bordered(styles[QUOTE], LINE)
    _bordered(styles[WARNING], ACCENT)
    _note_styles(document)
    for name in ("List Bullet", "List Bullet 2"):
        _space(styles[name], after=2, line=1.2)
        _font(styles[name], SERIF, 10, INK)


def _page(document: Document) -> None:
    section = document.sections[0]
    section.page_width, section.page_height = Mm(210), Mm(297)
    section.left_margin = section.right_margin = Mm(25)
    section.top_margin, section.bottom_margin = Mm(24), Mm(22)
    section.header_distance = section.footer_distance = Mm(11)


def _defaults(document: Document) -> None:
    """Set the default fonts and languages."""
    [properties] = document.styles.element.xpath("w:docDefaults/w:rPrDefault/w:rPr")
    for child in list(properties):
        properties.remove(child)
    for element in (
        f'<w:rFonts {nsdecls("w")} w:ascii="{SERIF}" w:hAnsi="{SERIF}" w:eastAsia="{SERIF}" '
        'w:cs="Times New Roman"/>',
        f'<w:sz {nsdecls("w")} w:val="21"/>',
        f'<w:szCs {nsdecls("w")} w:val="23"/>',
        f'<w:lang {nsdecls("w")} w:val="{ENGLISH}" w:eastAsia="zh-CN" w:bidi="{ARABIC}"/>',
    ):
        properties.append(parse_xml(element))


def _plain(style: Any) -> None:
    """Remove the borders and colours of a template style."""
    for tag in ("w:pBdr", "w:contextualSpacing"):
        for element in style.element.findall(f"w:pPr/{tag}", style.element.nsmap):
            element.getparent().remove(element)
    properties = style.element.find(qn("w:rPr"))
    if properties is not None:
        style.element.remove(properties)


def _font(
    style: Any, name: str, size: float, colour: str, *, bold: bool = False, italic: bool = False
) -> None:
    font = style.font
    font.name, font.size, font.color.rgb = name, Pt(size), RGBColor.from_string(colour)
    font.bold, font.italic = bold, italic
    # Arabic and Hebrew have their own font and size, upright, and the same weight.
    font.cs_bold = bold
    properties = style.element.get_or_add_rPr()
    fonts = properties.find(qn("w:rFonts"))
    fonts.set(qn("w:cs"), "Times New Roman" if name == SERIF else SANS)
    fonts.set(qn("w:eastAsia"), name)
    larger = OxmlElement("w:szCs")
    larger.set(qn("w:val"), str(round(2 * size * 1.1)))
    properties.insert_element_before(
        larger,
        *("w:highlight", "w:u", "w:effect", "w:bdr", "w:shd", "w:fitText", "w:vertAlign", "w:rtl", "w:cs"),
        *("w:em", "w:lang", "w:eastAsianLayout", "w:specVanish", "w:oMath"),
    )


def _space(style: Any, *, before: float = 0, after: float = 0, line: float = 1.2, keep: bool = False) -> None:
    form = style.paragraph_format
    form.space_before, form.space_after, form.line_spacing = Pt(before), Pt(after), line
    form.keep_with_next, form.widow_control = keep, True


def _bordered(style: Any, colour: str) -> None:
    """Set a border on the side where reading begins."""
    style.paragraph_format.left_indent = Mm(3)
    border = (
        f'<w:pBdr {nsdecls("w")}><w:left w:val="single" w:sz="12" w:space="8" w:color="{colour}"/></w:pBdr>'
    )
    style.element.get_or_add_pPr().insert_element_before(
        parse_xml(border),
        *("w:shd", "w:tabs", "w:suppressAutoHyphens", "w:bidi", "w:spacing", "w:ind", "w:jc"),
    )


def _note_styles(document: Document) -> None:
    styles = document.styles
    text = styles.add_style("footnote text", WD_STYLE_TYPE.PARAGRAPH, builtin=True)
    text.element.set(qn("w:styleId"), "FootnoteText")
    text.base_style = styles["Normal"]
    _font(text, SERIF, 8.5, INK)
    _space(text, after=2, line=1.1)
    number = styles.add_style("footnote reference", WD_STYLE_TYPE.CHARACTER, builtin=True)
    number.element.set(qn("w:styleId"), "FootnoteReference")
    number.font.superscript = True
    number.font.color.rgb = RGBColor.from_string(ACCENT)


# Footnotes. python-docx 1.2 does not support them. ECMA-376, part 1, 11.3.7 and 17.11: a part
# ``footnotes.xml`` with a separator, a continuation separator and an element per note; styles for text and
# number; the separators listed in the settings.

# Ids of the two separators.
_SEPARATORS = ((-1, "separator"), (0, "continuationSeparator"))
# Elements after the footnote properties in the settings (CT_Settings).
_BEHIND = (
    *("w:endnotePr", "w:compat", "w:docVars", "w:rsids", "m:mathPr", "w:attachedSchema", "w:themeFontLang"),
    *("w:clrSchemeMapping", "w:doNotIncludeSubdocsInStats", "w:shapeDefaults", "w:decimalSymbol"),
)


class Footnotes:
    """The footnotes of a document, each written once and referenced by number."""

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
        """Refer to a note from a paragraph.

        The first reference creates the note, whose paragraph ``write`` fills; further ones are fields with
        its number.
        """
        if number in self._known:
            paragraph.append(_repeated_reference(number))
            return
        self._known.add(number)
        for element in _first(number):
            paragraph.append(element)
        note = OxmlElement("w:footnote")
        note.set(qn("w:id"), str(number))
        own = OxmlElement("w:p")
        own.append(_styled("w:pPr", "w:pStyle", "FootnoteText"))
        own.append(_run_word_notes("FootnoteReference", OxmlElement("w:footnoteRef")))
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
    """Yield the reference within a bookmark for further references."""
    start, end = OxmlElement("w:bookmarkStart"), OxmlElement("w:bookmarkEnd")
    for mark in (start, end):
        mark.set(qn("w:id"), str(number))
    start.set(qn("w:name"), _bookmark(number))
    reference = OxmlElement("w:footnoteReference")
    reference.set(qn("w:id"), str(number))
    return start, _run_word_notes("FootnoteReference", reference), end


def _repeated_reference(number: int) -> Any:
    field = OxmlElement("w:fldSimple")
    field.set(qn("w:instr"), f" NOTEREF {_bookmark(number)} \\f \\h ")
    text = OxmlElement("w:t")
    text.text = str(number)
    field.append(_run_word_notes("FootnoteReference", text))
    return field


def _bookmark(number: int) -> str:
    return f"_RefNote{number}"


def _run_word_notes(style: str, child: Any) -> Any:
    run = OxmlElement("w:r")
    run.append(_styled("w:rPr", "w:rStyle", style))
    run.append(child)
    return run


def _styled(properties: str, tag: str, style: str) -> Any:
    element, named = OxmlElement(properties), OxmlElement(tag)
    named.set(qn("w:val"), style)
    element.append(named)
    return element


# Tables with thin lines between rows, and heads repeated on each page.


def add_table(
    document: Document,
    heads: Sequence[str],
    rows: Sequence[Sequence[Words]],
    widths: Sequence[float],
    *,
    labelled: bool = False,
) -> None:
    """Add a table; ``widths`` are in millimetres. ``labelled``: the first cell of a row is its label."""
    titles = [[Words(head) for head in heads]] if heads else []
    table = document.add_table(rows=len(titles) + len(rows), cols=len(widths))
    table.autofit = False
    # Word uses the grid, other programs the cells.
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
    # Word requires a paragraph between a table and the next.
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
