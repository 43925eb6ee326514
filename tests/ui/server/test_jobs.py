"""Whose turn it is, who may wait, and how jobs end."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from threading import Event, Semaphore

import pytest

from engine.errors import CancelledError, InputError
from ui.server.jobs import MOST_OVER, UNEXPLAINED, Ended, Folders, Job, Jobs, Owner, Rules, State

LONG = 20.0


class Stage:
    """Jobs that tell when they have begun, and end when they are let go."""

    def __init__(self, running: int, waiting: int, seconds: float = 0.0) -> None:
        self.jobs: Jobs[str] = Jobs(Rules("job", running, waiting, seconds))
        self.order: list[str] = []
        self.began, self.go = Semaphore(0), Semaphore(0)
        self.over = Semaphore(0)

    def work(self, job: Job[str]) -> Ended | None:
        self.order.append(job.payload)
        self.began.release()
        while not self.go.acquire(timeout=0.01):
            job.tell("going", 1, 2)
        return None

    def start(self, name: str, visitor: str, address: str = "") -> Job[str]:
        return self.jobs.start(Owner(visitor, address), name, self.work, cleanup=self.over.release)

    def next(self) -> None:
        self.go.release()
        assert self.over.acquire(timeout=LONG)


@pytest.fixture
def stage() -> Iterator[Callable[..., Stage]]:
    made: list[Stage] = []

    def make(running: int, waiting: int, seconds: float = 0.0) -> Stage:
        made.append(Stage(running, waiting, seconds))
        return made[-1]

    yield make
    for one in made:
        one.jobs.end_all()


def test_turns_go_round_the_addresses_and_their_visitors(stage: Callable[..., Stage]) -> None:
    jobs = stage(1, 30)
    jobs.start("hostile 0", "token 0", "6.6.6.6")
    assert jobs.began.acquire(timeout=LONG)
    # Whoever makes up tokens waits behind everybody else with each.
    for number in range(1, 8):
        jobs.start(f"hostile {number}", f"token {number}", "6.6.6.6")
    jobs.start("one", "one", "1.1.1.1")
    last = jobs.start("two", "two", "2.2.2.2")
    assert jobs.jobs.before(last) == 2, "one runs, one comes first"
    for _ in range(10):
        jobs.next()
    assert set(jobs.order[1:3]) == {"one", "two"}
    assert jobs.order[3:] == [f"hostile {number}" for number in range(1, 8)]


def test_one_address_never_has_all_places_nor_the_whole_queue(stage: Callable[..., Stage]) -> None:
    jobs = stage(2, 6)
    for number in range(4):
        jobs.start(f"hostile {number}", f"token {number}", "6.6.6.6")
    with pytest.raises(InputError, match="too many jobs"):
        jobs.start("hostile 4", "token 4", "6.6.6.6")
    other = jobs.start("one", "one", "1.1.1.1")
    assert jobs.began.acquire(timeout=LONG)
    assert jobs.began.acquire(timeout=LONG)
    assert other.state is State.RUNNING
    assert sorted(jobs.order) == ["hostile 0", "one"]


def test_a_visitor_has_one_and_the_queue_an_end(stage: Callable[..., Stage]) -> None:
    jobs = stage(1, 1)
    first = jobs.start("first", "one")
    with pytest.raises(InputError, match="another job of yours"):
        jobs.start("again", "one")
    second = jobs.start("second", "two")
    with pytest.raises(InputError, match="too many jobs"):
        jobs.start("third", "three")
    assert jobs.over.acquire(timeout=LONG), "what is refused is cleaned up"
    jobs.jobs.cancel(second.id, "two")
    assert second.state is State.CANCELLED
    assert jobs.order == ["first"]
    with pytest.raises(InputError, match="not known"):
        jobs.jobs.cancel(first.id, "two")
    assert jobs.jobs.going("one") is first
    assert jobs.jobs.going("two") is None


def test_a_deadline_ends_it_with_a_reason(stage: Callable[..., Stage]) -> None:
    jobs = stage(1, 0, seconds=0.1)
    job = jobs.start("slow", "one")
    assert jobs.over.acquire(timeout=LONG)
    jobs.jobs.end_all()
    assert job.state is State.FAILED
    assert "took longer than" in job.message


@pytest.mark.parametrize(
    ("result", "state", "message"),
    [
        (None, State.DONE, ""),
        (Ended(State.STOPPED, "budget"), State.STOPPED, "budget"),
        (CancelledError("cancelled"), State.CANCELLED, ""),
        (InputError("no corpus at /home/of/server: none"), State.FAILED, "no corpus at Mine: none"),
    ],
)
def test_how_work_ends(result: Ended | Exception | None, state: State, message: str) -> None:
    jobs: Jobs[None] = Jobs(Rules("job", 1, 0))
    ended = Event()

    def work(job: Job[None]) -> Ended | None:
        if isinstance(result, Exception):
            raise result
        return result

    folder = Path("/home/of/server")
    job = jobs.start(Owner("one"), None, work, folder=folder, name="Mine", cleanup=ended.set)
    assert ended.wait(LONG)
    jobs.end_all()
    assert (job.state, job.message) == (state, message)


def test_a_turn_that_is_over_is_followed_by_another_behind_those_who_wait() -> None:
    jobs: Jobs[str] = Jobs(Rules("job", 1, 4, of_visitor=2))
    order: list[str] = []
    ended, waiting = Semaphore(0), Event()

    def work(job: Job[str]) -> Ended | None:
        assert waiting.wait(LONG)
        order.append(job.payload)
        return Ended(State.WAITING) if order.count(job.payload) < 2 else None

    long = [jobs.start(Owner("one"), name, work, cleanup=ended.release) for name in ("a", "b")]
    with pytest.raises(InputError, match="another job of yours"):
        jobs.start(Owner("one"), "c", work)
    other = jobs.start(Owner("two"), "d", work, cleanup=ended.release)
    waiting.set()
    for _ in (*long, other):
        assert ended.acquire(timeout=LONG)
    jobs.end_all()
    assert {job.state for job in (*long, other)} == {State.DONE}
    assert order[:2] == ["a", "d"]
    assert sorted(order) == ["a", "a", "b", "b", "d", "d"]


def test_what_wants_another_turn_gets_none_at_the_end() -> None:
    jobs: Jobs[None] = Jobs(Rules("job", 1, 0))

    def work(job: Job[None]) -> Ended:
        assert job.stop.wait(LONG)
        return Ended(State.WAITING)

    job = jobs.start(Owner("one"), None, work)
    jobs.end_all()
    assert job.state is State.CANCELLED


def test_a_deadline_does_not_count_for_what_is_nearly_done() -> None:
    jobs: Jobs[None] = Jobs(Rules("job", 1, 0, seconds=0.05))

    def work(job: Job[None]) -> None:
        job.unhurried = True
        assert not job.stop.wait(0.3)

    ended = Event()
    job = jobs.start(Owner("one"), None, work, cleanup=ended.set)
    assert ended.wait(LONG)
    jobs.end_all()
    assert job.state is State.DONE


def test_a_fault_of_the_program_ends_in_a_line_and_frees_the_corpus(monkeypatch: pytest.MonkeyPatch) -> None:
    folders, ended = Folders(), Event()
    jobs: Jobs[None] = Jobs(Rules("job", 1, 0), folders)

    def work(job: Job[None]) -> None:
        raise ZeroDivisionError("words of a document")

    # The fault itself is written to the log by whatever hears of threads that failed.
    heard: list[str] = []
    monkeypatch.setattr(threading, "excepthook", lambda fault: heard.append(fault.exc_type.__name__))
    job = jobs.start(Owner("one"), None, work, folder=Path("/a"), name="Mine", cleanup=ended.set)
    assert ended.wait(LONG)
    jobs.end_all()
    assert (job.state, job.message) == (State.FAILED, UNEXPLAINED.format("job"))
    folders.take(Path("/a"), "Mine")


def test_kinds_of_work_share_the_corpora() -> None:
    folders = Folders()
    one, two = (Jobs[str](Rules(noun, 1, 1), folders) for noun in ("ingestion", "reading"))
    go = Event()

    def work(job: Job[str]) -> None:
        assert go.wait(LONG)

    job = one.start(Owner("a"), "", work, folder=Path("/a"), name="Mine")
    with pytest.raises(InputError, match="'Mine' is being changed"):
        two.start(Owner("b"), "", lambda job: None, folder=Path("/a"), name="Mine")
    go.set()
    one.end_all()
    assert job.over
    with folders.taken(Path("/a"), "Mine"):
        pass


def test_the_end_of_the_server_waits_for_what_is_to_be_put_in_order(stage: Callable[..., Stage]) -> None:
    jobs = stage(1, 3)
    running = jobs.start("one", "one")
    assert jobs.began.acquire(timeout=LONG)
    waiting = jobs.start("two", "two")
    jobs.jobs.end_all()
    assert (running.state, waiting.state) == (State.CANCELLED, State.CANCELLED)
    with pytest.raises(InputError, match="ending"):
        jobs.start("three", "three")


def test_what_is_over_is_forgotten_in_time() -> None:
    jobs: Jobs[None] = Jobs(Rules("job", 1, 0, remembered=0.0))
    job = jobs.start(Owner("one"), None, lambda job: None)
    jobs.end_all()
    assert jobs.get(job.id, "one") is job
    with pytest.raises(InputError):
        jobs.start(Owner("one"), None, lambda job: None)
    with pytest.raises(InputError, match="not known"):
        jobs.get(job.id, "one")


def test_of_many_that_are_over_the_latest_are_remembered() -> None:
    jobs: Jobs[None] = Jobs(Rules("job", 1, 0))
    done = []
    for _ in range(MOST_OVER + 5):
        over = Event()
        done.append(jobs.start(Owner("one"), None, lambda job: None, cleanup=over.set))
        assert over.wait(LONG)
        while jobs.going("one") is not None:
            pass
    known = [job for job in done if _known(jobs, job)]
    # The last one was begun after the others had been counted.
    assert known == done[-MOST_OVER - 1 :]


def _known(jobs: Jobs[None], job: Job[None]) -> bool:
    try:
        return jobs.get(job.id, "one") is job
    except InputError:
        return False
