"""The one JSON form of an investigation."""

from __future__ import annotations

from datetime import date

import orjson
import pytest

from engine.corpus.protocol import Corpus
from engine.model import Completeness, Document, Passage, RankedPassage, ScorePart, Stop, StopReason
from engine.records.conversion import investigation_to_json, passage_to_json
from engine.records.plain import plain
from engine.records.record import FORMAT
from engine.settings import checked
from tests.engine.harbour import NOTHING, QUESTION
from tests.engine.investigation.story import SETTINGS, finished

CONTRACT = {
    "passages": {"rank", "id", "document", "text", "score", "breakdown", "trails"},
    "coverage": {"id", "name", "state", "required", "evidence", "query"},
    "rounds": {"number", "seeds", "strategies", "admitted", "refused", "pool_size"},
    "stop": {"reason", "numbers"},
    "pool": {"nodes", "edges"},
}


def test_the_keys_that_others_rely_on(harbour: Corpus) -> None:
    told = investigation_to_json(finished(harbour, QUESTION).investigation())
    assert told.keys() >= {"question", "corpus", "settings", "milliseconds", *CONTRACT}
    for name, keys in CONTRACT.items():
        items = told[name] if isinstance(told[name], list) else [told[name]]
        assert items, name
        assert all(item.keys() >= keys for item in items), name
    assert told["format"] == FORMAT
    assert "message" not in told


def test_it_is_plain_json_and_says_the_same_when_read_back(harbour: Corpus) -> None:
    told = investigation_to_json(finished(harbour, QUESTION).investigation())
    assert orjson.loads(orjson.dumps(told))["pool"] == told["pool"]
    assert checked(told["settings"]) == SETTINGS


def test_what_hangs_together(harbour: Corpus) -> None:
    case = finished(harbour, QUESTION)
    told = investigation_to_json(case.investigation())
    nodes = {node["id"] for node in told["pool"]["nodes"]}
    assert len(nodes) == len(case.pool)
    assert len(told["pool"]["edges"]) == len(case.pool.hops())
    assert all(edge["target"] in nodes and edge["source"] in {None, *nodes} for edge in told["pool"]["edges"])
    for passage in told["passages"]:
        assert sum(part["value"] for part in passage["breakdown"]) == pytest.approx(
            passage["score"], abs=1e-5
        )
        assert all(hop in told["pool"]["edges"] for trail in passage["trails"] for hop in trail)
        assert passage["id"] in passage["assembled"]
    assert told["stop"]["reason"] in set(StopReason)
    assert [report["number"] for report in told["rounds"]] == list(range(len(told["rounds"])))


def test_nothing_found_says_so(bare: Corpus) -> None:
    told = investigation_to_json(finished(bare, NOTHING).investigation())
    assert told["passages"] == []
    assert told["message"] == "nothing in bare answers this question"


def test_a_passage_has_its_documents_dates_where_it_has_none() -> None:
    act = Document("a", "Act", status="in force", valid_from=date(2010, 1, 1))
    own = Passage("a/1", "a", None, 0, "text", valid_from=date(2020, 2, 3), valid_to=date(2021, 1, 1))
    other = Passage("a/2", "a", None, 1, "text", status="repealed")
    for passage, expected in (
        (own, ("in force", "2020-02-03", "2021-01-01")),
        (other, ("repealed", "2010-01-01", None)),
    ):
        told = passage_to_json(
            RankedPassage(1, passage, act, "text", 1 / 3, (ScorePart("question", 1 / 3),), ())
        )
        assert (told["status"], told["valid_from"], told["valid_to"]) == expected
        assert told["score"] == 0.333333
        assert (told["validity"], told["out_of_force"]) == (None, False)
    told = passage_to_json(RankedPassage(1, own, act, "text", 1 / 3, (), ()), date(2026, 1, 1))
    assert (told["validity"], told["out_of_force"]) == ("until 1 Jan 2021", True)


def test_a_stop_with_and_without_an_estimate() -> None:
    assert plain(Stop, Stop(StopReason.PERSON, {"round": 1})) == {
        "reason": "person",
        "numbers": {"round": 1},
        "completeness": None,
        "condition": "",
    }
    told = plain(Stop, Stop(StopReason.ROUNDS, {}, Completeness(0.91239, 0.8, 1.0)))
    assert told["completeness"] == {
        "estimate": 0.9124,
        "low": 0.8,
        "high": 1.0,
        "method": "Chao1",
        "best": 0,
        "alone": 0,
        "evidence": {},
    }
    seen = Completeness(0.9, 0.5, 1.0, "gold", 30, 12, {"ways": 1 / 3})
    told = plain(Stop, Stop(StopReason.ROUNDS, {}, seen))
    assert (told["completeness"]["alone"], told["completeness"]["evidence"]) == (12, {"ways": 0.3333})
