from __future__ import annotations

from collections.abc import Sequence
from datetime import date

import pytest

from engine.language.references import Resolver
from engine.model import Document, Passage, Reference, Relation, Section, Status, TargetKind
from engine.model import SectionKind as K
from tests.tables import pairs

COBS = Document("cobs", "COBS", "en", aliases=("COBS", "COBS Rulebook"))
FSMR = Document("fsmr", "FSMR", "en", aliases=("FSMR",))
GUIDE = Document("guide", "Guidance - Disclosure for Mining Entities", "en")


def passage(
    passage_id: str,
    text: str = "Text.",
    *,
    number: str | None = None,
    paragraph: str | None = None,
    section: str | None = None,
    kind: K = K.RULE,
    language: str = "en",
    valid: tuple[date | None, date | None] = (None, None),
) -> Passage:
    document = passage_id.split("/")[0]
    return Passage(
        passage_id,
        document,
        section,
        0,
        text,
        language,
        kind,
        number,
        paragraph,
        valid_from=valid[0],
        valid_to=valid[1],
    )


def section(
    section_id: str, kind: K, number: str | None, first: int, stop: int, parent: str | None = None
) -> Section:
    return Section(section_id, section_id.split("/")[0], parent, kind, number, "", first, stop)


CHAPTERS = [
    section("cobs/3", K.CHAPTER, "3", 0, 6),
    section("cobs/3.4", K.SECTION, "3.4", 0, 6, "cobs/3"),
    section("cobs/3.4.2", K.RULE, "3.4.2", 1, 4, "cobs/3.4"),
    section("fsmr/p4", K.PART, "4", 0, 3),
    section("fsmr/58", K.SECTION, "58", 0, 2, "fsmr/p4"),
    section("fsmr/s1", K.SCHEDULE, "1", 3, 4),
    section("fsmr/s2", K.SCHEDULE, "2", 4, 5),
]
PROVISIONS = [
    passage("cobs/h", "Heading", number="3.4", section="cobs/3.4", kind=K.SECTION),
    passage("cobs/a", number="3.4.2", paragraph="1", section="cobs/3.4.2"),
    passage("cobs/b", number="3.4.2", paragraph="2/a", section="cobs/3.4.2"),
    passage("cobs/c", number="3.4.2", paragraph="3", section="cobs/3.4.2"),
    passage("cobs/d", number="3.4.3", section="cobs/3.4"),
    passage("cobs/g", number="3.4.3", paragraph="Guidance/1", section="cobs/3.4", kind=K.GUIDANCE),
    passage("fsmr/a", number="58", paragraph="1", section="fsmr/58", kind=K.SECTION),
    passage("fsmr/b", number="58", paragraph="2", section="fsmr/58", kind=K.SECTION),
    passage("fsmr/c", number="59", section="fsmr/p4", kind=K.SECTION),
    passage("fsmr/d", number="5", section="fsmr/s1", kind=K.PARAGRAPH),
    passage("fsmr/e", number="5", section="fsmr/s2", kind=K.PARAGRAPH),
]


def resolve(
    text: str,
    *,
    document: Document = COBS,
    documents: Sequence[Document] = (COBS, FSMR, GUIDE),
    sections: Sequence[Section] = tuple(CHAPTERS),
    others: Sequence[Passage] = tuple(PROVISIONS),
    source: Passage | None = None,
) -> list[Reference]:
    """The references of one more passage, last in its document or in the place of the one it replaces."""
    citing = source or passage(f"{document.id}/citing", text, language=document.language)
    rows = [citing if one.id == citing.id else one for one in others]
    if citing not in rows:
        rows.append(citing)
    # Passages of a document are consecutive rows.
    order = [one.id for one in documents]
    rows.sort(key=lambda one: order.index(one.document_id))
    return Resolver(documents, sections, rows).references(citing)


def aims(found: Sequence[Reference]) -> list[tuple[str, str | None]]:
    return [(reference.text, reference.target_id) for reference in found]


@pytest.mark.parametrize(
    ("text", "expected"),
    pairs(__file__, "test_resolved"),
)
def test_resolved(text: str, expected: list[tuple[str, str]]) -> None:
    found = resolve(text)
    assert aims(found) == expected
    assert {reference.status for reference in found} == {Status.RESOLVED}


@pytest.mark.parametrize(
    ("text", "status", "candidates"),
    [
        ("paragraph 5 of FSMR", Status.AMBIGUOUS, ("fsmr/d", "fsmr/e")),
        ("section 9 of the Insolvency Act 1999", Status.UNRESOLVED, ()),
        ("section 99 of FSMR", Status.UNRESOLVED, ()),
        ("the Insolvency Act 1999 applies", Status.UNRESOLVED, ()),
    ],
)
def test_not_resolved(text: str, status: Status, candidates: tuple[str, ...]) -> None:
    (reference,) = resolve(text)
    assert (reference.status, reference.candidates, reference.target_id) == (status, candidates, None)


@pytest.mark.parametrize(
    "text", ["version 9.8.7 of the tool", "USD 500 in all", "the Recognition Order", "no reference"]
)
def test_nothing_to_report(text: str) -> None:
    assert resolve(text) == []


def test_another_document_by_its_full_name() -> None:
    documents = (
        COBS,
        Document("act", "Commercial Register Act 2004", "en", aliases=("Commercial Register Act",)),
    )
    (reference,) = resolve(
        "as the Commercial Register Act 2004 says", documents=documents, sections=(), others=()
    )
    assert (reference.target_kind, reference.target_id) == (TargetKind.DOCUMENT, "act")


