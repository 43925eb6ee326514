from __future__ import annotations

import pytest

from engine.language.detect import detect, detect_question

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


ABROAD = ("de", "fr", "el", "bg")


@pytest.mark.parametrize(
    ("text", "candidates", "language"),
    [
        ("Who must keep records of processing?", ABROAD, "en"),
        ("What is profiling?", ("el", "bg"), "en"),
        ("Wer muss ein Verzeichnis der Verarbeitung führen?", ("en",), "de"),
        ("Quand un transfert peut-il être fondé sur le consentement ?", ("en", "de"), "fr"),
        ("Кто должен вести учет обработки данных и когда он это делает?", ("en",), "ru"),
        ("Ποιος τηρεί αρχείο;", ("en", "de"), "el"),
        ("هل يجوز للوكيل أن يوكل غيره؟", ("en",), "ar"),
        # A few words tell little: they are taken for the corpus's language.
        ("capital requirements", ("en",), "en"),
        ("force majeure clause", ("en",), "en"),
        ("Kündigungsfrist", ("en",), "en"),
        ("Who must keep records?", ("en", "de"), "en"),
        ("Wer führt ein Verzeichnis?", ("de", "en"), "de"),
        ("§ 33", ("de", "en"), "de"),
        ("", ("de",), "de"),
        ("anything", (), "und"),
        # What nobody determined is the language of a question only where there is nothing else.
        ("capital requirements", ("und", "en"), "en"),
        ("§ 33", ("und", "de", "en"), "de"),
        ("capital requirements", ("und",), "und"),
    ],
)
def test_a_question_may_be_in_a_language_that_the_corpus_lacks(
    text: str, candidates: tuple[str, ...], language: str
) -> None:
    assert detect_question(text, candidates) == language
