"""Standards: designations in every language, editions, and what replaces what."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.language.references import find_mentions
from engine.language.references.instruments import Standard, Standards, standard_of, standard_titled
from engine.model import Document


@pytest.mark.parametrize(
    ("name", "standard"),
    [
        ("GRI 306: Waste 2020", Standard("GRI", "306", 2020)),
        ("GRI Standard 306", Standard("GRI", "306")),
        ("GRI 306-1", Standard("GRI", "306-1")),
        # As people write it: "Disclosure 306-3 of GRI 306 2016" was answered with that of 2020.
        ("GB/T 19001-2016", Standard("GB/T", "19001", 2016)),
        ("ISO", None),
        ("Rule 306", None),
        ("GRI 300 series", None),
    ],
)
def test_designations_are_read(name: str, standard: Standard | None) -> None:
    assert standard_of(name) == standard


@given(
    st.sampled_from(["ISO", "IEC", "GRI", "IFRS", "ISO/IEC"]),
    st.integers(1, 99_999),
    st.one_of(st.none(), st.integers(1950, 2049)),
)
def test_what_is_printed_is_read_back(publisher: str, number: int, year: int | None) -> None:
    name = f"{publisher} {number}" + (f":{year}" if year else "")
    assert standard_of(name) == Standard(publisher, str(number), year)
    (mention,) = find_mentions(f"as laid down in {name} and elsewhere", "en")
    assert (mention.text, mention.document, mention.targets) == (name, name, ())


def test_a_provision_of_a_standard_is_one_reference() -> None:
    (behind,) = find_mentions("under paragraph 5 of IFRS 9, an entity", "en")
    assert (behind.text, behind.document) == ("paragraph 5 of IFRS 9", "IFRS 9")
    (before,) = find_mentions("see ISO/IEC 27001, clause 5.2 for this", "en")
    assert before.text == "ISO/IEC 27001, clause 5.2"
    assert standard_of(str(before.document)) == Standard("ISO/IEC", "27001")


def edition(title: str, year: int | None = None, number: str | None = None) -> Document:
    return Document(title.casefold(), title, "en", year=year, number=number)


@pytest.mark.parametrize(
    ("title", "own"),
    [
        ("ISO 14001:2015", True),
        ("ISO 14001:2015(E)", True),
        ("ISO 14001:2015 Environmental management systems", True),
        ("IFRS 9 – Financial Instruments", True),
        ("ISO 14001 certification report", False),
        ("ISO 14001:2015 Certificate of Brightwater", False),
        ("IFRS 9 implementation guide", False),
        ("Report on GRI 306", False),
    ],
)
def test_a_text_about_a_standard_is_none(title: str, own: bool) -> None:
    assert (standard_titled(title) is not None) == own
    publisher, number = title.split(":")[0].split()[:2]
    assert (Standards([edition(title)]).editions(Standard(publisher, number)) != ()) == own


CORPUS = (
    edition("GRI 306: Effluents and Waste 2016"),
    edition("GRI 306: Waste 2020"),
    edition("Environmental management systems", 2015, "ISO 14001"),
    edition("Report on GRI 306"),
)


@pytest.mark.parametrize(
    ("name", "meant"),
    [
        ("GRI 306: Waste 2020", (1,)),
        ("GRI 306: Effluents and Waste 2016", (0,)),
        ("GRI Standard 306", (1,)),
        ("GRI 306-2", (1,)),
        ("ISO 14001:2015", (2,)),
        ("ISO 14001", (2,)),
        ("ISO 9001", ()),
        ("the Agency Code", None),
    ],
)
def test_a_year_means_its_edition_and_none_means_the_latest(name: str, meant: tuple[int, ...] | None) -> None:
    assert Standards(CORPUS).find(name) == meant
