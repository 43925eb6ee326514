"""How a lawyer would cite a provision inside its document."""

from __future__ import annotations

import re

from engine.language.addresses import Address
from engine.model import SectionKind

_ENGLISH = {kind: str(kind).capitalize() for kind in SectionKind} | {SectionKind.GUIDANCE: "Rule"}
_WORDS: dict[str, dict[SectionKind, str]] = {
    "de": {
        SectionKind.SECTION: "§",
        SectionKind.ARTICLE: "Art.",
        SectionKind.ANNEX: "Anlage",
        SectionKind.RECITAL: "Erwägungsgrund",
    },
    "ar": {SectionKind.ARTICLE: "المادة", SectionKind.ANNEX: "الملحق", SectionKind.CHAPTER: "الفصل"},
    "id": {SectionKind.ARTICLE: "Pasal", SectionKind.ANNEX: "Lampiran", SectionKind.CHAPTER: "BAB"},
    "fr": {SectionKind.ARTICLE: "Article", SectionKind.ANNEX: "Annexe", SectionKind.RECITAL: "Considérant"},
}
# What an item of a list is called, where it is not called as a paragraph is.
_ITEMS = {"de": "Nr.", "id": "angka"}
_PLAIN = re.compile(r"[0-9A-Za-z]{1,5}\Z")


def cited_as(address: Address, language: str) -> str:
    """The citation of an address: "Rule 1.2.1(1)", "§ 14 Abs. 2", "المادة 5، الفقرة (2)"."""
    if address.number is None:
        return ""
    word = _WORDS.get(language, {}).get(address.kind) or _ENGLISH[address.kind]
    if language == "zh":
        return f"第{address.number}条" + (f"第{address.paragraph}款" if address.paragraph else "")
    return f"{word} {address.number}{below(address.paragraph, language)}"


def below(paragraph: str | None, language: str, *, item: bool = False) -> str:
    """What stands below a provision's number: "(2)(a)", " Abs. 2 Nr. a", " ayat (2)", " Guidance 3".

    ``item`` says that the text prints "2." and not "(2)": " Nr. 2", " angka 2".
    """
    if not paragraph:
        return ""
    parts = paragraph.split("/")
    if item and language in _ITEMS:
        return f" {_ITEMS[language]} {parts[0]}"
    if language == "de":
        return f" Abs. {parts[0]}" + "".join(f" Nr. {part}" for part in parts[1:])
    if language == "ar":
        return f"، الفقرة ({'/'.join(parts)})"
    lead = " ayat " if language == "id" else ""
    return lead + "".join(
        f"({part})" if _PLAIN.match(part) and "Guidance" not in parts else f" {part}" for part in parts
    )
