# A test's name says what it tests.
# ruff: noqa: D102
"""The contract of ``Validity``."""

from __future__ import annotations

from datetime import date

import numpy as np

from engine.corpus.protocol import Validity


class ValidityContract:
    """The cases of ``Validity``, over the toy corpus."""

    def test_in_force(self, corpus: Validity) -> None:
        def rows(day: date) -> list[int]:
            return np.flatnonzero(corpus.in_force(day)).tolist()

        assert rows(date(1999, 12, 31)) == [7]
        assert rows(date(2012, 1, 1)) == [0, 1, 2, 3, 4, 6, 7]
        assert rows(date(2019, 12, 31)) == [0, 1, 2, 3, 4, 5, 6, 7]
        assert rows(date(2020, 1, 1)) == [0, 1, 2, 3, 4, 7]

    def test_out_of_force_is_what_ended_not_what_has_yet_to_begin(self, corpus: Validity) -> None:
        assert not corpus.out_of_force(date(1999, 12, 31)).any()
        assert np.flatnonzero(corpus.out_of_force(date(2020, 1, 1))).tolist() == [5, 6]
