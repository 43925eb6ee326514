"""What is judged beyond passages: the transaction of each question, and the areas its gold is evidence of."""

from __future__ import annotations

import csv
import json
from collections import Counter, defaultdict
from functools import cache
from pathlib import Path
from typing import Any

from engine.corpus.ontology import ontology_from, read_ontology
from engine.corpus.protocol import Ontology
from tests.conftest import SAMPLE
from tests.sample_data.test_meridia import gold, passages, questions

# Judged together with areas; those before are older.
OLDER = 40


def lines(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


@cache
def ontology() -> Ontology:
    return ontology_from(read_ontology(SAMPLE / "ontology.yaml"))


@cache
def transactions() -> dict[str, str | None]:
    return {row["id"]: row["metadata"]["transaction"] for row in lines(SAMPLE / "queries.jsonl")}


@cache
def judged_areas() -> tuple[tuple[str, str, str], ...]:
    with (SAMPLE / "areas.tsv").open(encoding="utf-8", newline="") as file:
        reader = csv.DictReader(file, delimiter="\t")
        assert reader.fieldnames == ["query-id", "area", "corpus-id"]
        return tuple((row["query-id"], row["area"], row["corpus-id"]) for row in reader)


def areas_of() -> dict[str, set[str]]:
    found: dict[str, set[str]] = defaultdict(set)
    for question, area, _ in judged_areas():
        found[question].add(area)
    return found


def newer() -> list[str]:
    return list(questions())[OLDER:]


def test_an_area_is_judged_once_for_gold_of_the_question_alone() -> None:
    assert len(set(judged_areas())) == len(judged_areas())
    areas = {area.id for area in ontology().areas}
    for question, area, passage in judged_areas():
        assert question in questions(), question
        assert area in areas, (question, area)
        assert passage in passages(), (question, passage)
        assert passage in gold()[question], (question, passage)


def test_every_question_tells_its_transaction_or_none() -> None:
    assert set(transactions()) == set(questions())
    known = set(ontology().transactions)
    assert {name for name in transactions().values() if name is not None} == known
    counts = Counter(transactions()[question] for question in newer())
    assert counts[None] >= 30
    assert sum(counts[name] for name in known) >= 60
    assert all(counts[name] >= 10 for name in known)


def test_some_transactions_require_areas_on_which_the_law_is_silent() -> None:
    found, silent = areas_of(), []
    for question in newer():
        name = transactions()[question]
        required = set(ontology().transactions[name]) if name is not None else set()
        if required - found[question]:
            silent.append(question)
            assert required & found[question], question
    assert len(silent) >= 10
