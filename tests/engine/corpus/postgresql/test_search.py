from __future__ import annotations

from datetime import date
from pathlib import Path

import numpy as np
import pytest

from engine.corpus import address_of, open_corpus
from engine.corpus.contents import Contents
from engine.corpus.embedded import dense
from engine.corpus.embedded.writing import write_corpus
from engine.corpus.postgresql.loading import copy_to_server
from engine.corpus.postgresql.store import PostgresCorpus
from engine.corpus.protocol import Corpus, Mask
from engine.model import Document, Passage

DOCUMENTS, EACH, LENGTH = 300, 20, 16
RARE = 7  # The document of which nine passages are in force on THE_DAY.
THE_DAY = date(2020, 6, 1)


def crowd() -> Contents:
    """6,000 passages; those that are in force on THE_DAY are the nine that are furthest from the question."""
    rng = np.random.default_rng(4)
    vectors = rng.normal(size=(DOCUMENTS * EACH, LENGTH)).astype(np.float32)
    vectors[:, 0] = np.abs(vectors[:, 0]) + 1.0
    rare = slice(RARE * EACH, RARE * EACH + 9)
    vectors[rare, 0] = -np.abs(vectors[rare, 0])
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    documents = [Document(f"d{n}", f"Text {n}", "en", valid_to=date(2001, 1, 1)) for n in range(DOCUMENTS)]
    passages = [
        Passage(
            f"p{row}",
            f"d{row // EACH}",
            None,
            row % EACH,
            f"word{row % 50} other{row % 7} text.",
            "en",
            valid_to=date(2030, 1, 1) if rare.start <= row < rare.stop else None,
        )
        for row in range(len(vectors))
    ]
    terms = [passage.text.rstrip(".").split() for passage in passages]
    return Contents(
        "crowd", documents, (), passages, terms, [()] * len(terms), vectors=vectors, embedding="x"
    )


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    write_corpus(folder := tmp_path_factory.mktemp("crowd") / "crowd", crowd())
    return folder


@pytest.fixture(scope="module")
def place(folder: Path, database: str) -> str:
    copy_to_server(folder, address_of(f"{database}&corpus=crowd&dense=exact"))
    return f"{database}&corpus=crowd&dense=exact"


@pytest.fixture(scope="module")
def embedded(folder: Path) -> Corpus:
    return open_corpus(folder)


@pytest.fixture(scope="module")
def exact(place: str) -> Corpus:
    return open_corpus(place)


def question() -> np.ndarray[tuple[int, ...], np.dtype[np.float32]]:
    asked = np.zeros((2, LENGTH), np.float32)
    asked[0, 0] = 1.0
    asked[1, 1] = 1.0
    return asked


def masks(corpus: Corpus) -> dict[str, Mask]:
    numbers = corpus.document_numbers(np.arange(len(corpus), dtype=np.int32))
    return {
        "day": corpus.in_force(THE_DAY),
        "document": numbers == 3,
        "type": np.isin(numbers, np.arange(0, DOCUMENTS, 60)),
        "half": numbers % 2 == 0,
        "nothing": np.zeros(len(corpus), np.bool_),
    }


KINDS = ["day", "document", "type", "half", "nothing"]


@pytest.mark.parametrize("kind", KINDS)
def test_a_filter_leaves_all_that_it_allows(embedded: Corpus, exact: Corpus, kind: str) -> None:
    mask = masks(exact)[kind]
    expected = embedded.search_dense(question(), 9, -1.0, mask=mask)
    for ours, theirs in zip(exact.search_dense(question(), 9, -1.0, mask=mask), expected, strict=True):
        assert ours.rows.tolist() == theirs.rows.tolist()
        np.testing.assert_allclose(ours.scores, theirs.scores, atol=1e-6)


@pytest.mark.parametrize("kind", [None, *KINDS])
def test_words_score_alike_to_the_bit(embedded: Corpus, exact: Corpus, kind: str | None) -> None:
    mask = None if kind is None else masks(exact)[kind]
    asked = ["word1 other3 text", "word49", "text text", "", "nobody"]
    for ours, theirs in zip(
        exact.search_lexical(asked, "en", 500, mask=mask),
        embedded.search_lexical(asked, "en", 500, mask=mask),
        strict=True,
    ):
        assert ours.rows.tolist() == theirs.rows.tolist()
        assert ours.scores.tolist() == theirs.scores.tolist()
    rows = np.array([5, 3, 5, 999], np.int32)
    assert (exact.score_lexical(asked, "en", rows) == embedded.score_lexical(asked, "en", rows)).all()


def test_masks_are_alike(embedded: Corpus, exact: Corpus) -> None:
    for day in (date(1990, 1, 1), date(2001, 1, 1), THE_DAY, date(2031, 1, 1)):
        assert (exact.in_force(day) == embedded.in_force(day)).all()
        assert (exact.out_of_force(day) == embedded.out_of_force(day)).all()


def test_codes_find_what_they_find_in_a_folder(
    database: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of a corpus that counts as large: the same hits to the bit, with every kind of filter."""
    monkeypatch.setattr(dense, "MOST_EXACT", 100)
    monkeypatch.setattr(dense, "LEAST_COMPARED", 64)
    monkeypatch.setattr(dense, "LEAST_RECALL", 0.0)
    write_corpus(tmp_path / "coded", crowd())
    place = f"{database}&corpus=coded"
    copy_to_server(tmp_path / "coded", address_of(place), by="document-hash")
    embedded, served = open_corpus(tmp_path / "coded"), open_corpus(place)
    assert isinstance(served, PostgresCorpus)
    assert served._dense._coded is not None  # noqa: SLF001  (that this is the search that is tested)
    for mask in (None, *masks(embedded).values()):
        for limit in (5, 40, 0):
            expected = embedded.search_dense(question(), limit, 0.1, mask=mask)
            for ours, theirs in zip(
                served.search_dense(question(), limit, 0.1, mask=mask), expected, strict=True
            ):
                assert ours.rows.tolist() == theirs.rows.tolist()
                assert ours.scores.tolist() == theirs.scores.tolist()
