"""Rows and charts of the expansion of a case, and the requests for them."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, Any, Literal, NamedTuple

import orjson
from pydantic import Field, StrictInt

from engine.errors import InputError
from engine.investigation.pool import QUESTION_NODE
from engine.language.characters import marked
from engine.model import Hop
from engine.records.expansion import ExpansionTree
from engine.records.expansion_figures import Named, Statistics, statistics
from engine.records.expansion_text import came_through
from engine.records.phrases import Name, gap_query, hop_quote, hop_words, ordinal, query_title
from engine.verbs.verb import Request, parse_request
from ui.palette import thread

# Requests of the page for the tree and the charts: the current tab, and the open parts of the
# tree.

Tab = Literal["board", "tree", "charts"]
LONGEST = 400_000
NodeId = Annotated[str, Field(max_length=1000)]


class Looked(Request):
    """One request. ``open`` are the unfolded nodes, None for the initial state of the tree; ``branch``
    requests only the children of a node, from ``first`` on; ``selected`` is the passage selected on the page;
    if ``only`` is set, only its results are requested; ``words`` are those of the search."""

    view: Tab = "board"
    open: Annotated[list[NodeId], Field(max_length=2000)] | None = None
    branch: NodeId = ""
    first: StrictInt = Field(default=0, ge=0, le=10**6)
    selected: NodeId = ""
    only: bool = False
    words: str = Field(default="", max_length=500)
    turn: StrictInt = Field(default=0, ge=0, le=10**9)


def looked(text: object) -> Looked:
    """Parse the request. Raises InputError, in one line, if it is too long or invalid."""
    if not isinstance(text, str) or len(text) > LONGEST:
        raise InputError("what was asked of the tree is too long: fold some of it")
    try:
        values = orjson.loads(text)
    except orjson.JSONDecodeError as error:
        raise InputError("what was asked of the tree cannot be read: load the page again") from error
    return parse_request(Looked, values)


# The lines of the tree: its open parts, each node with its trail and its results.

# Children of a node that are sent at first, and with each "more"; limit for the whole tree.
CHILDREN_SHOWN, ROWS_SHOWN = 60, 600
# Branches that are open at first.
OPEN_AT_FIRST = 4
QUOTE_LENGTH = 90


@dataclass(frozen=True, slots=True)
class Row:
    """A line: a node, or the number of further children (``more``). ``level`` counts from 2, below the
    question; ``open`` is None for a node without children."""

    id: str
    level: int
    position: int
    siblings: int
    open: bool | None = None
    kind: str = "passage"
    token: str = ""
    rank: int | None = None
    rank_words: str = ""
    name: str = ""
    why: str = ""
    quote: str = ""
    also: str = ""
    below: int = 0
    below_words: str = ""
    more: int = 0


@dataclass(frozen=True, slots=True)
class Branches:
    """The visible part of a tree: nodes that are ``open``, the ``path`` to the selected passage, which is
    also open, and during a search the nodes that are ``kept``."""

    open: Collection[str]
    path: Sequence[str] = ()
    kept: Collection[str] | None = None


class Spot(NamedTuple):
    """A visible node, its level, and its index among its siblings; the index -n means n further children,
    which are not sent."""

    node: str
    level: int
    place: int


class Spread(NamedTuple):
    """The visible nodes in order, and the nodes whose children are visible."""

    spots: Sequence[Spot]
    unfolded: Collection[str]


def first_open(tree: ExpansionTree) -> list[str]:
    """Return the branches that are open at first: the best of the question's children that have any."""
    return [one for one in tree.roots if tree.nodes[one].children][:OPEN_AT_FIRST]


def spread(tree: ExpansionTree, shown: Branches) -> Spread:
    """Return the visible part of a tree. If it is too large, further branches stay folded."""
    spots: list[Spot] = []
    unfolded: set[str] = set()
    waiting = _children(tree, QUESTION_NODE, 2, shown)
    while waiting:
        spot = waiting.pop()
        spots.append(spot)
        if spot.place < 0 or not _is_open(spot.node, shown):
            continue
        below = _children(tree, spot.node, spot.level + 1, shown)
        if spot.node in shown.path or len(spots) + len(waiting) + len(below) <= ROWS_SHOWN:
            unfolded.add(spot.node)
            waiting += below
    return Spread(spots, unfolded)


def _is_open(node: str, shown: Branches) -> bool:
    return node in shown.open or node in shown.path[:-1] or shown.kept is not None


