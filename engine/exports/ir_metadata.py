"""The header of a run after ir_metadata: YAML in comment lines, ordered by the PRIMAD model.

Breuer, Keller, Schaer: ir_metadata: An Extensible Metadata Schema for IR Experiments. SIGIR 2022.
https://www.ir-metadata.org/. What a record knows is told; nothing of the machine is, which the schema would
have under platform, hardware.
"""

from __future__ import annotations

from typing import Any

import yaml

from engine.evaluation.questions import RUN_TAG, topic_of
from engine.exports.models import model_name
from engine.exports.reading import events_in, state_of
from engine.exports.registry import HandedOver
from engine.records.record import CaseRecord
from engine.records.steps import STEPS, standing
from engine.records.store.store import engine_version

START, END = "ir_metadata.start", "ir_metadata.end"
# No line of YAML is folded: what reads comments reads them line by line.
_WIDE = 1_000_000
OWN_SCORES = "the score that the engine ranked by"
RANK_SCORES = "the rank counted from the end: the engine's scores do not fall from rank to rank"


def metadata_lines(case: HandedOver, record: CaseRecord, *, own_scores: bool) -> list[str]:
    """Comment lines, ``# `` before each."""
    written = yaml.safe_dump(
        metadata(case, record, own_scores=own_scores), sort_keys=False, allow_unicode=True, width=_WIDE
    )
    return [f"# {line}\n" for line in (START, *written.rstrip("\n").split("\n"), END)]


def metadata(case: HandedOver, record: CaseRecord, *, own_scores: bool) -> dict[str, Any]:
    """The values of the schema that a record knows."""
    version = engine_version() if case.summary is None else case.summary.engine
    return {
        "tag": RUN_TAG,
        "platform": {"software": {"retrieval toolkit": [f"redstring=={version}"]}},
        "research goal": {"description": "passages that bear a question, and how each was found"},
        "implementation": {
            "executable": {"cmd": "python -m engine investigate"},
            "source": {"lang": "python"},
        },
        "method": {
            "automatic": is_automatic(case, record),
            "score": OWN_SCORES if own_scores else RANK_SCORES,
            "retrieval": [{"name": name, "method": method} for name, method in _methods(record)],
        },
        "actor": {"role": "experimenter"},
        "data": {
            "test collection": {"name": _line(record.corpus)},
            "other": {
                "topic": {"id": topic_of(record.question), "title": _line(record.question)},
                "case": "" if case.summary is None else case.summary.id,
                "corpus fingerprint": "" if case.summary is None else case.summary.fingerprint,
                "started": record.begun.isoformat(),
                "as of": record.day or "",
                "record sha256": state_of(case),
            },
        },
    }


def is_automatic(case: HandedOver, record: CaseRecord) -> bool:
    """Whether no person had a hand in the ranking, which TREC would call a manual run."""
    if record.plan.edited or record.pool.pinned or record.pool.dismissed:
        return False
    return not any(event.kind in STEPS for event in standing(events_in(case)))


def _methods(record: CaseRecord) -> list[tuple[str, str]]:
    """Retrievers that found something, strategies that brought something, and the model that was asked."""
    found = [
        (one.retriever, "retriever") for round_ in record.rounds for one in round_.retrievers if one.found
    ]
    brought = dict.fromkeys(node.strategy for node in record.pool.nodes)
    found += [(name, "strategy") for name in brought]
    name = model_name(record.model)
    found += [(name, "language model")] if name and record.usage else []
    return [(_line(name), method) for name, method in dict.fromkeys(found)]


def _line(text: str) -> str:
    """A text on one line."""
    return " ".join(text.split())
