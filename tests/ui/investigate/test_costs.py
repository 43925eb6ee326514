from __future__ import annotations

from dataclasses import replace

import pytest

from engine.llm import Budget, Usage
from engine.llm.cost import CostReport
from ui.investigate.costs import cost_step, expected_words, money_words, rough, used_words

DECOMPOSE = Usage(2, 1500, 1024, 120, 800.0, 0.0021, 1)
RERANK = Usage(1, 4000, 0, 60, 400.0, 0.0041)


def report(tasks: dict[str, Usage], currency: str = "USD", stopped: str = "") -> CostReport:
    return CostReport("openai:m", currency, tasks, sum(tasks.values(), Usage()), Budget(), stopped)


@pytest.mark.parametrize(
    ("money", "currency", "words"),
    [(0.0042, "USD", "$0.0042"), (1.5, "EUR", "€1.50"), (0.0, "USD", "$0.00"), (0.02, "CHF", "0.02 CHF")],
)
def test_money_has_its_sign(money: float, currency: str, words: str) -> None:
    assert money_words(money, currency) == words


def test_an_estimate_pretends_no_exactness() -> None:
    assert [rough(count) for count in (99, 14_283, 1_234_567)] == ["99", "15,000", "1,300,000"]


def test_what_a_case_will_use_in_one_line() -> None:
    assert expected_words(Usage(), "USD") == ""
    used = Usage(6, 12_000, 0, 2000, money=0.0098)
    assert expected_words(used, "USD") == "up to 6 calls, about 14,000 tokens, at most $0.0098"
    for currency, money in (("", 0.0098), ("USD", None)):
        words = expected_words(replace(used, money=money), currency)
        assert words == "up to 6 calls, about 14,000 tokens"


def test_what_was_used_in_one_line() -> None:
    assert used_words(RERANK, "USD") == "1 call, 4,000 tokens in, 60 out, $0.0041"
    assert used_words(DECOMPOSE, "") == "2 calls, 1,500 tokens in, 120 out"


def test_what_was_spent_by_task_and_in_all() -> None:
    step = cost_step(report({"decompose": DECOMPOSE, "rerank": RERANK}))
    assert "Model <b>3 calls</b> · $0.0062" in step
    assert "<th>Decompose</th><td>2</td><td>1,500</td><td>1,024</td><td>120</td>" in step
    assert "<th>All</th><td>3</td><td>5,500</td><td>1,024</td><td>180</td><td>1</td><td>0.00620</td>" in step


def test_without_prices_there_are_tokens_and_one_task_needs_no_sum() -> None:
    assert cost_step(report({})) == ""
    step = cost_step(report({"rerank": RERANK}, currency=""))
    assert "4,060 tokens" in step
    assert "<tfoot></tfoot>" in step


def test_answers_from_the_cache_are_counted_as_such() -> None:
    step = cost_step(report({"decompose": Usage(reused=2), "rerank": Usage(reused=1)}))
    assert "Model <b>3 answers</b> known before" in step


def test_the_budget_that_stopped_the_model_is_named_and_nothing_is_markup() -> None:
    step = cost_step(report({"<b>x</b>": RERANK}, "<i>", stopped="the budget <b>"))
    assert "the budget &lt;b&gt;" in step
    assert "<i>" not in step
    assert "<b>x" not in step


def test_what_the_cache_of_the_provider_saved() -> None:
    saved = Usage(2, 2000, 500, 10, money=0.1, saved=0.0012)
    assert "500 of 2,000 tokens in (25%), 0.0012 USD saved" in cost_step(report({"decompose": saved}))
    assert "cache:" not in cost_step(report({"rerank": RERANK}))
