"""Saved investigations: whole or not there, and errors that name file and fault."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import orjson
import pytest

from engine.corpus.protocol import Corpus
from engine.errors import InputError
from engine.model import GapQuery
from engine.records.conversion import load_record, pool_of, save
from tests.engine.harbour import QUESTION
from tests.engine.investigation.story import BREADTH, SETTINGS, finished


@pytest.fixture
def file(bare: Corpus, tmp_path: Path) -> Path:
    save(finished(bare, QUESTION).investigation(), tmp_path / "case.json")
    return tmp_path / "case.json"


def test_nothing_but_the_file_is_left(file: Path) -> None:
    assert [path.name for path in file.parent.iterdir()] == ["case.json"]
    assert orjson.loads(file.read_bytes())["question"] == QUESTION


def test_a_file_is_replaced(bare: Corpus, file: Path) -> None:
    save(finished(bare, "Who takes a pilot?").investigation(), file)
    assert orjson.loads(file.read_bytes())["question"] == "Who takes a pilot?"


@pytest.mark.parametrize("name", ["absent/case.json", "folder"])
def test_what_cannot_be_written_leaves_nothing_behind(bare: Corpus, tmp_path: Path, name: str) -> None:
    (tmp_path / "folder").mkdir()
    with pytest.raises(InputError, match=f"cannot write .*{name}: "):
        save(finished(bare, QUESTION).investigation(), tmp_path / name)
    assert [path.name for path in tmp_path.iterdir()] == ["folder"]


def test_the_pool_comes_back(bare: Corpus, file: Path) -> None:
    pool = finished(bare, QUESTION).pool
    again = pool_of(load_record(file), bare, 100, file)
    assert [(e.passage_id, e.row, e.round, e.strategy) for e in again.entries()] == [
        (e.passage_id, e.row, e.round, e.strategy) for e in pool.entries()
    ]
    assert again.scores().tolist() == pytest.approx(pool.scores().tolist(), abs=1e-6)
    assert [(h.source_id, h.target_id, h.quote) for h in again.hops()] == [
        (h.source_id, h.target_id, h.quote) for h in pool.hops()
    ]
    assert again.explored == pool.explored


@pytest.mark.parametrize("kept", [True, False], ids=["with its area", "saved before areas were kept"])
def test_the_query_of_a_hop_comes_back(harbour: Corpus, file: Path, kept: bool) -> None:
    settings = SETTINGS.changed(transaction_type="pilot-exemption")
    case = finished(harbour, "How long is a berth allocated?", settings, replace(BREADTH, seeds=2))
    save(case.investigation(), file)
    queries = [hop.query for hop in case.pool.hops()]
    record = orjson.loads(file.read_bytes())
    if not kept:
        record["format"] = 1
        for edge in record["pool"]["edges"]:
            del edge["query"]
    file.write_bytes(orjson.dumps(record))
    found = [hop.query for hop in pool_of(load_record(file), harbour, 100, file).hops()]
    assert any(query is not None for query in queries)
    assert found == [query if kept or query is None else GapQuery(query.text) for query in queries]


def test_a_pool_larger_than_the_limit_is_kept(bare: Corpus, file: Path) -> None:
    again = pool_of(load_record(file), bare, 1, file)
    assert again.limit == len(again) > 1


def without(name: str) -> Callable[[dict[str, Any]], object]:
    return lambda record: record["pool"].pop(name)


@pytest.mark.parametrize(
    ("damage", "message"),
    [
        (lambda record: record.clear(), "not a saved investigation"),
        (lambda record: record.update(pool=[]), "damaged: pool: "),
        (lambda record: record.update(format=99), "saved in format 99, this program reads 1"),
        (lambda record: record["pool"]["nodes"][0].update(id="gone"), "passage 'gone' is not in the corpus"),
        (
            lambda record: record["pool"]["edges"][0].update(relation="likes"),
            "damaged: pool.edges.0.relation: ",
        ),
        (lambda record: record["pool"]["edges"][0].update(source="gone"), "damaged: a hop from gone"),
        (lambda record: record["pool"]["nodes"][0].pop("score"), "damaged: pool.nodes.0.score: "),
        (without("pinned"), "damaged: pool.pinned: "),
    ],
)
def test_a_file_that_does_not_fit_is_named(
    bare: Corpus, file: Path, damage: Callable[[dict[str, Any]], object], message: str
) -> None:
    record = orjson.loads(file.read_bytes())
    damage(record)
    file.write_bytes(orjson.dumps(record))
    with pytest.raises(InputError, match=message) as caught:
        pool_of(load_record(file), bare, 100, file)
    assert str(file) in str(caught.value)
    assert "\n" not in str(caught.value)
