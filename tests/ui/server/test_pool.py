"""Workers that are really started, killed and told to stop."""

from __future__ import annotations

import contextlib
import os
import shutil
import signal
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import psutil
import pytest

from engine.corpus.extracted import Judgement
from engine.errors import InputError
from engine.extraction.judging import Ends, judge_link
from engine.ingestion.build import build_corpus
from engine.ingestion.vectors import embed_corpus
from engine.investigation import Case
from engine.model import Relation
from engine.operator_settings import OperatorSettings
from engine.records.conversion import investigation_to_json
from engine.settings import preset
from tests.engine.endpoint import EmbeddingServer
from ui.investigate.panels import PARTS
from ui.investigate.passages import Link, link_of
from ui.investigate.plan import CaseRequest
from ui.investigate.updates import listen, open_case
from ui.server.pool import WorkerLostError, Workers
from ui.shelf import Library

QUESTION = "May a manager grant broader powers?"
SOON = 30.0


@pytest.fixture(scope="module")
def working(tmp_path_factory: pytest.TempPathFactory, corpus_folder: Path) -> Iterator[Library]:
    folder = tmp_path_factory.mktemp("working") / "act"
    shutil.copytree(corpus_folder, folder)
    library = Library([folder], folder.parent / "home", OperatorSettings(workers=2))
    starting = library.start_workers()
    assert starting is not None
    starting.join(60)
    assert len(library.workers.pids) == 2
    yield library
    pids = library.workers.pids
    library.workers.stop()
    # Workers end with the page's process.
    _await(lambda: not any(map(psutil.pid_exists, pids)))


def _await(true: Callable[[], bool]) -> None:
    until = time.monotonic() + SOON
    while not true() and time.monotonic() < until:
        time.sleep(0.01)
    assert true()


def process_of(case: Case) -> int:
    return os.getpid()


def until_cancelled(case: Case) -> None:
    until = time.monotonic() + 60
    while not case.is_cancelled and time.monotonic() < until:
        time.sleep(0.01)


def refused(case: Case) -> None:
    raise InputError("not this one")


def broken(case: Case) -> None:
    raise KeyError("what a visitor said")


def record(case: Case) -> dict[str, object]:
    list(case.run())
    return investigation_to_json(case.investigation())


def _case(library: Library) -> Case:
    return Case(library.corpus(None), QUESTION, preset("balanced"))


def test_two_cases_at_once_are_in_two_processes_and_neither_is_this_one(working: Library) -> None:
    first, second = _case(working), _case(working)
    with ThreadPoolExecutor(2) as threads:
        waiting = [
            threads.submit(working.workers.run_function, name, until_cancelled, case)
            for name, case in (("a", first), ("b", second))
        ]
        _await(lambda: working.workers.there.taken == 2)
        first.cancel()
        # Left alone it would go on for a minute.
        waiting[0].result(SOON)
        assert working.workers.run_function("c", process_of, _case(working)) in working.workers.pids
        second.cancel()
        waiting[1].result(SOON)


def test_a_case_comes_out_as_in_this_process(working: Library) -> None:
    there = working.workers.run_function("a", record, _case(working))
    here = working.workers.run_function("a", record, _case(working), here=True)
    assert there["passages"] == here["passages"]
    assert working.workers.run_function("a", process_of, _case(working), here=True) == os.getpid()


def test_errors_come_back_and_what_nobody_foresaw_says_nothing_of_the_case(working: Library) -> None:
    with pytest.raises(InputError, match="not this one"):
        working.workers.run_function("a", refused, _case(working))
    with pytest.raises(Exception, match="the log has the details") as failed:
        working.workers.run_function("a", broken, _case(working))
    assert "visitor said" not in str(failed.value)


def test_a_killed_worker_is_reported_and_replaced_and_the_others_go_on(working: Library) -> None:
    lost, other = _case(working), _case(working)
    before = set(working.workers.pids)
    with ThreadPoolExecutor(2) as threads:
        dying = threads.submit(working.workers.run_function, "a", until_cancelled, lost)
        going_on = threads.submit(working.workers.run_function, "b", until_cancelled, other)
        _await(lambda: working.workers.there.taken == 2)
        # Both have begun.
        time.sleep(0.5)
        busiest = max(before, key=lambda pid: psutil.Process(pid).create_time())
        os.kill(busiest, signal.SIGKILL)
        _await(lambda: dying.done() or going_on.done())
        ended = next(one for one in (dying, going_on) if one.done())
        with pytest.raises(WorkerLostError, match="has ended: ask again"):
            ended.result(SOON)
        lost.cancel()
        other.cancel()
        (going_on if ended is dying else dying).result(SOON)
    _await(lambda: len(working.workers.pids) == 2)
    assert len(set(working.workers.pids) - before) == 1
    assert len(working.workers.pids) == 2
    assert working.workers.lost == 1


