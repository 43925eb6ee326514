# The statements that ask all of a corpus are named one by one.
# ruff: noqa: SLF001
"""Corpora whose tables are partitioned: what is spread how, and that no statement looks where it need not."""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import date
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from engine.cli.main import main
from engine.corpus import address_of, open_corpus
from engine.corpus.embedded.writing import write_corpus
from engine.corpus.postgresql import links, queries, searches, texts
from engine.corpus.postgresql.catalogue import HASHED, MOST, assign_parts
from engine.corpus.postgresql.loading import copy_to_server
from engine.corpus.postgresql.server import Server
from engine.corpus.postgresql.store import PostgresCorpus
from engine.corpus.toy import toy_contents
from engine.errors import InputError
from engine.model import Direction, Document
from tests.engine.corpus.postgresql.test_cases import QUESTIONS, told


def test_documents_are_spread_evenly_by_hash() -> None:
    parts = assign_parts([Document(f"law-{n}", "Law", "en") for n in range(4000)], "document-hash")
    counts = np.bincount(parts, minlength=HASHED)
    assert len(counts) == HASHED
    assert counts.min() > 400
    assert assign_parts([Document("law-7", "Law", "en")], "document-hash").tolist() == [parts[7]]


def test_documents_are_told_apart_by_validity_and_by_fields() -> None:
    documents = [
        Document("a", "A", "en", valid_to=date(2001, 1, 1), metadata={"jurisdiction": "UK"}),
        Document("b", "B", "de", status="Repealed", metadata={"jurisdiction": "DE"}),
        Document("c", "C", "de", metadata={"jurisdiction": "DE"}),
    ]
    assert assign_parts(documents, "validity").tolist() == [1, 1, 0]
    assert assign_parts(documents, "jurisdiction").tolist() == [1, 0, 0]
    assert assign_parts(documents, "language").tolist() == [1, 0, 0]
    assert assign_parts(documents, None).tolist() == [0, 0, 0]
    assert assign_parts([], "jurisdiction").tolist() == []
    with pytest.raises(InputError, match="no document has this field"):
        assign_parts(documents, "colour")


