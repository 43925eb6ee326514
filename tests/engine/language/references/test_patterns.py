from __future__ import annotations

import pytest

from engine.language.references.patterns import Parts, spaced

SPACED = [
    ("of this act", r"of\s+this\s+act"),
    (" ?of", r"\s*of"),
    ("[ ,]", "[ ,]"),
    (r"\ a", r"\ a"),
    (r"\[ a", r"\[\s+a"),
    (r"[^\] ] a", r"[^\] ]\s+a"),
]


def test_a_space_is_any_white_space(subtests: pytest.Subtests) -> None:
    for pattern, expression in SPACED:
        with subtests.test(pattern):
            assert spaced(pattern) == expression


def test_parts_are_put_in_as_one_piece() -> None:
    parts = Parts({"a": ["x", "y"], "b": "%a%z"}, {"ready": r"\d"})
    assert parts.expanded("%b%+ %ready%") == r"(?:(?:(?:x|y))z)+\s+(?:\d)"
