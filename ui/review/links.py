"""A verdict on a hop acts on the link that it followed, where its reviewer may judge links of the corpus."""

from __future__ import annotations

from contextlib import suppress

from engine.corpus.protocol import Corpus
from engine.errors import InputError, RedstringError, for_visitors
from engine.records.store import EVERYBODY
from engine.review import acting
from engine.review.model import Assessment
from ui.judging import may_judge
from ui.review.desk import Own


def act_on_link(own: Own, kept: Assessment) -> str:
    """Judge the link of a hop as its reviewer has; returns what that does, in words, empty for nothing."""
    try:
        corpus = _corpus(own, kept)
    except RedstringError as error:
        judged = kept.verdict in acting.JUDGEMENTS
        return f"the link itself was not judged: {for_visitors(error)}" if judged else ""
    return "" if corpus is None else acting.act_on_link(corpus, kept)


def take_back_link(own: Own, kept: Assessment) -> None:
    """Take back what whoever asks has said of the link of a hop, if they have said anything."""
    with suppress(RedstringError):
        corpus = _corpus(own, kept)
        if corpus is not None:
            acting.take_back_link(corpus, kept)


def _corpus(own: Own, kept: Assessment) -> Corpus | None:
    """The corpus of a hop; None where no words make its link, or where it is not for them to judge."""
    if acting.link_followed(kept.item) is None:
        return None
    name = own.cases.summary(kept.item.case_id, EVERYBODY).corpus
    library = own.desk.library
    try:
        if not may_judge(library, own.person, name):
            return None
    except InputError:
        # A corpus that is gone, or that only the owner of the case sees.
        return None
    return library.open(library.find(name, own.person.key))
