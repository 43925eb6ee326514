"""How the Word file looks: A4, a calm serif for text and a sans for labels, real styles for all of it."""

from __future__ import annotations

from typing import Any

from docx.document import Document
from docx.enum.style import WD_STYLE_TYPE
from docx.oxml import OxmlElement, parse_xml
from docx.oxml.ns import nsdecls, qn
from docx.shared import Mm, Pt, RGBColor

from engine.exports.memo.word_text import ARABIC, ENGLISH

SERIF, SANS = "Georgia", "Arial"
INK, SOFT, LINE, ACCENT = "1D1D1F", "6B6A66", "E4E1DA", "B3261E"
# Styles of our own, by what they are for.
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
    """Fonts and languages of everything that says no other."""
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
    """Take away lines and colours that the template gives a style."""
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
    # Arabic and Hebrew: their own font and size, upright, as bold as the rest.
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
    """A line along the side at which reading begins."""
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
