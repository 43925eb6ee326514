"""The text of Akoma Ntoso as headings and blocks: levels, numbered units, what stands beside the text."""

from __future__ import annotations

from datetime import date
from inspect import cleandoc

import pytest
from lxml import etree

from engine.ingestion.readers.akoma_body import Body, find_number, made_heading
from engine.ingestion.structure.assembly import HeadingBlock
from engine.model import SectionKind
from tests.tables import tuples

PERIODS = {"g1": (date(2001, 1, 1), date(2002, 2, 2))}
# Headings are told as "## slug [label] title @id" by their level, texts as "number> text @id {links}".
TABLE = tuples(__file__, "TABLE")


def told(xml: str) -> str:
    lines = []
    for block in Body("en", PERIODS).blocks(etree.fromstring(f"<act>{xml}</act>")):
        eid = f"@{block.eid}" if block.eid else ""
        if isinstance(block, HeadingBlock):
            heading = block.heading
            lines.append(f"{'#' * block.level} {heading.slug} [{heading.label}] {heading.title} {eid}")
        else:
            links = {block.text[link.start : link.end]: link.target for link in block.links}
            lines.append(f"{block.number}> {block.text.replace(chr(10), '/')} {eid} {links or ''}")
    return "\n".join(" ".join(line.split()) for line in lines)


def test_blocks(subtests: pytest.Subtests) -> None:
    for name, (xml, expected) in TABLE.items():
        with subtests.test(name):
            assert told(xml) == "\n".join(" ".join(line.split()) for line in cleandoc(expected).splitlines())


def test_numbers_and_headings(subtests: pytest.Subtests) -> None:
    for printed, number in (
        *(("§ 301.", "301"), ("(a)", "a"), ("Art. 1-bis.", "1-bis"), ("5 bis", "5bis"), ("Part IV", "IV")),
        *(("[12]", "12"), ("1º", "1"), ("12A", "12A"), ("Chapter", ""), ("", "")),
    ):
        with subtests.test(printed=printed):
            assert find_number(printed) == number
    for kind, printed, title, expected in (
        (SectionKind.CHAPTER, "Chapter 1 —", "Scope", ("1", "Scope", "Chapter 1", "chapter-1")),
        (SectionKind.ARTICLE, "5.", "Scope", ("5", "Scope", "Article 5", "art-5")),
        (SectionKind.SECTION, "§ 30.", "Scope", ("30", "Scope", "§ 30", "sec-30")),
        (SectionKind.HEADING, "I.", "Facts", ("I", "Facts", "I.", "i-facts")),
        (SectionKind.HEADING, "***", "", (None, "***", "***", "heading")),
        (SectionKind.ARTICLE, "Sole", "Scope", (None, "Sole Scope", "", "sole-scope")),
        (SectionKind.PREAMBLE, "", "Whereas", (None, "Whereas", "", "preamble")),
    ):
        with subtests.test(printed=printed):
            made = made_heading(kind, printed, title, "en")
            assert (made.kind, made.number, made.title, made.label, made.slug) == (kind, *expected)
