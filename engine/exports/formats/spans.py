"""A case as OpenTelemetry spans, in OTLP's JSON. See ``engine.exports.spans`` for what stands in them."""

from __future__ import annotations

import orjson

from engine.exports.reading import record_in
from engine.exports.registry import Export, HandedOver
from engine.exports.spans.case import spans_of
from engine.exports.spans.otlp import traces
from engine.records.store.store import engine_version


def write(case: HandedOver) -> bytes:
    """The trace, with the question and texts of passages: whoever exports a case has it already."""
    record = record_in(case)
    version = engine_version() if case.summary is None else case.summary.engine
    told = traces(spans_of(record), record.state, version)
    return orjson.dumps(told, option=orjson.OPT_INDENT_2 | orjson.OPT_APPEND_NEWLINE)


EXPORT = Export(
    "otlp",
    "Trace (OpenTelemetry)",
    "programs that show traces: Jaeger, Phoenix, Langfuse, Grafana Tempo",
    ".otlp.json",
    "application/json",
    write,
)
