"""What a document of Akoma Ntoso says of itself: identity, life, periods, names."""

from __future__ import annotations

from datetime import date

import pytest
from lxml import etree

from engine.ingestion.readers.akoma import Identity, read_identity

WORK = (
    "<FRBRthis value='/akn/it/act/5/!main'/><FRBRuri value='/akn/it/act/5'/><FRBRalias value=' Codice '/>"
    "<FRBRalias value=''/><FRBRdate date='2009-04-06T00:00:00'/><FRBRcountry value='IT'/>"
    "<FRBRsubtype value='code'/>"
)
EXPRESSION = "<FRBRuri value='/akn/it/act/5/ita'/><FRBRdate date='{}'/><FRBRlanguage language='{}'/>"


def identity(
    *, work: str = "", expression: str = "", meta: str = "", rest: str = "", start: str = "act name='decree'"
) -> Identity:
    own = f"<FRBRWork>{work}</FRBRWork><FRBRExpression>{expression}</FRBRExpression>"
    xml = f"<{start}><meta><identification>{own}</identification>{meta}</meta>{rest}</{start.split()[0]}>"
    return read_identity(etree.fromstring(xml))


def test_the_identity_of_a_work_and_of_its_version(subtests: pytest.Subtests) -> None:
    found = identity(work=WORK, expression=EXPRESSION.format("2012-01-01", "ita"))
    assert (found.work, found.expression, found.language) == ("/akn/it/act/5", "/akn/it/act/5/ita", "it")
    assert (found.enacted, found.version, found.type) == (date(2009, 4, 6), "2012-01-01", "Act")
    assert found.names == ("Codice", "/akn/it/act/5")
    assert " ".join(f"{name}={value}" for name, value in found.metadata.items()) == (
        "uri=/akn/it/act/5/ita work=/akn/it/act/5 country=it name=decree subtype=code created=2009-04-06 "
        "modified=2012-01-01"
    )
    for day, number, version in (
        *(("2009-04-06", "", None), ("2008-01-01", "", None), ("", "", None)),
        ("2008-01-01", "<FRBRversionNumber value='3'/>", "3"),
    ):
        with subtests.test(day=day, number=number):
            assert identity(work=WORK, expression=EXPRESSION.format(day, "x") + number).version == version
    without = identity(work="<FRBRthis value='/w'/>", expression="<FRBRthis value='/e'/>", start="memo")
    assert (without.work, without.expression, without.type) == ("/w", "/e", "Memo")
    assert (without.language, without.enacted, without.number, without.metadata) == (None, None, None, {})
    # A version without a day of its work is no later one; a document without metadata is one too.
    assert identity(expression=EXPRESSION.format("2012-01-01", "")).version is None
    bare = read_identity(etree.fromstring("<judgement/>"))
    assert (bare.type, bare.work, bare.issuer, bare.periods, bare.names) == ("Judgment", "", None, {}, ())


def test_titles_numbers_and_other_names(subtests: pytest.Subtests) -> None:
    quoted = "<body><quotedStructure><p><shortTitle>Other Act</shortTitle></p></quotedStructure></body>"
    whole = "<preface><p><docTitle>An Act</docTitle> <docTitle>to <b>do</b></docTitle></p></preface>"
    for rest, title in (
        (f"{whole}{quoted}", "An Act to do"),
        (f"{whole}{quoted}<body><p><shortTitle>Own Act</shortTitle></p></body>", "Own Act"),
        (f"{whole}<body><p><shortTitle/></p></body>", "An Act to do"),
        (
            "<coverPage><longTitle>Long</longTitle></coverPage><preface><docTitle>T</docTitle></preface>",
            "Long",
        ),
        ("<conclusions><docTitle> </docTitle></conclusions><body><docTitle>x</docTitle></body>", None),
    ):
        with subtests.test(rest):
            assert identity(rest=rest).title == title
    preface = (
        "<preface><docNumber>No. 7</docNumber><neutralCitation>[2020] UKSC 1</neutralCitation>{}</preface>"
    )
    found = identity(rest=preface.format("<shortTitle>AB</shortTitle><docTitle>Act</docTitle>"))
    assert (found.number, found.names) == ("No. 7", ("[2020] UKSC 1", "Act"))
    assert identity(rest=preface.format(""), work="<FRBRnumber value='9'/>").number == "9"
    assert identity(rest=preface.format(f"<docTitle>{'x' * 121}</docTitle>")).names == ("[2020] UKSC 1",)
    part = "<FRBRuri value='/w'/>"
    assert identity(work=part, start="portion includedIn='/whole'").names == ("/w", "/whole")
    assert identity(work=part, start="portion includedIn='/w'").names == ("/w",)


def test_who_made_it(subtests: pytest.Subtests) -> None:
    known = (
        "<references><TLCPerson eId='pm' showAs='Prime  Minister'/><TLCRole id='eu' showAs=''/></references>"
    )
    for authors, issuer in (
        (
            "<FRBRauthor href='#x-editing' as='#editor'/><FRBRauthor href='#pm' as='#author'/>",
            "Prime Minister",
        ),
        ("<FRBRauthor/><FRBRauthor href='#eu'/><FRBRauthor href='/ontology/cityCouncil'/>", "city Council"),
        ("<FRBRauthor href='#national-assembly_house'/>", "national assembly house"),
        ("<FRBRauthor href='#ecjc'/>", None),
        ("<FRBRauthor href='#ecjcs'/>", "ecjcs"),
    ):
        with subtests.test(authors):
            assert identity(work=authors, meta=known).issuer == issuer


def test_the_life_of_an_act_and_of_its_provisions() -> None:
    found = identity(
        meta="""<publication date='1999-01-02'/><classification><keyword showAs='Forests'/>
        <keyword value='w'/>
        <keyword/></classification><lifecycle>
        <eventRef eId='e1' date='1999-04-01' refersTo='#inForce'/><eventRef id='e2' date='1999-02-01T00:00'
        refersTo='#entry-into-vigore'/><eventRef eId='e3' date='soon'/>
        <eventRef eId='e4' date='2010-07-01' type='repeal'/>
        <eventRef eId='e5' date='2009-01-01' type='expiry'/><eventRef eId='e6' date='1990-01-01'/></lifecycle>
        <temporalData><temporalGroup eId='a'><timeInterval start='#e6'/><timeInterval start='#e2' end='#e5'
        refersTo='#inForce'/></temporalGroup><temporalGroup id='b'><timeInterval start='#e3' end='#e9'/>
        </temporalGroup>
        <temporalGroup eId='c'/><temporalGroup eId='d'><timeInterval start='#e1'/></temporalGroup>
        </temporalData>"""
    )
    assert (found.valid_from, found.valid_to) == (date(1999, 2, 1), date(2010, 6, 30))
    assert [" ".join((name, *map(str, period))) for name, period in found.periods.items()] == [
        *("a 1999-02-01 2008-12-31", "b None None", "c None None", "d 1999-04-01 None")
    ]
    assert found.metadata == {"name": "decree", "published": "1999-01-02", "keywords": ["Forests", "w"]}
