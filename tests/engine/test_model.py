"""The nouns keep their own consistency."""

from __future__ import annotations

from dataclasses import FrozenInstanceError

import pytest

from engine.model import Document, Passage, Relation, Span


@pytest.mark.parametrize(("start", "end"), [(-1, 3), (4, 3)])
def test_a_span_goes_forward_from_zero(start: int, end: int) -> None:
    with pytest.raises(ValueError, match="not a span"):
        Span(start, end)


def test_a_span_may_be_empty() -> None:
    assert Span(3, 3) == Span(3, 3)


def test_a_passage_is_known_to_its_source_by_its_id_unless_it_was_cut() -> None:
    assert Passage("d/1", "d", None, 0, "text").source_id == "d/1"
    assert Passage("d/1.2", "d", None, 1, "text", source_id="d/1").source_id == "d/1"


def test_values_are_frozen_and_can_be_keys_whatever_their_metadata() -> None:
    document = Document("d", "Act", metadata={"seat": ["Port"]})
    with pytest.raises(FrozenInstanceError):
        document.title = "Other"  # type: ignore[misc]
    assert {document: 1}[document] == 1


def test_relations_are_words_of_the_vocabulary() -> None:
    assert all(relation.value == relation.name.lower() for relation in Relation)
