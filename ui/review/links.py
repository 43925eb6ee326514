"""A verdict on a hop acts on the link that it followed, where words make it and its reviewer may judge it."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress

from engine.corpus.extracted.validations import Judgement, judged, load_validations
from engine.corpus.protocol import Corpus
from engine.errors import InputError, RedstringError, for_visitors
from engine.extraction.judging import UNWRITTEN, Ends, judge_link, unjudge_link
from engine.model import Relation
from engine.records.store import EVERYBODY
from engine.review.model import Assessment, Item, ItemKind, Verdict
from ui.judging import may_judge
from ui.review.desk import Own

JUDGEMENTS: Mapping[Verdict, Judgement] = {
    Verdict.RIGHT: Judgement.ACCEPTED,
    Verdict.WRONG_KIND: Judgement.REJECTED,
    Verdict.WRONG_TARGET: Judgement.REJECTED,
}
KEPT = "the link is confirmed"
LEFT_OUT = "the next case leaves the link out"


def act_on_link(own: Own, kept: Assessment) -> str:
    """Judge the link of a hop as its reviewer has; returns what that does, in words, empty for nothing.

    What the same reviewer said of the link before counts no more. Where the link cannot be judged the verdict
    stands by itself, and the words say why.
    """
    judgement = JUDGEMENTS.get(kept.verdict)
    try:
        corpus, ends = _link(own, kept.item)
        if corpus is None or ends is None:
            return ""
        _take_back(corpus, ends, kept.reviewer)
        if judgement is None:
            return ""
        note = ": ".join(part for part in (kept.reason, kept.note) if part)
        judge_link(corpus, ends, judgement, note=note, reviewer=kept.reviewer)
    except RedstringError as error:
        return f"the link itself was not judged: {for_visitors(error)}" if judgement else ""
    return KEPT if judgement is Judgement.ACCEPTED else LEFT_OUT


def take_back_link(own: Own, item: Item) -> None:
    """Take back what whoever asks has said of the link of a hop, if they have said anything."""
    with suppress(RedstringError):
        corpus, ends = _link(own, item)
        if corpus is not None and ends is not None:
            _take_back(corpus, ends, own.reviewer)


def _link(own: Own, item: Item) -> tuple[Corpus | None, Ends | None]:
    """The corpus of a hop and its link; None where no words make it, or where it is not for them to judge."""
    if item.kind is not ItemKind.HOP or item.relation not in list(Relation):
        return None, None
    relation = Relation(item.relation)
    if relation in UNWRITTEN:
        return None, None
    name = own.cases.summary(item.case_id, EVERYBODY).corpus
    library = own.desk.library
    try:
        if not may_judge(library, own.person, name):
            return None, None
    except InputError:
        # A corpus that is gone, or that only the owner of the case sees.
        return None, None
    ends = (item.source_id, item.passage_id)
    source, target = reversed(ends) if item.backward else ends
    return library.open(library.find(name, own.person.key)), Ends(source, target, relation)


def _take_back(corpus: Corpus, ends: Ends, reviewer: str) -> None:
    """Take back what a reviewer said of a link; what others said of it stays."""
    if corpus.journals is None:
        return
    said = [
        one
        for one in judged(load_validations(corpus.journals)).values()
        if one.proposal.source_id == ends.source_id and one.proposal.relation is ends.relation
    ]
    if any(one.reviewer == reviewer for one in said):
        with suppress(InputError):
            unjudge_link(corpus, ends)
