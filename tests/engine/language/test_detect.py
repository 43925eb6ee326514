from __future__ import annotations

import pytest

from engine.language.detect import detect

LANGUAGES = ("en", "de", "id", "ar", "fr")


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("What must a fund manager disclose?", "en"),
        ("capital requirements", "en"),
        ("notice period", "en"),
        ("data retention limits", "en"),
        ("Wer haftet bei Verzug?", "de"),
        ("Kündigungsfrist Mietvertrag", "de"),
        ("Vertragsstrafe", "de"),
        ("Apa syarat sah perjanjian?", "id"),
        ("pembatalan perjanjian", "id"),
        ("sanksi administratif", "id"),
        ("Qui est responsable du traitement ?", "fr"),
        ("impôt sur le revenu", "fr"),
        ("ما هي شروط التسجيل؟", "ar"),
        ("مهلة الإخطار", "ar"),
    ],
)
def test_short_questions(text: str, language: str) -> None:
    assert detect(text, LANGUAGES) == language


@pytest.mark.parametrize(
    ("text", "candidates", "language"),
    [
        ("", ("de", "en"), "de"),
        ("12 (3)", ("id", "en"), "id"),
        ("anything at all", (), "und"),
        ("anything at all", ("de",), "de"),
        ("合同", ("en", "zh"), "zh"),
        ("合同", ("en", "de"), "en"),
        ("Was ist ein Vertrag?", ("en-GB", "de-AT"), "de-AT"),
        ("dolor", ("xx", "yy"), "xx"),
    ],
)
def test_what_nothing_tells(text: str, candidates: tuple[str, ...], language: str) -> None:
    assert detect(text, candidates) == language