def test_rare_values_share_the_last_part() -> None:
    documents = [Document(str(n), "X", "en", metadata={"court": str(n // 2)}) for n in range(200)]
    parts = assign_parts(documents, "court")
    assert (parts[0], parts.max(), int((parts == MOST - 1).sum())) == (0, MOST - 1, 200 - 2 * (MOST - 1))


@pytest.fixture(scope="module")
def place(sample_folder: Path, database: str) -> str:
    place = f"{database}&corpus=parted"
    copy_to_server(sample_folder, address_of(place), by="document-hash")
    # Another one beside it, whose partitions nothing may touch.
    copy_to_server(sample_folder, address_of(f"{database}&corpus=beside"), by="language")
    return place


@pytest.fixture
def toy(database: str, tmp_path: Path) -> str:
    write_corpus(tmp_path / "toy", toy_contents(further=True))
    place = f"{database}&corpus=toy"
    copy_to_server(tmp_path / "toy", address_of(place), by="validity")
    return place


@pytest.fixture
def corpus(place: str) -> Iterator[PostgresCorpus]:
    corpus = open_corpus(place)
    assert isinstance(corpus, PostgresCorpus)
    yield corpus
    corpus.close()


# What asks all of a corpus; of everything else the documents are known, and so are their partitions.
EVERYWHERE = {
    str(statement)
    for statement in (
        *(queries._RECORDS, texts._BARE, texts._ALL_ROWS, texts._NUMBERED, texts._SECTION),
        searches._CODES,
        *(links._MENTIONS, links._RECORDS, links._NAMES),
        *(links._ALL_NUMBERS, links._MOST_CITED),
    )
}


def tables_in(plan: Any) -> Iterator[str]:
    if isinstance(plan, dict):
        if "Relation Name" in plan:
            yield plan["Relation Name"]
        plan = list(plan.values())
    if isinstance(plan, list):
        for part in plan:
            yield from tables_in(part)


@pytest.fixture
def looked_at(corpus: PostgresCorpus, monkeypatch: pytest.MonkeyPatch) -> list[tuple[str, set[int]]]:
    return watched(corpus, monkeypatch)


def watched(corpus: PostgresCorpus, monkeypatch: pytest.MonkeyPatch) -> list[tuple[str, set[int]]]:
    """Statements that are asked from now on, each with the parts that its plan reads; fails at once where it
    reads the partition of another corpus, or of a part that it was not asked of."""
    read, asked = Server.read, list[tuple[str, set[int]]]()

    def explained(server: Server, statement: str, parameters: dict[str, Any]) -> Any:
        ((plan,),) = read(server, f"explain (format json) {statement}", parameters)
        tables = [table for table in tables_in(plan) if not table.startswith(("said", "corpora"))]
        parts = set()
        for table in tables:
            found = re.fullmatch(rf"[a-z]+_{corpus.stamp}_(\d+)", table)
            assert found, f"{table} is read by: {statement}"
            parts.add(int(found[1]))
        given = parameters.get("parts", parameters.get("allowed_parts"))
        is_search = "q.place" in str(statement) and given is None
        if given is None:
            assert not tables or is_search or str(statement) in EVERYWHERE, f"asks everywhere: {statement}"
        else:
            assert parts <= set(given), f"looks elsewhere: {statement}"
        asked.append((str(statement), parts))
        return read(server, statement, parameters)

    monkeypatch.setattr(Server, "read", explained)
    return asked


def test_a_case_looks_into_no_partition_that_it_need_not(
    corpus: PostgresCorpus, sample_folder: Path, looked_at: list[tuple[str, set[int]]]
) -> None:
    assert told(corpus, QUESTIONS[0]) == told(open_corpus(sample_folder), QUESTIONS[0])
    assert len({statement for statement, _ in looked_at}) > 10


def test_what_is_asked_of_one_document_reads_one_partition(
    corpus: PostgresCorpus, looked_at: list[tuple[str, set[int]]]
) -> None:
    number = len(corpus.documents()) - 1
    (part,) = corpus.parts(np.array([number]))
    (rows,) = corpus.by_document([corpus.documents()[number].id])
    mask = np.zeros(len(corpus), np.bool_)
    mask[rows] = True
    ids = [passage.id for passage in corpus.passages(rows)]
    corpus.sections([int(corpus.section_numbers(rows)[0])])
    looked_at.clear()
    corpus.passages(rows)
    corpus.rows(ids)
    corpus.vectors(rows)
    corpus.references(corpus.references_from(rows).numbers.tolist())
    corpus.references_to(rows)
    corpus.reference_numbers(document=number)
    for direction in Direction:
        corpus.neighbours(rows, None, direction)
    corpus.entities_of(rows)
    corpus.sections(corpus.document_sections(number).tolist())
    corpus.search_lexical(["the tax authority"], "en", 9, mask=mask)
    corpus.score_lexical(["the register"], "en", rows)
    assert looked_at
    for statement, parts in looked_at:
        assert parts == {part}, statement


def test_a_search_with_a_filter_reads_the_partitions_that_it_allows(
    toy: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    corpus = open_corpus(toy)
    assert isinstance(corpus, PostgresCorpus)
    mask = corpus.document_numbers(np.arange(8, dtype=np.int32)) == 1
    (part,) = corpus.parts(np.array([1]))
    assert len(corpus.parts(np.arange(3))) > 1
    # What is read once: documents and the vectors' codes.
    corpus.search_dense(np.ones((1, 2), np.float32), 9, -1.0)
    looked_at = watched(corpus, monkeypatch)
    corpus.search_dense(np.ones((1, 2), np.float32), 9, -1.0, mask=mask)
    assert looked_at
    for statement, parts in looked_at:
        assert parts == {part}, statement


def test_the_command_line_partitions(
    sample_folder: Path, database: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    place = f"{database}&corpus=by-language"
    assert main(["copy", str(sample_folder), place, "--partition-by", "language"]) == 0
    corpus = open_corpus(place)
    assert isinstance(corpus, PostgresCorpus)
    languages = {document.language for document in corpus.documents()}
    assert len(corpus.parts(np.arange(len(corpus.documents())))) == len(languages)
    capsys.readouterr()
    assert main(["copy", str(sample_folder), place, "--partition-by", "colour"]) == 2
    assert "no document has this field" in capsys.readouterr().err
    assert main(["copy", place, str(tmp_path / "back"), "--partition-by", "language"]) == 2
    assert "--partition-by is for the way to a server" in capsys.readouterr().err
    assert main(["copy", place, str(tmp_path / "back")]) == 0
    assert told(open_corpus(tmp_path / "back"), QUESTIONS[1]) == told(open_corpus(place), QUESTIONS[1])
