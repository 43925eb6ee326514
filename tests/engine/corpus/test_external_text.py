"""What texts from outside cite is resolved as if a document of the corpus held them."""

from __future__ import annotations

from collections.abc import Callable
from datetime import date
from pathlib import Path

import numpy as np
import pytest

from engine.corpus import open_corpus
from engine.corpus.contents import Contents
from engine.corpus.embedded.writing import write_corpus
from engine.corpus.external_text import external_resolver
from engine.corpus.protocol import Corpus, Rows
from engine.language.addresses import Address
from engine.language.references import find_mentions
from engine.model import Document, Passage, Section, SectionKind, Status

DAY = date(2026, 1, 1)


def test_a_passage_read_from_outside_cites_what_it_cites_inside(meridia: Corpus) -> None:
    reader = external_resolver(meridia)
    compared = 0
    for reference in meridia.all_references():
        (passage,) = meridia.passages(meridia.rows([reference.source_id]))
        if (
            reference.status is not Status.RESOLVED
            or passage.valid_from
            or not _names(passage, reference.text)
        ):
            continue
        for mention in find_mentions(reference.text, passage.language):
            found = reader.resolve(mention, reference.text, passage.language, DAY)
            if any(one.status is Status.RESOLVED for one in found):
                compared += 1
                assert reference.target_id in {one.target_id for one in found}
    assert compared > 40


def _names(passage: Passage, words: str) -> bool:
    return passage.language == "en" and ("Agency Code" in words or "Tax Procedure Act" in words)


def test_rows_are_those_of_the_target(meridia: Corpus) -> None:
    reader = external_resolver(meridia)
    text = "Article 14 of the Agency Code"
    (mention,) = find_mentions(text, "en")
    (found,) = reader.resolve(mention, text, "en", DAY)
    rows = reader.rows(found.target_kind, str(found.target_id))
    assert {passage.number for passage in meridia.passages(rows)} == {"14"}
    assert reader.rows(found.target_kind, "nothing").tolist() == []


def test_the_nearest_numbers_ascend(meridia: Corpus) -> None:
    reader = external_resolver(meridia)
    text = "Article 9999 of the Agency Code"
    (mention,) = find_mentions(text, "en")
    number = next(n for n, one in enumerate(reader.documents) if one.id == "commercial-agency-code")
    near = reader.nearest(number, mention.targets[0].address, 4)
    assert [printed for printed, _ in near] == ["35", "36", "37", "38"]
    assert np.all(np.diff([row for _, row in near]) > 0)


def _articles(count: int) -> Contents:
    chapters = tuple(
        Section(
            f"c{first}", "law", None, SectionKind.CHAPTER, str(first + 1), "", 20 * first, 20 * first + 20
        )
        for first in range(count // 10)
    )
    passages = tuple(
        Passage(
            f"p{row}",
            "law",
            f"c{row // 20}",
            row,
            "Ships pay fees.",
            "en",
            SectionKind.ARTICLE,
            str(row // 2 + 1),
            str(row % 2 + 1),
            label=f"Article {row // 2 + 1}",
        )
        for row in range(2 * count)
    )
    terms = [["ships"]] * len(passages)
    documents = (Document("law", "Fees Act", "en"),)
    return Contents("long", documents, chapters, passages, terms, [[]] * len(passages))


@pytest.mark.parametrize(
    "text",
    [
        "Article 14 of the Fees Act",
        "Article 14(2) of the Fees Act",
        "Chapter 3 of the Fees Act",
        "Article 9999 of the Fees Act",
    ],
)
def test_of_a_long_document_only_what_bears_the_number_is_read(
    text: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    counts = []
    for count in (40, 1000):
        write_corpus(tmp_path / f"{count}", _articles(count))
        corpus = open_corpus(tmp_path / f"{count}")
        read: list[int] = []
        passages = type(corpus).passages

        def counted(
            self: Corpus,
            rows: Rows,
            read: list[int] = read,
            passages: Callable[[Corpus, Rows], list[Passage]] = passages,
        ) -> list[Passage]:
            read.append(len(rows))
            return passages(self, rows)

        with monkeypatch.context() as patched:
            patched.setattr(type(corpus), "passages", counted)
            reader = external_resolver(corpus)
            for mention in find_mentions(text, "en"):
                reader.within(mention, [0], text, "en", DAY)
                reader.nearest(0, Address(SectionKind.ARTICLE, "9999"), 4)
        counts.append(sum(read))
    assert counts[0] == counts[1] < 20
