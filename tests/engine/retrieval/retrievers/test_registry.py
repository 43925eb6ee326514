"""Retrievers by name."""

from __future__ import annotations

import pytest

from engine.errors import SettingsError
from engine.retrieval.retrievers.registry import BUILT_IN, known_retrievers, retrievers, title_of


def test_built_in_retrievers_are_known_by_their_names() -> None:
    assert [maker().name for maker in BUILT_IN.values()] == list(BUILT_IN)
    assert BUILT_IN.keys() <= known_retrievers().keys()


def test_who_looks_at_what_others_found_comes_last() -> None:
    assert [one.name for one in retrievers(["late", "dense", "bm25"])] == ["bm25", "dense", "late"]


@pytest.mark.parametrize(("names", "said"), [((), "name at least one of bm25"), (("bm52",), "'bm52'")])
def test_what_cannot_search_is_named(names: tuple[str, ...], said: str) -> None:
    with pytest.raises(SettingsError, match=said):
        retrievers(names)


def test_titles() -> None:
    assert title_of("bm25") == "Words (BM25)"
    assert title_of("of another day") == "of another day"
