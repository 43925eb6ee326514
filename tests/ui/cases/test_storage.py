"""A case of the page is kept at its end and behind each step, opened again, and nobody else's."""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Generator, Iterator
from pathlib import Path

import pytest

from engine.access.users import Person, Role
from engine.corpus.extracted import load_validations
from engine.errors import InputError
from engine.model import Relation
from engine.operator_settings import ANYWHERE, OperatorSettings
from engine.records.comparing import without_times
from engine.records.export import investigation_to_json
from engine.records.replaying import DISMISS, FOLLOW, PIN, Reject
from engine.records.store.chain import OPENED, RAN, UNDONE
from tests.ui.cases.conftest import ANNA, BELA
from tests.ui.server.test_uploads import until
from ui.cases.opening import opened_again, undone
from ui.cases.storage import KeptCases, keeping_for
from ui.investigate.case_views import judge_met
from ui.investigate.panels import PARTS
from ui.investigate.plan import CaseRequest
from ui.investigate.steering import steer
from ui.investigate.updates import Updates, case_values, listen, open_case, store_note
from ui.open_case import OpenCase
from ui.session import CaseSessions
from ui.shelf import Library, open_library

# What the clock has said.
SECONDS = re.compile(r" · (under )?[\d.]+ s\b|\d+ ms")
QUESTION = "May a manager grant broader powers?"


def asked(library: Library, cases: KeptCases, person: Person = ANNA, **held: int) -> OpenCase:
    opened = open_case(library, CaseRequest(question=QUESTION, corpus="Small", held=held))
    opened.keeping = keeping_for(cases, person, "Powers")
    every(listen(opened, PARTS, opened.case.run))
    return opened


def every(updates: Iterator[Updates]) -> Updates:
    told: Updates = {}
    for one in updates:
        told |= one
    return told


def id_of(opened: OpenCase) -> str:
    assert opened.keeping is not None
    return opened.keeping.case_id


def owner(cases: KeptCases) -> str:
    found = cases.owner_of(ANNA)
    assert found is not None
    return found


def told(opened: OpenCase) -> Updates:
    values = case_values(opened, PARTS)
    parts = (PARTS.board, PARTS.ranked, PARTS.rest, PARTS.coverage, PARTS.story)
    return {name: SECONDS.sub("", str(values[name])) for name in parts}


def test_a_case_is_kept_at_its_end_and_shown_again_as_it_was(shelf: Library, cases: KeptCases) -> None:
    opened = asked(shelf, cases)
    assert [one.kind for one in cases.store().events(id_of(opened), owner(cases))] == [OPENED, RAN]
    again = opened_again(shelf, cases, ANNA, id_of(opened))
    assert told(again) == told(opened)
    assert investigation_to_json(again.case.investigation()) == investigation_to_json(
        opened.case.investigation()
    )


def test_each_step_is_kept_with_who_and_what(shelf: Library, cases: KeptCases) -> None:
    opened = asked(shelf, cases)
    first, *_, last = [found.passage.id for found in opened.case.ranking]
    every(steer(opened, PARTS, "pin", last, []))
    every(steer(opened, PARTS, "dismiss", first, [], "not in force"))
    every(steer(opened, PARTS, "follow", last, ["citations"]))
    events = cases.store().events(id_of(opened), owner(cases))
    assert [one.kind for one in events] == [OPENED, RAN, PIN, DISMISS, FOLLOW]
    assert events[3].data == {"passage": first, "reason": "not in force"}
    assert cases.store().verify(id_of(opened), owner(cases)) == []
    again = opened_again(shelf, cases, ANNA, id_of(opened))
    assert told(again) == told(opened)


def test_who_goes_on_with_a_reopened_case_gets_what_they_would_have_got(
    shelf: Library, cases: KeptCases
) -> None:
    one, other = asked(shelf, cases), asked(shelf, cases)
    last = one.case.ranking[-1].passage.id
    for opened in (one, other):
        every(steer(opened, PARTS, "pin", last, []))
    other = opened_again(shelf, cases, ANNA, id_of(other))
    for opened in (one, other):
        shown = every(steer(opened, PARTS, "follow", last, ["metadata"]))
        assert not shown.get(PARTS.banner)
    records = [cases.store().record(id_of(opened), owner(cases)) for opened in (one, other)]
    assert without_times(records[0]) == without_times(records[1])
    assert told(one)[PARTS.board] == told(other)[PARTS.board]


def test_what_is_said_of_links_on_a_reopened_case_is_said_of_the_corpus(
    corpus_folder: Path, home: Path
) -> None:
    shutil.copytree(corpus_folder, home / "copy")
    shelf = open_library([home / "copy"], home, OperatorSettings(host=ANYWHERE))
    cases = KeptCases(shelf.settings, home)
    opened = asked(shelf, cases)
    links = {
        (hop.source_id, hop.target_id, hop.relation.value)
        for hop in opened.case.pool.hops()
        if hop.strategy == "citations" and hop.source_id is not None
    }
    first, second = [list(link) for link in sorted(links)][:2]
    opened.may_judge = True
    judge_met(opened, "reject", json.dumps(first))
    store_note(opened, PARTS, Reject(source=first[0], target=first[1], relation=Relation(first[2])))
    again = opened_again(shelf, cases, ANNA, id_of(opened))
    every(steer(again, PARTS, "pin", again.case.ranking[-1].passage.id, []))
    again.may_judge = True
    judge_met(again, "reject", json.dumps(second))
    said = load_validations(home / "copy")
    assert [one.proposal.source_id for one in said] == [first[0], second[0]]


