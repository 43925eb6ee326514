from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.ingestion.readers.formats import decode_text, looks_like_text

ARABIC = "تسري أحكام هذا النظام على جميع المنشآت العاملة في المملكة، ويعمل به من تاريخ نشره."
GERMAN = "Die Behörde prüft die Anträge der Verbraucher gemäß den Vorschriften über Gebühren."


@pytest.mark.parametrize(
    ("text", "encoding", "said"),
    [
        (ARABIC, "utf-8", None),
        (ARABIC, "utf-8-sig", None),
        (ARABIC, "utf-16", None),
        (GERMAN, "utf-16-le", None),
        (ARABIC, "cp1256", "Windows-1256 (Arabic)"),
        (GERMAN, "cp1252", "Windows-1252"),
    ],
)
def test_encodings(text: str, encoding: str, said: str | None) -> None:
    found, problem, _ = decode_text(text.encode(encoding))
    assert found == text
    assert problem is None if said is None else (problem is not None and said in problem)


@pytest.mark.parametrize(
    "data", [b"\0\1\2", b"%PDF-1.4", b"PK\x03\x04", bytes(range(1, 60)) * 3, b"\x1f\x8b"]
)
def test_other_data_is_no_text(data: bytes) -> None:
    assert not looks_like_text(data)


@given(st.text(st.characters(codec="utf-8", exclude_characters="\0\r"), min_size=1))
def test_utf_8_is_kept(text: str) -> None:
    found, problem, _ = decode_text(text.encode())
    assert problem is None
    assert found == text.removeprefix("\ufeff")
