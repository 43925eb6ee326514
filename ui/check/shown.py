"""A claim and its quotes as the page draws them: nothing is hidden in a text of others."""

from __future__ import annotations

from typing import Any

from engine.answers.audit import Checked
from engine.answers.audit.export import checked_to_json, pieces, source_to_json
from engine.answers.audit.record import Source
from engine.answers.audit.wording import remarks
from engine.language.hidden_marks import marked

Shown = dict[str, Any]


def shown_claim(one: Checked) -> Shown:
    """What the page shows of a claim; the files that it offers hold the texts as they are."""
    return checked_to_json(one) | {
        "text": marked(one.claim.text),
        "reason": marked(one.reason),
        "remarks": [marked(remark) for remark in remarks(one)],
        "sources": [_source(source) for source in one.sources],
        "successor": None if one.successor is None else _source(one.successor),
    }


def _source(source: Source) -> Shown:
    told = source_to_json(source)
    quote = [[marked(text), kind] for text, kind in pieces(source)]
    return told | {"quote": quote, "citation": marked(told["citation"])}
