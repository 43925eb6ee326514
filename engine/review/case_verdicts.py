"""Verdicts on a case as exported with it, and verdicts on hops applied to their links."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict, replace
from typing import Any, Final

from engine.corpus.extracted import LONGEST_NOTE, Judgement
from engine.corpus.protocol import Corpus
from engine.errors import InputError, RedstringError, for_visitors
from engine.extraction.judging import Ends, is_written, judge_link, rejected_links, unjudge_link
from engine.model import Relation
from engine.records.store import EVERYBODY, Owner
from engine.records.store.chain import SealedCase
from engine.review.exchange import gains
from engine.review.model import Assessment, Item, ItemKind, SourceType, Verdict
from engine.review.queues import assessment_from
from engine.review.store import ReviewStore

# The current verdicts on a case as exported with it, with or without names.

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


# Apply a verdict on a hop to the link that it followed, if words of a text make the link.
#
# Callers decide who may judge links, and open the corpus.

# The judgement of a link by a verdict on its hop; other verdicts do not judge the link.
JUDGEMENTS: Final[Mapping[Verdict, Judgement]] = {
    Verdict.RIGHT: Judgement.ACCEPTED,
    Verdict.WRONG_KIND: Judgement.REJECTED,
    Verdict.WRONG_TARGET: Judgement.REJECTED,
}
LINK_CONFIRMED = "the link is confirmed"
LINK_REJECTED = "the next case leaves the link out"
LINK_STAYS_REJECTED = "another reviewer has rejected the link: it stays left out until settled or withdrawn"


def link_followed(item: Item) -> Ends | None:
    """Return the link of a hop in its own direction; None for other items and for links without words."""
    if item.kind is not ItemKind.HOP or item.relation not in list(Relation):
        return None
    relation = Relation(item.relation)
    if not is_written(relation, item.strategy):
        return None
    ends = (item.source_id, item.passage_id)
    source, target = reversed(ends) if item.backward else ends
    return Ends(source, target, relation)


def apply_to_link(corpus: Corpus, assessment: Assessment) -> str:
    """Judge the link of a hop as its reviewer judged the hop; return the effect in words, empty for none.

    An earlier judgement of the link by the same reviewer is withdrawn; if the verdict settles a disagreement,
    also those of others. If the link cannot be judged, the verdict stays and the words give the reason.
    """
    ends, judgement = link_followed(assessment.item), JUDGEMENTS.get(assessment.verdict)
    if ends is None:
        return ""
    try:
        with suppress(InputError):
            unjudge_link(
                corpus,
                ends,
                reviewer=None if assessment.settles and judgement is None else assessment.reviewer,
            )
        if judgement is None:
            return ""
        if judgement is Judgement.ACCEPTED and not assessment.settles and rejected_links(corpus, [ends]):
            return LINK_STAYS_REJECTED
        note = ": ".join(part for part in (assessment.reason, assessment.note) if part)
        judge_link(corpus, ends, judgement, note=note[:LONGEST_NOTE], reviewer=assessment.reviewer)
    except RedstringError as error:
        return f"the link itself was not judged: {for_visitors(error)}" if judgement else ""
    return LINK_CONFIRMED if judgement is Judgement.ACCEPTED else LINK_REJECTED


def withdraw_from_link(corpus: Corpus, assessment: Assessment) -> bool:
    """Withdraw the reviewer's judgement of the link of a hop; return whether there was one."""
    ends = link_followed(assessment.item)
    with suppress(RedstringError):
        return ends is not None and bool(unjudge_link(corpus, ends, reviewer=assessment.reviewer))
    return False
