from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.ingestion.density import DENSE, LEAST_OVERLAP, MOST_OVERLAP, NARRATIVE, density, overlap_for

RULES = [
    "No person must do business under Rule 3.2.1 unless: (a) it is licensed; or (b) Rule 4.1.2(3) applies.",
    "Die Behörde kann nach § 12 widerrufen, wenn: 1. die Voraussetzungen des § 10 entfallen; 2. es so ist.",
    "Wajib Pajak sebagaimana dimaksud pada ayat (1) wajib melaporkan; kecuali apabila: (b) tidak dapat.",
    "مع مراعاة المادة (5)، يجب على المنشأة: (أ) التسجيل؛ (ب) الإفصاح إذا طُلب منها.",
    "除本条例第五条、第六条另有规定外，应当依照第八条办理；不得转让。",
]
PROSE = [
    "The film was shot on the coast in the summer of 1998 and tells of two brothers and their boat.",
    "Der Ort liegt am Rand des Gebirges und war seit dem Mittelalter ein Markt für Salz und Wolle.",
]


@pytest.mark.parametrize("text", RULES)
def test_rules_are_dense(text: str) -> None:
    assert density(text) >= DENSE
    assert overlap_for(text) == MOST_OVERLAP


@pytest.mark.parametrize("text", PROSE)
def test_prose_is_not(text: str) -> None:
    assert density(text) <= NARRATIVE
    assert overlap_for(text) == LEAST_OVERLAP


@given(st.text(max_size=300))
def test_the_overlap_keeps_its_bounds(text: str) -> None:
    assert LEAST_OVERLAP <= overlap_for(text) <= MOST_OVERLAP