def test_steps_are_taken_back_one_by_one(shelf: Library, cases: KeptCases) -> None:
    desk, opened = CaseSessions(), asked(shelf, cases)
    desk.put("page", opened)
    before = told(opened)
    passage = opened.case.ranking[-1].passage.id
    every(steer(opened, PARTS, "pin", passage, []))
    pinned = told(opened)
    every(steer(opened, PARTS, "dismiss", passage, []))
    assert "Undo" in undone(PARTS, desk, "page", shelf, cases, ANNA)[PARTS.bar]
    assert told(desk.get("page")) == pinned
    assert "Undo" not in undone(PARTS, desk, "page", shelf, cases, ANNA)[PARTS.bar]
    assert told(desk.get("page")) == before
    with pytest.raises(InputError, match="no step to undo"):
        undone(PARTS, desk, "page", shelf, cases, ANNA)
    every(steer(desk.get("page"), PARTS, "pin", passage, []))
    assert told(desk.get("page"))[PARTS.ranked] == pinned[PARTS.ranked]
    kinds = [one.kind for one in cases.store().events(id_of(opened), owner(cases))]
    assert kinds == [OPENED, RAN, PIN, DISMISS, UNDONE, UNDONE, PIN]


def test_what_another_page_has_changed_meanwhile_is_not_written_over(
    shelf: Library, cases: KeptCases
) -> None:
    here = asked(shelf, cases)
    there = opened_again(shelf, cases, ANNA, id_of(here))
    first, second = [found.passage.id for found in here.case.ranking[:2]]
    every(steer(there, PARTS, "pin", second, []))
    shown = every(steer(here, PARTS, "pin", first, []))
    assert "changed elsewhere in the meantime" in shown[PARTS.banner]
    (kept,) = cases.store().record(id_of(here), owner(cases))["pool"]["pinned"]
    assert kept == second


@pytest.mark.parametrize("person", [BELA, Person(), Person("x" * 20, Role.OPERATOR), Person(ANNA.key[:-1])])
def test_a_case_of_another_is_not_there(shelf: Library, cases: KeptCases, person: Person) -> None:
    opened = asked(shelf, cases)
    with pytest.raises(InputError, match="no case"):
        opened_again(shelf, cases, person, id_of(opened))


@pytest.mark.parametrize("wanted", ["", "x", "../../etc/passwd", "' OR 1=1 --", "\x00", "é" * 99])
def test_what_is_no_id_is_no_case(shelf: Library, cases: KeptCases, wanted: str) -> None:
    asked(shelf, cases)
    with pytest.raises(InputError, match="no case"):
        opened_again(shelf, cases, ANNA, wanted)


def test_who_has_no_key_keeps_nothing(shelf: Library, cases: KeptCases) -> None:
    opened = asked(shelf, cases, Person())
    assert opened.keeping is None
    assert opened.case.ranking


def test_a_page_that_is_left_has_its_case_when_it_comes_back(shelf: Library, cases: KeptCases) -> None:
    opened = open_case(shelf, CaseRequest(question=QUESTION, corpus="Small", held={"rounds": 2}))
    opened.keeping = keeping_for(cases, ANNA)
    telling = listen(opened, PARTS, opened.case.run)
    next(telling)
    assert isinstance(telling, Generator)
    telling.close()
    until(lambda: not opened.busy.locked())
    again = opened_again(shelf, cases, ANNA, id_of(opened))
    whole = asked(shelf, cases, rounds=2)
    first, second = (without_times(investigation_to_json(one.case.investigation())) for one in (whole, again))
    assert first == second


def test_a_question_that_is_asked_in_its_place_does_not_lose_the_first(
    shelf: Library, cases: KeptCases
) -> None:
    desk = CaseSessions()
    first, second = (open_case(shelf, CaseRequest(question=QUESTION, corpus="Small")) for _ in range(2))
    for opened in (first, second):
        opened.keeping = keeping_for(cases, ANNA)
    desk.put("page", first)
    telling = listen(first, PARTS, first.case.run)
    next(telling)
    desk.put("page", second)
    assert list(telling) == []
    until(lambda: not first.busy.locked())
    assert opened_again(shelf, cases, ANNA, id_of(first)).case.stop is not None


def test_a_case_whose_corpus_is_gone_says_so(shelf: Library, cases: KeptCases) -> None:
    opened = asked(shelf, cases)
    with pytest.raises(InputError, match=r"the corpus 'Small' of this case was removed"):
        opened_again(Library([], shelf.home, shelf.settings), cases, ANNA, id_of(opened))


def test_what_cannot_be_kept_is_reported_and_stays_on_the_page(
    shelf: Library, cases: KeptCases, monkeypatch: pytest.MonkeyPatch
) -> None:
    cases.store().close()
    assert shelf.home is not None
    (shelf.home / "cases.sqlite").write_bytes(b"no database" * 100)
    opened = open_case(shelf, CaseRequest(question=QUESTION, corpus="Small"))
    opened.keeping = keeping_for(cases, ANNA)
    shown = every(listen(opened, PARTS, opened.case.run))
    assert "This is not kept" in shown[PARTS.banner]
    assert 'class="card"' in shown[PARTS.ranked]
