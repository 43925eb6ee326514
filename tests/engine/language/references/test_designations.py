"""References by numbers in a form that only the rulebook itself has."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from engine.language.references import Resolver, read_mentions
from engine.model import Document, Passage, Status
from engine.model import SectionKind as K


def rulebook(document: str, *numbers: str, text: str = "A firm must comply.") -> list[Passage]:
    return [
        Passage(f"{document}/{place}", document, None, place, text, "en", K.RULE, number)
        for place, number in enumerate(numbers)
    ]


def cited(
    documents: Sequence[Document], passages: list[Passage], text: str
) -> list[tuple[str, str | None, str]]:
    """Text, target and relation of each reference that a passage of the first document makes."""
    speaker = Passage("speaker", documents[0].id, None, len(passages), text, "en")
    resolver = Resolver(documents, [], [*passages, speaker])
    return [
        (one.text, one.target_id, str(one.relation))
        for one in resolver.references(speaker)
        if one.status is Status.RESOLVED
    ]


COBS = Document("cobs", "Conduct of Business Sourcebook", "en", aliases=("COBS",))
SYSC = Document("sysc", "Systems and Controls Sourcebook", "en", aliases=("SYSC",))
SOURCEBOOKS = [
    *rulebook("cobs", "COBS 3.4.1R", "COBS 3.4.2G"),
    *rulebook("sysc", "SYSC 4.1.1R", "SYSC 4.1.2E"),
]


@pytest.mark.parametrize("written", ["SYSC 4.1.1R", "SYSC 4.1.1 R", "SYSC 4.1.1"])
def test_the_letter_behind_a_rule_may_be_left_off(written: str) -> None:
    ((_, target, _),) = cited([COBS, SYSC], SOURCEBOOKS, f"A firm to which {written} applies must comply.")
    assert target == "sysc/0"


WORDS = [
    Document("crime", "Financial Crime Guidelines", "en"),
    Document("trade", "Fair Trade Guidelines", "en"),
]
GUIDELINES = [
    *rulebook("crime", "Guideline 1", "Guideline 2", "Guideline 12"),
    *rulebook("trade", "Guideline 1", "Guideline 2"),
]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Subject to Guideline 12, a firm may act.", [("Guideline 12", "crime/2", "subject_to")]),
        ("Notwithstanding Guideline 2 of the Fair Trade Guidelines, a firm may act.",
         [("Guideline 2 of the Fair Trade Guidelines", "trade/1", "exception_to")]),
        ("Guidelines 1 and 2 apply.", [("Guidelines 1", "crime/0", "cites"), ("2", "crime/1", "cites")]),
        ("Guideline 13 and Table 12 are none, nor is 12 May 2020.", []),
    ],
)  # fmt: skip
def test_words_of_its_own(text: str, expected: list[tuple[str, str, str]]) -> None:
    assert cited(WORDS, GUIDELINES, text) == expected


RULES = [*rulebook("dp", "3.1", "3.2"), *rulebook("rep", "3.1", "3.2")]


DASHED = [Document("rules", "Conduct Rules", "en")]


def test_dashes_count_where_the_document_prints_them_and_are_a_range_elsewhere() -> None:
    assert cited(DASHED, rulebook("rules", "3-4", "3-4-1"), "Rule 3-4-1 applies.") == [
        ("Rule 3-4-1", "rules/1", "cites")
    ]
    plain = rulebook("rules", "3", "4", "5", "3.4")
    assert [target for _, target, _ in cited(DASHED, plain, "Rules 3-4 apply.")] == ["rules/0", "rules/1"]


def test_plain_prose_cites_nothing() -> None:
    plain = rulebook("rules", "1", "2", "3", "12")
    text = "An amount of 12 EUR is due on May 3 by Member 12, see Model T 12 and the Group of 12."
    assert cited(DASHED, plain, text) == []
    assert read_mentions("قرر المجلس 12 أمرا", "ar") == []


def test_a_candidate_that_is_none_is_known_as_such_the_next_time() -> None:
    documents = [Document("cobs", "COBS", language="en"), Document("sysc", "SYSC", language="en")]
    passages = [*rulebook("cobs", "4.1", "4.2"), *rulebook("sysc", "7.1")]
    texts = ("Under Guideline 99 and SYSC 7.1 it", "Guideline 99, COBS 4.2 and Guideline 99 again")
    passages.extend(
        Passage(f"cobs/{2 + place}", "cobs", None, 2 + place, text, "en") for place, text in enumerate(texts)
    )
    passages.sort(key=lambda one: one.document_id)

    def found(resolver: Resolver, text: str) -> list[str | None]:
        (speaker,) = (one for one in passages if one.text == text)
        return [one.target_id for one in resolver.references(speaker)]

    resolver, again = Resolver(documents, [], passages), Resolver(documents, [], passages)
    first = [found(resolver, text) for text in texts]
    uses = set(resolver.uses)
    for text in texts:
        again.uses.clear()
        again.consulted.clear()
        alone = found(Resolver(documents, [], passages), text)
        assert found(again, text) == found(again, text) == alone
    assert first == [found(resolver, text) for text in texts]
    assert uses == resolver.uses
    resolver.clear()
    assert first == [found(resolver, text) for text in texts]
