"""The pool in charts: what plotly draws, and the same figures as tables."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from engine.language.characters import marked
from engine.records.expansion import ExpansionTree
from engine.records.expansion.naming import Named
from engine.records.expansion.statistics import Statistics, statistics
from ui.palette import thread

MOST_DOCUMENTS = 12
# px: a bar that lies, what stands around the bars, a chart whose bars stand.
BAR, AROUND, STANDING = 22, 46, 190
LONGEST_NAME = 34
Cells = Sequence[tuple[str, ...]]


@dataclass(frozen=True, slots=True)
class Chart:
    """A chart: what plotly is given, and its figures as a table with a head."""

    name: str
    title: str
    traces: Sequence[Mapping[str, Any]]
    layout: Mapping[str, Any]
    head: tuple[str, ...]
    cells: Cells


def charts(tree: ExpansionTree, known: Mapping[str, Named]) -> tuple[Statistics, list[Chart]]:
    """The figures of a pool and its charts; one of which there is nothing to show is left out."""
    found = statistics(tree, known)
    made = [
        _by_round(found),
        _by_document(tree, known),
        _yields(found),
        _refused(found),
        _by_relation(found),
    ]
    return found, [chart for chart in made if chart.cells]


def _by_round(found: Statistics) -> Chart:
    rounds = list(found.threads_by_round)
    traces = [
        _bars(thread(one).title, thread(one).token, [_round(number) for number in rounds],
              [found.threads_by_round[number].get(one, 0) for number in rounds])
        for one in found.passages_by.thread
    ]  # fmt: skip
    cells = [
        (_round(number), thread(one).title, f"{count:,}")
        for number in rounds
        for one, count in found.threads_by_round[number].items()
    ]
    layout = {"barmode": "stack", "height": STANDING, "xaxis": {"showgrid": False}}
    return Chart(
        "rounds", "Passages by round and thread", traces, layout, ("Round", "Thread", "Passages"), cells
    )


def _by_document(tree: ExpansionTree, known: Mapping[str, Named]) -> Chart:
    counts: dict[str, dict[str, int]] = {}
    titles: dict[str, str] = {}
    for passage_id, strategy in zip(tree.facts.ids, tree.facts.strategies, strict=True):
        own = known.get(passage_id)
        if own is None:
            continue
        titles[own.document] = own.title
        threads = counts.setdefault(own.document, {})
        threads[strategy] = threads.get(strategy, 0) + 1
    best = sorted(counts, key=lambda one: (-sum(counts[one].values()), one))[:MOST_DOCUMENTS]
    strategies = dict.fromkeys(one for document in best for one in counts[document])
    labels = [_short(titles[one]) for one in best]
    traces = [
        _lying(thread(one).title, thread(one).token, labels, [counts[own].get(one, 0) for own in best])
        for one in strategies
    ]
    cells = [(titles[one], f"{sum(counts[one].values()):,}") for one in best]
    more = f" (the first {len(best)} of {len(counts)})" if len(counts) > len(best) else ""
    return Chart(
        "documents", f"Passages by document{more}", traces, _named(labels), ("Document", "Passages"), cells
    )


def _yields(found: Statistics) -> Chart:
    shown = [one for one in found.yields if one.round > 0 and one.share is not None]
    trace = _bars(
        "Admitted",
        "ok",
        [_round(one.round) for one in shown],
        [round(100 * (one.share or 0), 1) for one in shown],
    )
    trace |= {"hovertemplate": "%{x}: %{y} % of the leads admitted<extra></extra>"}
    cells = [
        (_round(one.round), f"{one.proposed:,}", f"{one.admitted:,}", f"{one.share or 0:.1%}")
        for one in shown
    ]
    layout = {
        "height": STANDING,
        "xaxis": {"showgrid": False},
        "yaxis": {"ticksuffix": " %", "rangemode": "tozero"},
    }
    head = ("Round", "Leads", "Admitted", "Share")
    return Chart("yield", "Yield: admitted of the leads of each round", [trace], layout, head, cells)


def _refused(found: Statistics) -> Chart:
    counts: dict[str, int] = {}
    for one in found.yields:
        for reason, number in one.refused.items():
            counts[reason] = counts.get(reason, 0) + number
    return _single("refused", "Leads refused, by reason", "Reason", "Leads", "weak", counts)


def _by_relation(found: Statistics) -> Chart:
    return _single("relations", "Hops by relation", "Relation", "Hops", "soft", found.hops_by.relation)


def _single(name: str, title: str, what: str, unit: str, token: str, counts: Mapping[str, int]) -> Chart:
    ordered = sorted(counts.items(), key=lambda pair: (-pair[1], pair[0]))
    labels = [_short(words.replace("_", " ")) for words, _ in ordered]
    trace = _lying(unit, token, labels, [number for _, number in ordered])
    trace |= {
        "text": [f"{number:,}" for _, number in ordered],
        "textposition": "outside",
        "cliponaxis": False,
    }
    cells: Cells = [(words.replace("_", " "), f"{number:,}") for words, number in ordered]
    return Chart(name, title, [trace], _named(labels), (what, unit), cells)


def _bars(name: str, token: str, labels: Sequence[str], counts: Sequence[float]) -> dict[str, Any]:
    """Bars that stand, in the colour of a token, which the page puts in."""
    return {
        "type": "bar",
        "name": name,
        "meta": token,
        "marker": {},
        "x": list(labels),
        "y": list(counts),
        "hovertemplate": f"{name}: %{{x}}, %{{y:,}}<extra></extra>",
    }


def _lying(name: str, token: str, labels: Sequence[str], counts: Sequence[int]) -> dict[str, Any]:
    """Bars that lie, by their number: two labels may be alike."""
    return {
        "type": "bar",
        "orientation": "h",
        "name": name,
        "meta": token,
        "marker": {},
        "x": list(counts),
        "y": list(range(len(labels))),
        "customdata": list(labels),
        "hovertemplate": f"%{{customdata}}<br>{name}: %{{x:,}}<extra></extra>",
    }


def _named(labels: Sequence[str]) -> dict[str, Any]:
    """The layout of bars that lie, the first on top."""
    axis = {"autorange": "reversed", "tickvals": list(range(len(labels))), "ticktext": list(labels)}
    return {"barmode": "stack", "height": AROUND + BAR * len(labels), "yaxis": axis}


def _round(number: int) -> str:
    return f"Round {number}" if number else "Scan"


def _short(words: str) -> str:
    """A label of an axis: short, and without markup, which plotly would obey."""
    plain = marked(words).replace("<", "‹").replace(">", "›")
    return plain if len(plain) <= LONGEST_NAME else plain[: LONGEST_NAME - 1].rstrip() + "…"
