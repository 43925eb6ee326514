"""A wrong reference is reported where it is read: it is shown as rejected, and that can be taken back."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from engine.corpus.extracted.proposal import located
from engine.corpus.extracted.validations import Judgement, Validation, judged, load_validations
from engine.errors import InputError
from engine.extraction.judging import Ends, judge_link, unjudge_link
from engine.model import Reference, Relation, Status
from ui.corpus.browse import Browser
from ui.corpus.desk import Ask, CorpusDesk

Answer = dict[str, Any]
# The passage that makes a reference, its relation, and where in the text it stands.
Place = tuple[str, Relation, int, int]


def reject(desk: CorpusDesk, ask: Ask) -> Answer:
    """Reject a link that a text makes.

    Raises AccessError where whoever asks may not, InputError for what is no link.
    """
    desk.writable(ask)
    judge_link(desk.browser(ask).corpus, _ends(ask), Judgement.REJECTED, reviewer=ask.reviewer)
    return {}


def restore(desk: CorpusDesk, ask: Ask) -> Answer:
    """Take back what was said of a link. Raises AccessError, InputError where nothing was."""
    desk.writable(ask)
    unjudge_link(desk.browser(ask).corpus, _ends(ask))
    return {}


def _ends(ask: Ask) -> Ends:
    if ask.link is None:
        raise InputError("which link is meant was not said")
    source, target, relation = ask.link
    try:
        return Ends(source, target, Relation(relation))
    except ValueError:
        raise InputError("which link is meant was not said") from None


def rejected_among(
    browser: Browser, numbers: Sequence[int], references: Sequence[Reference]
) -> Mapping[int, Validation]:
    """The references that people have rejected, by number, each with its verdict."""
    rejections = browser.by_verdicts("rejections", _rejections)
    if not rejections:
        return {}
    found = {}
    for number, one in zip(numbers, references, strict=True):
        said = rejections.get((one.source_id, one.relation, one.span.start, one.span.end))
        if said is not None and one.status is not Status.RESOLVED:
            found[number] = said
    return found


def _rejections(browser: Browser) -> Mapping[Place, Validation]:
    folder = browser.corpus.folder
    if folder is None or not browser.corpus.judged:
        return {}
    said = [
        one
        for one in judged(load_validations(folder)).values()
        if one.judgement is Judgement.REJECTED and one.proposal.target_id
    ]
    rows = browser.corpus.rows([one.proposal.source_id for one in said])
    there = np.unique(rows[rows >= 0]).astype(np.int32)
    passages = browser.corpus.passages(there)
    texts = {row: one.text for row, one in zip(there.tolist(), passages, strict=True)}
    found: dict[Place, Validation] = {}
    for row, one in zip(rows.tolist(), said, strict=True):
        span = located(one.proposal, texts[row]) if row >= 0 else None
        if span is not None:
            found[one.proposal.source_id, one.proposal.relation, span.start, span.end] = one
    return found
