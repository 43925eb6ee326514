from __future__ import annotations

from collections.abc import Sequence

import pytest

from engine.corpus.postgresql.queries import Cache


def test_what_is_missing_is_fetched_at_once_and_kept() -> None:
    fetched: list[Sequence[int]] = []

    def fetch(keys: Sequence[int]) -> dict[int, int]:
        fetched.append(list(keys))
        return {key: key * key for key in keys}

    held = Cache(fetch, 3)
    assert held.get([2, 3, 2]) == [4, 9, 4]
    assert held.get([3, 4]) == [9, 16]
    assert held.get([5, 2]) == [25, 4]
    # Asked last were 3, 4, 5 and 2: 3 had to go.
    assert held.get([4, 5, 2]) == [16, 25, 4]
    assert fetched == [[2, 3], [4], [5]]
    assert held.get([]) == []


def test_what_cannot_be_fetched_is_told() -> None:
    with pytest.raises(KeyError):
        Cache[int, int](lambda keys: {}, 3).get([1])
