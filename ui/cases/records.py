"""The records: figures of all the caller's cases, or of those of one matter."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from engine.records.store.database import CaseFilter
from engine.records.store.lists import NEWEST, Figures
from ui.calls import Answer, Call
from ui.cases.access import EVIDENCE, CaseAccess, MatterForm, no_key, shown
from ui.cases.charts import cases_by_day, coverage_by_verdict, thread_yields, tokens_by_task
from ui.palette import thread

LOW, MOST_LOW, MOST_IN_TABLE = 0.7, 12, 200
# The table next to the chart has the newest days; the chart has all.
MOST_DAYS = 60


def records(access: CaseAccess, form: MatterForm) -> Answer:
    """Return all figures, charts and tables."""
    store, matter = access.store, access.matter(form.matter)
    scope = matter, access.owner
    figures = store.figures(*scope)
    days = store.over_time(*scope)
    total = sum(day["cases"] for day in days)
    values = {
        "total": total,
        "matter": None if matter is None else matter.name,
        "days": days[::-1][:MOST_DAYS],
        "by_day": cases_by_day(days),
        "low": store.low_coverage(LOW, *scope, limit=MOST_LOW),
        "low_total": store.listed(CaseFilter(coverage_below=LOW, limit=1), *scope).total,
        "below": LOW,
        "verdicts": store.by_verdict(*scope),
        "evidence": EVIDENCE,
        **_judged(figures),
        **_spent(figures),
        **_threads(figures),
        **_batch(access, matter),
    }
    return {"html": {"records": shown("records", **values)}}


def _judged(figures: Figures) -> dict[str, Any]:
    tenths = figures.coverage_by_verdict()
    said = figures.statements()
    right, wrong = (sum(getattr(one, name) for one in said) for name in ("right", "wrong"))
    return {
        "tenths": coverage_by_verdict(tenths),
        "statements": said,
        "right": right,
        "judged": right + wrong,
        "has_verdicts": any(one.verdict for one in tenths),
    }


def _spent(figures: Figures) -> dict[str, Any]:
    tasks = figures.costs()
    paid = [one.money for one in tasks]
    return {
        "tasks": tasks,
        "calls": sum(one.calls for one in tasks),
        "tokens": sum(one.prompt_tokens + one.completion_tokens for one in tasks),
        "money": None if None in paid or not paid else sum(one for one in paid if one is not None),
        "by_task": tokens_by_task(tasks),
    }


def _threads(figures: Figures) -> dict[str, Any]:
    found = figures.yields()
    return {
        "threads": [(thread(one.strategy).title, one) for one in found.threads],
        "threads_of": found.cases,
        "newest": NEWEST,
        "by_thread": thread_yields(found.threads),
    }


def _batch(access: CaseAccess, matter: Any) -> dict[str, Any]:
    """Return the rows of one table: the cases of a matter with their means, or all matters with theirs."""
    means = {row["matter"]: row for row in access.store.by_matter(access.owner)}
    if matter is None:
        rows: list[tuple[Any, Mapping[str, Any]]] = [
            (one, means[one.id]) for one in access.store.matters(access.owner) if one.id in means
        ]
        return {"matters": rows, "batch": (), "means_row": None}
    listed = access.store.listed(CaseFilter(limit=MOST_IN_TABLE), matter, access.owner)
    return {"matters": (), "batch": listed.cases, "means_row": means.get(matter.id)}


CALLS = (Call("records", MatterForm, records, keyless=lambda: no_key("records")),)
