"""What the Review view is answered: queues of one's own matters, criteria, figures, and no other's."""

from __future__ import annotations

from typing import Any

import pytest

from engine.access.users import Person, Role
from engine.errors import InputError
from engine.review.sampling import Sampling, parse_sampling
from engine.review.store import ReviewStore
from tests.ui.review.conftest import ANNA, BELA, FEW, OPAL, QUESTION, REVA, Caller, Keep, said
from ui.calls import answer
from ui.review.access import ReviewDesk
from ui.review.panel import CALLS

HOSTILE = '"><script>window.harmed=1</script>\u202e'


def test_the_first_screen_has_queues_matters_and_criteria(
    ann: Caller, keep: Keep, store: ReviewStore
) -> None:
    assert "Nothing to review yet" in ann.good("home")["html"]["queues"]
    case = keep()
    keep(matter=HOSTILE)
    queue = ann.made(name=HOSTILE)
    first = ann.good("home", cases=case)["html"]
    assert "0 of 3 judged · 3 left for you" in first["queues"]
    assert f"The open case: {QUESTION}" in first["cases"]
    assert "All of the matter (1)" in first["cases"]
    assert ">General (1)</option>" in first["matters"]
    for slot in first.values():
        assert "<script>" not in slot
        assert "\u202e" not in slot
    # Who has no name yet sees the queues, and nothing of their own.
    nobody = Caller(ann.desk, name=" ")
    assert "left for you" not in nobody.good("queues")["html"]["queues"]
    assert "say your name" in nobody("enter", queue=queue, slots=["a"])["error"]
    assert ann.good("drop-queue", queue=queue)["html"]["queues"].count("rev-row") == 0
    assert store.queues() == []


def test_criteria_are_versioned_and_shown_anew_when_they_change(
    ann: Caller, keep: Keep, desk: ReviewDesk
) -> None:
    keep()
    owner = desk.kept.owner_of(ANNA)
    assert owner
    matter = desk.kept.store().matter("General", owner).id
    assert "required" in ann.good("home")["html"]["criteria"]
    ann.good("criteria", matter=matter, criteria=f"It says who may. {HOSTILE}")
    queue = ann.made()
    told = ann.good("enter", queue=queue, slots=["a"])
    assert told["seen"] == 1
    assert "It says who may." in told["html"]["shown-criteria"]
    assert "<script>" not in told["html"]["shown-criteria"]
    assert "shown-criteria" not in ann.good("turns", queue=queue, slots=["a"], seen=1)["html"]
    assert "version 2" in ann.good("criteria", matter=matter, criteria="x" * 500)["html"]["criteria"]
    assert "shown-criteria" in ann.good("turns", queue=queue, slots=["a"], seen=1)["html"]
    assert "write what counts" in ann("criteria", matter=matter, criteria="  ")["error"]


@pytest.mark.parametrize(
    ("do", "given", "expected"),
    [
        ("make-queue", {"best": 2001}, "best"),
        ("criteria", {"criteria": "x" * 20_001}, "criteria: longer"),
        ("enter", {"queue": "no-such"}, "no queue"),
        ("enter", {"queue": "Q", "slots": ["z"]}, "slots"),
        ("verdict", {"queue": "Q", "case": "c", "key": "passage:1"}, "no verdict was given"),
        ("verdict", {"queue": "Q", "verdict": "relevant", "seconds": -1}, "seconds"),
        ("take-back", {"queue": "Q"}, "nothing to take back"),
        ("fly", {}, "unknown request"),
        ("home", {"owner": ""}, "owner: not known here"),
    ],
)
def test_a_wrong_request_is_refused_in_a_line(
    ann: Caller, keep: Keep, do: str, given: dict[str, Any], expected: str
) -> None:
    keep()
    queue = ann.made()
    given = {name: queue if value == "Q" else value for name, value in given.items()}
    told = ann(do, **given)
    assert expected in (told.get("error") or told.get("missed", ""))
    assert "error" in answer(ann.desk, CALLS, "nothing like a request")


def test_a_queue_is_drawn_from_all_cases_or_from_the_open_one(
    ann: Caller, keep: Keep, store: ReviewStore
) -> None:
    case, _, gone = keep(), keep(question="Who may delegate?"), keep(corpus="a corpus that is gone")
    every = ann.made(hops=2)
    one = ann.made(hops=2, cases=case, matter="")
    assert (store.queue(every).items, store.queue(one).items) == (10, 5)
    assert ann.first(one)["case"] == case
    told = ann.good("make-queue", cases=case, **FEW)["said"]
    assert told == "3 items of 1 case"
    assert "a queue needs items" in ann("make-queue", cases=gone, **FEW)["error"]
    told = ann.good("make-queue", matter=store.queue(every).matter, **FEW)["said"]
    assert told == "6 items of 2 cases; 1 case left out, whose corpus was removed or is not open to you"
    kept = store.queue(every)
    assert parse_sampling(kept) == Sampling(3, 0, 0, 0, 0, hops=2)
    assert kept.settings["open_to_reviewers"] is False


