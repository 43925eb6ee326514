from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.language.terms import PATTERNS, Found, terms_of
from engine.model import EntityKind
from tests.tables import table

DEFINED, NAME, ACRONYM = EntityKind.DEFINED_TERM, EntityKind.NAME, EntityKind.ACRONYM
BODY, STANDARD = EntityKind.ORGANISATION, EntityKind.STANDARD


@pytest.mark.parametrize(
    ("text", "language", "expected"),
    [
        ('"Client Money" means money held for a client.', "en", Found("Client Money", DEFINED, sure=True)),
        ("Fund Manager Means a person who manages.", "en", Found("Fund Manager", DEFINED, sure=True)),
        ('documents (the "Offer Pack") must', "en", Found("Offer Pack", DEFINED, sure=True)),
        ("sent to the Registrar of Companies today", "en", Found("Registrar of Companies", BODY)),
        (
            "a Money Laundering Reporting Officer (MLRO)",
            "en",
            Found("MLRO", ACRONYM, "Money Laundering Reporting Officer", sure=True),
        ),
        ("under the AML regime", "en", Found("AML", ACRONYM)),
        ("„Verbraucher“ ist jede natürliche Person", "de", Found("Verbraucher", DEFINED, sure=True)),
        ("Arbeitnehmer im Sinne dieses Gesetzes sind", "de", Found("Arbeitnehmer", DEFINED, sure=True)),
        ("durch die Deutsche Bundesbank und", "de", Found("Deutsche Bundesbank", BODY)),
        (
            "die Bundesanstalt für Finanzdienstleistungsaufsicht kann",
            "de",
            Found("Bundesanstalt für Finanzdienstleistungsaufsicht", BODY),
        ),
        ("1. Wajib Pajak adalah orang pribadi", "id", Found("Wajib Pajak", DEFINED, sure=True)),
        (
            "2. Petugas Haji yang selanjutnya disingkat PPIH adalah petugas",
            "id",
            Found("Petugas Haji", DEFINED, "PPIH", sure=True),
        ),
        ("يقصد بالكلمات الآتية:\nالمنشأة: كل كيان", "ar", Found("المنشأة", DEFINED, sure=True)),
        ("kept by the Harbour Master Plan office", "en", Found("Harbour Master Plan", NAME)),
        ("certified to ISO 27001 by", "en", Found("ISO 27001", STANDARD)),
        ("تلتزم هيئة السوق المالية بذلك", "ar", Found("هيئة السوق المالية", BODY)),
        ('"special resolution" has the meaning given', "en", Found("special resolution", DEFINED, sure=True)),
        ("Executive Office (EO) means the office", "en", Found("Executive Office", DEFINED, "EO", sure=True)),
        (
            'Dellmar Trading Ltd of Eastmere (the "Agent") is',
            "en",
            Found("Dellmar Trading Ltd", BODY, sure=True, role="Agent"),
        ),
        ("under Standard GRI 306 of", "en", Found("GRI", BODY, "Global Reporting Initiative")),
        (
            "vom Bundesministerium für Wirtschaft und Energie",
            "de",
            Found("Bundesministerium für Wirtschaft und Energie", BODY),
        ),
        ("(ci-après dénommée «la plateforme»)", "fr", Found("plateforme", DEFINED, sure=True)),
        ("devant le Conseil d'État et la Cour de cassation", "fr", Found("Cour de cassation", BODY)),
    ],
)
def test_terms(text: str, language: str, expected: Found) -> None:
    assert expected in list(terms_of(text, language))


@pytest.mark.parametrize(
    ("text", "language"),
    table(__file__, "test_what_names_nothing"),
)
def test_what_names_nothing(text: str, language: str) -> None:
    assert list(terms_of(text, language)) == []


PIECES = (
    *(
        "die ",
        "Deutsche ",
        "Bundes",
        "anstalt ",
        "für ",
        "Bahn",
        "technischen ",
        "Allgemeine ",
        "Kammer",
        "Ä",
    ),
    *("amt des ", "Innern", ", ", "ministerium der ", "Justiz ", "und ", "Verbraucher ", "britische ", ". "),
)


@given(st.lists(st.sampled_from(PIECES), max_size=12).map("".join))
def test_names_are_found_by_their_signs_as_without(text: str) -> None:
    patterns = PATTERNS["de"]
    assert patterns.named is not None
    found = [match.span() for match in patterns.names_in(text)]
    assert found == [match.span() for match in patterns.named.finditer(text)]