def test_a_self_reference_is_none() -> None:
    source = passage("cobs/d", "This Rule 3.4.3 applies.", number="3.4.3", section="cobs/3.4")
    assert resolve("", source=source) == []


def test_a_relative_paragraph_is_a_sibling() -> None:
    source = passage(
        "cobs/c",
        "Subject to paragraph (1), but not (9).",
        number="3.4.2",
        paragraph="3",
        section="cobs/3.4.2",
    )
    assert aims(resolve("", source=source)) == [("paragraph (1)", "cobs/a")]


def test_a_schedule_means_its_own_paragraphs() -> None:
    source = passage("fsmr/x", "See paragraph 5.", number="6", section="fsmr/s2", kind=K.PARAGRAPH)
    sections = [one for one in CHAPTERS if one.id != "fsmr/s2"] + [section("fsmr/s2", K.SCHEDULE, "2", 4, 6)]
    assert aims(resolve("", document=FSMR, source=source, sections=sections)) == [("paragraph 5", "fsmr/e")]


def test_a_paragraph_in_a_text_of_articles_is_its_own() -> None:
    act = Document("act", "Data Act", "en")
    others = [
        passage("act/rec", number="1", kind=K.RECITAL),
        passage("act/5/1", number="5", paragraph="1", kind=K.ARTICLE),
    ]
    source = passage(
        "act/5/2",
        "By derogation from paragraph 1 of this Article.",
        number="5",
        paragraph="2",
        kind=K.ARTICLE,
    )
    found = resolve("", document=act, documents=(act,), sections=(), others=others, source=source)
    assert aims(found) == [("paragraph 1", "act/5/1")]
    assert found[0].relation is Relation.EXCEPTION_TO


def test_a_translated_excerpt_falls_back_to_its_original() -> None:
    documents = (
        Document("act", "Register Act", "en"),
        Document("act-id", "Undang-Undang Daftar Niaga", "id", metadata={"translation_of": "act"}),
        Document("own", "Undang-Undang Keagenan", "id"),
    )
    others = [
        passage("act/21", number="21", kind=K.ARTICLE),
        passage("act/31", number="31", kind=K.ARTICLE),
        passage("act/40", number="40", kind=K.ARTICLE),
        passage("act/40~2", number="40", kind=K.ARTICLE),
        passage("act-id/31", number="31", kind=K.ARTICLE, language="id"),
        passage("own/21", number="21", kind=K.ARTICLE, language="id"),
    ]
    others.insert(3, passage("act/x", number="39a", kind=K.ARTICLE))
    text = (
        "Pasal 31 Undang-Undang Daftar Niaga; Pasal 21 Undang-Undang Daftar Niaga;"
        " Pasal 40 Undang-Undang Daftar Niaga; Pasal 99 Undang-Undang Daftar Niaga"
    )
    found = resolve(text, document=documents[2], documents=documents, sections=(), others=others)
    assert [reference.target_id for reference in found] == ["act-id/31", "act/21", None, None]
    assert found[1].confidence < found[0].confidence


def test_a_list_that_may_run_on_is_ambiguous() -> None:
    here = passage("de1/a", number="7", kind=K.SECTION, language="de")
    there = [passage(f"de2/{number}", number=number, kind=K.SECTION, language="de") for number in ("7", "9")]
    documents = (Document("de1", "Handelsgesetz", "de"), Document("de2", "Aktiengesetz", "de"))
    found = resolve(
        "nach § 7 und § 9 des Aktiengesetzes",
        document=documents[0],
        documents=documents,
        sections=(),
        others=[here, *there],
    )
    assert [reference.status for reference in found] == [Status.AMBIGUOUS, Status.RESOLVED]
    assert found[0].candidates == ("de1/a", "de2/7")


VERSIONS = [
    passage("cobs/old", number="7.1", valid=(date(2010, 1, 1), date(2014, 12, 31))),
    passage("cobs/new", number="7.1", valid=(date(2015, 1, 1), None)),
]


@pytest.mark.parametrize(
    ("valid", "status", "target"),
    [
        ((date(2012, 1, 1), date(2013, 1, 1)), Status.RESOLVED, "cobs/old"),
        ((date(2016, 1, 1), None), Status.RESOLVED, "cobs/new"),
        # in force through both: what it says now is the later version
        ((date(2011, 1, 1), None), Status.RESOLVED, "cobs/new"),
        ((None, None), Status.AMBIGUOUS, None),
    ],
)
def test_versions(valid: tuple[date | None, date | None], status: Status, target: str | None) -> None:
    source = passage("cobs/citing", "See Rule 7.1.", valid=valid)
    (reference,) = resolve("", source=source, others=VERSIONS, sections=())
    assert (reference.status, reference.target_id) == (status, target)


def test_a_chapter_printed_in_pieces_is_one_chapter() -> None:
    sections = [section("cobs/4", K.CHAPTER, "4", 0, 1), section("cobs/4~2", K.CHAPTER, "4", 2, 3)]
    others = [
        passage("cobs/a", number="4.1", section="cobs/4", kind=K.SECTION),
        passage("cobs/b", number="5.1", kind=K.SECTION),
        passage("cobs/c", number="4.2", section="cobs/4~2", kind=K.SECTION),
    ]
    assert aims(resolve("See Chapter 4.", sections=sections, others=others)) == [("Chapter 4", "cobs/a")]
