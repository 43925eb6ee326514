from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.language.aliases import aliases_of, name_key
from tests.tables import table


@pytest.mark.parametrize(
    ("title", "language", "held"),
    [
        ("COBS_VER15.150823", "en", {"COBS", "COBS Rulebook"}),
        ("FSMR (Consolidated_December 2023)", "en", {"FSMR"}),
        (
            "CRS Regulations 2017 (Consolidated_October 2023) v6",
            "en",
            {"CRS Regulations 2017", "CRS Regulations"},
        ),
        (
            "Guidance - Continuous Disclosure_VER01.280922",
            "en",
            {"Guidance on Continuous Disclosure", "Continuous Disclosure Guidance"},
        ),
        ("Commercial Register Act 2004", "en", {"Commercial Register Act 2004", "Commercial Register Act"}),
        (
            "Regulation (EU) 2016/679 of 27 April 2016 (General Data Protection Regulation)",
            "en",
            {"General Data Protection Regulation", "Regulation (EU) 2016/679"},
        ),
        ("Gesetz über das Kreditwesen", "de", {"Kreditwesengesetz"}),
        (
            "Undang-Undang Nomor 6 Tahun 1983 tentang Ketentuan Umum",
            "id",
            {"UU Nomor 6 Tahun 1983", "UU 6/1983", "Undang-Undang tentang Ketentuan Umum"},
        ),
        ("Undang-Undang Nomor 18 Tahun 2019 tentang Pesantren", "id", {"Undang-Undang Pesantren"}),
        ("Kitab Undang-Undang Hukum Perdata (Burgerlijk Wetboek)", "id", {"KUHPerdata"}),
        (
            "Loi n° 78-17 du 6 janvier 1978 relative à l'informatique, aux fichiers et aux libertés",
            "fr",
            {
                "Loi n° 78-17 du 6 janvier 1978",
                "Loi n° 78-17",
                "Loi relative à l'informatique, aux fichiers et aux libertés",
            },
        ),
        ("Loi du 29 juillet 1881 sur la liberté de la presse", "fr", {"Loi du 29 juillet 1881"}),
        ("中华人民共和国专利法实施细则", "zh", {"专利法实施细则"}),
        ("中华人民共和国水法（2016修正）", "zh", {"水法", "中华人民共和国水法"}),
        ("قانون (نظام) العلامات التجارية", "ar", {"قانون العلامات التجارية"}),
    ],
)
def test_aliases(title: str, language: str, held: set[str]) -> None:
    assert held <= set(aliases_of(title, language=language))


def test_books_of_the_social_code() -> None:
    names = aliases_of("Sozialverwaltungsverfahren", abbreviation="SGB 10", language="de")
    assert {"SGB X", "Zehntes Buch Sozialgesetzbuch", "Zehntes Buch"} <= set(names)


@pytest.mark.parametrize(
    ("language", "one", "other"),
    table(__file__, "test_equal_names_have_one_key"),
)
def test_equal_names_have_one_key(language: str, one: str, other: str) -> None:
    assert name_key(one, language) == name_key(other, language) != ()


@settings(deadline=None)
@given(title=st.text(max_size=120), language=st.sampled_from(["en", "de", "id", "ar", "und"]))
def test_any_title_gives_distinct_tidy_names(title: str, language: str) -> None:
    names = aliases_of(title, language=language)
    assert len(set(names)) == len(names)
    assert all(name == name.strip() and len(name) >= 2 for name in names)


def test_a_ministry_prints_its_short_form_in_front_of_the_number() -> None:
    names = aliases_of("Peraturan Menteri Perhubungan Nomor 4 Tahun 2025", language="id")
    assert "Peraturan Menteri Perhubungan Nomor PM 4 Tahun 2025" in names
