"""Akoma Ntoso: identity, hierarchy, periods, quoted structures, speeches, links."""

from __future__ import annotations

from datetime import date
from pathlib import Path

import pytest

from engine.ingestion.readers.akoma import AkomaReader
from engine.ingestion.readers.base import Problem, ReadDocument, SourceFile
from tests.tables import table

META: str = table(__file__, "META")
ACT = f"""<?xml version="1.0"?>
<akomaNtoso xmlns="http://docs.oasis-open.org/legaldocml/ns/akn/3.0"><act name="act">{META}
<preface><p><docTitle>National Forests Act</docTitle></p><p>No. <docNumber>84</docNumber></p></preface>
<preamble><recitals><recital eId="rec_1"><num>(1)</num><p>Everyone has rights.</p></recital></recitals>
<formula name="enacting"><p>Be it enacted.</p></formula></preamble>
<body><chapter eId="chp_1"><num>Chapter 1</num><heading>Introduction</heading>
<section eId="sec_1" period="#tg1"><num>1.</num><heading>Purposes</heading>
<content><p>The old purposes.<authorialNote><p>A note.</p></authorialNote></p></content></section>
<section eId="sec_2" period="#tg2"><num>2.</num><heading>Interpretation</heading>
<subsection eId="sec_2__subsec_1"><num>1</num><intro><p>In this Act, see <ref href="#sec_3">section 3</ref>
and <ref href="/akn/za/act/1996/108#sec_24">the Constitution</ref>&#8212;</p></intro>
<paragraph eId="sec_2__subsec_1__para_a"><num>a</num><content><p>forest means trees;</p></content></paragraph>
<paragraph eId="sec_2__subsec_1__para_b"><num>b</num><content><p>tree means a plant.</p></content></paragraph>
</subsection>
<subsection eId="sec_2__subsec_2"><num>2</num><content><p>Words have their meanings.</p></content>
</subsection>
</section>
<section eId="sec_3"><num>3.</num><heading>Amendment</heading><content>
<p>Section 5 of that Act is replaced by:<mod><quotedStructure><section eId="q5"><num>5.</num>
<heading>New</heading><subsection><num>(1)</num><content><p>First.</p></content></subsection>
<subsection><num>(2)</num><content><p>Second.</p></content></subsection></section></quotedStructure></mod></p>
</content></section>
<section eId="sec_4" status="editorial"><content><p>An editor's page.</p></content></section>
</chapter></body>
<conclusions><p>Signed in Pretoria.</p></conclusions></act></akomaNtoso>"""


def read(folder: Path, text: str, name: str = "act.xml") -> list[ReadDocument | Problem]:
    path = folder / name
    path.write_text(text, encoding="utf-8")
    source = SourceFile(path)
    assert AkomaReader().accepts(path, path.read_bytes()[:4096])
    return list(AkomaReader().read(source))


@pytest.fixture
def act(tmp_path: Path) -> ReadDocument:
    (found,) = read(tmp_path, ACT)
    assert isinstance(found, ReadDocument)
    return found


def test_the_identity_of_an_act(act: ReadDocument) -> None:
    document = act.document
    assert document.id == "za-act-1998-84-en@2006-01-01"
    assert (document.title, document.type, document.number) == ("National Forests Act", "Act", "84")
    assert (document.year, document.language, document.version) == (1998, "en", "2006-01-01")
    assert document.issuer == "Parliament of South Africa"
    # The repeal is the first day on which the act no longer holds.
    assert (document.valid_from, document.valid_to) == (date(1999, 4, 1), date(2010, 6, 30))
    assert document.status == "repealed"
    assert "/akn/za/act/1998/84" in document.aliases


def test_hierarchy_paragraphs_and_ids_of_elements(act: ReadDocument) -> None:
    base = act.document.id
    assert [(s.kind.value, s.number, s.title) for s in act.sections] == [
        ("preamble", None, "Preamble"),
        ("heading", None, "Enacting formula"),
        ("chapter", "1", "Introduction"),
        ("section", "1", "Purposes"),
        ("section", "2", "Interpretation"),
        ("section", "3", "Amendment"),
        ("heading", None, "Conclusions"),
    ]
    passages = {passage.id.removeprefix(base): passage for passage in act.passages}
    first = passages["/section-2/para-1"]
    assert first.text.endswith("(a) forest means trees;\n\n(b) tree means a plant.")
    assert (first.label, first.metadata["eId"]) == ("Section 2(1)", "sec_2__subsec_1")
    assert passages["/section-2/para-2"].text == "(2) Words have their meanings."
    assert passages["/preamble/recital-1"].text == "(1) Everyone has rights."
    assert passages["/section-1"].text == "The old purposes."
    assert not any("editor" in passage.text for passage in act.passages)


