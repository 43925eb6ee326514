"""Assessments in the words of MLflow's JSON (``mlflow/protos/assessments.proto``)."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from google.protobuf.timestamp_pb2 import Timestamp

from engine.errors import SourceError
from engine.review.exchange.mlflow import read, write
from engine.review.model import Item, ItemKind, SourceType, Verdict
from tests.engine.review.judged import AT, R, passage, said

LINE: dict[str, Any] = {
    "assessment_name": "passage_relevance",
    "trace_id": "tr-1",
    "source": {"source_type": "HUMAN", "source_id": "anna@example.org"},
    "create_time": "2026-11-26T08:00:00Z",
    "feedback": {"value": "relevant"},
    "rationale": "names the office",
    "metadata": {"passage_id": "p"},
}


def file(folder: Path, *lines: dict[str, Any]) -> Path:
    path = folder / "assessments.jsonl"
    path.write_text("".join(json.dumps(line) + "\n\n" for line in lines), encoding="utf-8")
    return path


def test_a_hop_is_feedback_on_the_trace_of_its_case() -> None:
    hop = Item("case", ItemKind.HOP, "h", "target", source_id="source", relation="cites", rank=3)
    one = replace(said(hop, Verdict.WRONG_TARGET), note="another article", source=SourceType.CODE)
    line = json.loads(write([one]))
    metadata = line.pop("metadata")
    assert line == {
        "assessment_name": "hop_correctness",
        "trace_id": "case",
        "source": {"source_type": "CODE", "source_id": "anna"},
        "create_time": AT,
        "last_update_time": AT,
        "feedback": {"value": "wrong target"},
        "rationale": "another article",
        "valid": True,
    }
    assert (metadata["source_id"], metadata["relation"], metadata["rank"]) == ("source", "cites", "3")
    assert all(isinstance(value, str) for value in metadata.values())


def test_moments_are_those_of_protobuf() -> None:
    moment = Timestamp()
    moment.FromJsonString(json.loads(write([said(passage("p"), R)]))["create_time"])
    assert moment.ToDatetime().isoformat() == AT.removesuffix("+00:00")


def test_what_mlflow_writes_is_read(tmp_path: Path) -> None:
    judge = {**LINE, "source": {"source_type": "LLM_JUDGE", "source_id": "judge"}, "rationale": None}
    expected = {key: value for key, value in LINE.items() if key != "feedback"}
    replaced = {**LINE, "valid": False}
    found = read(file(tmp_path, LINE, judge, {**expected, "expectation": {"value": "partly"}}, replaced))
    assert [(one.verdict.value, one.source, one.note) for one in found] == [
        ("relevant", SourceType.HUMAN, "names the office"),
        ("relevant", SourceType.CODE, ""),
        ("partly", SourceType.HUMAN, "names the office"),
    ]
    assert (found[0].case_id, found[0].reviewer, found[0].at) == ("tr-1", "anna@example.org", AT)


@pytest.mark.parametrize(
    ("fields", "reason"),
    [
        (
            {"assessment_name": "fluency"},
            "unknown assessment 'fluency'; known: passage_relevance, hop_correctness",
        ),
        ({"feedback": {"value": "great"}}, "unknown verdict 'great'"),
        ({"feedback": {"value": 4}}, "feedback.value: Input should be a valid string"),
        ({"feedback": None}, "neither feedback nor an expectation"),
        ({"source": {"source_type": "ORACLE"}}, "source.source_type: Input should be"),
        ({"metadata": {"passage_id": 3}}, "metadata.passage_id: Input should be a valid string"),
        ({"metadata": None}, "names no item"),
    ],
)
def test_what_cannot_be_read_is_named(fields: dict[str, Any], reason: str, tmp_path: Path) -> None:
    with pytest.raises(SourceError, match=f"assessments.jsonl, line 3: {reason}"):
        read(file(tmp_path, LINE, {**LINE, **fields}))
