from __future__ import annotations

import pytest

from engine.corpus.headings import is_bare_heading


@pytest.mark.parametrize("text", ["INTRODUCTION", "Jurisdiction"])
def test_headings(text: str) -> None:
    assert is_bare_heading(text)
