"""A wrong link is reported where it is met: on the card whose trail shows it. The next case leaves it out."""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any

from engine.access.users import Action, Person, may
from engine.corpus.extracted.validations import Judgement
from engine.errors import AccessError, InputError
from engine.extraction.judging import Ends, judge_link, rejected_links, unjudge_link
from engine.model import Relation
from ui.reporting import Link, link_between
from ui.session import OpenCase
from ui.shelf import Library

LONGEST_LINK = 2_000


def may_judge(library: Library, person: Person, corpus: str | None) -> bool:
    """Whether somebody may say something of the links of a corpus: reviewers and operators, whoever sits at a
    server of this machine alone, and anybody of a corpus of their own."""
    return may(person.role, Action.JUDGE, own=library.belongs(library.find(corpus, person.key)))


def judge_met(opened: OpenCase, action: Any, told: Any) -> None:
    """Reject a link that the page shows, or take that back. Raises AccessError where whoever asked may not,
    InputError for what is no link."""
    if not opened.judging:
        raise AccessError("links of this corpus are judged by its reviewers")
    link = link_of_words(told)
    ends = Ends(link[0], link[1], Relation(link[2]))
    if action == "reject":
        judge_link(opened.corpus, ends, Judgement.REJECTED, reviewer=opened.reviewer)
    else:
        unjudge_link(opened.corpus, ends)
    as_judged(opened, [link])


def as_judged(opened: OpenCase, more: Iterable[Link] = ()) -> None:
    """Mark which links of a case people have rejected, wherever they did: on its page, in a text that they
    read, by command. ``more`` are links that are looked at besides those that the case shows."""
    pool = opened.case.pool
    # A case that runs adds to its pool meanwhile.
    shown = {link for ends in pool.links() if (link := link_between(*ends)) is not None}
    if opened.answer is not None:
        told = opened.answer[0]
        links = [*(one.link for one in told.sentences), *(one.link for one in told.conflicts)]
        shown |= {link for link in links if link is not None}
    ends = [Ends(source, target, Relation(relation)) for source, target, relation in shown.union(more)]
    opened.rejected = frozenset(
        (one.source_id, one.target_id, one.relation.value)
        for one in rejected_links(opened.corpus, ends)
        if one.relation is not None
    )


def link_of_words(told: Any) -> Link:
    """The link that the page names. Raises InputError for what is none."""
    try:
        source, target, relation = json.loads(str(told)[:LONGEST_LINK])
        return str(source), str(target), Relation(relation).value
    except (ValueError, TypeError):
        raise InputError("which link is meant was not said") from None
