"""Two cases side by side: passages found, lost and moved, and the inputs that differ."""

from __future__ import annotations

import base64
from collections.abc import Iterator, Mapping
from typing import Any

import orjson

from engine.errors import InputError
from engine.language.word_diff import diff_words
from engine.records.comparing import compare, comparison_to_json
from engine.records.store.database import CaseSummary
from engine.verbs.requests import Key
from ui.calls import Answer, Call
from ui.cases.access import EVIDENCE, CaseAccess, CaseForm, ended, shown

MOST_ROWS = 60
# Parts of the comparison with a section of their own on the page.
_LISTS = ("settings", "inexact", "came", "went", "moved", "other_words", "altered", "causes", "figures")
_SHOWN = frozenset({*_LISTS, "same", "pool", "links", "links_total", "rescored"})
_LONGEST_VALUE, _LONGEST_REST = 300, 2000


class PairForm(CaseForm):
    """Two cases to compare."""

    other: Key


def side_by_side(access: CaseAccess, form: PairForm) -> Answer:
    """Compare two cases, the older on the left."""
    pair, found = _compared(access, form)
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
        words=[diff_words(one["before"], one["after"], "und") for one in found["other_words"][:MOST_ROWS]],
        most=MOST_ROWS,
    )
    return {"html": {"compare": page}, "focus": "[data-key=compare]", "show": "compare"}


def comparison_file(access: CaseAccess, form: PairForm) -> Answer:
    """Return the same comparison as a JSON file."""
    pair, found = _compared(access, form)
    values = {"before": pair[0].id, "after": pair[1].id, **found}
    data = base64.b64encode(orjson.dumps(values, option=orjson.OPT_INDENT_2)).decode()
    return {"file": {"name": "comparison.json", "type": "application/json", "data": data}}


def _compared(access: CaseAccess, form: PairForm) -> tuple[list[CaseSummary], dict[str, Any]]:
    """Return both cases, the older first, and their differences. Raises InputError for one case alone."""
    if not form.other or form.id == form.other:
        raise InputError("choose two cases to compare")
    both = [access.store.summary(one, access.owner) for one in (form.id, form.other)]
    pair = sorted(both, key=lambda case: (case.started, case.id))
    records = [access.store.record(case.id, access.owner) for case in pair]
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
    """Yield the other parts of the comparison, by name."""
    for name, value in found.items():
        if name not in _SHOWN and value not in (None, "", [], {}):
            shown_value = orjson.dumps(value).decode() if isinstance(value, dict | list) else _value(value)
            yield name.replace("_", " "), shown_value[:_LONGEST_REST]


CALLS = (
    Call("compare", PairForm, side_by_side),
    Call("comparison", PairForm, comparison_file),
)