def test_what_an_amendment_quotes_is_no_section_of_the_act(act: ReadDocument) -> None:
    (quoting,) = (passage for passage in act.passages if passage.number == "3")
    assert quoting.text.splitlines() == [
        "Section 5 of that Act is replaced by:", "5. New", "(1) First.", "(2) Second.",
    ]  # fmt: skip


def test_periods_of_provisions(act: ReadDocument) -> None:
    valid = {passage.number: (passage.valid_from, passage.valid_to) for passage in act.passages}
    assert valid["1"] == (date(1999, 4, 1), date(2005, 12, 31))
    assert valid["2"] == (date(2006, 1, 1), None)
    assert valid["3"] == (None, None)


def test_links_are_handed_on_with_their_words(act: ReadDocument) -> None:
    texts = {passage.id: passage.text for passage in act.passages}
    assert [(link.text, link.target) for link in act.stated] == [
        ("section 3", "#sec_3"),
        ("the Constitution", "/akn/za/act/1996/108#sec_24"),
    ]
    for link in act.stated:
        assert texts[link.source_id][link.span.start : link.span.end] == link.text


def test_speeches_and_components(tmp_path: Path) -> None:
    found = read(
        tmp_path,
        "<akomaNtoso><documentCollection name='c'><collectionBody/></documentCollection><components>"
        "<component eId='c1'><debate name='d'><debateBody><debateSection eId='s1'><heading>Motions</heading>"
        "<speech by='#a'><from>Mr. Alfa:</from><p>I beg to move.</p></speech></debateSection>"
        "</debateBody></debate></component><component eId='c2'><judgment><judgmentBody><background>"
        "<blockList>"
        "<item><num>[1]</num><p>The appellant lost.</p></item><item><num>[2]</num><p>He appealed.</p></item>"
        "</blockList></background></judgmentBody></judgment></component></components></akomaNtoso>",
    )
    debate, judgment = (item for item in found if isinstance(item, ReadDocument))
    assert len(found) == 2
    assert [passage.headings for passage in debate.passages] == [("Motions", "Mr. Alfa")]
    assert [(p.paragraph, p.text) for p in judgment.passages] == [
        ("1", "[1] The appellant lost."),
        ("2", "[2] He appealed."),
    ]


def component(of: str, title: str) -> str:
    uri = f"<meta><identification><FRBRWork><FRBRuri value='{of}'/></FRBRWork></identification></meta>"
    body = "<mainBody><p>Words of a text in English.</p></mainBody>"
    return f"<component><doc>{uri}{title}{body}</doc></component>"


def test_ids_and_titles(tmp_path: Path) -> None:
    parts = (
        component("/akn/za/act/1998/84/!main", "<preface><docTitle>Act</docTitle></preface>"),
        component(
            "http://law.example/akn/za/act/1998/84", "<toc><heading> </heading><heading>Of 84</heading></toc>"
        ),
        component("/id/za/act/1998/84", f"<preface><p>{'Preface ' * 20}</p></preface>"),
        component("", ""),
    )
    found = read(
        tmp_path, f"<akomaNtoso><components>{''.join(parts)}</components></akomaNtoso>", "act-7.v2.xml"
    )
    assert [(one.document.id, one.document.title) for one in found if isinstance(one, ReadDocument)] == [
        ("za-act-1998-84-en", "Act"),
        ("za-act-1998-84-en~2", "Of 84"),
        ("za-act-1998-84-en~3", ("Preface " * 20)[:120]),
        # Nothing but the file names it.
        ("act-7-en", "act-7.v2"),
    ]


def test_a_file_that_cannot_be_used_says_why(tmp_path: Path, subtests: pytest.Subtests) -> None:
    for text, reason, line in (
        ("<akomaNtoso><act>", "not well-formed", 1),
        ("<akomaNtoso/>", "holds none of the documents", None),
        ("<akomaNtoso>\n<act><body/></act></akomaNtoso>", "the act has no text", 2),
        ("<x><akomaNtoso><act/></akomaNtoso></x>", "its root is <x>", None),
    ):
        with subtests.test(text):
            (problem,) = read(tmp_path, text + " ")
            assert isinstance(problem, Problem)
            assert (reason in problem.reason, problem.line) == (True, line)
