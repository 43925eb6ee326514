"""What files say about their documents under many names."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date, datetime
from pathlib import Path
from typing import Any

import pytest

from engine.ingestion.readers import fields
from engine.ingestion.readers.base import SourceFile
from engine.ingestion.readers.identity import make_document
from engine.ingestion.readers.text import stated_id
from engine.model import Document

BODY = "The harbour master allocates a berth on the written application of the owner of the vessel."


def document(
    given_fields: Mapping[str, Any], *, mapping: Mapping[str, Any] | None = None, shares_id: bool = False
) -> Document:
    source = SourceFile(Path("law-2.md"), mapping=mapping, shares_id=shares_id)
    return make_document(source, given_fields, None, BODY)


@pytest.mark.parametrize(
    "name",
    [
        *("effective_from", "Effective Date", "in-force-from", "valid_from", "eli:first_date_entry_in_force"),
        *("gueltig_ab", "Gültig ab", "Inkrafttreten", "date_debut", "en_vigueur", "fecha_vigencia"),
        *("in_vigore_dal", "geldig_vanaf", "ikraftträdande", "obowiązuje_od", "spēkā_no", "施行日期"),
    ],
)
def test_the_day_of_effect_under_many_names(name: str) -> None:
    assert document({name: "2010-03-01"}).valid_from == date(2010, 3, 1)
    assert document({"dates": {name: "2010-03-01"}}).valid_from == date(2010, 3, 1)


@pytest.mark.parametrize(
    "name", ["stand", "last_updated", "version_date", "date_version", "toestand", "as_of"]
)
def test_the_day_of_a_consolidation_is_its_version_not_its_beginning(name: str) -> None:
    found = document({name: date(2010, 3, 1)})
    assert (found.version, found.valid_from) == ("2010-03-01", None)


def test_a_mapping_says_what_front_matter_means() -> None:
    mapping = {
        "document": {"valid_from": "dates.zeitpunkt", "work": "aktenzeichen", "language": {"value": "en"}}
    }
    found = document({"dates": {"zeitpunkt": "2010-03-01"}, "aktenzeichen": "B 12"}, mapping=mapping)
    assert (found.valid_from, found.language) == (date(2010, 3, 1), "en")
    assert found.metadata["work"] == "B 12"


@pytest.mark.parametrize(
    ("stated", "language"), [("fr-FR", "fr-FR"), ("deu", "de"), ("EN", "en"), ("German", "en"), ("", "en")]
)
def test_the_language_as_sources_state_it(stated: str, language: str) -> None:
    assert document({"language": stated}).language == language


@pytest.mark.parametrize(
    ("value", "day"),
    [
        ("2010-03-01", date(2010, 3, 1)),
        ("2010-03-01T00:00:00Z", date(2010, 3, 1)),
        ("20100301", date(2010, 3, 1)),
        (20100301, date(2010, 3, 1)),
        ("1er mars 2010", date(2010, 3, 1)),
        ("1. März 2010", date(2010, 3, 1)),
        (datetime(2010, 3, 1, 12), date(2010, 3, 1)),
        (2010, None),
        ("2010", None),
        ("2010-13-01", None),
        ("20101301", None),
        (True, None),
        (None, None),
    ],
)
def test_days_as_they_are_written(value: Any, day: date | None) -> None:
    found = fields.day_of(value)
    assert found == day
    assert not isinstance(found, datetime)


@pytest.mark.parametrize(
    ("head", "found"),
    [
        (b"---\nid: bgb\nstand: 2021-01-01\n---\n", "bgb"),
        (b"\xef\xbb\xbf---\r\nslug: 'bgb'\r\nstand: 01.01.2021\r\n---\r\n", "bgb"),
        (b"id: bgb\nstand: 2021-01-01\n", None),
    ],
)
def test_the_id_of_a_file_with_a_day(head: bytes, found: str | None) -> None:
    assert stated_id(head, "law.md") == found
