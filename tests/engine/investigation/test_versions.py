"""A superseded provision leads to the one that took its place."""

from __future__ import annotations

from datetime import date

import numpy as np

from engine.corpus.protocol import Corpus
from engine.investigation.filters import newest


def test_an_old_version_leads_to_the_new_one(bare: Corpus) -> None:
    old, new, other = bare.rows(["harbour-act/art-12", "harbour-act/art-12@2019-01-01", "harbour-act/art-10"])
    allowed = ~bare.out_of_force(date(2026, 1, 1))
    rows = np.array([old, other, old], np.int32)
    assert newest(bare, rows, allowed).tolist() == [new, other, new]


def test_without_an_allowed_successor_a_row_stays(bare: Corpus) -> None:
    rows = bare.rows(["harbour-act/art-12", "harbour-act/art-10"])
    assert newest(bare, rows, np.zeros(len(bare), np.bool_)).tolist() == rows.tolist()
