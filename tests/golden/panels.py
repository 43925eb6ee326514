"""Parts of the page that other parts do not show: the tree and charts of a case, reports, costs, events."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

import orjson

from engine.investigation.pool import QUESTION_NODE
from engine.llm import Budget, Usage
from engine.llm.cost import CostReport
from ui.corpus.ingestion import report_html
from ui.investigate.costs import cost_step, expected_words, used_words
from ui.investigate.expansion import tree_of, view_value
from ui.investigate.expansion_rows import Looked
from ui.open_case import OpenCase

_FILES = [
    {"name": "b <i>.md", "status": "read", "documents": 2, "reason": ""},
    {"name": "a.pdf", "status": "not read", "documents": 0, "reason": "encrypted"},
    {"name": "c.txt", "status": "partly", "documents": 1, "reason": "cut"},
]
_PROBLEMS = [
    {"path": "c.txt", "line": 3, "id": "c", "reason": "no title"},
    {"path": "c.txt", "line": None, "reason": "cut"},
    {"path": "d.csv", "line": 1, "reason": "not a table"},
]
_REPORT = {
    "files": _FILES,
    "problems": _PROBLEMS,
    "skipped": [{"path": "e.exe", "reason": "skipped: a program"}],
    "seconds": {"read": 1.234, "write": 0.5},
    "total_seconds": 12.3456,
}


def tree_outputs(opened: OpenCase) -> Iterator[tuple[str, str]]:
    """The tree as it opens, a branch, what came of a passage, a search, and the charts."""
    first = tree_of(opened).roots[0]
    last = [*tree_of(opened).nodes][-1]
    for asked in (
        {"view": "tree"},
        {"view": "tree", "selected": last, "open": [first]},
        {"view": "tree", "words": "fare"},
        {"view": "tree", "branch": QUESTION_NODE, "first": 1},
        {"view": "tree", "selected": first, "only": True},
        {"view": "charts"},
    ):
        shown = orjson.loads(view_value(opened, Looked.model_validate(asked)))
        yield f"tree {orjson.dumps(asked).decode()}", orjson.dumps({**shown, "at": 0}).decode()


def report_outputs(info: Any) -> Iterator[tuple[str, str]]:
    """Reports of an ingestion, and what a language model costs."""
    many = {"files": [{**_FILES[0], "name": f"{n}.md"} for n in range(2000)]}
    for name, report in (("", _REPORT), (" unknown", None), (" empty", {}), (" of many files", many)):
        yield f"report{name}", report_html(info, report, deletable=not name)
    one = Usage(2, 1500, 1024, 120, 800.0, 0.0021, 1, 100, 0.001)
    usages = {"one": one, "free": replace(one, money=None), "none": Usage(), "known": Usage(reused=3)}
    for name, used in usages.items():
        for currency in ("USD", "CHF", ""):
            tasks = {"gap-queries": used, "llm_rerank": used}
            costs = CostReport("openai:m", currency, tasks, used + used, Budget(), "too <dear>")
            words = (expected_words(used, currency), used_words(used, currency), cost_step(costs))
            yield f"cost {name} {currency}", "\n".join(words)


def event_outputs(config: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """What the page does at each event: its code, its components by their order, and how it runs."""
    numbers = {component["id"]: number for number, component in enumerate(config["components"])}
    for number, event in enumerate(config["dependencies"]):
        shown = {key: value for key, value in event.items() if key not in ("id", "trigger_after", "cancels")}
        for key in ("inputs", "outputs"):
            shown[key] = [numbers.get(one, one) for one in event[key]]
        shown["targets"] = [[numbers.get(one), name] for one, name in event["targets"]]
        text = orjson.dumps(shown, default=str).decode()
        yield f"event {number}", f"{text[:200]}… {hashlib.sha256(text.encode()).hexdigest()[:12]}"
