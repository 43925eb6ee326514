"""The current verdicts on a case as exported with it, with or without names."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, replace
from typing import Any

from engine.records.store import EVERYBODY, Owner
from engine.records.store.chain import SealedCase
from engine.review.exchange.qrels import gains
from engine.review.model import Assessment, SourceType
from engine.review.queues import assessment_from
from engine.review.store import ReviewStore

_OF_CASE = ("number", "question", "criteria", "withdraws")


def case_verdicts(
    reviews: ReviewStore, case_id: str, owner: Owner = EVERYBODY, *, named: bool
) -> list[Assessment]:
    """Return the current assessments of a case; unless ``named``, people are numbered."""
    found = reviews.assessments(None, owner, case_id=case_id, is_current=True)
    return found if named else anonymise(found)


def anonymise(assessments: Iterable[Assessment]) -> list[Assessment]:
    """Replace people's names by numbers, in order of first assessment. The number includes the case, so that
    the first reviewers of two cases are not mistaken for one person."""
    names: dict[str, str] = {}
    found = []
    for one in assessments:
        name = one.reviewer
        if one.source is SourceType.HUMAN:
            number = f"reviewer {len(names) + 1} of case {one.item.case_id[:8]}"
            name = names.setdefault(one.reviewer, number)
        found.append(replace(one, reviewer=name))
    return found


def passage_gains(assessments: Iterable[Assessment]) -> dict[str, int]:
    """Return the gains of the passages of one case, without names."""
    return {passage: gain for (_, passage), gain in gains(assessments).items()}


def finished_judgements(reviews: ReviewStore, case_id: str, owner: Owner) -> dict[str, int]:
    """Return the gains of a case's passages if no queue waits for verdicts on it; else empty, so that its
    reviewers do not see the verdicts of others."""
    if reviews.is_waiting(case_id):
        return {}
    return passage_gains(reviews.assessments(None, owner, case_id=case_id, is_current=True))


def verdicts_to_json(assessments: Iterable[Assessment]) -> tuple[dict[str, Any], ...]:
    """Return assessments as the file of their case stores them."""
    return tuple(
        {name: value for name, value in _plain(one).items() if name not in _OF_CASE} for one in assessments
    )


def _plain(one: Assessment) -> dict[str, Any]:
    item = asdict(one.item) | {"kind": one.item.kind.value, "copies": list(one.item.copies)}
    return asdict(one) | {"item": item, "verdict": one.verdict.value, "source": one.source.value}


def parse_assessments(case: SealedCase, record: Mapping[str, Any]) -> Sequence[Assessment]:
    """Parse the assessments in the file of a case."""
    of_case = {"question": record["question"], "case_id": case.id, "criteria": 0, "withdraws": None}
    return [assessment_from({**one, **of_case, "number": n}) for n, one in enumerate(case.verdicts, 1)]
