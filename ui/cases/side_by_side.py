"""Two cases side by side: what came, went and moved, and what they were given that differs."""

from __future__ import annotations

import base64
from collections.abc import Iterator, Mapping
from typing import Any

import orjson

from engine.errors import InputError
from engine.records.comparing import compare, comparison_to_json
from engine.records.store.listing import CaseSummary
from ui.cases.desk import EVIDENCE, Answer, Ask, Own, ended, shown

MOST_ROWS = 60
# What of the comparison has a place of its own; where it says nothing of one, there is nothing to show.
_LISTS = ("settings", "inexact", "came", "went", "moved", "other_words", "altered", "causes", "figures")
_SHOWN = frozenset({*_LISTS, "same", "pool", "links", "links_total", "rescored"})
_LONGEST_VALUE, _LONGEST_REST = 300, 2000


def side_by_side(own: Own, ask: Ask) -> Answer:
    """The older of two cases on the left, the newer on the right."""
    pair, found = _compared(own, ask)
    page = shown(
        "compare",
        pair=pair,
        evidence=EVIDENCE,
        ended=[ended(case.stop_reason) for case in pair],
        found=found,
        settings=_differing(found["settings"]),
        figures=_differing(found["figures"]),
        moved=sorted(found["moved"], key=lambda move: move["after"]),
        rest=list(_rest(found)),
        most=MOST_ROWS,
    )
    return {"html": {"compare": page}, "focus": "[data-key=compare]", "show": "compare"}


def comparison_file(own: Own, ask: Ask) -> Answer:
    """The same as JSON, a file to keep."""
    pair, found = _compared(own, ask)
    values = {"before": pair[0].id, "after": pair[1].id, **found}
    data = base64.b64encode(orjson.dumps(values, option=orjson.OPT_INDENT_2)).decode()
    return {"file": {"name": "comparison.json", "type": "application/json", "data": data}}


def _compared(own: Own, ask: Ask) -> tuple[list[CaseSummary], dict[str, Any]]:
    """Both cases, the older first, and what differs. Raises InputError for less than two."""
    if not ask.other or ask.id == ask.other:
        raise InputError("choose two cases to compare")
    both = [own.store.summary(one, own.owner) for one in (ask.id, ask.other)]
    pair = sorted(both, key=lambda case: (case.started, case.id))
    records = [own.store.record(case.id, own.owner) for case in pair]
    compared = compare(*records, states=(pair[0].fingerprint, pair[1].fingerprint))
    found: dict[str, Any] = orjson.loads(orjson.dumps(comparison_to_json(compared)))
    return pair, found


def _differing(values: Any) -> list[tuple[str, str, str]]:
    return [(one["name"].replace("_", " "), _value(one["before"]), _value(one["after"])) for one in values]


def _value(value: Any) -> str:
    if value in (None, "", [], {}):
        return "none"
    if isinstance(value, bool):
        return "on" if value else "off"
    text = ", ".join(map(str, value)) if isinstance(value, list) else str(value)
    return text if len(text) <= _LONGEST_VALUE else text[:_LONGEST_VALUE].rstrip() + " …"


def _rest(found: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """Whatever else the comparison says, by its name."""
    for name, value in found.items():
        if name not in _SHOWN and value not in (None, "", [], {}):
            told = orjson.dumps(value).decode() if isinstance(value, dict | list) else _value(value)
            yield name.replace("_", " "), told[:_LONGEST_REST]
