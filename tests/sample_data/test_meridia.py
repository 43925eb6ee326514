"""The sample corpus holds what its README says, read by the reader that everybody uses."""

from __future__ import annotations

import csv
import json
import re
from collections import Counter, defaultdict
from datetime import date, timedelta
from functools import cache

import pytest

from engine.ingestion.readers.base import Problem, ReadDocument
from engine.ingestion.sources import open_sources
from engine.model import Document, Passage
from tests.conftest import SAMPLE

LANGUAGES = ("ar", "de", "id")
NEW_ARTICLE_22 = date(2024, 1, 1)


@cache
def read_all() -> tuple[ReadDocument, ...]:
    with open_sources([SAMPLE]) as found:
        pass
    read = [item for source, reader in found.documents for item in reader.read(source)]
    problems = [*found.problems, *(item for item in read if isinstance(item, Problem))]
    assert [str(problem) for problem in problems] == []
    return tuple(item for item in read if isinstance(item, ReadDocument))


@cache
def documents() -> dict[str, Document]:
    return {read.document.id: read.document for read in read_all()}


@cache
def passages() -> dict[str, Passage]:
    return {passage.id: passage for read in read_all() for passage in read.passages}


@cache
def questions() -> dict[str, tuple[str, str]]:
    lines = (SAMPLE / "queries.jsonl").read_text(encoding="utf-8").splitlines()
    rows = [json.loads(line) for line in lines]
    assert len({row["id"] for row in rows}) == len(rows)
    return {row["id"]: (row["metadata"]["language"], row["text"]) for row in rows}


@cache
def gold() -> dict[str, dict[str, int]]:
    judged: dict[str, dict[str, int]] = defaultdict(dict)
    with (SAMPLE / "qrels.tsv").open(encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file, delimiter="\t"):
            assert row["corpus-id"] not in judged[row["query-id"]], row
            judged[row["query-id"]][row["corpus-id"]] = int(row["score"])
    return dict(judged)


def test_ids_are_unique() -> None:
    counts = Counter(passage.id for read in read_all() for passage in read.passages)
    assert [name for name, count in counts.items() if count > 1] == []


def test_document_relations_point_at_documents() -> None:
    for document in documents().values():
        for key in ("based_on", "amends", "translation_of"):
            named = document.metadata.get(key, [])
            for target in [named] if isinstance(named, str) else named:
                assert target in documents(), (document.id, key, target)


def provision(passage_id: str) -> str:
    path = passage_id.partition("/")[2]
    return re.sub(r"^sec-", "art-", path.replace("art-22-bis", "art-22a"))


@pytest.mark.parametrize("language", LANGUAGES)
def test_translations_are_parallel(language: str) -> None:
    translated = [document for document in documents().values() if document.language == language]
    assert len(translated) == 3
    originals = set(passages())
    for document in translated:
        own = {provision(p.id): p for p in passages().values() if p.document_id == document.id}
        unknown = [path for path in own if f"{document.metadata['translation_of']}/{path}" not in originals]
        assert unknown == []
        for path, passage in own.items():
            original = passages()[f"{document.metadata['translation_of']}/{path}"]
            assert (passage.valid_from, passage.valid_to) == (original.valid_from, original.valid_to)


@pytest.mark.parametrize("document_id", ["commercial-agency-code", "commercial-agency-code-ar"])
def test_superseded_article_has_two_adjacent_versions(document_id: str) -> None:
    old = passages()[f"{document_id}/art-22/para-1"]
    new = passages()[f"{document_id}/art-22@2024-01-01/para-1"]
    assert new.valid_from == NEW_ARTICLE_22
    assert new.valid_to is None
    assert old.valid_from == date(2012, 1, 1)
    assert old.valid_to == NEW_ARTICLE_22 - timedelta(days=1)
    assert old.text != new.text


def test_every_question_is_judged_and_every_gold_passage_exists() -> None:
    assert set(gold()) == set(questions())
    missing = [(query, name) for query, judged in gold().items() for name in judged if name not in passages()]
    assert missing == []
    assert {score for judged in gold().values() for score in judged.values()} == {1, 2}


def test_gold_is_in_the_language_of_its_question() -> None:
    for query, judged in gold().items():
        assert {passages()[name].language for name in judged} == {questions()[query][0]}, query


def test_examples_are_judged_questions_and_the_flagship_is_first() -> None:
    examples = json.loads((SAMPLE / "examples.json").read_text(encoding="utf-8"))
    assert 5 <= len(examples) <= 6
    known = set(questions().values())
    assert [e["text"] for e in examples if (e["language"], e["text"]) not in known] == []
    assert examples[0]["text"] == questions()["meridia-01"][1]
    assert {e["language"] for e in examples} == {"en", *LANGUAGES}
