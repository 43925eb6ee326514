"""Text in a Word file: runs with their language and direction, nothing hidden, nothing that XML forbids."""

from __future__ import annotations

import re
from typing import Any

from docx.oxml import OxmlElement, parse_xml
from docx.oxml.ns import nsdecls, qn

from engine.exports.memo.content import OWN, Words
from engine.exports.xml_text import for_xml
from engine.language.characters import marked, pieces, right_to_left

_LANGUAGE = re.compile(r"[a-z]{2,3}(?:-[A-Za-z0-9]{2,8})*")
ENGLISH = "en-GB"
# What the file says of all text from right to left whose own language is not known (word_look.py).
ARABIC = "ar"


def add_words(paragraph: Any, words: Words, style: str = "", *, strong: bool = False) -> None:
    """Append words to a paragraph in runs of one direction each; lines are broken where they are."""
    language = ENGLISH if words.language == OWN else words.language
    for number, line in enumerate(marked(words.text).splitlines() or [""]):
        if number:
            run = OxmlElement("w:r")
            run.append(OxmlElement("w:br"))
            paragraph.append(run)
        for text, turned in _parts(line, whole=words.language != OWN):
            paragraph.append(_run(clean(text), language, style, turned=turned, strong=strong))


def turn(paragraph: Any) -> None:
    """Set a paragraph from right to left."""
    paragraph.get_or_add_pPr().insert_element_before(
        OxmlElement("w:bidi"),
        *("w:adjustRightInd", "w:snapToGrid", "w:spacing", "w:ind", "w:contextualSpacing"),
        *("w:mirrorIndents", "w:suppressOverlap", "w:jc", "w:textDirection", "w:textAlignment"),
        *("w:textboxTightWrap", "w:outlineLvl", "w:divId", "w:cnfStyle", "w:rPr", "w:sectPr", "w:pPrChange"),
    )


def turn_border(paragraph: Any, colour: str) -> None:
    """Set the line of a quote along its right side."""
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
    """A line as XML can hold it."""
    return for_xml(" ".join(re.split("[\t\n\r]", text)))


def _parts(line: str, *, whole: bool) -> list[tuple[str, bool]]:
    """A line that runs from right to left is one piece, numbers and signs in it too."""
    return [(line, True)] if whole and right_to_left(line) else list(pieces(line))


def _run(text: str, language: str, style: str, *, turned: bool, strong: bool) -> Any:
    run, properties = OxmlElement("w:r"), OxmlElement("w:rPr")
    # In the order of the schema: style, weight, direction, language.
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
        # The second is that of East Asian characters.
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
