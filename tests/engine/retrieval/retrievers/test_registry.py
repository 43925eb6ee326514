"""Retrievers by name."""

from __future__ import annotations

import pytest

from engine.errors import SettingsError
from engine.retrieval.retrievers.registry import BUILT_IN, all_retrievers, retrievers


def test_built_in_retrievers_are_known_by_their_names() -> None:
    assert [maker().name for maker in BUILT_IN.values()] == list(BUILT_IN)
    assert BUILT_IN.keys() <= all_retrievers().keys()


@pytest.mark.parametrize(("names", "said"), [((), "name at least one of bm25"), (("bm52",), "'bm52'")])
def test_what_cannot_search_is_named(names: tuple[str, ...], said: str) -> None:
    with pytest.raises(SettingsError, match=said):
        retrievers(names)
