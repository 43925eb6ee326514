"""What a case is said to have cost is what the server counted; what it may cost at most is no less."""

from __future__ import annotations

import shutil
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from engine.answers.writing import expected_prompt
from engine.corpus import open_corpus
from engine.corpus.protocol import Corpus
from engine.extraction.extracting import expected, extract, make_plan
from engine.investigation import Case
from engine.llm import Usage
from engine.llm.connection import Patience
from engine.llm.cost import cost_report
from engine.records.export import investigation_to_json
from tests.engine.llm.server import Asked, Counted, Fault, Scripted, ScriptedServer
from tests.safety.attacking import ASSISTED, QUESTIONS, audited, read_by_model, regrouped, settings, steered
from tests.safety.obeying import Obeying

LAW = ("commercial-agency-code", "tax-procedure-act")


@dataclass
class Troubled:
    """A willing model on a bad day: each task meets every kind of trouble once, some of it billed."""

    willing: Obeying = field(default_factory=lambda: Obeying(passages=()))
    met: Counter[str] = field(default_factory=Counter)

    def __call__(self, asked: Asked) -> Scripted:
        self.met[asked.task] += 1
        trouble = (
            Fault(status=429),
            Fault(answer="{this is no JSON"),
            Fault(status=503),
            None,
            Fault(answer="cut sh", finish="length"),
            Fault(answer="", refusal="I would rather not."),
        )
        number = self.met[asked.task] - 1
        fault = trouble[number] if number < len(trouble) else None
        return fault or self.willing(asked)


def same(spent: Usage, counted: Counted) -> None:
    """The ledger is the server's bill, to the token."""
    assert spent.calls == counted.requests
    assert spent.prompt_tokens == counted.prompt_tokens
    assert spent.cached_tokens == counted.cached_tokens
    assert spent.completion_tokens == counted.completion_tokens


@pytest.fixture
def own(poisoned_folder: Path, tmp_path: Path) -> Corpus:
    """A copy of the corpus that may be written to."""
    shutil.copytree(poisoned_folder, tmp_path / "corpus")
    return open_corpus(tmp_path / "corpus")


def test_one_meter_over_everything_equals_the_bill(own: Corpus) -> None:
    """Retries, repairs, cached tokens, refusals and cut answers included."""
    with ScriptedServer(Troubled()) as server:
        model = server.connect("sk-cost", patience=Patience(first=0.001, longest=0.002))
        case = Case(own, QUESTIONS["en"], settings(**ASSISTED), model=model)
        assert list(case.run())
        same(case.meter.spent, server.counted)
        record = investigation_to_json(case.investigation())["usage"]
        assert sum(one["prompt_tokens"] for one in record.values()) == server.counted.prompt_tokens
        assert sum(one["completion_tokens"] for one in record.values()) == server.counted.completion_tokens
        assert sum(one["cached_tokens"] for one in record.values()) == server.counted.cached_tokens
        assert sum(one["calls"] for one in record.values()) == server.counted.requests

        meter = case.meter
        steered_answer = steered(own, "de", model)
        audited(own, "en", model, meter)
        read_by_model(own, model, meter)
        regrouped(own, model, meter)
        counted = server.counted
        spent = meter.spent + steered_answer.case.meter.spent
    same(spent, counted)
    assert counted.cached_tokens > 0
    assert spent.money == pytest.approx(
        (counted.prompt_tokens - counted.cached_tokens * 0.5 + counted.completion_tokens * 2) / 1_000_000
    )
    told = cost_report(meter, model.spec)
    assert told.total.prompt_tokens == sum(used.prompt_tokens for used in told.tasks.values())
    assert {"extract", "second reading", "ontology", "sub-questions"} <= set(told.tasks)


def test_reading_and_answering_cost_at_most_what_was_said_before(own: Corpus) -> None:
    with ScriptedServer(Obeying(passages=())) as server:
        model = server.connect("sk-cost")
        plan = make_plan(own, model, LAW)
        most = expected(plan, model).usage
        read = extract(plan, model).usage
        helped = steered(own, "en", model)
        foretold = expected_prompt(helped.investigation, own, model)
        assert foretold is not None
        at_most = model.expected(*foretold)
    assert read.calls == most.calls == plan.open > 0
    assert read.prompt_tokens <= most.prompt_tokens
    assert read.completion_tokens <= most.completion_tokens
    used = helped.case.meter.tasks["answer"]
    assert used.prompt_tokens <= at_most.prompt_tokens
    assert used.completion_tokens <= at_most.completion_tokens
