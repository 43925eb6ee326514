"""What is left of the terms that passages name, when all are there; whole texts: ``test_entities``."""

from __future__ import annotations

from collections import Counter
from typing import Any

import pytest

from engine.language.entities import Fact, Stems, key_of, usual_form
from engine.language.vocabulary import Capitals, Vocabulary
from engine.model import EntityKind as K
from engine.model import Role
from tests.engine.language.weighed import by_counts

PASSAGES = [f"p{number}" for number in range(40)]


def fact(name: str, kind: K = K.NAME, position: int = 0, **more: Any) -> Fact:
    language, other = more.pop("language", "en"), more.pop("other", None)
    keys = [key for one in (name, other) if one and (key := key_of(one, Stems(language)))]
    told = {"sure": False, "initial": False, "role": None, "times": 2, **more}
    return Fact(position, language, name, kind, other, keys=keys, **told)


def settled(*facts: Fact, words: str = "", language: str = "en") -> Vocabulary:
    made = Vocabulary()
    made.read(facts, PASSAGES)
    made.settle(by_counts(Counter((language, word) for word in words.split())))
    return made


def names(made: Vocabulary) -> dict[str, tuple[K, int]]:
    left = {number for _, _, number in made.terms()}
    assert all(
        made.candidates[number].dropped == (number not in left) for number in range(len(made.candidates))
    )
    return {
        usual_form(one): (one.kind, one.forms.total()) for one in (made.candidates[n] for n in sorted(left))
    }


HANKS, OLD = fact("Tom Hanks"), fact("Old Bo")
FUND, BOARD = fact("Fund", K.DEFINED_TERM), fact("Board", K.DEFINED_TERM)
# What passages name, the words of the corpus, and what is left with how often.
LEFT: list[tuple[list[Fact], str, dict[str, int]]] = [
    ([HANKS, fact("Tom Hanks", times=3)], "", {"Tom Hanks": 5}),
    # One word, of several words, a title, a definition.
    ([fact("Risk"), fact("Oslo")], "risk risk Oslo", {"Oslo": 2}),
    ([fact("Risk Board")], "risk risk board board", {"Risk Board": 2}),
    ([fact("Pulse", K.TITLE)], "Pulse Pulse pulse", {"Pulse": 2}),
    ([fact("Pulse", K.TITLE)], "Pulse pulse pulse", {}),
    ([FUND], "fund fund", {"Fund": 2}),
    # A name with a name in it, that is there once or twice.
    ([fact("Actor Tom Hanks", times=1), HANKS], "", {"Tom Hanks": 3}),
    ([fact("Actor Tom Hanks"), HANKS], "", {"Actor Tom Hanks": 2, "Tom Hanks": 2}),
    # At the beginning of a sentence, behind an ordinary word and behind one of a name.
    ([fact("Actor Tom Hanks", initial=True)], "actor Tom Hanks", {"Tom Hanks": 2}),
    ([fact("Actor Tom Hanks", initial=True)], "Actor Tom Hanks", {"Actor Tom Hanks": 2}),
    ([fact("Old Tom Hanks", initial=True), OLD], "Old Old old", {"Old Tom Hanks": 2, "Old Bo": 2}),
    ([fact("Actor Tom", initial=True)], "actor", {}),
    # Put together from terms, and with one word more.
    ([fact("Board of the Fund", times=3), BOARD, FUND], "", {"Board": 2, "Fund": 2}),
    ([fact("Fund’s Wide Board"), FUND], "", {"Fund’s Wide Board": 2, "Fund": 2}),
    # Variants.
    ([fact("A Bag of Coins", K.TITLE), fact("Bag of Coins")], "", {"A Bag of Coins": 4}),
    (
        [fact("Gulf Co-operation Body"), fact("Gulf Cooperation Body", times=3)],
        "",
        {"Gulf Cooperation Body": 5},
    ),
]


def test_what_is_left_of_the_terms(subtests: pytest.Subtests) -> None:
    for facts, words, expected in LEFT:
        with subtests.test(*(one.name for one in facts[:1]), words=words):
            assert {one: times for one, (_, times) in names(settled(*facts, words=words)).items()} == expected


def test_one_thing_by_two_names_has_the_surest_kind_and_all_that_is_known() -> None:
    made = settled(
        fact("CAC", K.ACRONYM, 3),
        fact("Agency Code", K.TITLE, 1, sure=True),
        fact("Agency Code", K.ORGANISATION, 4, other="CAC", sure=True, role="Agent"),
        fact("Code of Agents", K.DEFINED_TERM, 5, other="CAC", sure=True),
    )
    assert names(made) == {"Agency Code": (K.DEFINED_TERM, 8)}
    [entity] = [one for one, left in zip(made.entities(), made.candidates, strict=True) if not left.dropped]
    assert (entity.name, sorted(entity.definitions)) == ("Agency Code", ["p1", "p4", "p5"])
    assert entity.roles == (Role("Agent", "p4"),)
    assert set(entity.aliases) == {"CAC", "Code of Agents"}
    assert [name for _, name in made.titled()] == ["p1"]


def test_languages_and_capitals_are_told_apart() -> None:
    made = settled(
        fact("The Ring", K.TITLE),
        fact("Ring", K.DEFINED_TERM, language="de"),
        fact("on the Road", K.TITLE),
        fact("Oslo"),
        fact("AML", K.ACRONYM),
        fact("AMD", K.ACRONYM, sure=True),
        words="Oslo",
    )
    assert {language for language, _, _ in made.terms()} == {"en", "de"}
    assert made.candidates[0].language != made.candidates[1].language
    assert [made.capitals(number) for number in range(3)] == [
        Capitals(1, True),
        Capitals(0, False),
        Capitals(0, True),
    ]
    assert made.names_of_one_word() == {3}
    assert list(made.small_forms()) == [(4, "en", "aml"), (4, "en", "Aml")]
    stated, cased = made.evidence()
    assert stated[1] > stated[3]
    assert cased.tolist() == [True, False, True, True, True, True]


def test_what_names_nothing_is_not_taken_in() -> None:
    assert settled(fact("it"), fact("x " * 20)).candidates == []
