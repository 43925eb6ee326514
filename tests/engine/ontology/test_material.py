from __future__ import annotations

import pytest

from engine.corpus.protocol import Corpus
from engine.ontology.material import clean_heading, gather


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


def test_a_section_and_its_translations_are_one_unit(meridia: Corpus) -> None:
    material = gather(meridia)
    (unit,) = [unit for unit in material.units if unit.titles.get("en", ("",))[0] == "No broader powers"]
    assert unit.titles["de"][0] == "Keine weitergehenden Befugnisse"
    assert set(unit.titles) == {"en", "de", "id", "ar"}
    assert sorted(row for unit in material.units for row in unit.rows) == list(range(len(meridia)))
    assert material.languages[0] == "en"
