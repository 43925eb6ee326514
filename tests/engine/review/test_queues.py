"""Whose turn it is, against a plain model: whatever is said, put off, taken back, settled, in any order."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime, timedelta, tzinfo
from typing import Any, ClassVar

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule, run_state_machine_as_test

from engine.errors import InputError
from engine.records.store.store import CaseStore
from engine.review import queues as clock
from engine.review.model import Item, Verdict, current_assessments
from engine.review.queues import Queue
from engine.review.store import ReviewStore
from tests.engine.review.queued import LATER, NO, YES, queue_of, queued_items

COUNT, LEASE = 3, 60.0
# Names that a pattern, a list or a language of queries would read as something else.
ANN, UPPER, ODD, LAST = "ann", "ANN", "100% _\\'\"; drop", "Ån\u2028Ö"
WHO = (ANN, UPPER, ODD, LAST)
KNOWN = {name: " ".join(name.split()) for name in WHO}
MOST = 3


class Clock(datetime):
    """A clock that tests put forward."""

    ahead: ClassVar[float] = 0.0

    @classmethod
    def now(cls, tz: tzinfo | None = None) -> Clock:
        return super().now(tz) + timedelta(seconds=cls.ahead)


@dataclass
class Model:
    """The rules in the plainest words; places are the numbers of items."""

    overlap: int
    assigned: tuple[str, ...]
    journal: list[tuple[int, str, str]] = field(default_factory=list)
    settled: set[tuple[int, str]] = field(default_factory=set)
    invited: set[str] = field(default_factory=set)
    leases: dict[tuple[int, str], tuple[str, float]] = field(default_factory=dict)

    def last(self, place: int, who: str) -> str:
        """What somebody said last of an item: a verdict, back, or nothing."""
        return next((what for at, by, what in self.journal[::-1] if (at, by) == (place, who)), "")

    def verdicts(self, place: int) -> dict[str, str]:
        said = {who: self.last(place, who) for who in KNOWN.values()}
        return {who: what for who, what in said.items() if what in (YES, NO)}

    def wanted(self, place: int) -> int:
        differ = len(set(self.verdicts(place).values())) > 1
        return MOST if differ and 1 < self.overlap < MOST else self.overlap

    def is_open(self, place: int) -> bool:
        if any(at == place for at, _ in self.settled):
            return False
        return len(self.verdicts(place)) < self.wanted(place)

    def is_asked(self, place: int, who: str) -> bool:
        """Whether somebody is one of those who judge it."""
        return not self.assigned or who in self.assigned

    def may_take(self, place: int, who: str, session: str, now: float) -> bool:
        valid = {key: one for key, one in self.leases.items() if one[1] > now and key[0] == place}
        others = sum(1 for (_, other) in valid if other != who)
        elsewhere = (place, who) in valid and valid[place, who][0] != session
        return (
            self.is_open(place)
            and self.is_asked(place, who)
            and who not in self.verdicts(place)
            and not elsewhere
            and others < self.wanted(place) - len(self.verdicts(place))
        )

    def next(self, who: str, session: str, now: float) -> int | None:
        """What somebody gets next: what they have, else the first, and last what they put off."""

        def order(place: int) -> tuple[int, int]:
            held, until = self.leases.get((place, who), ("", 0.0))
            mine = until > now and held == session
            return (0 if mine else 2 if self.last(place, who) == LATER else 1), place

        found = [place for place in range(COUNT) if self.may_take(place, who, session, now)]
        return min(found, key=order, default=None)


class Turns(RuleBasedStateMachine):
    """Reviewers at one queue, each with two tabs."""

    store: ClassVar[CaseStore]
    reviews: ClassVar[ReviewStore]
    record: ClassVar[dict[str, Any]]
    acting, steps = ANN, 0

    @initialize(overlap=st.integers(1, 3), named=st.booleans())
    def begin(self, overlap: int, named: bool) -> None:
        assigned = WHO[:MOST] if named else ()
        self.queue: Queue = queue_of(
            self.store, self.reviews, self.record, COUNT, wanted=overlap, assigned=assigned
        )
        self.items: list[Item] = queued_items(self.reviews, self.queue)
        self.model = Model(overlap, tuple(KNOWN[name] for name in assigned))

    @rule(who=st.sampled_from(WHO), session=st.sampled_from(["one", "two"]))
    def turn(self, who: str, session: str) -> None:
        self.acting = who
        expected = self.model.next(KNOWN[who], session, Clock.ahead)
        found = self.reviews.turn(self.queue.id, who, session, lease=LEASE)
        assert (None if found is None else found.number) == expected
        if found is not None:
            assert found.item == self.items[found.number]
            self.model.leases[found.number, KNOWN[who]] = session, Clock.ahead + LEASE

    @rule(
        who=st.sampled_from(WHO),
        place=st.integers(0, COUNT - 1),
        verdict=st.sampled_from([YES, NO, LATER]),
    )
    def judge(self, who: str, place: int, verdict: Verdict) -> None:
        self.acting = who
        name, model = KNOWN[who], self.model
        refusal = ""
        if name not in model.verdicts(place):
            if not model.is_asked(place, name):
                refusal = "assigned to other reviewers"
            elif not model.is_open(place):
                refusal = "another reviewer has judged this in the meantime"
        if refusal:
            with pytest.raises(InputError, match=refusal):
                self.reviews.judge(self.items[place], verdict, reviewer=who, queue=self.queue.id)
            return
        self.reviews.judge(self.items[place], verdict, reviewer=who, queue=self.queue.id)
        self._said(place, name, verdict)

    @rule(who=st.sampled_from(WHO[:2]), place=st.integers(0, COUNT - 1))
    def settle(self, who: str, place: int) -> None:
        self.acting = who
        self.reviews.judge(self.items[place], NO, reviewer=who, queue=self.queue.id, settles=True)
        self._said(place, KNOWN[who], NO)
        self.model.settled.add((place, KNOWN[who]))

    @rule(who=st.sampled_from(WHO))
    def assign(self, who: str) -> None:
        self.acting = who
        name, model = KNOWN[who], self.model
        if name in (*model.assigned, *model.invited):
            with pytest.raises(InputError, match="a reviewer of this queue already"):
                self.reviews.assign(self.queue.id, who)
            return
        assert name in self.reviews.assign(self.queue.id, who).reviewers
        model.invited.add(name)
        # Where nobody is named anybody may judge it already.
        model.assigned = (*model.assigned, name) if model.assigned else ()

    @rule(who=st.sampled_from(WHO))
    def undo(self, who: str) -> None:
        self.acting = who
        found = self.reviews.last_assessment(self.queue.id, who)
        last = {place: what for place, by, what in self.model.journal if by == KNOWN[who]}
        said = [
            (place, what)
            for place, by, what in self.model.journal
            if by == KNOWN[who] and last[place] == what != "back"
        ]
        assert (found is None) == (not said)
        if found is None:
            return
        place, what = said[-1]
        assert (found.item, found.verdict) == (self.items[place], what)
        self.reviews.withdraw(found.number, reviewer=who, queue=self.queue.id)
        with pytest.raises(InputError, match="taken back already"):
            self.reviews.withdraw(found.number, reviewer=who, queue=self.queue.id)
        self._said(place, KNOWN[who], "back")

    @rule(seconds=st.sampled_from([1.0, LEASE / 2, LEASE + 1]))
    def wait(self, seconds: float) -> None:
        Clock.ahead += seconds

    @invariant()
    def what_stands_is_what_was_said_last(self) -> None:
        every = self.reviews.assessments(queue=self.queue.id)
        assert len(every) == len(self.model.journal)
        found = {(one.item.key, one.reviewer): one.verdict for one in current_assessments(every)}
        assert found == {
            (self.items[place].key, who): verdict
            for place in range(COUNT)
            for who, verdict in self.model.verdicts(place).items()
        }
        assert current_assessments(every) == self.reviews.assessments(queue=self.queue.id, is_current=True)

    @invariant()
    def as_far_as_it_is(self) -> None:
        self.steps += 1
        closed = sum(not self.model.is_open(place) for place in range(COUNT))
        queue = self.reviews.queue(self.queue.id)
        assert queue.judged == closed
        assert queue.unsettled == sum(
            self.model.is_open(place) and self.model.wanted(place) > self.model.overlap
            for place in range(COUNT)
        )
        # Whose turn it was, and each in turn.
        for who in {self.acting, WHO[self.steps % len(WHO)]}:
            left = [
                place
                for place in range(COUNT)
                if self.model.is_open(place)
                and self.model.is_asked(place, KNOWN[who])
                and KNOWN[who] not in self.model.verdicts(place)
            ]
            found = self.reviews.progress(self.queue.id, who)
            later = sum(self.model.last(place, KNOWN[who]) == LATER for place in left)
            assert (found.items, found.judged, found.left) == (COUNT, closed, len(left))
            assert found.later == later

    def _said(self, place: int, who: str, what: str) -> None:
        self.model.journal.append((place, who, what))
        self.model.leases.pop((place, who), None)
        # Whoever settled it and says something else since settles it no more.
        self.model.settled.discard((place, who))


def test_turns_are_as_the_rules_say(
    address: str,
    store: CaseStore,
    reviews: ReviewStore,
    small: dict[str, Any],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(clock, "datetime", Clock)
    monkeypatch.setattr(Clock, "ahead", 0.0)
    own = {"store": store, "reviews": reviews, "record": small}
    machine = type("OwnTurns", (Turns,), own)
    run_state_machine_as_test(machine, settings=settings(max_examples=6, stateful_step_count=15))
