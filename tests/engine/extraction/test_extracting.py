"""A model reads a corpus: what it proposes, what is refused, and what a run does after another."""

from __future__ import annotations

import shutil
import time
from collections import Counter
from pathlib import Path

import numpy as np
import pytest

from engine.corpus import open_corpus
from engine.corpus.extracted import DocumentRead, Proposal, WindowRead, load_readings, proposals
from engine.corpus.protocol import Corpus
from engine.errors import CorpusError, InputError, SettingsError
from engine.extraction import expected, extract, make_plan
from engine.extraction.extracting import Plan
from engine.llm import Budget, Meter
from engine.llm.client import ChatModel, connect
from engine.llm.connection import Patience
from engine.model import Passage, Relation
from tests.engine.extraction.readers import LIES, honest, liar
from tests.engine.forked import Tell, killed
from tests.engine.llm.server import Asked, Fault, Scripted, ScriptedServer

SMALL = "openai:scripted@{url}?context=4300&input=1&output=2"


def small(server: ScriptedServer) -> ChatModel:
    model = connect(SMALL.format(url=server.url), patience=Patience(retries=0))
    assert model is not None
    return model


@pytest.fixture
def corpus(tmp_path: Path, harbour_folder: Path) -> Corpus:
    shutil.copytree(harbour_folder, tmp_path / "harbour")
    return open_corpus(tmp_path / "harbour")


def folder_of(corpus: Corpus) -> Path:
    assert corpus.folder is not None
    return corpus.folder


def found(corpus: Corpus) -> list[Proposal]:
    return list(proposals(load_readings(folder_of(corpus))).values())


def test_concepts_and_links_are_found_with_their_words(corpus: Corpus) -> None:
    with ScriptedServer(honest) as server:
        model = small(server)
        plan = make_plan(corpus, model)
        report = extract(plan, model)
        assert report.windows == plan.windows == len(server.requests) > 3
        counted = server.counted
    assert (report.already, report.left, report.stopped, report.failed) == (0, 0, "", {})
    assert report.usage.prompt_tokens == counted.prompt_tokens
    assert report.usage.completion_tokens == counted.completion_tokens
    texts = {passage.id: passage.text for passage in all_passages(corpus)}
    said = found(corpus)
    for one in said:
        assert one.quote in texts[one.source_id]
        assert one.target_id is None or one.target_id in texts
    assert {"vessel", "harbour master", "berth"} <= {
        one.concept for one in said if one.relation is Relation.DEFINES
    }
    (exception,) = (one for one in said if one.relation is Relation.EXCEPTION_TO and "warships" in one.quote)
    assert exception.quote == "does not apply to warships, save as provided in Article 9"
    assert sum(report.proposals.values()) >= len(said)


def all_passages(corpus: Corpus) -> list[Passage]:
    return list(corpus.passages(np.arange(len(corpus), dtype=np.int32)))


def test_what_a_liar_says_does_not_count(corpus: Corpus) -> None:
    with ScriptedServer(liar) as server:
        model = server.connect()
        plan = make_plan(corpus, model, ["harbour-act"])
        report = extract(plan, model)
    assert plan.open == 1
    assert report.refused == LIES
    (kept,) = found(corpus)
    assert (kept.relation, kept.confidence) == (Relation.EXTENDS, 0.8)


def test_a_budget_that_opens_midway_keeps_what_was_read(corpus: Corpus) -> None:
    with ScriptedServer(honest) as server:
        model = small(server)
        plan = make_plan(corpus, model)
        report = extract(plan, model, Meter(Budget(calls=2)))
        assert report.windows == 2
        assert report.left == plan.open - 2
        assert "used up" in report.stopped
        assert not report.cancelled
        rest = extract(make_plan(corpus, model), model)
        assert (rest.windows, rest.already, rest.left) == (plan.open - 2, 2, 0)
        assert len(server.requests) == plan.windows


def test_it_can_be_cancelled(corpus: Corpus) -> None:
    asked: list[Asked] = []

    def answer(request: Asked) -> Scripted:
        asked.append(request)
        return honest(request)

    with ScriptedServer(answer) as server:
        model = small(server)
        report = extract(make_plan(corpus, model), model, Meter(cancelled=lambda: len(asked) > 0))
    assert report.cancelled
    assert report.left > 0


