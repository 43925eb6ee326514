"""Steps, verdicts and names in any order, taken back in any order: the case is what a stack would say."""

from __future__ import annotations

from pathlib import Path
from typing import Any, ClassVar

import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    invariant,
    precondition,
    rule,
    run_state_machine_as_test,
)

from engine.errors import InputError
from engine.records.case_file import case_file, find_changes, parse_saved
from engine.records.replaying import standing
from engine.records.store.store import CaseStore

KINDS = st.sampled_from(["pin", "dismiss", "follow", "plan"])
Verdict = tuple[str | None, bool | None]


class Undoing(RuleBasedStateMachine):
    """A case beside a stack of its records and a stack of its verdicts."""

    record: ClassVar[dict[str, Any]]
    store: ClassVar[CaseStore]

    def __init__(self) -> None:
        super().__init__()
        self.id = self.store.keep(self.record, self.store.matter(), application="page", who="Ann")
        self.records: list[dict[str, Any]] = [self.store.record(self.id)]
        self.steps: list[str] = []
        self.verdicts: list[Verdict] = []
        self.count = 0

    @rule(kind=KINDS)
    def step(self, kind: str) -> None:
        nodes = self.record["pool"]["nodes"]
        passage = nodes[self.count % len(nodes)]["id"]
        self.count += 1
        pinned = [passage] if kind == "pin" else []
        pool = {**self.record["pool"], "pinned": pinned, "dismissed": [passage] if kind == "dismiss" else []}
        changed = {**self.record, "pool": pool, "notes": [f"{kind} {self.count}"]}
        seen = len(self.store.events(self.id))
        self.store.step(self.id, kind, who="Ann", data={"passage": passage}, record=changed, seen=seen)
        self.records.append(changed)
        self.steps.append(kind)

    @rule()
    def undo(self) -> None:
        if len(self.records) == 1:
            with pytest.raises(InputError, match="no step to undo"):
                self.store.undo(self.id, who="Ann")
            return
        self.records.pop()
        self.steps.pop()
        assert self.store.undo(self.id, who="Ann") == self.records[-1]

    @rule(verdict=st.sampled_from(["supported", "refuted", None]), right=st.sampled_from([True, False, None]))
    def judge(self, verdict: str | None, right: bool | None) -> None:
        self.store.judge(self.id, verdict, who="Ben", right=right)
        self.verdicts.append((verdict, right))

    @rule()
    def unjudge(self) -> None:
        if not self.verdicts:
            with pytest.raises(InputError, match="no verdict to undo"):
                self.store.unjudge(self.id, who="Ben")
            return
        self.verdicts.pop()
        self.store.unjudge(self.id, who="Ben")

    @rule(name=st.text("Aé法 1", max_size=5).map(str.strip), shared=st.booleans())
    def describe_and_share(self, name: str, shared: bool) -> None:
        self.store.describe(self.id, who="Ann", name=name)
        self.store.share(self.id, who="Ann", shared=shared)
        assert self.store.summary(self.id).is_shared is shared

    @precondition(lambda self: self.count % 3 == 0)
    @rule()
    def seen_too_early(self) -> None:
        with pytest.raises(InputError, match="changed elsewhere"):
            self.store.step(self.id, "pin", who="Eve", record=self.record, seen=0)

    @invariant()
    def it_is_what_the_stacks_say(self) -> None:
        assert self.store.record(self.id) == self.records[-1]
        summary = self.store.summary(self.id)
        assert (summary.verdict, summary.verdict_right) == (self.verdicts or [(None, None)])[-1]
        taken = [one.kind for one in standing(self.store.events(self.id))]
        assert [kind for kind in taken if kind in ("pin", "dismiss", "follow", "plan")] == self.steps

    def teardown(self) -> None:
        # Nothing is ever taken out of what is kept: what was wrong once is wrong in the end.
        assert self.store.verify(self.id) == []
        handed = self.store.handed(self.id)
        saved = parse_saved(case_file(*handed), "case")
        assert find_changes(saved, "case") == []


def test_whatever_is_done_and_taken_back(small: dict[str, Any], tmp_path: Path) -> None:
    store = CaseStore(f"sqlite:///{tmp_path / 'cases.sqlite'}")
    run_state_machine_as_test(
        type("OwnUndoing", (Undoing,), {"record": small, "store": store}),
        settings=settings(
            max_examples=6,
            stateful_step_count=12,
            suppress_health_check=[HealthCheck.too_slow],
        ),
    )
    store.close()


def test_taken_back_twice_then_a_step_then_taken_back(store: CaseStore, small: dict[str, Any]) -> None:
    kept = store.keep(small, store.matter(), application="page", who="Ann")
    first, second, third = ({**small, "notes": [name]} for name in ("pin", "plan", "follow"))
    store.step(kept, "pin", who="Ann", record=first)
    store.step(kept, "plan", who="Ann", record=second)
    assert store.undo(kept, who="Ann") == first
    assert store.undo(kept, who="Ann") == small
    store.step(kept, "follow", who="Ann", record=third)
    assert store.undo(kept, who="Ann") == store.record(kept) == small
    assert store.verify(kept) == []
