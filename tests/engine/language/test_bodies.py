from __future__ import annotations

import pytest

from engine.language.bodies import NamedStandard, is_organisation, standards_in


@pytest.mark.parametrize(
    ("name", "language"),
    [
        ("Financial Services Regulatory Authority", "en"),
        ("Ministry of Finance", "en"),
        ("Registrar of Companies", "en"),
        ("International Accounting Standards Board", "en"),
        ("Court of Justice", "en"),
        ("United Nations Security Council", "en"),
        ("Deutsche Bundesbank", "de"),
        ("Bundesanstalt für Finanzdienstleistungsaufsicht", "de"),
        ("Statistisches Bundesamt", "de"),
        ("Kementerian Keuangan", "id"),
        ("Otoritas Jasa Keuangan", "id"),
        ("هيئة السوق المالية", "ar"),
        ("وزارة المالية", "ar"),
        ("Commission nationale de l'informatique et des libertés", "fr"),
    ],
)
def test_bodies(name: str, language: str) -> None:
    assert is_organisation(name, language)


@pytest.mark.parametrize(
    ("name", "language"),
    [
        ("Client Money", "en"),
        ("Public Fund", "en"),
        ("Payment Service", "en"),
        ("Council Directive Requirements", "en"),
        ("Erneuerbare Energien", "de"),
        ("Wajib Pajak", "id"),
        ("البنية التحتية", "ar"),
        ("Authority", "xx"),
    ],
)
def test_things_that_are_no_bodies(name: str, language: str) -> None:
    assert not is_organisation(name, language)


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("certified to ISO/IEC 27001:2022 and ISO 9001.", ["ISO/IEC 27001", "ISO 9001"]),
        ("nach DIN EN ISO 14001 und EN 301 549", ["ISO 14001", "EN 301 549"]),
        ("in accordance with IFRS 9, IAS 39", ["IFRS 9", "IAS 39"]),
        ("see RFC 2119 and NIST SP 800-53", ["NIST SP 800-53", "RFC 2119"]),
        ("SNI 8152:2015", ["SNI 8152"]),
        ("GRI 306: Waste 2020, Disclosure GRI 306-1", ["GRI 306", "GRI 306"]),
        ("Rule 9 of the ISOLATION Act 2010, SOCIETY 4", []),
        ("no digits here: ISO", []),
    ],
)
def test_standards(text: str, found: list[str]) -> None:
    assert [one.name for one in standards_in(text)] == found


def test_a_standard_is_found_with_its_publisher() -> None:
    (found,) = standards_in("the GRI Standard 306 applies")
    assert found == NamedStandard("GRI 306", "GRI Standard 306", "GRI", "Global Reporting Initiative")
    # The letters of a series are not those of who publishes it.
    assert [(one.letters, one.publisher) for one in standards_in("IFRS 9")] == [("", "IFRS Foundation")]
