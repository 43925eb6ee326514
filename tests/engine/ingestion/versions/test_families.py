"""Which documents are versions of one text, and from when to when each of them holds."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import date
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.ingestion.versions.families import Content, Families, find_families
from engine.ingestion.versions.validity import named_file
from engine.model import FAMILY, Document

SECTIONS = frozenset({"1", "2", "3"})


def version(
    name: str, metadata: Mapping[str, Any] | None = None, title: str = "Vessel Rules", **more: Any
) -> Document:
    return Document(name, title, "en", metadata=metadata or {}, **more)


def found(
    documents: Sequence[Document],
    contents: Sequence[frozenset[str]] | None = None,
    paths: Sequence[str | None] | None = None,
) -> Families:
    """The families of documents whose provisions have the same numbers, or those that are given."""
    numbers = contents or [SECTIONS] * len(documents)
    names = paths or [f"laws/{document.id}.md" for document in documents]
    return find_families(documents, names, lambda number: Content(numbers[number], frozenset()))


def spans(families: Families) -> dict[str, tuple[date | None, date | None]]:
    return {document.id: (document.valid_from, document.valid_to) for document in families.documents}


def test_each_version_holds_until_the_day_before_the_next() -> None:
    families = found(
        [
            version("c", version="2023-07-20"),
            version("a", version="2011-01-08"),
            version("b", version="2019-03-02"),
            version("other", title="Pilot Rules", version="2020-01-01"),
        ]
    )
    assert spans(families) == {
        "a": (date(2011, 1, 8), date(2019, 3, 1)),
        "b": (date(2019, 3, 2), date(2023, 7, 19)),
        "c": (date(2023, 7, 20), None),
        "other": (None, None),
    }
    assert families.notes == []


@pytest.mark.parametrize("identifier", ["identifier", "Kennung", "eli:id_local", "work.uri", "bwb-id"])
@pytest.mark.parametrize(
    "day",
    ["effective_from", "Stand", "gueltig_ab", "Gültig ab", "date_debut", "fecha_vigencia", "unheard_of"],
)
def test_fields_under_many_names(identifier: str, day: str) -> None:
    days = ("2001-05-06", "2010-03-01", "2044-01-01")
    families = found(
        [
            version(str(n), {identifier: "X-1", day: when, "published": "1999-01-01"}, f"Title {n}")
            for n, when in enumerate(days)
        ]
    )
    assert [document.version for document in families.documents] == list(days)
    assert families.documents[0].valid_to == date(2010, 2, 28)
    assert {document.metadata[FAMILY] for document in families.documents} == {"X-1"}
    # A name that nobody knows is told, with what to do about it.
    assert [("--mapping" in str(note), day in str(note)) for note in families.notes] == (
        [(True, True)] if day == "unheard_of" else []
    )


def stated(name: str, day: str, end: date | None = None) -> Document:
    return version(name, {"eli": "x", "stand": day}, valid_to=end)


def test_gaps_overlaps_copies_and_missing_days_are_noted(subtests: pytest.Subtests) -> None:
    last = stated("b", "2010-01-01")
    for documents, end, words in (
        (
            [stated("a", "2001-01-01", date(2004, 12, 31)), last],
            date(2004, 12, 31),
            "no version from 2005-01-01 to 2009-12-31",
        ),
        (
            [stated("a", "2001-01-01", date(2011, 6, 30)), last],
            date(2009, 12, 31),
            "overlapping: a ends by its own data on 2011-06-30",
        ),
        (
            [stated("a", "2001-01-01"), stated("copy", "2001-01-01"), last],
            date(2009, 12, 31),
            "2 files of one version, 2001-01-01 (a, copy)",
        ),
        (
            [stated("a", "2001-01-01"), last, stated("c", "soon")],
            date(2009, 12, 31),
            "1 of 3 versions have no day (c)",
        ),
        # An end without its last day, one that agrees, and one that is none.
        ([stated("a", "2001-01-01", date(2010, 1, 1)), last], date(2009, 12, 31), None),
        ([stated("a", "2001-01-01", date(2009, 12, 31)), last], date(2009, 12, 31), None),
        ([stated("a", "2001-01-01", date(9999, 12, 31)), last], date(2009, 12, 31), None),
    ):
        with subtests.test(words):
            families = found(documents)
            assert spans(families)["a"] == (date(2001, 1, 1), end)
            assert spans(families).get("copy", spans(families)["a"]) == spans(families)["a"]
            assert spans(families).get("c", (None, None)) == (None, None)
            assert [note.is_note for note in families.notes] == [True] * bool(words)
            assert (words or "") in "".join(map(str, families.notes))


def test_documents_that_are_not_versions_of_one_text(subtests: pytest.Subtests) -> None:
    for name, documents, contents, paths in (
        (
            "articles in files of their own",
            [stated("a", "2001-01-01"), stated("b", "2010-01-01")],
            [frozenset({"433"}), frozenset({"434"})],
            None,
        ),
        (
            "minutes of several days",
            [version("a", title="Minutes"), version("b", title="Minutes")],
            [frozenset[str]()] * 2,
            ["board/minutes-2021-03-01.md", "board/minutes-2021-04-01.md"],
        ),
        (
            "acts of one title with identifiers of their own",
            [
                version(f"{year}", {"sfs": f"{year}:1", "ikraft": f"{year}-01-01"}, "Budget")
                for year in (2019, 2020)
            ],
            None,
            None,
        ),
    ):
        with subtests.test(name):
            assert found(documents, contents, paths).changed == set()


def test_languages_of_one_act_are_families_of_their_own() -> None:
    documents = [
        Document(f"{code}{when}", title, code, metadata={"celex": "X", "stand": f"{when}-01-01"})
        for code, title in (("de", "Gesetz"), ("fr", "Loi"))
        for when in (2001, 2002)
    ]
    families = found(documents)
    assert spans(families)["de2001"] == spans(families)["fr2001"] == (date(2001, 1, 1), date(2001, 12, 31))
    assert families.notes == []


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        ("laws/LEGITEXT000006070162-1977-02-03.md", ("laws", "LEGITEXT000006070162", date(1977, 2, 3))),
        ("laws/bgb_20210101.md.gz", ("laws", "bgb", date(2021, 1, 1))),
        ("laws/2021/bgb.md", ("laws/", "bgb", date(2021, 1, 1))),
        ("laws/bgb/2021-07.txt", ("laws/bgb", "bgb", date(2021, 7, 1))),
        ("laws/act-1986.md", ("laws", "act-1986", None)),
        ("laws/32016R0679.xml", ("laws", "32016R0679", None)),
    ],
)
def test_days_in_names_of_files(path: str, expected: tuple[str, str, date | None]) -> None:
    file = named_file(path)
    assert (file.place, file.name, file.day) == expected


@given(
    st.lists(
        st.tuples(st.dates(date(1900, 1, 1), date(2100, 1, 1)), st.none() | st.dates(date(1900, 1, 1))),
        min_size=1,
        max_size=8,
    )
)
def test_versions_never_overlap_and_none_is_lost(told: list[tuple[date, date | None]]) -> None:
    documents = [
        version(f"{n}", {"eli": "x", "stand": start.isoformat()}, valid_to=end)
        for n, (start, end) in enumerate(told)
    ]
    families = found(documents)
    assert [document.id for document in families.documents] == [document.id for document in documents]
    again = found(documents)
    assert spans(again) == spans(families)
    if len({start for start, _ in told}) > 1:
        begins = sorted({start for start, _ in told})
        for document in families.documents:
            assert document.valid_from is not None
            later = [day for day in begins if day > document.valid_from]
            assert document.valid_to is None or document.valid_to >= document.valid_from
            assert not later or (document.valid_to is not None and document.valid_to < later[0])
