from __future__ import annotations

import gc

from hypothesis import given
from hypothesis import strategies as st

from engine.caching import Cache, Caches, uses


@given(st.integers(1, 5), st.lists(st.integers(0, 8), max_size=60))
def test_the_longest_unused_goes_first(places: int, asked: list[int]) -> None:
    cache: Cache[int, str] = Cache("numbers", places)
    order: list[int] = []
    for key in asked:
        before = cache.hits
        assert cache.made(key, lambda key=key: str(key)) == str(key)  # type: ignore[misc]
        assert (cache.hits > before) is (key in order)
        order = [*(one for one in order if one != key), key][-places:]
        assert len(cache) == len(order)
    assert cache.hits + cache.misses == len(asked)


def test_what_fails_is_not_kept() -> None:
    cache: Cache[str, int] = Cache("failing", 2)
    for _ in range(2):
        try:
            cache.made("key", lambda: 1 // 0)
        except ZeroDivisionError:
            continue
    assert len(cache) == 0
    assert cache.misses == 2


class _Owner:
    pass


def test_what_belongs_to_an_object_goes_with_it() -> None:
    caches: Caches[str, int] = Caches("of owners", 3)
    owner, other = _Owner(), _Owner()
    caches.of(owner).made("key", lambda: 1)
    assert caches.of(other).made("key", lambda: 2) == 2
    assert caches.of(owner).made("key", lambda: 3) == 1
    (use,) = [one for one in uses() if one.name == "of owners"]
    assert (use.held, use.places, use.hits, use.misses) == (2, 6, 1, 2)
    # What is kept of an object may be the object.
    everything: Caches[str, object] = Caches("objects", 1)
    everything.of(owner).put("itself", owner)
    del owner
    gc.collect()
    (use,) = [one for one in uses() if one.name == "of owners"]
    assert use.held == 1
