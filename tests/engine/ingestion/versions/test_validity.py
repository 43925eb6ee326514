"""Dates that a document's own clauses give it, and what ends it from outside."""

from __future__ import annotations

from dataclasses import replace
from datetime import date

import pytest

from engine.ingestion.readers.base import ReadDocument
from engine.ingestion.versions.validity import (
    EndingReference,
    date_document,
    ending_clauses,
    find_named_provisions,
    last_day,
)
from engine.model import Document, Passage, Section, SectionKind, Span

ACT = Document("act", "Harbour Act", "en")


def read(*texts: str, document: Document = ACT) -> ReadDocument:
    passages = tuple(
        Passage(f"act/{number}", "act", None, number - 1, text, "en", SectionKind.SECTION, str(number))
        for number, text in enumerate(texts, start=1)
    )
    part = Section("act/part-1", "act", None, SectionKind.PART, "1", "", 0, min(2, len(texts)))
    return ReadDocument(document, (part,), passages)


def test_what_a_source_states_counts_before_a_clause() -> None:
    stated = replace(ACT, valid_from=date(2019, 1, 1))
    found = date_document(read("This Act comes into force on 1 March 2020.", document=stated))
    assert found.document.valid_from == date(2019, 1, 1)


def test_the_day_of_publication_is_no_commencement() -> None:
    text = "This Regulation shall enter into force on the twentieth day following that of its publication."
    stated = replace(ACT, valid_from=date(2016, 5, 4), metadata={"published": "2016-05-04"})
    assert date_document(read(text, document=stated)).document.valid_from == date(2016, 5, 24)


def test_the_first_day_of_application_is_told_apart() -> None:
    found = date_document(
        read("This Act comes into force on 1 March 2020.", "It shall apply from 1 June 2021.")
    )
    assert found.document.valid_from == date(2020, 3, 1)
    assert found.document.metadata["applies_from"] == "2021-06-01"


def test_provisions_begin_and_end_on_days_of_their_own() -> None:
    found = date_document(
        read(
            "One.",
            "Two.",
            "Three.",
            "(1) Section 3 comes into force on 1 May 2021.\n"
            "(2) Sections 1 to 2 are repealed on 31 December 2022.",
        )
    )
    assert [(passage.valid_from, passage.valid_to) for passage in found.passages] == [
        (None, date(2022, 12, 30)),
        (None, date(2022, 12, 30)),
        (date(2021, 5, 1), None),
        (None, None),
    ]
    assert (found.document.valid_from, found.document.valid_to) == (None, None)


def test_the_end_of_a_whole_act() -> None:
    assert date_document(read("This Act expires on 31 December 2022.")).document.valid_to == date(
        2022, 12, 31
    )


def test_nothing_said_nothing_changed() -> None:
    whole = read("Rights.")
    assert date_document(whole) is whole


@pytest.mark.parametrize(
    ("words", "positions"),
    [
        ("Section 2", [1]),
        ("Sections 1, 3 and 4", [0, 2, 3]),
        ("Sections 2 to 4 (and the provisions inserted by them)", [1, 2, 3]),
        ("Part 1", [0, 1]),
        # Another act's, or nobody knows which.
        ("Section 2 of the Ports Act", []),
        ("Sections 2 and following", []),
        ("Chapter 9", []),
    ],
)
def test_provisions_that_words_name(words: str, positions: list[int]) -> None:
    whole = read("One.", "Two.", "Three.", "Four.")
    assert list(find_named_provisions(words, whole.sections, whole.passages)) == positions


def test_a_repeal_ends_its_target_on_the_day_that_its_sentence_names() -> None:
    text = "1. Directive 95/46/EC is repealed with effect from 25 May 2018. 2. Rule 5 is revoked."
    clauses = ending_clauses(text, "en")
    inside, outside = Span(3, 21), Span(67, 73)
    assert last_day(EndingReference(inside, date(2016, 5, 24), clauses)) == date(2018, 5, 24)
    assert last_day(EndingReference(outside, date(2016, 5, 24), clauses)) == date(2016, 5, 23)
    assert last_day(EndingReference(outside, None, clauses)) is None
