from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.corpus import open_corpus
from engine.corpus.contents import Contents
from engine.corpus.embedded.structure import ADJACENT, AROUND, ATTACHED, HEAD, SAME_SECTION
from engine.corpus.embedded.writing import write_corpus
from engine.corpus.protocol import Corpus
from engine.model import Document, Passage, Section, SectionKind

# A document of 40: an annex at the end, four chapters of nine, each with three sections of three.
CHAPTERS = tuple(
    section
    for chapter in range(4)
    for section in (
        Section(
            f"c{chapter}", "d", None, SectionKind.CHAPTER, str(chapter), "", 9 * chapter, 9 * chapter + 9
        ),
        *(
            Section(
                f"c{chapter}s{n}",
                "d",
                f"c{chapter}",
                SectionKind.SECTION,
                f"{chapter}.{n}",
                "",
                9 * chapter + 3 * n,
                9 * chapter + 3 * n + 3,
            )
            for n in range(3)
        ),
    )
)
SECTIONS = (*CHAPTERS, Section("annex", "d", None, SectionKind.ANNEX, "I", "", 36, 40))


@pytest.fixture(scope="module")
def corpus(tmp_path_factory: pytest.TempPathFactory) -> Corpus:
    owners = [f"c{row // 9}s{row % 9 // 3}" if row < 36 else "annex" for row in range(40)]
    passages = [Passage(f"p{row}", "d", owner, row, "text") for row, owner in enumerate(owners)]
    passages += [Passage(f"q{row}", "flat", None, row, "text") for row in range(30)]
    folder: Path = tmp_path_factory.mktemp("structure") / "corpus"
    documents = (Document("d", "D"), Document("flat", "F"))
    write_corpus(folder, Contents("s", documents, SECTIONS, passages, [["text"]] * 70, [[]] * 70))
    return open_corpus(folder)


def band(row: int, other: int) -> float:
    """The weight's band, by the definition, for a row of the document with chapters."""
    if row >= 36:
        section, around = range(36, 40), range(40)
    else:
        section, around = range(row // 3 * 3, row // 3 * 3 + 3), range(row // 9 * 9, row // 9 * 9 + 9)
    bands = [
        SAME_SECTION * (other in section),
        HEAD * (other in (section[0], around[0] if row < 36 else section[0])),
        ADJACENT * (abs(row - other) == 1),
        AROUND * (other in around),
        ATTACHED * (other == 36),
    ]
    return max(bands)


@pytest.mark.parametrize("row", [0, 4, 8, 9, 17, 35, 36, 39])
def test_weights_equal_to_the_definition(corpus: Corpus, row: int) -> None:
    links = corpus.siblings(np.asarray([row], np.int32), 1000)
    found = dict(zip(links.rows.tolist(), links.weights.tolist(), strict=True))
    expected = {other: band(row, other) for other in range(40) if other != row and band(row, other) > 0}
    assert found.keys() == expected.keys()
    for other, weight in found.items():
        assert expected[other] - 0.2 < weight <= expected[other], "bands do not overlap"


@settings(max_examples=50)
@given(rows=st.lists(st.integers(0, 69), min_size=1, max_size=10, unique=True), limit=st.integers(0, 12))
def test_limits_and_no_links_to_oneself(corpus: Corpus, rows: list[int], limit: int) -> None:
    asked = np.asarray(rows, np.int32)
    links = corpus.siblings(asked, limit)
    documents = corpus.document_numbers(np.unique(links.rows))
    assert (np.bincount(documents, minlength=2) <= limit).all()
    assert (asked[links.origins] != links.rows).all()
    assert (corpus.document_numbers(asked[links.origins]) == corpus.document_numbers(links.rows)).all()
    assert len(set(zip(links.origins.tolist(), links.rows.tolist(), strict=True))) == len(links.rows)
