"""Readable passages: a limit per document, neighbours joined, never across a section's border."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import orjson
import pytest

from engine.corpus import open_corpus
from engine.corpus.contents import Contents
from engine.corpus.embedded.writing import write_corpus
from engine.corpus.protocol import Corpus
from engine.ingestion.build import build_corpus
from engine.investigation import presentation
from engine.investigation.pool import Reading
from engine.investigation.presentation import assemble
from engine.investigation.ranking import Ranking
from engine.language.analysis import analyzer
from engine.model import Document, Passage, Section, SectionKind

ARTICLE_3 = [f"harbour-act/art-3/para-{number}" for number in (1, 2, 3)]

ARTICLE_1 = [f"harbour-act/art-1/{part}" for part in ("block-1", "para-1", "para-2", "para-3")]
ANNEX, FIRST_OF_NEXT_ACT = "dues-act/annex-i", "harbour-act/art-1/block-1"


def ranking(corpus: Corpus, *ids: str) -> Ranking:
    rows = corpus.rows(list(ids))
    scores = np.linspace(1, 0.1, len(rows), dtype=np.float32)
    return Ranking(rows, scores, ("question",), scores[None, :], {})


def assembled(corpus: Corpus, ids: list[str], top_k: int = 20) -> list[list[str]]:
    found = assemble(ranking(corpus, *ids), corpus, Reading(corpus), top_k)
    return [[p.id for p in corpus.passages(np.array(item.rows, np.int32))] for item in found]


@pytest.mark.parametrize(
    ("ids", "expected"),
    [
        ([ARTICLE_3[1], ARTICLE_3[2], ARTICLE_3[0]], [ARTICLE_3]),
        ([ARTICLE_3[0], ARTICLE_3[2]], [ARTICLE_3]),
        ([ARTICLE_3[2], "harbour-act/art-4"], [ARTICLE_3, ["harbour-act/art-4"]]),
        (["dues-act/annex-i", ARTICLE_1[0]], [["dues-act/annex-i"], ARTICLE_1]),
        ([], []),
    ],
)
def test_a_hit_brings_the_whole_of_its_provision_in_reading_order(
    bare: Corpus, ids: list[str], expected: list[list[str]]
) -> None:
    assert assembled(bare, ids) == expected


def test_of_a_provision_too_long_to_be_read_whole_only_what_ranks_well_is_joined(
    bare: Corpus, monkeypatch: pytest.MonkeyPatch
) -> None:
    first, second, _ = (len(p.text) for p in bare.passages(bare.rows(ARTICLE_3)))
    monkeypatch.setattr(presentation, "LONGEST_TEXT", first + second)
    fillers = ["dues-act/art-1", "dues-act/art-5"]
    assert assembled(bare, [ARTICLE_3[0], *fillers, ARTICLE_3[1]], top_k=1) == [[ARTICLE_3[0]]]
    assert assembled(bare, [ARTICLE_3[0], ARTICLE_3[1]], top_k=1) == [ARTICLE_3[:2]]


def test_a_dismissed_passage_stays_out_of_its_provision(bare: Corpus) -> None:
    barred = bare.rows([ARTICLE_3[1]]).tolist()
    found = assemble(ranking(bare, ARTICLE_3[2]), bare, Reading(bare), 20, barred=barred)
    assert [item.rows for item in found] == [tuple(bare.rows([ARTICLE_3[2]]).tolist())]


def test_a_text_stays_readable(bare: Corpus, monkeypatch: pytest.MonkeyPatch) -> None:
    first, second, _ = (len(p.text) for p in bare.passages(bare.rows(ARTICLE_3)))
    monkeypatch.setattr(presentation, "LONGEST_TEXT", first + second)
    assert assembled(bare, ARTICLE_3) == [ARTICLE_3[:2], ARTICLE_3[2:]]


def test_two_provisions_of_one_chapter_keep_their_own_citations(tmp_path: Path) -> None:
    lines = [
        {
            "id": f"law-{number}",
            "title": f"Law § {number}",
            "text": f"The pilot pays fee {number} to the harbour office.",
            "metadata": {
                "regulation": "Law",
                "article": str(number),
                "path": ["Chapter 1"],
                "language": "en",
            },
        }
        for number in (1, 2, 3)
    ]
    source = tmp_path / "corpus.jsonl"
    source.write_bytes(b"\n".join(orjson.dumps(line) for line in lines))
    build_corpus([source], tmp_path / "corpus", embedding="none")
    corpus = open_corpus(tmp_path / "corpus")
    assert len(set(corpus.section_numbers(corpus.rows(["law-1", "law-2"])).tolist())) == 1
    assert assembled(corpus, ["law-2", "law-1", "law-3"]) == [["law-2"], ["law-1"], ["law-3"]]


@pytest.fixture(scope="module")
def headed(tmp_path_factory: pytest.TempPathFactory) -> Corpus:
    """A rulebook whose headings are passages of their own, as some publishers give them."""
    texts = (
        "Suspicious Activity Reports",
        "A report shall be made within thirty days of the transaction.",
        "It shall be made in writing to the officer.",
        "Records",
        "Outsourcing",
        "The firm remains responsible for what it has outsourced.",
    )
    sections = ((0, 3, "14.2"), (3, 4, "14.3"), (4, 6, "14.4"))
    owner = [number for first, stop, number in sections for _ in range(stop - first)]
    contents = Contents(
        name="rules",
        documents=(Document("aml", "Rules", "en"),),
        sections=tuple(
            Section(f"aml/{number}", "aml", None, SectionKind.SECTION, number, "", first, stop)
            for first, stop, number in sections
        ),
        passages=tuple(
            Passage(f"p{row}", "aml", f"aml/{owner[row]}", row, text, "en") for row, text in enumerate(texts)
        ),
        terms=[analyzer("en").terms(text) for text in texts],
        contexts=[[] for _ in texts],
    )
    folder: Path = tmp_path_factory.mktemp("headed") / "rules"
    write_corpus(folder, contents)
    return open_corpus(folder)


@pytest.mark.parametrize(
    ("ids", "expected"),
    [
        (["p0", "p5"], [["p0", "p1", "p2"], ["p5"]]),
        (["p1", "p0"], [["p0", "p1"]]),
        (["p5", "p4", "p1"], [["p4", "p5"], ["p1"]]),
        (["p3", "p5"], [["p3"], ["p5"]]),
    ],
)
def test_a_heading_brings_its_text_or_makes_room_for_it(
    headed: Corpus, ids: list[str], expected: list[list[str]]
) -> None:
    assert assembled(headed, ids) == expected


def test_what_may_not_be_shown_is_not_brought_by_a_heading(headed: Corpus) -> None:
    allowed = np.array([True, False, True, True, True, True])
    order = ranking(headed, "p0")
    for found in (
        assemble(order, headed, Reading(headed), 20, allowed=allowed),
        assemble(order, headed, Reading(headed), 20, barred=[1]),
    ):
        assert [item.rows for item in found] == [(0,)]
