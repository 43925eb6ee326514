from __future__ import annotations

import pytest

from engine.language.references.levels import NUMBERS
from tests.tables import table


@pytest.mark.parametrize(
    ("numbers", "printed", "canonical"),
    table(__file__, "test_a_printed_number"),
)
def test_a_printed_number(numbers: str, printed: str, canonical: str) -> None:
    assert NUMBERS[numbers](printed) == canonical
