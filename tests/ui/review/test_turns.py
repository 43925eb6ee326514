"""One item at a time: verdicts, what others say, what is taken back, disagreements."""

from __future__ import annotations

from engine.review.model import Verdict
from engine.review.store import ReviewStore
from tests.ui.review.conftest import Caller, Keep, said
from ui.review.access import ReviewDesk

HOSTILE = '<img src=x onerror="window.harmed=1">'


def test_a_slot_keeps_its_item_until_it_is_judged(ann: Caller, keep: Keep, store: ReviewStore) -> None:
    keep()
    queue = ann.made()
    first, second = ann.good("enter", queue=queue, slots=["a", "b"])["turns"]
    assert [one["slot"] for one in (first, second)] == ["a", "b"]
    assert ann.first(queue)["key"] == first["key"]
    told = ann.verdict(queue, first, "relevant", slots=["a"], seconds=2.5, reason="too general", note=HOSTILE)
    (third,) = told["turns"]
    assert len({first["key"], second["key"], third["key"]}) == 3
    assert "<b>1 of 3</b> · 1 today" in told["html"]["progress"]
    assert "you: <b>relevant, because too general: &lt;img" in told["html"]["last"]
    (kept,) = said(store)
    assert (kept.seconds, kept.reason, kept.note) == (2.5, "too general", HOSTILE)
    for piece in (second, third):
        told = ann.verdict(queue, piece, "not relevant", slots=["a", "b"])
    assert (told["turns"], told["left"]) == ([], 0)
    assert "All done" in ann.good("figures", queue=queue)["html"]["figures"]


def test_what_was_said_last_is_taken_back_and_comes_again(
    ann: Caller, keep: Keep, store: ReviewStore
) -> None:
    keep()
    queue = ann.made()
    first = ann.first(queue)
    ann.verdict(queue, first, "partly", slots=["a"])
    told = ann.good("take-back", queue=queue, slots=["b"])
    assert told["back"]["key"] == first["key"]
    # Its slot holds it, so that nobody else gets it.
    assert [(one["key"], one["slot"]) for one in told["turns"]] == [(first["key"], "b")]
    assert not [one for one in said(store) if one.withdraws is None and one.verdict is not Verdict.PARTLY]
    assert "nothing to take back" in ann("take-back", queue=queue)["error"]


def test_what_is_put_off_comes_last(ann: Caller, keep: Keep) -> None:
    keep()
    queue = ann.made()
    first = ann.first(queue)
    told = ann.verdict(queue, first, "later", slots=["a"])
    assert told["turns"][0]["key"] != first["key"]
    assert "1 of them put off" in told["html"]["progress"]
    for _ in range(2):
        told = ann.verdict(queue, ann.first(queue), "relevant", slots=["a"])
    assert told["turns"][0]["key"] == first["key"]


def test_others_are_shown_after_ones_own_verdict_and_a_difference_is_settled(
    ann: Caller, desk: ReviewDesk, keep: Keep
) -> None:
    keep()
    queue = ann.made(best=1, reviewers=2)
    ben = Caller(desk, name=f"Ben {HOSTILE}", tab="other")
    piece = ben.first(queue)
    ben.verdict(queue, piece, "not relevant", reason="out of date", note="<b>repealed</b>")
    shown = ann.good("enter", queue=queue, slots=["a"])
    assert "Ben" not in str(shown)
    blind = ann.good("figures", queue=queue)["html"]["figures"]
    assert "rev-sayings" not in blind
    settling = {"queue": queue, "case": piece["case"], "key": piece["key"], "verdict": "relevant"}
    assert "rate your own items before" in ann("settle", **settling)["error"]
    last = ann.verdict(queue, piece, "relevant", slots=["a"])["html"]["last"]
    assert "out of date: &lt;b&gt;repealed&lt;/b&gt;" in last
    assert HOSTILE not in last
    end = ann.good("figures", queue=queue)["html"]["figures"]
    assert HOSTILE not in end
    assert "out of date: &lt;b&gt;repealed" in end
    told = ann.good("settle", **{**settling, "verdict": "partly"}, reason="read together")
    assert told["said"] == "Settled: partly"
    assert "The only difference is settled" in told["html"]["figures"]
