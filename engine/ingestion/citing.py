"""How a lawyer would cite a provision inside its document."""

from __future__ import annotations

import re

from engine.language.addresses import Address
from engine.language.designations import is_designation
from engine.languages import words
from engine.model import SectionKind

_ENGLISH = {kind: str(kind).capitalize() for kind in SectionKind} | {SectionKind.GUIDANCE: "Rule"}
_PLAIN = re.compile(r"[0-9A-Za-z]{1,5}\Z")


def cited_as(address: Address, language: str) -> str:
    """The citation of an address: "Rule 1.2.1(1)", "§ 14 Abs. 2", "المادة 5، الفقرة (2)"."""
    if address.number is None:
        return ""
    if is_designation(address.number):
        return address.number + below(address.paragraph, language)
    citing = words(language).citing
    if citing.whole:
        below_it = citing.whole_paragraph.format(paragraph=address.paragraph) if address.paragraph else ""
        return citing.whole.format(number=address.number) + below_it
    word = citing.words.get(address.kind) or _ENGLISH[address.kind]
    return f"{word} {address.number}{below(address.paragraph, language)}"


def below(paragraph: str | None, language: str, *, item: bool = False) -> str:
    """What stands below a provision's number: "(2)(a)", " Abs. 2 Nr. a", " ayat (2)", " Guidance 3".

    ``item`` says that the text prints "2." and not "(2)": " Nr. 2", " angka 2".
    """
    if not paragraph:
        return ""
    parts = paragraph.split("/")
    citing = words(language).citing
    if item and citing.item:
        return f" {citing.item} {parts[0]}"
    if citing.together:
        return citing.paragraph.format("/".join(parts))
    if citing.further:
        return citing.paragraph.format(parts[0]) + "".join(citing.further.format(part) for part in parts[1:])
    return citing.lead + "".join(
        f"({part})" if _PLAIN.match(part) and "Guidance" not in parts else f" {part}" for part in parts
    )
