"""Each step of a person is kept by its kind, read back, and taken again exactly."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import orjson
import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.corpus import open_corpus
from engine.corpus.embedded.publication import VALIDATIONS_NAME
from engine.corpus.extracted import Judgement
from engine.corpus.protocol import Corpus
from engine.errors import InputError
from engine.extraction.judging import Ends, judge_link, rejected_links, unjudge_link
from engine.investigation import Case
from engine.model import Relation
from engine.records.comparing import compare
from engine.records.replaying import (
    Dismiss,
    EditPlan,
    Follow,
    Pin,
    Reject,
    Step,
    Unreject,
    course_of,
    replay,
    rerun,
    step_of,
)
from engine.records.store.chain import OPENED, RAN, UNDONE, Event
from engine.records.store.store import CaseStore
from engine.settings import preset
from tests.engine.harbour import QUESTION
from tests.engine.investigation.story import plain, record_of

SETTINGS = preset("balanced")
WORDS = st.text(max_size=30)
IDS = st.text(min_size=1, max_size=30)


def event(number: int, kind: str, **data: Any) -> Event:
    return Event(number, "2026-01-31T00:00:00+00:00", "Ann", kind, data)


class Kept:
    """A case of a corpus, steered and kept as the page does both."""

    def __init__(self, folder: Path, store: CaseStore, plan: Any = None) -> None:
        self.folder, self.store = folder, store
        self.corpus = open_corpus(folder)
        self.case = self.begun(plan)
        self.id = store.keep(record_of(self.case), store.matter(), application="page", who="Ann")

    def begun(self, plan: Any = None) -> Case:
        case = Case(self.corpus, QUESTION, SETTINGS, plan=plan)
        list(case.run())
        return case

    def take(self, step: Step) -> None:
        match step:
            case Pin():
                self.case.pin(step.passage)
            case Dismiss():
                self.case.dismiss(step.passage)
            case Follow():
                list(self.case.follow(step.passage, step.strategies))
            case EditPlan():
                self.case = self.begun(replace(step.plan, edited=True))
            case Reject():
                ends = Ends(step.source, step.target, step.relation)
                judge_link(self.corpus, ends, Judgement.REJECTED, note=step.note)
            case Unreject():
                unjudge_link(self.corpus, Ends(step.source, step.target, step.relation))
        judged = isinstance(step, Reject | Unreject)
        record = None if judged else record_of(self.case)
        self.store.step(self.id, step.kind, who="Ann", data=step.data(), record=record)

    def replay(self) -> dict[str, Any]:
        """Gone through once more, by somebody who opens the corpus as it is now."""
        events = self.store.events(self.id)
        return plain(replay(self.store.record(self.id), open_corpus(self.folder), events=events))

    @property
    def is_replayed(self) -> bool:
        return compare(self.store.record(self.id), self.replay()).same


@pytest.fixture
def kept(harbour_folder: Path, tmp_path: Path) -> Callable[[], Kept]:
    shutil.copytree(harbour_folder, tmp_path / "harbour")
    store = CaseStore(f"sqlite:///{tmp_path / 'cases.sqlite'}")
    return lambda: Kept(tmp_path / "harbour", store)


def written_link(corpus: Corpus, record: dict[str, Any]) -> tuple[str, str, Relation]:
    found = next(
        hop
        for hop in record["pool"]["edges"]
        if hop["strategy"] == "citations" and hop["relation"] == "cites" and hop["direction"] == "out"
    )
    return found["source"], found["target"], Relation(found["relation"])


def test_each_kind_is_taken_again(kept: Callable[[], Kept]) -> None:
    one = kept()
    ids = [entry.passage_id for entry in one.case.pool.entries()]
    for step in (
        Pin(passage=ids[-1]),
        Dismiss(passage=ids[0], reason="=HYPERLINK(1) <script> über"),
        Follow(passage=ids[-1], strategies=("citations", "metadata")),
        Follow(passage=ids[-1], strategies=("whole_document",)),
        Pin(passage=ids[0]),
    ):
        one.take(step)
        assert one.is_replayed, step
    assert not compare(record_of(one.begun()), one.replay()).same


def test_a_passage_that_no_thread_has_brought_is_pinned_again(kept: Callable[[], Kept]) -> None:
    one = kept()
    ids = one.corpus.ids(np.arange(len(one.corpus), dtype=np.int32))
    far = next(passage for passage in ids if passage not in one.case.pool)
    one.take(Pin(passage=far))
    assert one.is_replayed


def test_a_link_that_was_rejected_is_there_before_the_step_and_gone_behind_it(
    kept: Callable[[], Kept],
) -> None:
    one = kept()
    source, target, relation = written_link(one.corpus, one.store.record(one.id))
    one.take(Reject(source=source, target=target, relation=relation, note="another act"))
    journal = (one.folder / VALIDATIONS_NAME).read_bytes()
    # The record shows the link that was met; the lead that is followed afterwards has it no more.
    assert one.is_replayed
    one.take(Follow(passage=source, strategies=("citations",)))
    assert one.is_replayed
    one.take(Unreject(source=source, target=target, relation=relation))
    one.take(Follow(passage=source, strategies=("citations",)))
    assert one.is_replayed
    # Who goes on with the case hears what is said from then on.
    going = rerun(one.store.record(one.id), one.corpus, events=one.store.events(one.id))
    judge_link(going.corpus, Ends(source, target, relation), Judgement.REJECTED)
    assert rejected_links(one.corpus, [Ends(source, target, relation)])
    unjudge_link(one.corpus, Ends(source, target, relation))
    assert one.is_replayed
    assert (one.folder / VALIDATIONS_NAME).read_bytes().startswith(journal)
    assert len((one.folder / VALIDATIONS_NAME).read_bytes().splitlines()) == 4


def test_what_others_said_of_a_link_before_holds_from_the_beginning(kept: Callable[[], Kept]) -> None:
    first = kept()
    source, target, relation = written_link(first.corpus, first.store.record(first.id))
    first.take(Reject(source=source, target=target, relation=relation))
    path = first.folder / VALIDATIONS_NAME
    content = orjson.loads(path.read_bytes().rpartition(b"\t")[0])
    path.write_bytes(orjson.dumps({**content, "when": "2020-01-01T00:00:00+00:00"}) + b"\n")
    second = kept()
    assert not compare(first.store.record(first.id), second.store.record(second.id)).same
    second.take(Unreject(source=source, target=target, relation=relation))
    second.take(Follow(passage=source, strategies=("citations",)))
    assert second.is_replayed


def test_a_plan_that_was_edited_begins_anew(kept: Callable[[], Kept]) -> None:
    one = kept()
    ids = [entry.passage_id for entry in one.case.pool.entries()]
    one.take(Pin(passage=ids[-1]))
    assert one.case.plan is not None
    views = tuple(replace(view, weight=1 / 3) for view in one.case.plan.views)
    one.take(EditPlan(plan=replace(one.case.plan, views=views, edited=True)))
    assert one.is_replayed
    assert one.store.record(one.id)["pool"]["pinned"] == []
    one.take(Dismiss(passage=ids[0]))
    assert one.is_replayed
    one.store.undo(one.id, who="Ann")
    one.store.undo(one.id, who="Ann")
    assert one.store.record(one.id)["pool"]["pinned"] == [ids[-1]]
    assert one.is_replayed


def test_what_cannot_be_taken_again_is_noted(kept: Callable[[], Kept], bare: Corpus) -> None:
    record = kept().store.record(kept().id)
    events = [
        event(0, OPENED),
        event(1, RAN),
        event(2, "pin", passage="gone/art-1"),
        event(3, "follow", passage=record["passages"][0]["id"], strategies=["telepathy"]),
        event(4, "reject", source="gone/art-1", target="gone/art-2", relation="cites"),
    ]
    notes = replay(record, bare, events=events).notes
    assert [note.split(":")[0] for note in notes if note.startswith("the step")] == [
        "the step “pin” was not repeated",
        "the step “follow” was not repeated",
        "the step “reject” was not repeated",
    ]


@given(IDS, IDS, WORDS, st.sampled_from(list(Relation)), st.lists(IDS, min_size=1, max_size=3))
def test_a_step_is_read_back_as_it_was_kept(
    one: str, other: str, words: str, relation: Relation, names: list[str]
) -> None:
    for step in (
        Pin(passage=one),
        Dismiss(passage=one, reason=words),
        Follow(passage=one, strategies=tuple(names)),
        Reject(source=one, target=other, relation=relation, note=words),
        Unreject(source=one, target=other, relation=relation),
    ):
        data = orjson.loads(orjson.dumps(step.data()))
        assert step_of(event(5, step.kind, **data)) == step


def test_verdicts_outlast_a_new_plan_and_what_was_taken_back_is_no_step(harbour: Corpus) -> None:
    plan = Case(harbour, QUESTION, SETTINGS).make_plan()
    reject = Reject(source="a", target="b", relation=Relation.CITES)
    course = course_of(
        [
            event(0, OPENED, question="?"),
            event(1, RAN),
            event(2, "pin", passage="a"),
            event(3, "reject", **reject.data()),
            event(4, "plan", plan=orjson.loads(orjson.dumps(EditPlan(plan=plan).data()))["plan"]),
            event(5, "pin", passage="b"),
            event(6, "dismiss", passage="c"),
            Event(7, "", "Ann", UNDONE, {"event": 6, "kind": "dismiss"}),
        ]
    )
    assert course.plan == replace(plan, edited=True)
    assert (course.before, course.steps) == ((reject,), (Pin(passage="b"),))


@pytest.mark.parametrize(
    ("kind", "data", "told"),
    [
        ("pin", {}, "passage"),
        ("pin", {"passage": ""}, "passage"),
        ("follow", {"passage": "a", "strategies": []}, "strategies"),
        ("reject", {"source": "a", "target": "b", "relation": "likes"}, "relation"),
        ("plan", {"plan": {"views": 3}}, "plan"),
        ("dismiss", {"passage": "a", "reason": "x" * 2001}, "reason"),
    ],
)
def test_a_broken_step_is_refused(kind: str, data: dict[str, Any], told: str) -> None:
    with pytest.raises(InputError, match=rf"event 7 \({kind}\): {told}"):
        step_of(event(7, kind, **data))


def test_what_is_no_step_of_a_person_is_none() -> None:
    assert step_of(event(0, OPENED, question="?")) is None
    assert step_of(event(3, "pin", passage="a", title="A title")) == Pin(passage="a")
