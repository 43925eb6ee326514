"""Every file that is saved is what the published schema says, by a validator that is not ours."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import orjson
import pytest
from jsonschema import Draft202012Validator

from engine.corpus.protocol import Corpus
from engine.errors import InputError
from engine.investigation import Case
from engine.records.case_file import SCHEMA, read_saved, schema_bytes
from engine.records.conversion import save
from engine.settings import preset
from tests.engine.harbour import NOTHING, QUESTION
from tests.engine.investigation.story import finished

QUESTIONS = (
    QUESTION,
    NOTHING,
    "How long is a berth allocated, and who may take a pilot?",
    "Wer haftet für die Hafengebühren?",
    "ما هي رسوم الميناء؟",
    "Article 5 of the Harbour Act",
    '<script>alert("x")</script> =HYPERLINK("http://x") ?',
    'berth +"harbour master" year:2020..2024',
)


@cache
def validator() -> Draft202012Validator:
    schema = orjson.loads(SCHEMA.read_bytes())
    Draft202012Validator.check_schema(schema)
    return Draft202012Validator(schema)


def faults(values: Any) -> list[str]:
    return [f"{error.json_path}: {error.message[:200]}" for error in validator().iter_errors(values)]


def test_it_is_made_of_what_reads_the_files() -> None:
    assert SCHEMA.read_bytes() == schema_bytes(), "write schema_bytes() to engine/records/case.schema.json"


ASKED = [
    ("balanced", QUESTION),
    ("detective", QUESTION),
    *(("quick", question) for question in QUESTIONS[1:]),
]


@pytest.mark.parametrize(("depth", "question"), ASKED)
def test_real_cases(meridia: Corpus, harbour: Corpus, tmp_path: Path, question: str, depth: str) -> None:
    for corpus in (harbour,) if depth == "detective" else (harbour, meridia):
        case = Case(corpus, question, preset(depth))
        list(case.run())
        save(case.investigation(), tmp_path / "case.json")
        assert faults(orjson.loads((tmp_path / "case.json").read_bytes())) == []
        read_saved(tmp_path / "case.json")


def longer(values: dict[str, Any]) -> None:
    values["pool"]["nodes"][0]["added"] = 1


@pytest.mark.parametrize(
    "change",
    [
        lambda values: values.update(more=1),
        lambda values: values.pop("case"),
        lambda values: values.update(format=3),
        lambda values: values["case"].update(id="-rf"),
        lambda values: values["case"].update(head="x"),
        lambda values: values["case"]["events"].clear(),
        lambda values: values["rounds"][0].pop("searches"),
        lambda values: values["rounds"][0].update(kinds=["walk"]),
        lambda values: values["pool"]["edges"][0].update(relation="loves"),
        lambda values: values["passages"][0].update(rank="1"),
        lambda values: values["stop"].update(reason="bored"),
        longer,
    ],
)
def test_what_is_no_saved_case_is_seen_by_both(
    bare: Corpus, tmp_path: Path, change: Callable[[dict[str, Any]], object]
) -> None:
    path = tmp_path / "case.json"
    save(finished(bare, QUESTION).investigation(), path)
    values = orjson.loads(path.read_bytes())
    change(values)
    path.write_bytes(orjson.dumps(values))
    assert faults(values)
    with pytest.raises(InputError, match=rf"^{path}: "):
        read_saved(path)