def test_failed_windows_are_tried_again_by_the_next_run(corpus: Corpus) -> None:
    def answer(asked: Asked) -> Scripted:
        return Fault(answer="no form") if "warships" in asked.user and len(done) < 4 else honest(asked)

    done: list[int] = []
    with ScriptedServer(answer) as server:
        model = small(server)
        plan = make_plan(corpus, model, ["harbour-act"])
        report = extract(plan, model)
        failed = sum(report.failed.values())
        assert 0 < failed < plan.open
        assert report.windows == plan.open - failed
        assert not any(isinstance(line, DocumentRead) for line in load_readings(folder_of(corpus)))
        done += [1] * 4
        again = extract(make_plan(corpus, model, ["harbour-act"]), model)
        assert (again.windows, again.failed) == (failed, {})
        assert isinstance(load_readings(folder_of(corpus))[-1], DocumentRead)


def test_a_server_that_is_down_is_not_asked_for_every_window(corpus: Corpus) -> None:
    with ScriptedServer(lambda asked: Fault(status=500)) as server:
        model = small(server)
        plan = make_plan(corpus, model)
        report = extract(plan, model)
        assert plan.open > 6
        assert len(server.requests) < plan.open
    assert "in a row failed" in report.stopped
    assert load_readings(folder_of(corpus)) == []


def test_the_cost_is_an_upper_bound(corpus: Corpus) -> None:
    with ScriptedServer(honest) as server:
        model = small(server)
        plan = make_plan(corpus, model)
        cost = expected(plan, model)
        assert len(server.requests) == 0, "an estimate asks nobody"
        report = extract(plan, model)
    assert cost.windows == cost.usage.calls == report.usage.calls == plan.open
    assert cost.usage.prompt_tokens >= report.usage.prompt_tokens
    assert cost.usage.completion_tokens >= report.usage.completion_tokens
    assert cost.usage.money is not None
    assert report.usage.money is not None
    assert cost.usage.money >= report.usage.money > 0
    after = expected(make_plan(corpus, model), model)
    assert (after.windows, after.usage.tokens, after.already) == (0, 0, plan.windows)


def test_what_cannot_be_planned(corpus: Corpus) -> None:
    with ScriptedServer(honest) as server:
        with pytest.raises(InputError, match="no document 'nowhere'"):
            make_plan(corpus, small(server), ["nowhere"])
        tiny = connect(f"openai:scripted@{server.url}?context=2048")
        assert tiny is not None
        with pytest.raises(SettingsError, match="too small for reading"):
            make_plan(corpus, tiny)
        by_title = make_plan(corpus, small(server), ["Harbour Act"])
        assert [work.document.id for work in by_title.work] == ["harbour-act"]


def test_two_runs_do_not_pay_for_the_same(corpus: Corpus) -> None:
    inner: list[str] = []

    def answer(asked: Asked) -> Scripted:
        try:
            extract(plan, model)
        except CorpusError as error:
            inner.append(str(error))
        return honest(asked)

    with ScriptedServer(answer) as server:
        model = small(server)
        plan = make_plan(corpus, model)
        extract(plan, model)
    assert len(inner) == plan.open
    assert "already" in inner[0]


def test_a_killed_process_loses_at_most_the_windows_in_flight(corpus: Corpus) -> None:
    folder = folder_of(corpus)

    def answer(asked: Asked) -> Scripted:
        # From the fourth request on the server is slow: the process is killed while it waits.
        return honest(asked) if asked.number < 3 else Fault(seconds=30)

    with ScriptedServer(answer) as server:

        def read(tell: Tell) -> None:
            tell()
            model = connect(small(server).spec)
            assert model is not None
            extract(make_plan(open_corpus(folder), model), model)

        with killed(read):
            deadline = time.monotonic() + 60
            while len(server.requests) < 4 and time.monotonic() < deadline:
                time.sleep(0.02)
            while sum(isinstance(one, WindowRead) for one in load_readings(folder)) < 3:
                assert time.monotonic() < deadline
                time.sleep(0.02)
    with ScriptedServer(honest) as server:
        # The same model at the same address, as far as the readings know.
        again = small(server)
        before = Counter(one.key for one in load_readings(folder) if isinstance(one, WindowRead))
        renamed = _Renamed(again, read_by(folder))
        plan: Plan = make_plan(corpus, renamed)
        assert plan.windows - plan.open == len(before) == 3
        report = extract(plan, renamed)
        assert report.windows == plan.open == len(server.requests)
    after = Counter(one.key for one in load_readings(folder) if isinstance(one, WindowRead))
    assert set(after.values()) == {1}, "no window was paid for twice"


def read_by(folder: Path) -> str:
    return next(one.model for one in load_readings(folder))


class _Renamed:
    def __init__(self, model: ChatModel, spec: str) -> None:
        self.spec = spec
        self.context_tokens = model.context_tokens
        self.expected = model.expected
        self.ask = model.ask
