"""Records in short: what they say of the record, and that nothing in one makes them long."""

from __future__ import annotations

from typing import Any

import jsonschema
import pytest

from engine.answers.answer import answer
from engine.answers.export import answer_to_json
from engine.corpus.protocol import Corpus
from engine.records.conversion import investigation_to_json
from engine.records.in_place import characters
from engine.records.summaries import SlimAnswer, SlimCase, slim_answer, slim_case, trail_words
from tests.engine.harbour import QUESTION
from tests.engine.investigation.story import finished

CASE = SlimCase.model_json_schema(mode="serialization")


@pytest.fixture(scope="session")
def record(bare: Corpus) -> dict[str, Any]:
    return investigation_to_json(finished(bare, QUESTION).investigation())


def test_it_says_what_the_record_says(record: dict[str, Any]) -> None:
    short = slim_case(record)
    jsonschema.validate(short, CASE)
    assert short["question"] == QUESTION
    assert [one["id"] for one in short["passages"]] == [one["id"] for one in record["passages"]]
    assert [one["text"] for one in short["passages"]] == [one["text"] for one in record["passages"]]
    assert short["pool"]["passages"] == len(record["pool"]["nodes"])
    assert sum(short["pool"]["by_strategy"].values()) == short["pool"]["passages"]
    assert short["evidence"]["status"] == record["evidence"]["status"]
    assert characters(short) < characters(record) / 2


def test_a_trail_is_written_in_short_words(record: dict[str, Any]) -> None:
    long = max((trail for one in record["passages"] for trail in one["trails"]), key=len)
    assert len(long) > 1
    words = trail_words(long)
    assert len(words) == len(long)
    assert words[0].startswith("scan")
    assert long[-1]["source"] in words[-1]
    assert all(len(one) < 300 for one in words)


def test_an_answer_says_what_the_answer_says(bare: Corpus) -> None:
    told = answer_to_json(answer(finished(bare, QUESTION).investigation(), bare))
    short = slim_answer(told)
    jsonschema.validate(short, SlimAnswer.model_json_schema(mode="serialization"))
    assert [one["text"] for one in short["sentences"]] == [one["text"] for one in told["sentences"]] != []
    cited = {one["number"]: one["passage"] for one in short["citations"]}
    assert all(number in cited for one in short["sentences"] for number in one["citations"])
