"""Where the numbers of a document stand, as its columns tell it."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest

from engine.corpus import open_corpus
from engine.corpus.contents import Contents
from engine.corpus.embedded.writing import write_corpus
from engine.model import Document, Passage, Section, SectionKind

RULE, GUIDANCE = SectionKind.RULE, SectionKind.GUIDANCE
# Kind, number, paragraph, and whether it stands in a section.
Row = tuple[SectionKind, str | None, str | None, bool]


def told(folder: Path, rows: Sequence[Row]) -> dict[str, tuple[Sequence[int], Sequence[int]]]:
    """The numbers of a document that stands behind one of three passages and a section."""
    before = [Passage(f"a{row}", "a", "a/s", row, "words", number="7") for row in range(3)]
    own = [
        Passage(f"b{row}", "b", "b/s" if inside else None, row, "words", "en", kind, number, paragraph)
        for row, (kind, number, paragraph, inside) in enumerate(rows)
    ]
    sections = (
        Section("a/s", "a", None, SectionKind.CHAPTER, "7", "", 0, 3),
        Section("b/s", "b", None, SectionKind.CHAPTER, "2", "", 0, len(rows)),
    )
    passages = (*before, *own)
    terms = [["words"] for _ in passages]
    documents = (Document("a", "A"), Document("b", "B"))
    write_corpus(folder, Contents("c", documents, sections, passages, terms, [[] for _ in passages]))
    found = open_corpus(folder).printed_numbers(1)
    assert found is not None
    assert len(found) == len(list(found))
    return {number: found[number] for number in found}


@pytest.mark.parametrize(
    ("rows", "expected"),
    [
        # However it is written; the section has a number of its own.
        ([(RULE, " 1a. ", None, True)], {"1A": ([3], []), "2": ([], [1])}),
        ([(RULE, "2", None, True)], {"2": ([3], [1])}),
        # One run, and two runs with another number between them.
        ([(RULE, "1", None, True), (RULE, "1", "2", True)], {"1": ([3, 4], []), "2": ([], [1])}),
        # What has no number, and guidance, stands between two of one provision.
        (
            [
                (RULE, "1", None, True),
                (RULE, None, "5", True),
                (GUIDANCE, "3", None, True),
                (RULE, "1", None, True),
            ],
            {"1": ([3, 6], []), "3": ([5], []), "2": ([], [1])},
        ),
        # Paragraphs of a text without sections are cited by their numbers.
        (
            [
                (RULE, "1", None, False),
                (RULE, None, "5", False),
                (RULE, None, "a", False),
                (RULE, "1", None, False),
            ],
            {"1": ([3, 4, 6], []), "5": ([4], []), "2": ([], [1])},
        ),
    ],
)
def test_the_rows_and_sections_of_each_number(
    rows: Sequence[Row], expected: dict[str, tuple[list[int], list[int]]], tmp_path: Path
) -> None:
    assert told(tmp_path / "c", rows) == expected
