from __future__ import annotations

import pytest

from engine.ontology.material import clean_heading


@pytest.mark.parametrize(
    ("heading", "cleaned"),
    [
        ("Objection", "Objection"),
        ("4.2 Client money", "Client money"),
        ("MARKET RISK", "Market risk"),
        ("(3)", ""),
        ("[Deleted]", ""),
        ("one two three four five six seven eight nine ten eleven twelve thirteen", ""),
    ],
)
def test_headings_lose_their_numbers(heading: str, cleaned: str) -> None:
    assert clean_heading(heading) == cleaned
