"""Which documents are versions of one text, and from when to when each of them holds."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import date
from typing import Any

import pytest

from engine.ingestion.families import Content, Families, in_families
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
    return in_families(documents, names, lambda number: Content(numbers[number], frozenset()))


def spans(families: Families) -> dict[str, tuple[date | None, date | None]]:
    return {document.id: (document.valid_from, document.valid_to) for document in families.documents}


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
            "overlapping: a is said to end on 2011-06-30",
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
            assert (words or '') in ''.join(map(str, families.notes))


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
