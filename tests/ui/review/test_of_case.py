"""Review from inside of a case: its queue, marks that keep reviewers blind; and a third who is asked."""

from __future__ import annotations

from typing import Any

from engine.access.users import Person, Role
from engine.review.model import ItemKind
from engine.review.store import ReviewStore
from tests.ui.review.conftest import ANNA, BELA, FEW, REVA, Caller, Keep
from ui.review.access import ReviewDesk

HOSTILE = 'Ben "><script>window.harmed=1</script>\u202e'


EMPTY: dict[str, Any] = {"nodes": [], "edges": [], "pinned": [], "dismissed": [], "explored": []}


def opened(caller: Caller, case: str) -> str:
    return str(caller.good("review-case", cases=case)["queue"])


def finish(caller: Caller, queue: str) -> int:
    """Judge all that is left; returns how much that was."""
    count = 0
    while turns := caller.good("turns", queue=queue, slots=["a"])["turns"]:
        first = turns[0]["key"].partition(":")[0]
        caller.verdict(queue, turns[0], "relevant" if first == "passage" else "right")
        count += 1
    return count


def test_a_case_has_one_queue_that_is_gone_on_with(ann: Caller, keep: Keep, store: ReviewStore) -> None:
    case, other = keep(), keep()
    queue = opened(ann, case)
    told = ann.good("enter", queue=queue, slots=["a"])
    assert told["case"] == case
    assert told["turns"][0]["case"] == case
    kinds = {one.item.kind for one in store.items(queue).values()}
    assert kinds == {ItemKind.PASSAGE, ItemKind.SENTENCE}
    assert {one.item.case_id for one in store.items(queue).values()} == {case}
    assert opened(ann, case) == queue
    assert opened(ann, other) != queue
    # A queue that was made of it by the form is gone on with too, one of the whole matter is not.
    ann.made()
    assert ann.good("enter", queue=ann.made(), slots=["a"])["case"] == ""
    assert finish(ann, queue) == store.queue(queue).items
    # All is judged, and the case has nothing new.
    assert opened(ann, case) == queue
    made = ann.made(cases=case, matter="", hops=2)
    assert opened(ann, case) == made
    store.delete_queue(queue, ann.desk.kept.owner_of(ANNA) or "")
    finish(ann, made)
    assert opened(ann, case) not in (queue, made)


def test_the_case_of_another_and_one_that_cannot_be_judged_are_refused(
    ann: Caller, desk: ReviewDesk, keep: Keep, store: ReviewStore
) -> None:
    case, gone = keep(), keep(corpus="a corpus that is gone")
    for caller in (Caller(desk, BELA, "Bela"), Caller(desk, REVA)):
        for do in ("review-case", "marks"):
            assert "no case" in caller(do, cases=case)["error"]
    for wrong in ("", "x" * 500, "no-such", "\u202e"):
        assert "error" in ann("review-case", cases=wrong)
        assert "error" in ann("marks", cases=wrong)
    assert "error" in ann("review-case", cases=gone)
    assert "say your name" in Caller(desk, name=" ")("review-case", cases=case)["error"]
    assert store.queues(None, desk.kept.owner_of(ANNA) or "") == []
    empty = keep(passages=[], pool=EMPTY)
    assert "a queue needs items" in ann("review-case", cases=empty)["error"]


def test_marks_tell_ones_own_verdict_and_others_only_then(ann: Caller, desk: ReviewDesk, keep: Keep) -> None:
    case = keep()
    queue = ann.made(cases=case, matter="", reviewers=2)
    ben = Caller(desk, name=HOSTILE, tab="other")
    piece = ben.first(queue)
    ben.verdict(queue, piece, "not relevant", reason="out of date", note=HOSTILE)
    assert ann.good("marks", cases=case)["marks"] == {}
    assert Caller(desk, name=" ").good("marks", cases=case)["marks"] == {}
    passage = piece["key"].removeprefix("passage:")
    own = ben.good("marks", cases=case)["marks"][passage]
    assert "because out of date" in own
    ann.verdict(queue, piece, "partly")
    found = ann.good("marks", cases=case)["marks"]
    assert list(found) == [passage]
    assert 'data-tone="half"' in found[passage]
    assert "<b>Partly</b> · <bdi>Ben" in found[passage]
    assert "<script>" not in found[passage]
    assert "\u202e" not in found[passage]
    ann.good("take-back", queue=queue, slots=["a"])
    assert ann.good("marks", cases=case)["marks"] == {}
    ann.verdict(queue, piece, "later")
    assert ann.good("marks", cases=case)["marks"] == {}