def test_of_cases_that_ask_the_same_the_newest_is_judged(ann: Caller, keep: Keep, store: ReviewStore) -> None:
    """Whoever asks again, perhaps with other settings, need not judge the same passages twice."""
    older, newer = keep(), keep()
    told = ann.good("make-queue", matter=store.queue(ann.made(cases=older, matter="")).matter, **FEW)
    assert told["said"] == "3 items of 1 case; 1 case left out, whose question a newer one asks"
    assert ann.first(told["made"])["case"] == newer


def test_without_a_key_the_page_says_why_nothing_is_there(desk: ReviewDesk) -> None:
    nobody = Caller(desk, Person())
    assert "no key" in nobody.good("home")["html"]["queues"]
    for do in CALLS.keys() - {"home"}:
        assert "no key" in nobody(do)["error"]


def test_a_queue_of_another_is_refused_unless_it_is_open_and_one_is_a_reviewer(
    desk: ReviewDesk, keep: Keep, store: ReviewStore
) -> None:
    keep(ANNA)
    keep(BELA)
    ann = Caller(desk)
    closed, opened = ann.made(), ann.made(open="on")
    bela, reva, opal = Caller(desk, BELA, "Bela"), Caller(desk, REVA, ""), Caller(desk, OPAL, "")
    piece = ann.first(opened)
    every: dict[str, dict[str, Any]] = {
        "enter": {"slots": ["a"]},
        "turns": {"slots": ["a"]},
        "verdict": {"case": piece["case"], "key": piece["key"], "verdict": "relevant"},
        "take-back": {},
        "figures": {},
        "settle": {"case": piece["case"], "key": piece["key"], "verdict": "relevant"},
        "drop-queue": {},
    }
    for do, given in every.items():
        for caller, queue in ((bela, closed), (bela, opened), (reva, closed), (opal, closed)):
            assert "there is no queue" in caller(do, queue=queue, **given)["error"], do
    assert said(store) == []
    assert "rev-row" not in bela.good("home")["html"]["queues"]
    for caller in (reva, opal):
        shown = caller.good("home")["html"]["queues"]
        assert shown.count('class="rev-row"') == 1
        assert "open to reviewers" in shown
        assert "drop-queue" not in shown
        assert "by its owner" in caller("drop-queue", queue=opened)["error"]
    # Ann has the first: the next comes. Her name is hers alone who has logged in.
    other = reva.first(opened)
    assert other["key"] != piece["key"]
    reva.verdict(opened, other, "partly", reviewer="Ann")
    assert [one.reviewer for one in said(store)] == ["Reva"]
    # A verdict of a case that is not in the queue, by whoever may review the queue.
    stray = {**other, "case": keep(BELA)}
    assert "not in the queue" in reva.verdict(opened, stray, "relevant")["missed"]


def test_the_matter_of_another_is_refused(ann: Caller, desk: ReviewDesk, keep: Keep) -> None:
    keep()
    case = keep(BELA)
    owner = desk.kept.owner_of(BELA)
    assert owner
    matter = desk.kept.store().matter("General", owner).id
    assert "no such matter" in ann("criteria", matter=matter, criteria="All of it.")["error"]
    assert "no such matter" in ann("make-queue", matter=matter, **FEW)["error"]
    assert "no case" in ann("make-queue", cases=case, **FEW)["error"]
    assert "The open case" not in ann.good("home", cases=case)["html"]["cases"]


def test_a_machine_of_ones_own_needs_a_name_alone(desk: ReviewDesk, keep: Keep, store: ReviewStore) -> None:
    here = Person("here" * 8, Role.OPERATOR)
    keep(here)
    assert desk.kept.owner_of(here) == ""
    caller = Caller(desk, here, "  Ann \n Lee ")
    queue = caller.made()
    caller.verdict(queue, caller.first(queue), "relevant")
    assert [one.reviewer for one in said(store)] == ["Ann Lee"]
    with pytest.raises(InputError):
        store.queue("no-such")


def test_estimates_are_shown_where_there_are_some(ann: Caller, keep: Keep, store: ReviewStore) -> None:
    keep()
    queue = ann.made(best=2, random=0)
    assert "How good the rankings are" not in ann.good("figures", queue=queue)["html"]["figures"]
    for verdict in ("relevant", "not relevant"):
        ann.verdict(queue, ann.first(queue), verdict)
    page = ann.good("figures", queue=queue)["html"]["figures"]
    assert "Estimated from 2 judged of 2 passages" in page
    assert "no passage of this queue was drawn at random" in page
    owner = ann.desk.kept.owner_of(ANNA) or ""
    matter, items = ann.desk.kept.store().matters(owner)[0], store.items(queue).values()
    # A queue that does not say how it was drawn.
    other = store.make_queue(matter, "", list(items), who="Ann", settings={"best": 2})
    assert "How good the rankings are" not in ann.good("figures", queue=other.id)["html"]["figures"]
