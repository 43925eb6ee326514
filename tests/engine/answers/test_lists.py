"""Sentences and lists: heads in the middle of a sentence, items inside of items, lines broken by hand."""

from __future__ import annotations

import pytest

from engine.answers.units import split_lists
from engine.model import Passage
from tests.tables import table

NESTED: str = table(__file__, "NESTED")


def passage(text: str, language: str) -> Passage:
    return Passage(id="p", document_id="d", section_id=None, position=0, text=text, language=language)


@pytest.mark.parametrize(
    ("text", "language", "expected"),
    [
        # The head of a list that no colon ends, with items inside of its first item.
        (
            NESTED,
            "de",
            [
                ("Die in § 437 Nr. 1 und 3 bezeichneten Ansprüche verjähren", 2),
                ("Die Verjährung beginnt mit der Übergabe.", 0),
            ],
        ),
        # "The 18." is no sentence.
        (
            "In Betrieben mit Personen, die das 18. Lebensjahr vollendet haben, wird gewählt.",
            "de",
            [
                (
                    "In Betrieben mit Personen, die das 18. Lebensjahr vollendet haben, wird gewählt.",
                    0,
                )
            ],
        ),
        # A heading in front of a numbered paragraph is no head.
        (
            "Reports of transactions\n(1) The firm reports.",
            "en",
            [("Reports of transactions", 0), ("The firm reports.", 0)],
        ),
        (
            "It does not apply to:\n(a) warships;\n(b) ships of the police.",
            "en",
            [("It does not apply to:", 2)],
        ),
    ],
)
def test_sentences_and_their_items(text: str, language: str, expected: list[tuple[str, int]]) -> None:
    found = [
        (" ".join(text[one.span.start : one.span.end].split()), len(one.items))
        for one in split_lists(passage(text, language))
    ]
    assert found == expected


def test_an_item_has_what_is_nested_in_it() -> None:
    [head, _] = split_lists(passage(NESTED, "de"))
    first = " ".join(NESTED[head.items[0].start : head.items[0].end].split())
    assert first.startswith("1. in 30 Jahren")
    assert first.endswith("in einem sonstigen Recht besteht,")


def test_a_sentence_that_goes_on_behind_its_items_is_told() -> None:
    text = (
        "If the Regulator decides not to take:\n(a) the action; or\n(b) the decision;\nit must give a notice."
    )
    [one] = split_lists(passage(text, "en"))
    assert one.goes_on
