"""A claim and its quotes as the page draws them: nothing is hidden in a text of others."""

from __future__ import annotations

from typing import Any

from engine.answers.audit import Checked
from engine.answers.audit.export import checked_to_json, pieces, said_of, source_to_json
from engine.answers.audit.log import WORDS, Log, Tally, verdict_words
from engine.answers.audit.record import Source, key_of, remarks
from engine.language.characters import marked

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


def shown_log(log: Log) -> list[Shown]:
    """What people said of each claim, and the citations outside of the claims, as the page shows them."""
    return [
        {
            "number": one.number,
            "finding": one.finding,
            "word": WORDS[one.finding],
            "words": marked(one.words),
            "reason": marked(one.reason),
            "said": marked(said_of(one)),
            "review": "" if one.review is None else one.review.review.value,
            "before": one.before is not None,
            "passage": "" if one.held is None else one.held.passage_id,
            "citation": "" if one.held is None else marked(one.held.citation),
        }
        for one in log.entries
    ]


def shown_tally(counted: Tally) -> Shown:
    """What the text comes to: its axes in numbers and words, and by claim the verdicts that people gave
    instead, with how that is told."""
    words = verdict_words(counted)
    axes = (("Said", counted.said), ("Grounded", counted.grounded), ("To be read", counted.unsaid))
    return {
        "axes": [
            {"name": name, "claims": one.claims, "of": one.of, "words": one.words} for name, one in axes
        ],
        "overruled": {
            str(one.claim.number): {"finding": key_of(one.finding), "words": words[one.claim.number]}
            for one in counted.overruled
        },
    }


def _source(source: Source) -> Shown:
    told = source_to_json(source)
    quote = [[marked(text), kind] for text, kind in pieces(source)]
    return told | {"quote": quote, "citation": marked(told["citation"])}
