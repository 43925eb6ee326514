from __future__ import annotations

import pytest

from tests.engine.language.references.reading import Row, rows
from tests.tables import pairs

TABLE: list[tuple[str, list[Row]]] = pairs(__file__, "TABLE")


@pytest.mark.parametrize(("text", "expected"), TABLE)
def test_mentions(text: str, expected: list[Row]) -> None:
    assert rows(text, "id") == expected
