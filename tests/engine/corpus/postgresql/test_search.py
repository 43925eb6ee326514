from __future__ import annotations

from collections.abc import Iterator
from datetime import date
from pathlib import Path
from typing import Any
from urllib.parse import quote

import numpy as np
import psycopg
import pytest
from psycopg import sql
from sqlalchemy import TextClause, text

from engine.corpus import open_corpus
from engine.corpus.address import address_of
from engine.corpus.contents import Contents
from engine.corpus.embedded import dense
from engine.corpus.embedded.writing import write_corpus
from engine.corpus.postgresql import search
from engine.corpus.postgresql.binary import vector_text
from engine.corpus.postgresql.loading import copy_to_server
from engine.corpus.postgresql.server import Server
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
    copy_to_server(folder, address_of(f"{database}&corpus=crowd&dense=hnsw"))
    return f"{database}&corpus=crowd"


@pytest.fixture(scope="module")
def embedded(folder: Path) -> Corpus:
    return open_corpus(folder)


@pytest.fixture(scope="module")
def exact(place: str) -> Corpus:
    return open_corpus(place)


# So that the planner takes the index for so small a table too, whatever is filtered.
ALWAYS = "&options=" + quote("-c enable_seqscan=off -c enable_bitmapscan=off -c enable_sort=off")


@pytest.fixture
def indexed(place: str) -> Iterator[PostgresCorpus]:
    corpus = open_corpus(f"{place}&dense=hnsw{ALWAYS}")
    assert isinstance(corpus, PostgresCorpus)
    yield corpus
    corpus.close()


@pytest.fixture
def no_comparing(monkeypatch: pytest.MonkeyPatch) -> None:
    """Every mask is left to the index, however narrow it is."""
    monkeypatch.setattr(search, "COMPARED", -1)
    monkeypatch.setattr(search, "COMPARED_SHARE", -1.0)


def question() -> np.ndarray[tuple[int, ...], np.dtype[np.float32]]:
    asked = np.zeros((2, LENGTH), np.float32)
    asked[0, 0] = 1.0
    asked[1, 1] = 1.0
    return asked


def masks(corpus: Corpus) -> dict[str, Mask]:
    """A filter of each kind: by day, by document, by type, and by half of all."""
    numbers = corpus.document_numbers(np.arange(len(corpus), dtype=np.int32))
    return {
        "day": corpus.in_force(THE_DAY),
        "document": numbers == 3,
        "type": np.isin(numbers, np.arange(0, DOCUMENTS, 60)),
        "half": numbers % 2 == 0,
        "nothing": np.zeros(len(corpus), np.bool_),
    }


KINDS = ["day", "document", "type", "half", "nothing"]


def test_the_trap_is_there(place: str, indexed: PostgresCorpus) -> None:
    """By default an index looks for its 40 nearest, and filters them afterwards."""
    with psycopg.connect(address_of(place).url.replace("+psycopg", "")) as connection:
        connection.execute("set enable_seqscan = off; set enable_sort = off; set hnsw.iterative_scan = off")
        statement = sql.SQL(
            "select x.row from redstring.vectors x join redstring.passages p using (corpus, document, row) "
            "where x.corpus = {corpus} and p.valid_to = {day} "
            "order by cast(x.embedding as halfvec({length})) <#> cast({asked} as halfvec({length})) limit 9"
        ).format(
            corpus=sql.Literal(indexed.stamp),
            day=sql.Literal(date(2030, 1, 1).toordinal()),
            length=sql.Literal(LENGTH),
            asked=sql.Literal(vector_text(question()[0])),
        )
        assert connection.execute(statement).fetchall() == []


@pytest.mark.parametrize("kind", KINDS)
def test_a_filter_leaves_all_that_it_allows(embedded: Corpus, indexed: PostgresCorpus, kind: str) -> None:
    mask = masks(indexed)[kind]
    expected = embedded.search_dense(question(), 9, -1.0, mask=mask)
    for ours, theirs in zip(indexed.search_dense(question(), 9, -1.0, mask=mask), expected, strict=True):
        assert ours.rows.tolist() == theirs.rows.tolist()
        np.testing.assert_allclose(ours.scores, theirs.scores, atol=1e-6)


@pytest.mark.usefixtures("no_comparing")
@pytest.mark.parametrize("kind", KINDS)
def test_the_index_goes_on_until_it_has_enough(indexed: PostgresCorpus, kind: str) -> None:
    mask = masks(indexed)[kind]
    for hits in indexed.search_dense(question(), 9, -1.0, mask=mask):
        assert len(hits.rows) == min(9, int(mask.sum()))
        assert mask[hits.rows].all()


@pytest.mark.usefixtures("no_comparing")
@pytest.mark.parametrize("kind", KINDS)
def test_a_scan_that_is_given_up_is_made_good(place: str, embedded: Corpus, kind: str) -> None:
    short = quote(" -c hnsw.max_scan_tuples=1 -c hnsw.ef_search=1")
    corpus = open_corpus(f"{place}&dense=hnsw{ALWAYS}{short}")
    mask = masks(corpus)[kind]
    expected = embedded.search_dense(question(), 9, -1.0, mask=mask)
    found = corpus.search_dense(question(), 9, -1.0, mask=mask)
    assert [len(hits.rows) for hits in found] == [len(hits.rows) for hits in expected]
    assert all(mask[hits.rows].all() for hits in found)


@pytest.mark.usefixtures("no_comparing")
@pytest.mark.parametrize("kind", [None, *KINDS[:-1]])
def test_the_index_is_used(
    indexed: PostgresCorpus, kind: str | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    read, plans = Server.read, list[str]()

    def explained(server: Server, statement: TextClause, parameters: dict[str, Any]) -> Any:
        plans.extend(line for (line,) in read(server, text(f"explain {statement}"), parameters))
        return read(server, statement, parameters)

    mask = None if kind is None else masks(indexed)[kind]
    monkeypatch.setattr(Server, "read", explained)
    indexed.search_dense(question(), 9, -1.0, mask=mask)
    assert any("embedding_idx" in line for line in plans)


@pytest.mark.usefixtures("no_comparing")
def test_the_index_finds_nearly_all_that_is_nearest(embedded: Corpus, indexed: PostgresCorpus) -> None:
    asked = np.random.default_rng(9).normal(size=(20, LENGTH)).astype(np.float32)
    asked /= np.linalg.norm(asked, axis=1, keepdims=True)
    found = indexed.search_dense(asked, 10, -1.0)
    expected = embedded.search_dense(asked, 10, -1.0)
    held = [len(set(a.rows.tolist()) & set(b.rows.tolist())) for a, b in zip(found, expected, strict=True)]
    assert np.mean(held) >= 9.5


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
    assert served._coded is not None  # noqa: SLF001  (that this is the search that is tested)
    for mask in (None, *masks(embedded).values()):
        for limit in (5, 40, 0):
            expected = embedded.search_dense(question(), limit, 0.1, mask=mask)
            for ours, theirs in zip(
                served.search_dense(question(), limit, 0.1, mask=mask), expected, strict=True
            ):
                assert ours.rows.tolist() == theirs.rows.tolist()
                assert ours.scores.tolist() == theirs.scores.tolist()
