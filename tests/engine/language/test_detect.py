from __future__ import annotations

import pytest

from engine.language.detection import detect, detect_question, language_code, language_of_text
from tests.tables import table

LANGUAGES = ("en", "de", "id", "ar", "fr")


@pytest.mark.parametrize(
    ("text", "language"),
    table(__file__, "test_short_questions"),
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
        ("§ 33", ("und", "de", "en"), "de"),
        ("capital requirements", ("und",), "und"),
    ],
)
def test_a_question_may_be_in_a_language_that_the_corpus_lacks(
    text: str, candidates: tuple[str, ...], language: str
) -> None:
    assert detect_question(text, candidates) == language


TEXTS = {
    "lv": "Šā likuma mērķis ir noteikt kārtību, kādā tiek piešķirta pabalsta summa un kādā to izmaksā.",
    "lt": "Šis įstatymas nustato asmens duomenų tvarkymo tvarką ir reglamentuoja santykius.",
    "et": "Käesolev seadus reguleerib isikuandmete töötlemist ja kehtestab vastutuse selle rikkumise eest.",
    "fi": "Tämän lain tarkoituksena on edistää henkilötietojen suojaa ja turvata oikeudet.",
    "pl": "Ustawa określa zasady postępowania przy przetwarzaniu danych osobowych.",
    "hu": "A törvény célja, hogy meghatározza az adatok kezelésének alapvető szabályait.",
    "sv": "Denna lag gäller för behandling av personuppgifter som utförs av en myndighet.",
    "no": "Denne loven gjelder for behandling av personopplysninger som utføres av en myndighet.",
    "fr": "La présente loi s'applique au traitement des données par les autorités et les personnes.",
    "bg": "Този закон урежда защитата на правата на физическите лица при обработването на данни.",
    "el": "Ο παρών νόμος ρυθμίζει την προστασία των δεδομένων των πολιτών.",
    "zh": "本法自公布之日起施行",
    "und": "12 (3) -- 4",
}


@pytest.mark.parametrize(("language", "text"), TEXTS.items())
def test_the_language_of_a_text_is_named_rightly_or_not_at_all(language: str, text: str) -> None:
    assert language_of_text(text) == language
    assert language_of_text("\n".join([text] * 200)) == language


@pytest.mark.parametrize(
    ("stated", "code"), [("fr", "fr"), ("DEU", "de"), ("pt-BR", "pt-BR"), ("French", None)]
)
def test_codes_as_sources_state_them(stated: str, code: str | None) -> None:
    assert language_code(stated) == code