def test_a_sentence_is_shown_beside_what_it_rests_on(ann: Caller, keep: Keep, store: ReviewStore) -> None:
    case = keep()
    queue = ann.made(cases=case, matter="", best=0, sentences=1)
    piece = ann.first(queue)
    assert piece["kind"] == "sentence"
    (item,) = (one.item for one in store.items(queue).values())
    assert item.label in piece["html"]
    assert "relevant" in ann.verdict(queue, piece, "relevant")["missed"]
    shown = ann.verdict(queue, piece, "unsupported", reason="says something else")["html"]["last"]
    assert "not supported, because says something else" in shown
    told = ann.good("make-queue", cases=case, **{**FEW, "best": 1, "telling": 2, "sentences": 1})["said"]
    assert told == "4 items of 1 case"
    node = {"id": "gone/1", "score": 1.0, "strategy": "scan", "round": 0, "search": None, "similarity": None}
    gone = keep(pool={**EMPTY, "nodes": [node]})
    told = ann.good("make-queue", cases=gone, **{**FEW, "sentences": 1})["said"]
    assert told == "3 items of 1 case; 1 case without an answer that can be given again"


def test_what_two_reviewers_left_open_is_shown_and_a_third_is_asked(
    ann: Caller, desk: ReviewDesk, keep: Keep, store: ReviewStore
) -> None:
    keep()
    bela, reva = Caller(desk, BELA, "Bela"), Caller(desk, REVA, "")
    queue = ann.made(best=1, reviewers=2)
    piece = ann.first(queue)
    ann.verdict(queue, piece, "relevant")
    ben = Caller(desk, name="Ben", tab="other")
    ben.verdict(queue, ben.first(queue), "not relevant")
    assert "1 to be settled" in ann.good("home")["html"]["queues"]
    for stranger in (bela, reva):
        assert "no queue" in stranger("assign", queue=queue, name="Bela")["error"]
    assert "no queue" in reva("enter", queue=queue, slots=["a"])["error"]
    told = ann.good("assign", queue=queue, name=" Reva ")
    assert "<bdi>Reva</bdi>" in told["html"]["queues"]
    assert "already" in ann("assign", queue=queue, name="Reva")["error"]
    for wrong in ("", " ", "x" * 101, "a\x00b"):
        assert "error" in ann("assign", queue=queue, name=wrong)
    # By her name, not by anybody who types it; and she changes nothing of the queue.
    visitor = Caller(desk, Person("veda" * 8, Role.VISITOR, "Reva"), "Reva")
    for caller in (bela, Caller(desk, BELA, "Reva"), visitor):
        assert "no queue" in caller("enter", queue=queue, slots=["a"])["error"]
    assert "by its owner" in reva("assign", queue=queue, name="Bela")["error"]
    reva.verdict(queue, reva.first(queue), "relevant")
    (found,) = (one for one in store.queues(None, desk.kept.owner_of(ANNA) or "") if one.id == queue)
    assert (found.judged, found.unsettled) == (1, 0)


def test_a_name_with_html_harms_nobody(ann: Caller, keep: Keep) -> None:
    keep()
    queue = ann.made(name=HOSTILE)
    shown: dict[str, Any] = ann.good("assign", queue=queue, name=HOSTILE)["html"]
    assert "<script>" not in shown["queues"]
    assert "\u202e" not in shown["queues"]
