"""Spans as a collector reads them: parsed into the messages of OpenTelemetry's own protocol."""

from __future__ import annotations

import base64
from collections.abc import Iterator
from typing import Any

import orjson
import pytest
from google.protobuf.json_format import ParseDict
from opentelemetry.proto.trace.v1.trace_pb2 import Span, TracesData

from engine.errors import InputError
from engine.exports.reading import read
from engine.exports.registry import HandedOver, export_of
from engine.exports.spans.documents import MOST, documents
from tests.engine.exports.cases import ARABIC, ASKED, EMPTY, GAPS, HOSTILE, KINDS, ORDINARY
from tests.engine.exports.conftest import Cases

IDS = ("traceId", "spanId", "parentSpanId")


def parsed(values: Any) -> list[Span]:
    """All spans; ids are hexadecimal in OTLP and Base64 for protobuf."""

    def for_protobuf(value: Any) -> Any:
        if isinstance(value, list):
            return [for_protobuf(one) for one in value]
        if not isinstance(value, dict):
            return value
        return {
            key: base64.b64encode(bytes.fromhex(one)).decode() if key in IDS else for_protobuf(one)
            for key, one in value.items()
        }

    data = ParseDict(for_protobuf(values), TracesData())
    assert {one.key for one in data.resource_spans[0].resource.attributes} == {
        "service.name",
        "service.version",
    }
    return list(data.resource_spans[0].scope_spans[0].spans)


def spans(case: HandedOver) -> list[Span]:
    return parsed(orjson.loads(export_of("otlp").write(case)))


def told(span: Span) -> dict[str, Any]:
    found = {}
    for one in span.attributes:
        kind = one.value.WhichOneof("value")
        assert kind is not None
        found[one.key] = getattr(one.value, kind)
    assert len(found) == len(span.attributes)
    return found


def below(parent: Span, every: list[Span]) -> Iterator[Span]:
    return (one for one in every if one.parent_span_id == parent.span_id)


@pytest.mark.parametrize("kind", KINDS)
def test_it_is_one_trace_of_which_nothing_overlaps(kind: str, cases: Cases) -> None:
    every = spans(cases[kind])
    assert len({one.trace_id for one in every}) == 1
    assert {len(one.trace_id) for one in every} == {16}
    assert {len(one.span_id) for one in every} == {8}
    assert len({one.span_id for one in every}) == len(every)
    [root] = [one for one in every if not one.parent_span_id]
    record = read(cases[kind].record)
    assert root.start_time_unix_nano == int(record.started.timestamp()) * 10**9
    assert root.end_time_unix_nano - root.start_time_unix_nano >= int(record.milliseconds * 10**6)
    reached = 0
    for parent in every:
        clock = parent.start_time_unix_nano
        for one in below(parent, every):
            reached += 1
            assert clock <= one.start_time_unix_nano <= one.end_time_unix_nano <= parent.end_time_unix_nano
            clock = one.end_time_unix_nano
    assert reached == len(every) - 1


@pytest.mark.parametrize("kind", KINDS)
def test_its_parts_are_those_of_the_case(kind: str, cases: Cases) -> None:
    record, every = read(cases[kind].record), spans(cases[kind])
    kinds = [told(one)["openinference.span.kind"] for one in every]
    searching = [one for each in record.rounds for one in each.retrievers if not one.off]
    working = [one for each in record.rounds for one in each.strategies]
    assert kinds.count("CHAIN") == 2 + len(record.rounds)
    assert kinds.count("RETRIEVER") == len(searching) + len(working)
    assert kinds.count("LLM") == len(record.usage)
    rounds = [one.name for one in every if one.name == "scan" or one.name.startswith("round ")]
    assert rounds == ["scan", *(f"round {one.number}" for one in record.rounds[1:])]


def test_a_retriever_says_what_it_retrieved(cases: Cases) -> None:
    record, every = read(cases[ORDINARY].record), spans(cases[ORDINARY])
    [scan] = [told(one) for one in every if one.name == "retrieval scan"]
    assert scan["gen_ai.operation.name"] == "retrieval"
    assert scan["gen_ai.data_source.id"] == record.corpus
    assert scan["gen_ai.retrieval.query.text"] == scan["input.value"] == record.question
    admitted = [node for node in record.pool.nodes if node.round == 0 and node.strategy == "scan"]
    assert scan["redstring.documents"] == len(admitted)
    first = max(admitted, key=lambda node: node.score)
    assert scan["retrieval.documents.0.document.id"] == first.id
    assert scan["retrieval.documents.0.document.score"] == first.score
    text = next(one.text for one in record.passages if one.id == first.id)
    assert scan["retrieval.documents.0.document.content"] == text
    listed = orjson.loads(scan["gen_ai.retrieval.documents"])
    assert listed[0] == {"id": first.id, "score": first.score}
    [bm25] = [told(one) for one in every if one.name == "retrieval bm25"]
    assert bm25["retrieval.documents.0.document.score"] == max(
        hit.score for one in record.passages for hit in one.hits if hit.retriever == "bm25"
    )


def test_a_language_model_says_what_it_used(cases: Cases) -> None:
    record, every = read(cases[ASKED].record), spans(cases[ASKED])
    asked = {told(one)["redstring.task"]: one for one in every if one.kind == Span.SPAN_KIND_CLIENT}
    assert asked.keys() == record.usage.keys() != set()
    for task, used in record.usage.items():
        values = told(asked[task])
        assert values["gen_ai.provider.name"] == "openai"
        assert asked[task].name == f"chat {values['gen_ai.request.model']}"
        assert values["gen_ai.usage.input_tokens"] == used.prompt_tokens == values["llm.token_count.prompt"]
        assert values["gen_ai.usage.output_tokens"] == used.completion_tokens
        assert (values["gen_ai.operation.name"], values["redstring.calls"]) == ("chat", used.calls)
    assert "127.0.0.1" not in export_of("otlp").write(cases[ASKED]).decode()


def test_arabic_stays_as_it_is_and_nothing_found_is_told(cases: Cases) -> None:
    assert any(ARABIC in str(told(one).get("input.value")) for one in spans(cases[HOSTILE]))
    root = told(spans(cases[EMPTY])[0])
    assert (root["redstring.evidence"], root["redstring.passages"]) == ("none", 0)


def test_a_lead_that_somebody_followed_is_a_round(cases: Cases) -> None:
    record = read(cases[GAPS].record)
    assert {one.name for one in spans(cases[GAPS])} >= {"retrieval gaps", f"round {record.last_round}"}


@pytest.mark.parametrize("started", ["1969-12-31T23:59:59+00:00", "2600-01-01T00:00:00+00:00"])
def test_a_time_that_no_span_has_is_told(started: str, cases: Cases) -> None:
    with pytest.raises(InputError, match="only from 1970 to 2554"):
        export_of("otlp").write(HandedOver(dict(cases[EMPTY].record) | {"started": started}))


def test_of_many_documents_the_best_are_told() -> None:
    found = documents([(f"p{number}", float(number)) for number in range(100)], {"p99": "text"})
    assert found["redstring.documents"] == 100
    assert found["retrieval.documents.0.document.content"] == "text"
    assert f"retrieval.documents.{MOST - 1}.document.id" in found
    assert f"retrieval.documents.{MOST}.document.id" not in found