def test_a_waiting_process_that_is_killed_costs_no_case(working: Library) -> None:
    before = working.workers.pids
    for pid in before:
        os.kill(pid, signal.SIGKILL)
    _await(lambda: not any(map(psutil.pid_exists, before)))
    for _ in range(3):
        assert working.workers.run_function("a", process_of, _case(working)) in working.workers.pids


def test_a_template_that_is_killed_is_begun_again(working: Library) -> None:
    (template,) = [one for one in psutil.Process().children() if _is_template(one, working)]
    before = set(working.workers.pids)
    for pid in before:
        with contextlib.suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)
    # The template sees to it that nothing of them is left: all their threads have ended then.
    _await(lambda: not any(map(psutil.pid_exists, before)))
    template.kill()
    template.wait(SOON)
    # It waits until there are workers again.
    process = working.workers.run_function("a", process_of, _case(working))
    assert process not in before
    assert process != os.getpid()
    _await(lambda: len(working.workers.pids) == working.workers.wanted)
    assert not before & set(working.workers.pids)


def _is_template(process: psutil.Process, library: Library) -> bool:
    """Whether it is what the workers are forked from."""
    return not set(library.workers.pids).isdisjoint(one.pid for one in process.children())


def test_a_case_that_waits_knows_its_place_and_can_be_cancelled(working: Library) -> None:
    holding = [_case(working) for _ in range(3)]
    with ThreadPoolExecutor(3) as threads:
        busy = [
            threads.submit(working.workers.run_function, "many", until_cancelled, case) for case in holding
        ]
        _await(lambda: len(working.workers.there) == 1)
        opened = open_case(working, CaseRequest(question=QUESTION))
        opened.view.visitor = "many"
        telling = listen(opened, PARTS, opened.case.run)
        first = next(telling)
        assert "In line, 1 case before yours" in str(first[PARTS.story])
        threading.Timer(0.2, opened.case.cancel).start()
        (last,) = telling
        assert "cancelled before its turn came" in str(last[PARTS.banner])
        for case in holding:
            case.cancel()
        ended = [one.exception(SOON) for one in busy]
        # The third was still in line, or has just got a place.
        assert [str(error) for error in ended if error] in ([], ["cancelled before its turn came"])


def test_verdicts_and_new_documents_are_seen_by_the_next_case(working: Library, tmp_path: Path) -> None:
    def links() -> set[Link]:
        opened = open_case(working, CaseRequest(question=QUESTION))
        for _ in listen(opened, PARTS, opened.case.run):
            continue
        return {link for hop in opened.case.pool.hops() if (link := link_of(hop)) is not None}

    source, target, relation = min(links())
    corpus = working.corpus(None)
    judge_link(corpus, Ends(source, target, Relation(relation)), Judgement.REJECTED, reviewer="me")
    assert (source, target, relation) not in links()
    (tmp_path / "b.md").write_text(
        "---\nid: b\nlanguage: en\n---\n\n# Act\n\n#### Article 1\n\nA grant of broader powers is good.\n",
        encoding="utf-8",
    )
    assert corpus.folder is not None
    build_corpus([tmp_path / "b.md"], corpus.folder, name="Small", embedding="none")
    assert "is good" in str(working.workers.run_function("a", record, _case(working)))


def embedding_of(case: Case) -> str:
    return case.corpus.embedding


def test_a_case_ends_on_the_corpus_that_it_began_on_and_the_next_has_its_vectors(working: Library) -> None:
    folder = working.find(None).folder
    began, opened = _case(working), open_case(working, CaseRequest(question=QUESTION))
    with EmbeddingServer() as server:
        assert embed_corpus(folder, embedding=server.spec) is not None
        told = list(listen(opened, PARTS, opened.case.run))
        assert not any(updates.get(PARTS.banner) for updates in told)
        assert opened.case.ranking
        assert working.workers.run_function("a", embedding_of, began) == "none"
        # In each of the workers.
        for _ in range(2):
            assert working.workers.run_function("a", embedding_of, _case(working)) == server.spec
        assert working.workers.run_function("a", process_of, _case(working)) in working.workers.pids


def test_without_workers_cases_run_here(library: Library) -> None:
    assert library.workers.run_function("a", process_of, _case(library)) == os.getpid()


def test_where_no_process_can_be_started_cases_run_here(
    library: Library, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    # A process that ends at once.
    monkeypatch.setattr("ui.server.pool.be_template", print)
    workers = Workers()
    with ThreadPoolExecutor(1) as threads:
        starting = workers.start(1, [], None, OperatorSettings())
        waiting = threads.submit(workers.run_function, "a", process_of, _case(library))
        assert starting is not None
        starting.join(60)
        assert waiting.result(SOON) == os.getpid()
    assert "cases run in the page's process" in caplog.text
    workers.stop()
