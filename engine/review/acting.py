"""A verdict on a hop acts on the link that it followed, where words make it.

Whoever serves reviewers says whether one may judge links, and opens the corpus; what a verdict does to a link
is decided here.
"""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from typing import Final

from engine.corpus.extracted.readings import LONGEST_NOTE, Judgement
from engine.corpus.protocol import Corpus
from engine.errors import InputError, RedstringError, for_visitors
from engine.extraction.judging import Ends, is_written, judge_link, rejected_links, unjudge_link
from engine.model import Relation
from engine.review.model import Assessment, Item, ItemKind, Verdict

# What a verdict on a hop says of its link; the others say nothing of it.
JUDGEMENTS: Final[Mapping[Verdict, Judgement]] = {
    Verdict.RIGHT: Judgement.ACCEPTED,
    Verdict.WRONG_KIND: Judgement.REJECTED,
    Verdict.WRONG_TARGET: Judgement.REJECTED,
}
KEPT = "the link is confirmed"
LEFT_OUT = "the next case leaves the link out"
STAYS_OUT = "somebody else has rejected the link: it stays left out until that is settled or taken back"


def link_followed(item: Item) -> Ends | None:
    """The link of a hop, as it leads; None for what is no hop, and where no words make it."""
    if item.kind is not ItemKind.HOP or item.relation not in list(Relation):
        return None
    relation = Relation(item.relation)
    if not is_written(relation, item.strategy):
        return None
    ends = (item.source_id, item.passage_id)
    source, target = reversed(ends) if item.backward else ends
    return Ends(source, target, relation)


def act_on_link(corpus: Corpus, said: Assessment) -> str:
    """Judge the link of a hop as its reviewer has; returns what that does, in words, empty for nothing.

    What the same reviewer said of the link before counts no more, and where the verdict settles what others
    differ on, nor does what they said. Where the link cannot be judged the verdict stands by itself, and the
    words say why.
    """
    ends, judgement = link_followed(said.item), JUDGEMENTS.get(said.verdict)
    if ends is None:
        return ""
    try:
        with suppress(InputError):
            unjudge_link(corpus, ends, reviewer=None if said.settles and judgement is None else said.reviewer)
        if judgement is None:
            return ""
        if judgement is Judgement.ACCEPTED and not said.settles and rejected_links(corpus, [ends]):
            return STAYS_OUT
        note = ": ".join(part for part in (said.reason, said.note) if part)
        judge_link(corpus, ends, judgement, note=note[:LONGEST_NOTE], reviewer=said.reviewer)
    except RedstringError as error:
        return f"the link itself was not judged: {for_visitors(error)}" if judgement else ""
    return KEPT if judgement is Judgement.ACCEPTED else LEFT_OUT


def take_back_link(corpus: Corpus, said: Assessment) -> bool:
    """Take back what the reviewer of a verdict said of the link of its hop; whether there was anything."""
    ends = link_followed(said.item)
    with suppress(RedstringError):
        return ends is not None and bool(unjudge_link(corpus, ends, reviewer=said.reviewer))
    return False
