"""What can be read alone: lists with their heads, pronouns with what they mean, no headings."""

from __future__ import annotations

from pathlib import Path

import pytest

from engine.answers.units import Unit, make_units, word_count
from engine.corpus import open_corpus
from engine.corpus.protocol import Corpus
from engine.ingestion.build import build_corpus
from engine.investigation.pool import Reading

LONG = "\n".join(
    f"({letter}) the {word} of every ship that calls at the harbour in the course of a year, with its name;"
    for letter, word in zip(
        "abcdefg", ("draught", "length", "flag", "cargo", "crew", "owner", "age"), strict=True
    )
)
LAW = f"""---
id: act
title: Ship Act
language: en
---

# Ship Act

## Article 1 Scope

This Act does not apply to:

(a) warships;

(b) ships of the police.

## Article 2 Register

(1) The register is public. It is kept by the harbour master.

(2) The register states:
{LONG}

## Article 3 Fees

Fees
"""


@pytest.fixture(scope="module")
def ships(tmp_path_factory: pytest.TempPathFactory) -> Corpus:
    root: Path = tmp_path_factory.mktemp("ships")
    (root / "act.md").write_text(LAW, encoding="utf-8")
    build_corpus([root / "act.md"], root / "ships", embedding="none")
    return open_corpus(root / "ships")


def units(corpus: Corpus, wanted: str = "") -> list[Unit]:
    rows = range(len(corpus))
    return list(make_units(rows, corpus, Reading(corpus), lambda text: float(wanted in text)))


def test_a_head_takes_its_items_along_and_an_item_its_head(ships: Corpus) -> None:
    texts = [unit.text for unit in units(ships)]
    assert "This Act does not apply to: (a) warships; (b) ships of the police." in texts
    assert not any(text.endswith(":") for text in texts)


def test_what_begins_with_a_pronoun_takes_the_sentence_before_along(ships: Corpus) -> None:
    texts = [unit.text for unit in units(ships)]
    assert "The register is public. It is kept by the harbour master." in texts
    assert "It is kept by the harbour master." not in texts


def test_a_long_list_is_cut_to_the_items_that_serve_the_question(ships: Corpus) -> None:
    found = [unit for unit in units(ships, "crew") if unit.text.startswith("The register states:")]
    assert all("(e) the crew of every ship" in unit.text for unit in found)
    assert " … " in found[0].text
    assert found[0].words < 60


def test_headings_are_no_sentences(ships: Corpus) -> None:
    assert "Fees" not in [unit.text for unit in units(ships)]


def test_pieces_are_spans_of_their_passages(ships: Corpus) -> None:
    for unit in units(ships):
        for piece in unit.pieces:
            assert piece.text == piece.passage.text[piece.span.start : piece.span.end]
            assert piece.text == piece.text.strip() != ""


def test_words_of_scripts_without_blanks_are_counted() -> None:
    assert word_count("The agent acts.") == 3
    assert word_count("合同应当书面订立") == 4
