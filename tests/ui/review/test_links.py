"""Verdicts on hops act on the links of the corpus, where their reviewer may judge them."""

from __future__ import annotations

from pathlib import Path

import pytest

from engine.access.users import Person, Role
from engine.corpus import open_corpus
from engine.corpus.extracted import Judgement, current_verdicts, load_validations
from engine.extraction.judging import UNWRITTEN, Ends, judge_link
from engine.model import Relation
from engine.review.model import Item, ItemKind
from engine.review.store import ReviewStore
from tests.ui.review.conftest import BELA, Caller, Keep, said
from ui.review.access import ReviewDesk, link_of, where

HERE = Person("here" * 8, Role.OPERATOR)
HOPS = {"best": 0, "hops": 20}


@pytest.fixture
def caller(desk: ReviewDesk, keep: Keep) -> Caller:
    """Whoever sits at the machine, with a case."""
    keep(HERE)
    return Caller(desk, HERE, "Ann")


def hops(caller: Caller, queue: str) -> dict[str, dict[str, str]]:
    """The hops of a queue by their relation, of each the first."""
    found: dict[str, dict[str, str]] = {}
    while turns := caller.good("turns", queue=queue, slots=["a"])["turns"]:
        (piece,) = turns
        if piece["key"] in {one["key"] for one in found.values()}:
            break
        found.setdefault(piece["key"].split(">")[1], piece)
        caller.verdict(queue, piece, "later")
    return found


def verdicts(corpus: Path) -> list[tuple[str, str, Judgement]]:
    """What stands of links: from where, by whom, what."""
    return [
        (one.proposal.source_id, one.reviewer, one.judgement)
        for one in current_verdicts(load_validations(corpus)).values()
    ]


def test_right_confirms_wrong_rejects_useless_says_nothing(caller: Caller, corpus_copy: Path) -> None:
    queue = caller.made(**HOPS)
    piece = hops(caller, queue)["subject_to"]
    source = "act/art-1/para-2"
    for verdict, effect, expected in (
        ("right", "the link is confirmed", [(source, "Ann", Judgement.ACCEPTED)]),
        ("wrong target", "leaves the link out", [(source, "Ann", Judgement.REJECTED)]),
        ("right", "the link is confirmed", [(source, "Ann", Judgement.ACCEPTED)]),
        ("useless", "", []),
        ("wrong kind", "leaves the link out", [(source, "Ann", Judgement.REJECTED)]),
    ):
        told = caller.verdict(queue, piece, verdict, note="read")
        assert effect in told["html"]["last"], verdict
        assert verdicts(corpus_copy) == expected, verdict
    caller.good("take-back", queue=queue)
    assert verdicts(corpus_copy) == []


def test_what_no_words_make_is_kept_alone(caller: Caller, corpus_copy: Path, store: ReviewStore) -> None:
    queue = caller.made(**HOPS)
    unwritten = [piece for relation, piece in hops(caller, queue).items() if Relation(relation) in UNWRITTEN]
    assert unwritten
    for piece in unwritten:
        told = caller.verdict(queue, piece, "wrong target")
        assert "link" not in told["html"]["last"]
    assert verdicts(corpus_copy) == []
    assert [one for one in said(store) if one.verdict.value == "wrong target"]


def test_who_may_not_judge_links_says_something_of_the_hop_alone(
    desk: ReviewDesk, keep: Keep, corpus_copy: Path, store: ReviewStore
) -> None:
    keep(BELA)
    visitor = Caller(desk, BELA, "Bela")
    queue = visitor.made(**HOPS)
    piece = hops(visitor, queue)["subject_to"]
    assert "link" not in visitor.verdict(queue, piece, "wrong kind")["html"]["last"]
    assert verdicts(corpus_copy) == []
    assert said(store)[-1].verdict.value == "wrong kind"


def test_what_another_has_said_of_a_link_stays(caller: Caller, corpus_copy: Path) -> None:
    ends = Ends("act/art-1/para-2", "act/art-3", Relation.SUBJECT_TO)
    queue = caller.made(**HOPS)
    piece = hops(caller, queue)["subject_to"]
    judge_link(open_corpus(corpus_copy), ends, Judgement.ACCEPTED, reviewer="Ben")
    caller.verdict(queue, piece, "useless")
    caller.good("take-back", queue=queue)
    assert verdicts(corpus_copy) == [("act/art-1/para-2", "Ben", Judgement.ACCEPTED)]


def test_a_hop_that_was_followed_back_is_read_the_way_its_link_goes() -> None:
    hop = Item(
        "case",
        ItemKind.HOP,
        "hop:a>subject_to>b",
        "b",
        source_id="a",
        relation="subject_to",
        label="Article 2",
        text="Subject  to\nArticle 1, it is void.",
        source_label="Article 1",
        source_text="It is subject to tax.",
        quote="Subject to Article 1",
        backward=True,
    )
    link = link_of(hop)
    assert (link.source.label, link.words, link.target.label) == ("Article 2", "subject to this", "Article 1")
    assert link.source.pieces == (("Subject  to\nArticle 1", True), (", it is void.", False))
    assert link.target.pieces == (("It is subject to tax.", False),)
    assert where(hop) == "Article 2 → Article 1"
    unknown = Item("case", ItemKind.HOP, "hop:a>of_a_package>b", "b", source_id="a", relation="of_a_package")
    assert link_of(unknown).words == "of a package"
