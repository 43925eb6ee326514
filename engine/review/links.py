"""Apply a verdict on a hop to the link that it followed, if words of a text make the link.

Callers decide who may judge links, and open the corpus.
"""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from typing import Final

from engine.corpus.extracted import LONGEST_NOTE, Judgement
from engine.corpus.protocol import Corpus
from engine.errors import InputError, RedstringError, for_visitors
from engine.extraction.judging import Ends, is_written, judge_link, rejected_links, unjudge_link
from engine.model import Relation
from engine.review.model import Assessment, Item, ItemKind, Verdict

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
