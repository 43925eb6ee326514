"""Which terms a corpus defines, and which of them a text uses."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.corpus import open_corpus
from engine.corpus.protocol import Corpus
from engine.ingestion.build import build_corpus
from engine.investigation.definitions import DefinedTerms, defined_in, defined_terms
from engine.languages import law
from engine.model import Passage


@pytest.fixture(scope="module")
def terms(bare: Corpus) -> DefinedTerms:
    return defined_terms(bare)


def test_they_are_looked_for_once(bare: Corpus, terms: DefinedTerms) -> None:
    assert defined_terms(bare) is terms


@pytest.mark.parametrize(
    ("text", "used"),
    [
        ("Vessels moor at berths.", ["Vessels", "berths"]),
        ("The harbour master's vessel", ["harbour master", "vessel"]),
        ("nothing at all", []),
        ("", []),
        ("the harbour", []),
        ("a vessel of the harbour", ["vessel"]),
    ],
)
def test_terms_are_found_in_a_text_as_it_writes_them(terms: DefinedTerms, text: str, used: list[str]) -> None:
    assert [text[use.start : use.end] for use in terms.used_in(text, "en")] == used


@given(st.lists(st.sampled_from(["harbour", "master", "vessel", "berth", "the", "Harbour-master's", "(1)"])))
def test_uses_stand_in_order_without_overlap(terms: DefinedTerms, words: list[str]) -> None:
    text = " ".join(words)
    uses = terms.used_in(text, "en")
    borders = [border for use in uses for border in (use.start, use.end)]
    assert borders == sorted(borders)
    assert all(0 <= use.start < use.end <= len(text) for use in uses)


def test_another_language_has_its_own_terms(terms: DefinedTerms) -> None:
    assert terms.used_in("vessel", "de") == []
    assert terms.used_in("vessel", "und") == []


def test_each_term_knows_who_defines_it(bare: Corpus, terms: DefinedTerms) -> None:
    (use,) = terms.used_in("a berth", "en")
    assert [passage.id for passage in bare.passages(terms.definitions(use.term))] == [
        "harbour-act/art-1/para-3"
    ]


@pytest.mark.parametrize(
    ("language", "heading", "text", "expected"),
    [
        ("en", "", "(4) ‘controller’ means the person who decides;", {"controller"}),
        ("en", "", '"general power" and "special power" have the meanings given', {"special power"}),
        ("en", "Definitions", "(a) “lawful owner”, the person named;", {"lawful owner"}),
        ("en", "Scope", "(a) “lawful owner”, the person named;", set()),
        ("en", "", 'He said "stop" and left.', set()),
        ("de", "Artikel 4 Begriffsbestimmungen", "1. ‘Verarbeitung’ jeden Vorgang", {"Verarbeitung"}),
        ("de", "", "„Vollmacht“ ist die Befugnis", {"Vollmacht"}),
        ("fr", "Article 4 Définitions", "1) ‘traitement’, toute opération", {"traitement"}),
        ("bg", "Определения", "1) ‘лични данни’ означава всяка информация", {"лични данни"}),
        ("el", "Ορισμοί", "1) ‘δεδομένα’\nκάθε πληροφορία", {"δεδομένα"}),
    ],
)
def test_definitions_are_read_by_verbs_and_below_their_headings(
    language: str, heading: str, text: str, expected: set[str]
) -> None:
    passage = Passage("p", "d", None, 0, text, language, headings=(heading,))
    wording = law(language).definitions
    assert wording is not None
    assert set(defined_in(passage, wording)) == expected


def test_a_name_with_a_capital_is_told_from_the_word(tmp_path: Path) -> None:
    text = (
        '# Contract\n\n## 1 Parties\n\nThe seller of a harbour (the "Price") and the Client Money Officer '
        '(CMO) sign.\n\n## 2 Money\n\n"Client Money Officer" means whoever the Price names.\n'
    )
    (tmp_path / "contract.md").write_text(text, encoding="utf-8")
    build_corpus([tmp_path / "contract.md"], tmp_path / "corpus", embedding="none")
    terms = DefinedTerms(open_corpus(tmp_path / "corpus"))
    assert [use.as_defined for use in terms.used_in("the Price", "en")] == [True]
    assert [use.as_defined for use in terms.used_in("at a fair price", "en")] == [False]
    assert terms.used_in("under the Agency Price", "en") == [], "the end of a name"
    (short,) = terms.used_in("a CMO", "en")
    assert len(terms.definitions(short.term)) > 0
    (long,) = terms.used_in("a client money officer", "en")
    assert len(terms.definitions(long.term)) > 0
