"""Retrievers by name."""

from __future__ import annotations

import pytest

from engine.errors import SettingsError
from engine.retrieval.retrievers.registry import BUILT_IN, known_retrievers, retrievers, title_of


def test_built_in_retrievers_are_known_by_their_names() -> None:
    assert [maker().name for maker in BUILT_IN.values()] == list(BUILT_IN)
    assert BUILT_IN.keys() <= known_retrievers().keys()


def test_they_search_in_the_order_of_the_registry() -> None:
    assert [one.name for one in retrievers(["sparse", "dense", "bm25"])] == ["bm25", "dense", "sparse"]


@pytest.mark.parametrize(("names", "said"), [((), "name at least one of bm25"), (("bm52",), "'bm52'")])
def test_what_cannot_search_is_named(names: tuple[str, ...], said: str) -> None:
    with pytest.raises(SettingsError, match=said):
        retrievers(names)


def test_titles() -> None:
    assert title_of("bm25") == "Words (BM25)"
    assert title_of("of another day") == "of another day"
