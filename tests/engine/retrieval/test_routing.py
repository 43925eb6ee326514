"""A document that the question names: its passages come a little earlier, and nothing is left out."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest

from engine.corpus.protocol import Corpus
from engine.model import QueryPlan, View
from engine.retrieval.routing import FOCUSED, MOST, routed
from tests.engine.retrieval.searching import searched

PLAN = QueryPlan("dues berth", "en", (View("literal", "dues berth"),))


def test_only_the_named_document_is_favoured(harbour: Corpus) -> None:
    rows = np.arange(len(harbour), dtype=np.int32)
    extra = routed(harbour, replace(PLAN, document_ids=("dues-act", "no-such-act")), rows)
    assert extra is not None
    documents = harbour.documents()
    own = [documents[number].id == "dues-act" for number in harbour.document_numbers(rows)]
    addend = MOST * math.log(len(harbour) / sum(own)) / math.log(len(harbour))
    assert extra.tolist() == pytest.approx([addend if named else 0.0 for named in own])


def test_a_small_document_is_favoured_more_than_a_large_one(harbour: Corpus) -> None:
    rows = np.arange(len(harbour), dtype=np.int32)
    extra = routed(harbour, replace(PLAN, document_ids=("dues-act", "harbour-act")), rows)
    assert extra is not None
    small, large = (extra[own[0]] for own in harbour.by_document(["dues-act", "harbour-act"]))
    assert MOST > small > large > 0


def test_a_document_whose_text_is_asked_for_is_favoured_most(harbour: Corpus) -> None:
    rows = np.arange(len(harbour), dtype=np.int32)
    plan = replace(PLAN, document_ids=("dues-act", "harbour-act"), focus=("harbour-act",))
    extra = routed(harbour, plan, rows)
    assert extra is not None
    small, large = (extra[own[0]] for own in harbour.by_document(["dues-act", "harbour-act"]))
    assert large == pytest.approx(FOCUSED)
    assert large > small > 0


@pytest.mark.parametrize("named", [(), ("no-such-act",)])
def test_without_a_named_document_nothing_changes(harbour: Corpus, named: tuple[str, ...]) -> None:
    rows = np.arange(len(harbour), dtype=np.int32)
    assert routed(harbour, replace(PLAN, document_ids=named), rows) is None
    assert routed(harbour, replace(PLAN, document_ids=("dues-act",)), rows[:0]) is None


def test_the_scan_finds_the_same_passages_in_another_order(harbour: Corpus) -> None:
    plain = searched(harbour, PLAN)
    hinted = searched(harbour, replace(PLAN, document_ids=("dues-act",)))
    assert set(plain.rows.tolist()) == set(hinted.rows.tolist())
    documents = [harbour.documents()[n].id for n in harbour.document_numbers(hinted.rows)]
    before = [harbour.documents()[n].id for n in harbour.document_numbers(plain.rows)]
    places = [sum(n for n, one in enumerate(run) if one == "dues-act") for run in (documents, before)]
    assert places[0] <= places[1]
