"""Spans in OTLP's JSON. https://opentelemetry.io/docs/specs/otlp/#json-protobuf-encoding

Ids are hexadecimal there, and whole numbers of 64 bits are texts.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

INTERNAL, CLIENT = 1, 3
SCOPE = "redstring"
Value = str | bool | int | float | Sequence[str]
Attributes = Mapping[str, Value | None]
NANOSECONDS = 1_000_000  # of a millisecond


@dataclass(slots=True)
class Span:
    """A span with those below it. ``path`` tells it from all others of its trace; times are nanoseconds since
    1970. What has no value among the attributes is left out."""

    path: str
    name: str
    start: int
    end: int
    attributes: Attributes
    kind: int = INTERNAL
    children: list[Span] = field(default_factory=list)


def traces(root: Span, seed: str, version: str) -> dict[str, Any]:
    """One trace as the body of an export. ``seed`` makes its ids: the same for the same record."""
    trace = hashlib.sha256(f"trace:{seed}".encode()).hexdigest()[:32]
    resource = {"service.name": SCOPE, "service.version": version}
    return {
        "resourceSpans": [
            {
                "resource": {"attributes": _attributes(resource)},
                "scopeSpans": [
                    {"scope": {"name": SCOPE, "version": version}, "spans": _spans(root, trace, "")}
                ],
            }
        ]
    }


def _spans(span: Span, trace: str, parent: str) -> list[dict[str, Any]]:
    own = hashlib.sha256(f"{trace}:{span.path}".encode()).hexdigest()[:16]
    told: dict[str, Any] = {
        "traceId": trace,
        "spanId": own,
        "name": span.name,
        "kind": span.kind,
        "startTimeUnixNano": str(span.start),
        "endTimeUnixNano": str(span.end),
        "attributes": _attributes(span.attributes),
        "status": {},
    }
    if parent:
        told["parentSpanId"] = parent
    return [told, *(below for child in span.children for below in _spans(child, trace, own))]


def _attributes(values: Attributes) -> list[dict[str, Any]]:
    return [{"key": name, "value": _value(value)} for name, value in values.items() if value is not None]


def _value(value: Value) -> dict[str, Any]:
    match value:
        case bool():
            return {"boolValue": value}
        case int():
            return {"intValue": str(value)}
        case float():
            return {"doubleValue": value}
        case str():
            return {"stringValue": value}
        case _:
            return {"arrayValue": {"values": [{"stringValue": one} for one in value]}}
