from __future__ import annotations

from datetime import date

import numpy as np
import pytest

from engine.answers.audit.citation_forms import is_in_paragraph, paragraphs
from engine.answers.audit.citing import find_citations
from engine.answers.audit.record import Citation, Source
from engine.corpus.protocol import Corpus
from engine.model import Document, Passage, Span

DUES, HARBOUR = 0, 1
DAY = date(2024, 1, 1)
# A text; of each citation its words, status and passages, and what is told of it.
RESOLVED = {
    "By Article 11(1) of the Harbour Act": ["harbour-act/art-11/para-1"],
    "By Article 11, paragraph (2) of the Harbour Act": ["harbour-act/art-11/para-2"],
    "By Article 11(2), Harbour Act": ["harbour-act/art-11/para-2"],
    "By Article 11, paragraph 2, Harbour Act": ["harbour-act/art-11/para-2"],
    "By HA Art. 11 (2)": ["harbour-act/art-11/para-2"],
    "By Article 6.1 of the Harbour Act": ["harbour-act/art-6/para-1"],
    "By Article 12 of the Harbour Act": ["harbour-act/art-12@2019-01-01"],
    "By Articles 4 and 7 of the Harbour Act": ["harbour-act/art-4", "harbour-act/art-7"],
    "By Section 2 of the Pilotage Regulation": ["pilot-regulation/section-2"],
}
WRONG = {
    "Article 11(7) of the Harbour Act": "there is no paragraph 7 there: “{}”; the last is 2",
    "HA Art. 11 (7)": "there is no paragraph 7 there: “{}”; the last is 2",
    "Article 4.7 of the Dues Act": "there is no paragraph 7 there: “{}”; the last is 2",
    "Article 99 of the Harbour Act": "there is no {}; next to it are 11 and 12",
    "Article 3 of the Fishing Act": "“{}” is not in this corpus, or not understood",
    "§ 12": "“{}” is not in this corpus, or not understood",
    "CARGO 3.4.1R": "“{}” is not understood as a citation here",
    "Paragraph 2": "",
}
# Bare references, the documents that may be meant, and what is found.
CONTEXT = [
    ("Article 5", [], []),
    ("Article 5(1)", [HARBOUR, DUES], ["harbour-act/art-5/para-1"]),
    ("Article 5", [DUES, HARBOUR], ["dues-act/art-5"]),
    ("Article 5 of the Act", [DUES], ["dues-act/art-5"]),
    ("Article 5 of the Code", [DUES], []),
    ("Article 9", [DUES, HARBOUR], ["harbour-act/art-9"]),
    ("Article 11, paragraph 2", [HARBOUR], ["harbour-act/art-11/para-2"]),
    ("Article 6.1", [HARBOUR], ["harbour-act/art-6/para-1"]),
    ("Article 3 of the Fishing Act", [DUES], []),
]


def found(
    corpus: Corpus, text: str, context: list[int] | None = None
) -> list[tuple[str, str, list[str], str]]:
    return [
        (one.text, one.status, [p.id for p in corpus.passages(np.array(one.rows, np.int32))], one.problem)
        for one in find_citations(corpus, text, "en", DAY, context or ())
        if text[one.span.start : one.span.end].startswith(one.text) or pytest.fail(one.text)
    ]


def test_what_is_there_is_found(bare: Corpus, subtests: pytest.Subtests) -> None:
    for text, ids in RESOLVED.items():
        with subtests.test(text):
            assert found(bare, text) == [(text.removeprefix("By "), "resolved", ids, "")]


def test_what_is_not_there_or_not_understood_is_told(bare: Corpus, subtests: pytest.Subtests) -> None:
    for text, told in WRONG.items():
        with subtests.test(text):
            [(said, status, _, reason)] = found(bare, f"{text} says so.")
            assert (said, reason) == (text, told.format(text))
            assert status == ("not understood" if "CARGO" in text else "unresolved")


def test_a_bare_reference_means_the_likeliest_document_that_has_it(
    bare: Corpus, subtests: pytest.Subtests
) -> None:
    for text, context, ids in CONTEXT:
        with subtests.test(text=text, context=context):
            assert [one for _, _, one, _ in found(bare, f"It follows from {text}.", context)] == [ids]


def test_citations_stand_in_order_and_do_not_overlap(bare: Corpus) -> None:
    text = "See CARGO 3.4.1R, Article 11(2) of the Harbour Act (and § 12) or Article 6(1) HA; in 2019."
    said = ["CARGO 3.4.1R", "Article 11(2) of the Harbour Act", "§ 12", "Article 6(1) HA"]
    assert [one[0] for one in found(bare, text)] == said
    assert find_citations(bare, "No vessel of 30 metres moors here in 2019.", "en", DAY) == []


def test_the_day_decides_which_version_is_meant(bare: Corpus) -> None:
    [one] = find_citations(bare, "Article 12 of the Harbour Act", "en", date(2015, 1, 1))
    assert [passage.id for passage in bare.passages(np.array(one.rows, np.int32))] == ["harbour-act/art-12"]


@pytest.mark.parametrize(
    ("text", "numbers"),
    [
        ("(1) A fee is due.\n\n(2) It is paid at once.", ["1", "2"]),
        ("1. A fee is due.\n\n2. It is paid at once.", ["1", "2"]),
        ("(1) A fee is due for:\n\n1. a berth;\n\n2. a crane.\n\n(2) It is paid at once.", ["1", "2"]),
        ("A fee is due.", []),
    ],
)
def test_items_of_a_paragraph_are_no_paragraphs(text: str, numbers: list[str]) -> None:
    assert [number for _, number in paragraphs(text)] == numbers


TWO_PARAGRAPHS = "A fee is due.\n\n(1) The master pays it.\n\n(2) The agent is liable.\n\n(3) It is public."


@pytest.mark.parametrize(
    ("words", "cited", "inside"),
    [
        ("The master pays it.", ["1"], True),
        ("The master pays it.", ["2"], False),
        ("The agent is liable.", ["1"], False),
        ("The agent is liable.", ["2"], True),
        ("The agent is liable.", ["2/a"], True),
        ("The agent is liable.", ["1", "2"], True),
        ("(2) The agent is liable.\n\n(3) It is public.", ["3"], True),
        # The passage shows no such paragraph, or all of it is cited.
        ("The agent is liable.", ["7"], True),
        ("The agent is liable.", ["1", ""], True),
        ("The agent is liable.", [], True),
    ],
)
def test_words_are_in_the_paragraph_that_is_cited(words: str, cited: list[str], inside: bool) -> None:
    start = TWO_PARAGRAPHS.index(words)
    passage = Passage("harbour-act/art-1", "harbour-act", None, 0, TWO_PARAGRAPHS, "en")
    source = Source(
        4,
        passage,
        Document("harbour-act", "Harbour Act"),
        Span(start, start + len(words)),
        words,
        None,
        1.0,
        in_force=True,
    )
    citations = [Citation(Span(0, 1), "Article 1", "resolved", (4,), paragraph=one) for one in cited]
    assert is_in_paragraph(source, citations) is inside
    elsewhere = [Citation(Span(0, 1), "Article 2", "resolved", (5,), paragraph="9")]
    assert is_in_paragraph(source, [*citations, *elsewhere]) is inside
