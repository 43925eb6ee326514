from __future__ import annotations

from engine.language.references.patterns import Parts


def test_parts_are_put_in_as_one_piece() -> None:
    parts = Parts({"a": ["x", "y"], "b": "%a%z"}, {"ready": r"\d"})
    assert parts.expanded("%b%+ %ready%") == r"(?:(?:(?:x|y))z)+\s+(?:\d)"
