"""The records: figures and charts of all the caller's cases, or of those of one matter."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import date, timedelta
from typing import Any

from engine.records.store.database import CaseFilter
from engine.records.store.lists import NEWEST, TENTHS, Figures, TaskCost, Tenth, ThreadYield
from ui.calls import Answer, Call
from ui.cases.access import EVIDENCE, CaseAccess, MatterForm, no_key, shown
from ui.palette import thread

# Charts of the records view, as plotly's JSON.
#
# A trace names a colour of the style sheet in ``meta``; the page applies that colour, in the
# light and the dark theme.

Chart = dict[str, Any]
HEIGHT = 260
# Below this number, days and cases are drawn one by one.
FEW = 8
# None of them is the colour of good or bad: readers judge for themselves.
_VERDICT_COLOURS = ("meta", "spare-a", "spare-c", "sem", "spare-b", "gap")
_NO_VERDICT = "soft"


def cases_by_day(days: Sequence[Mapping[str, Any]]) -> Chart:
    """Plot the number of cases by day, as bars, and their coverage, as a line."""
    dates = [day["day"] for day in days]
    bars = {"type": "bar", "name": "cases", "x": dates, "y": [day["cases"] for day in days], "meta": "meta"}
    line = {
        "type": "scatter",
        "mode": "lines+markers",
        "name": "mean coverage",
        "x": dates,
        "y": [day["coverage_score"] for day in days],
        "yaxis": "y2",
        "line": {"width": 2},
        "marker": {"size": 6},
        "meta": "ok",
        "hovertemplate": "%{y:.0%}<extra>mean coverage</extra>",
    }
    # With few days the bars would be as wide as the page.
    if len(days) < FEW:
        bars["width"] = [8 * 3_600_000] * len(days)
    layout = _layout(
        xaxis={"type": "date", "tickformat": "%-d %b", "showgrid": False, **_date_ticks(dates)},
        yaxis=_counts(max((day["cases"] for day in days), default=0)),
        yaxis2={
            "overlaying": "y",
            "side": "right",
            "range": [0, 1.04],
            "tickformat": ".0%",
            "tickvals": [0, 0.25, 0.5, 0.75, 1],
            "showgrid": False,
        },
    )
    return {"data": [bars, line], "layout": layout}


def _date_ticks(dates: Sequence[str]) -> dict[str, Any]:
    """Return a tick for every day if there are few, each at the middle of its bar; else plotly chooses."""
    if not 0 < len(dates) < FEW:
        return {}
    first, last = (date.fromisoformat(one) for one in (dates[0], dates[-1]))
    around = timedelta(days=max(1, (FEW - (last - first).days) // 2))
    return {"tickvals": list(dates), "range": [str(first - around), str(last + around)]}


def _counts(most: int) -> dict[str, Any]:
    """Return an axis of whole numbers up to ``most``."""
    axis: dict[str, Any] = {"title": {"text": "cases"}, "rangemode": "tozero", "tickformat": ",d"}
    return axis | ({"dtick": 1} if most < FEW else {})


def coverage_by_verdict(tenths: Sequence[Tenth]) -> Chart:
    """Plot the number of cases by coverage, stacked by verdict."""
    names = [f"{10 * tenth}–{10 * tenth + 10}" for tenth in range(TENTHS)]
    verdicts = list(dict.fromkeys(one.verdict for one in tenths if one.verdict is not None))
    traces = []
    for place, verdict in enumerate([*verdicts, None]):
        counts = {one.tenth: one.cases for one in tenths if one.verdict == verdict}
        if counts:
            colour = _NO_VERDICT if verdict is None else _VERDICT_COLOURS[place % len(_VERDICT_COLOURS)]
            traces.append(
                {
                    "type": "bar",
                    "name": _plain(verdict) if verdict is not None else "no verdict",
                    "x": names,
                    "y": [counts.get(tenth, 0) for tenth in range(TENTHS)],
                    "meta": colour,
                }
            )
    heights = [sum(one.cases for one in tenths if one.tenth == tenth) for tenth in range(TENTHS)]
    layout = _layout(
        barmode="stack",
        xaxis={"title": {"text": "coverage, %"}, "type": "category", "tickangle": 0, "showgrid": False},
        yaxis=_counts(max(heights)),
    )
    return {"data": traces, "layout": layout}


def thread_yields(threads: Sequence[ThreadYield]) -> Chart:
    """Plot the ranked passages per case that each strategy found first, and those with a trail by it."""
    shown = [one for one in threads if one.ranked or one.reached][::-1]
    names = [thread(one.strategy).title for one in shown]
    colours = [thread(one.strategy).token for one in shown]
    both = (("brought first", "ranked", 1.0), ("led to", "reached", 0.35))
    traces = [
        {
            "type": "bar",
            "orientation": "h",
            "name": name,
            "y": names,
            "x": [getattr(one, field) for one in shown],
            "opacity": opacity,
            "meta": colours,
            "hovertemplate": "%{x:.1f} a case<extra>%{y}: " + name + "</extra>",
        }
        for name, field, opacity in reversed(both)
    ]
    layout = _layout(
        barmode="group",
        showlegend=False,
        height=90 + 40 * len(shown),
        xaxis={"title": {"text": "ranked passages per case"}, "rangemode": "tozero"},
        yaxis={"automargin": True},
    )
    return {"data": traces, "layout": layout}


def tokens_by_task(tasks: Sequence[TaskCost]) -> Chart:
    """Plot tokens by task: those sent and those received."""
    shown = list(tasks)[::-1]
    names = [_plain(one.task.replace("_", " ")) for one in shown]
    traces = [
        {
            "type": "bar",
            "orientation": "h",
            "name": name,
            "y": names,
            "x": [getattr(one, field) for one in shown],
            "meta": colour,
        }
        for name, field, colour in (
            ("sent", "prompt_tokens", "meta"),
            ("answered", "completion_tokens", "weak"),
        )
    ]
    layout = _layout(
        barmode="stack",
        height=110 + 40 * len(shown),
        xaxis={"title": {"text": "tokens"}, "rangemode": "tozero"},
        yaxis={"automargin": True},
    )
    return {"data": traces, "layout": layout}


def _layout(**given: Any) -> dict[str, Any]:
    return {
        "height": HEIGHT,
        "margin": {"t": 30, "r": 44, "b": 44, "l": 48},
        "legend": {"orientation": "h", "x": 0, "y": 1, "yanchor": "bottom", "traceorder": "normal"},
        "bargap": 0.35,
        **given,
    }


def _plain(text: str) -> str:
    """Return a person's words, escaped so that plotly finds no markup in them."""
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


# The records: figures of all the caller's cases, or of those of one matter.

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
