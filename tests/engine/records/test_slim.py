"""Records in short: what they say of the record, and that nothing in one makes them long."""

from __future__ import annotations

import copy
from typing import Any

import jsonschema
import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.answers.answer import answer
from engine.answers.export import answer_to_json
from engine.corpus.protocol import Corpus
from engine.records.export import investigation_to_json
from engine.records.fitting import characters, fitted
from engine.records.slim import SlimAnswer, SlimCase, slim_answer, slim_case, trail_words
from tests.engine.harbour import QUESTION
from tests.engine.investigation.story import finished

BOUND = 19_000
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


def test_a_trail_is_told_in_short_words(record: dict[str, Any]) -> None:
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


# What makes a text long in JSON: quotation marks, breaks, control characters; and what comes as it is.
WORDS = st.sampled_from(["word ", '"', "\\", "\n", "\x01", "نص ", "Gesetz", "<script>", "=1+1", "𝔘", "x"])


@given(
    word=WORDS,
    length=st.integers(0, 5_000),
    many=st.integers(1, 30),
    field=st.sampled_from(["text", "title", "label", "id", "document"]),
    place=st.sampled_from(["passages", "coverage", "rounds", "notes", "missing", "nodes", "question"]),
)
def test_nothing_in_a_record_makes_it_long(
    record: dict[str, Any], word: str, length: int, many: int, field: str, place: str
) -> None:
    long, changed = word * (length // len(word)), copy.deepcopy(record)
    for one in changed["passages"]:
        one[field] = long
    if place in ("passages", "coverage", "rounds"):
        changed[place] = changed[place] * many
    elif place == "nodes":
        changed["pool"]["nodes"] = changed["pool"]["nodes"] * many
        for number, node in enumerate(changed["pool"]["nodes"]):
            node["strategy"] = f"{number}{long[:50]}"
    elif place == "notes":
        changed["notes"] = [long] * many
    elif place == "missing":
        changed["evidence"]["missing"] = [long] * many
    else:
        changed["question"] = long
    made = fitted(slim_case(changed), BOUND)
    assert characters(made) <= BOUND
    jsonschema.validate(made, CASE)
