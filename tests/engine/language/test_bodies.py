from __future__ import annotations

import pytest

from engine.language.names import is_organisation, standards_in


@pytest.mark.parametrize(
    ("name", "language"),
    [
        ("Financial Services Regulatory Authority", "en"),
        ("Ministry of Finance", "en"),
        ("Registrar of Companies", "en"),
    ],
)
def test_bodies(name: str, language: str) -> None:
    assert is_organisation(name, language)


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("certified to ISO/IEC 27001:2022 and ISO 9001.", ["ISO/IEC 27001", "ISO 9001"]),
        ("nach DIN EN ISO 14001 und EN 301 549", ["ISO 14001", "EN 301 549"]),
        ("in accordance with IFRS 9, IAS 39", ["IFRS 9", "IAS 39"]),
        ("see RFC 2119 and NIST SP 800-53", ["NIST SP 800-53", "RFC 2119"]),
        ("SNI 8152:2015", ["SNI 8152"]),
        ("Rule 9 of the ISOLATION Act 2010, SOCIETY 4", []),
        ("no digits here: ISO", []),
    ],
)
def test_standards(text: str, found: list[str]) -> None:
    assert [one.name for one in standards_in(text)] == found
