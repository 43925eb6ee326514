"""The text of Akoma Ntoso as headings and blocks: levels, numbered units, what stands beside the text."""

from __future__ import annotations

from datetime import date
from inspect import cleandoc

import pytest
from lxml import etree

from engine.ingestion.readers.akoma_body import Body, find_number, made_heading
from engine.ingestion.structure.assembly import HeadingBlock
from engine.model import SectionKind

PERIODS = {"g1": (date(2001, 1, 1), date(2002, 2, 2))}
# Headings are told as "## slug [label] title @id" by their level, texts as "number> text @id {links}".
TABLE = {
    "a title page is one block, and a cover repeats it": (
        """<coverPage><p>Cover</p></coverPage><preface><p>Act 7</p><p>of <ref href='#x'>2009</ref>
        <rref from='#y' upto='#z'>all</rref> <ref>none</ref></p></preface>""",
        """> Act 7/of 2009 all none {'2009': '#x', 'all': '#y'}""",
    ),
    "a cover alone is read": ("<coverPage><p>Cover</p></coverPage>", "> Cover"),
    "parts without a heading are named": (
        """<preamble><formula><p>We,</p></formula><p>Whereas</p><formula><p>Enact</p></formula></preamble>
        <conclusions><p>Signed</p></conclusions><judgmentBody><background><p>Facts</p></background>
        </judgmentBody>
        """,
        """# preamble [] Preamble
        > We,
        > Whereas
        ## enacting-formula [] Enacting formula
        > Enact
        # conclusions [] Conclusions
        > Signed
        # background [] Background
        > Facts""",
    ),
    "levels go inwards, paragraphs carry their numbers": (
        """<body><part eId='p'><num>Part I</num><heading>General <note>n</note></heading><subheading>— Rules
        </subheading><article id='a'><num>1</num><paragraph eId='a1'><num>1</num><intro><p>Of:</p></intro>
        <point
        eId='aa'><num>(a)</num><p>one;</p></point><point><num>b</num><content wId='w'><p>two.</p></content>
        </point>
        </paragraph><alinea><p>more</p></alinea><point><num>3</num><p>third</p></point><point><num>c</num>
        <p>4th</p>
        </point></article></part><part><num>II</num></part></body>""",
        """# part-i [Part I] General — Rules @p
        ## art-1 [Article 1]  @a
        1> (1) Of: @a1
        > (a) one; @aa
        > (b) two. @w
        > more
        3> (3) third
        > (c) 4th
        # part-ii [Part II]""",
    ),
    "a paragraph with a heading, and what an editor added in its words": (
        """<section><num>§ 2.</num><subsection eId='s'><num>1</num><heading>Head <ref href='#q'>q</ref>
        </heading>
        <p>words <remark>[Added]</remark><eol/>more <ins status='editorial'>by X</ins></p></subsection>
        </section>""",
        """# sec-2 [§ 2]
        1> (1) Head q @s {'q': '#q'}
        > words [Added] more [by X] @s""",
    ),
    "units inside of what is no unit": (
        """<article><num>2</num><subsection eId='s'><num>4.</num><list><wrap eId='w'>
        <p>text <ref href='#q'>q</ref>
        </p></wrap></list></subsection><paragraph>bare <b>words</b></paragraph></article>""",
        """# art-2 [Article 2]
        4> 4. text q @w {'q': '#q'}
        > bare words""",
    ),
    "attachments by their title, tables by rows, speeches by who speaks": (
        """<attachment><doc><preface><docTitle>Tariff</docTitle></preface></doc></attachment><attachment>
        <p>x</p>
        </attachment><hcontainer name='schedule'><heading>Forms</heading><table><tr><th>A</th>
        <td>B <note>x</note>
        </td></tr><tr><td/></tr></table></hcontainer><speech><from>Mr. A:</from><p>Hear</p></speech>""",
        """# tariff [] Tariff
        > Tariff
        # annex [] Annex
        > x
        # forms [] Forms
        > | A | B |
        # mr-a [] Mr. A
        > Hear""",
    ),
    "what an editor added is no provision": (
        """<body><article status='editorial'><num>9</num><p>x</p></article><toc><p>y</p></toc><article>
        <num>1</num>
        <paragraph><num>1</num><p status='editorial'>z</p><note><p>n</p></note><p>said</p></paragraph>
        </article>
        </body>""",
        """# art-1 [Article 1]
        1> (1) said""",
    ),
}


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
