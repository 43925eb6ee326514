"""A document that the question names: its passages come a little earlier, and nothing is left out."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from engine.corpus.protocol import Corpus
from engine.model import QueryPlan, View
from engine.retrieval.relevance import document_bonus

PLAN = QueryPlan("dues berth", "en", (View("literal", "dues berth"),))


@pytest.mark.parametrize("named", [(), ("no-such-act",)])
def test_without_a_named_document_nothing_changes(harbour: Corpus, named: tuple[str, ...]) -> None:
    rows = np.arange(len(harbour), dtype=np.int32)
    assert document_bonus(harbour, replace(PLAN, document_ids=named), rows) is None
    assert document_bonus(harbour, replace(PLAN, document_ids=("dues-act",)), rows[:0]) is None
