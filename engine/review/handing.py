"""What stands of the verdicts on a case, as it is handed over with it: with or without names."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, replace
from typing import Any

from engine.records.store import EVERYBODY, Owner
from engine.records.store.chain import SealedCase
from engine.review.exchange.qrels import gains
from engine.review.kept import assessment_from
from engine.review.model import Assessment, SourceType
from engine.review.store import ReviewStore

_OF_CASE = ("number", "question", "criteria", "withdraws")


def verdicts_of(
    reviews: ReviewStore, case_id: str, owner: Owner = EVERYBODY, *, named: bool
) -> list[Assessment]:
    """What stands of a case; without ``named`` people are numbered."""
    found = reviews.assessments(None, owner, case_id=case_id, stands=True)
    return found if named else unnamed(found)


def unnamed(assessments: Iterable[Assessment]) -> list[Assessment]:
    """Assessments of one case with numbers in the place of people's names, in the order of their first ones.
    The case is named beside, so that nobody takes the first of two cases for one person."""
    known: dict[str, str] = {}
    found = []
    for one in assessments:
        name = one.reviewer
        if one.source is SourceType.HUMAN:
            number = f"reviewer {len(known) + 1} of case {one.item.case_id[:8]}"
            name = known.setdefault(one.reviewer, number)
        found.append(replace(one, reviewer=name))
    return found


def judgements_of(assessments: Iterable[Assessment]) -> dict[str, int]:
    """The gains of the passages of one case, which name nobody."""
    return {passage: gain for (_, passage), gain in gains(assessments).items()}


def finished_judgements(reviews: ReviewStore, case_id: str, owner: Owner) -> dict[str, int]:
    """The same, where no queue waits for a verdict on the case any more: until then whoever reads them is
    perhaps to judge the same."""
    if reviews.is_waiting(case_id):
        return {}
    return judgements_of(reviews.assessments(None, owner, case_id=case_id, stands=True))


def filed(assessments: Iterable[Assessment]) -> tuple[dict[str, Any], ...]:
    """Assessments as the file of their case has them."""
    return tuple(
        {name: value for name, value in _plain(one).items() if name not in _OF_CASE} for one in assessments
    )


def _plain(one: Assessment) -> dict[str, Any]:
    item = asdict(one.item) | {"kind": one.item.kind.value, "copies": list(one.item.copies)}
    return asdict(one) | {"item": item, "verdict": one.verdict.value, "source": one.source.value}


def assessments_in(case: SealedCase, record: Mapping[str, Any]) -> Sequence[Assessment]:
    """What the file of a case says."""
    of_case = {"question": record["question"], "case_id": case.id, "criteria": 0, "withdraws": None}
    return [assessment_from({**one, **of_case, "number": n}) for n, one in enumerate(case.verdicts, 1)]