def _children(tree: ExpansionTree, node: str, level: int, shown: Branches, first: int = 0) -> list[Spot]:
    """Return the children of a node that are sent, the last first, after the number of those not sent."""
    every = tree.children(node)
    if shown.kept is not None:
        every = tuple(one for one in every if one in shown.kept)
    # The selected passage is sent, whatever its rank.
    there = max((every.index(one) + 1 for one in shown.path if one in every), default=0)
    most = max(first + CHILDREN_SHOWN, there)
    sent = [Spot(one, level, place) for place, one in enumerate(every[first:most], start=first)]
    rest = [Spot(node, level, most - len(every))] if len(every) > most else []
    return [*rest, *reversed(sent)]


def branch(tree: ExpansionTree, node: str, level: int, first: int) -> Spread:
    """Return the children of a node from ``first`` on, none of them open."""
    return Spread([*reversed(_children(tree, node, level, Branches(()), first))], ())


def rows(tree: ExpansionTree, shown: Spread, name: Name) -> Iterator[Row]:
    """Yield the lines of the visible part."""
    hops = tree.first_hops([node for node, _, place in shown.spots if place >= 0])
    for node_id, level, place in shown.spots:
        if place < 0:
            count = len(tree.children(node_id))
            yield Row(node_id, level, count, count, more=-place)
            continue
        node = tree.nodes[node_id]
        hop, query = hops.get(node_id), node.query
        siblings = len(tree.children(node.parent))
        said = "" if hop is None or gap_query(hop) is not None else hop_quote(hop, QUOTE_LENGTH)
        yield Row(
            node_id,
            level,
            place + 1,
            siblings,
            open=node_id in shown.unfolded if node.children else None,
            kind="passage" if query is None else "query",
            token=thread(node.strategy).token,
            rank=node.rank,
            rank_words=f"{ordinal(node.rank)} in the ranking" if node.rank else "",
            name=marked(name(node_id) if query is None else query.text),
            why=marked(_why(tree, node_id, hop, name)),
            quote=marked(said.strip("“”")),
            also=f"also by {node.also:,}" if node.also else "",
            below=node.descendants,
            below_words=came_through(node.descendants),
        )


def _why(tree: ExpansionTree, node_id: str, hop: Hop | None, name: Name) -> str:
    node = tree.nodes[node_id]
    if node.query is not None:
        return f"{query_title(node.query)}, round {node.round}"
    return hop_words(hop, name) if hop is not None else ""


# The pool in charts: the data for plotly, and the same figures as tables.

MOST_DOCUMENTS = 12
# px: a horizontal bar, the margin around the bars, a chart of vertical bars.
BAR, AROUND, STANDING = 22, 46, 190
LONGEST_NAME = 34
Cells = Sequence[tuple[str, ...]]


@dataclass(frozen=True, slots=True)
class Chart:
    """A chart: the data for plotly, and its figures as a table with a head."""

    name: str
    title: str
    traces: Sequence[Mapping[str, Any]]
    layout: Mapping[str, Any]
    head: tuple[str, ...]
    cells: Cells


def charts(tree: ExpansionTree, known: Mapping[str, Named]) -> tuple[Statistics, list[Chart]]:
    """Return the figures of a pool and its charts; an empty chart is left out."""
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
    return Chart("yield", "Yield: share of links kept per round", [trace], layout, head, cells)


def _refused(found: Statistics) -> Chart:
    counts: dict[str, int] = {}
    for one in found.yields:
        for reason, number in one.refused.items():
            counts[reason] = counts.get(reason, 0) + number
    return _single("refused", "Links not followed, by reason", "Reason", "Leads", "weak", counts)


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
    """Return vertical bars in the colour of a token, which the page replaces."""
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
    """Return horizontal bars, by their number: two labels may be equal."""
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
    """Return the layout of horizontal bars, the first on top."""
    axis = {"autorange": "reversed", "tickvals": list(range(len(labels))), "ticktext": list(labels)}
    return {"barmode": "stack", "height": AROUND + BAR * len(labels), "yaxis": axis}


def _round(number: int) -> str:
    return f"Round {number}" if number else "Scan"


def _short(words: str) -> str:
    """Return a label of an axis: short, and without markup, which plotly would interpret."""
    plain = marked(words).replace("<", "‹").replace(">", "›")
    return plain if len(plain) <= LONGEST_NAME else plain[: LONGEST_NAME - 1].rstrip() + "…"
