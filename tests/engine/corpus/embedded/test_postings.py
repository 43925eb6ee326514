"""Postings that are changed are those that would be put together anew."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from engine.corpus.embedded.block import Postings, postings_of
from engine.corpus.embedded.lexical import concat_postings, replace_postings

parts = st.lists(st.lists(st.lists(st.sampled_from("abcdef"), max_size=5), max_size=3), max_size=5)


def equal(one: Postings, other: Postings) -> bool:
    pairs = zip(one, other, strict=True)
    return all(np.array_equal(np.asarray(left), np.asarray(right)) for left, right in pairs)


@given(parts, parts, parts, parts)
def test_what_is_replaced_is_as_if_it_had_always_been_so(
    ahead: list[list[list[str]]],
    gone: list[list[list[str]]],
    come: list[list[list[str]]],
    behind: list[list[list[str]]],
) -> None:
    before = concat_postings([postings_of(part) for part in (*ahead, *gone, *behind)])
    first = sum(map(len, ahead))
    stop = first + sum(map(len, gone))
    found = replace_postings(before, first, stop, concat_postings([postings_of(part) for part in come]))
    assert equal(found, concat_postings([postings_of(part) for part in (*ahead, *come, *behind)]))
