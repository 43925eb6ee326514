"""The expansion of a case on the page: its view and its wiring."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import Any

import gradio as gr
import orjson

from engine.errors import RedstringError
from engine.investigation.pool import QUESTION_NODE
from engine.language.characters import marked
from engine.records.expansion.statistics import Named, named
from engine.records.expansion.text import came_through
from engine.records.expansion.tree import ExpansionTree, expansion_tree, facts_of_pool
from engine.records.phrases import plural, trail_sentence
from engine.records.text import Sent
from ui.investigate.board import found_by, node_of
from ui.investigate.case_views import dossiers
from ui.investigate.expansion_rows import (
    Branches,
    Looked,
    Spread,
    branch,
    charts,
    first_open,
    looked,
    rows,
    spread,
)
from ui.investigate.panels import Stage
from ui.open_case import OpenCase
from ui.palette import thread
from ui.session import CaseSessions, case_of
from ui.templating import rendered

# The other panes of an open case: the tree, a branch of it, the results of a passage, and the charts; as
# JSON for one component.

NOTHING = ("Nothing to be seen yet.", "Ask a question: the tree shows how each passage was reached.")


def tree_of(opened: OpenCase) -> ExpansionTree:
    """Return the current tree of a case."""
    case = opened.case
    return expansion_tree(facts_of_pool(opened.question, case.pool, case.ranking, case.rounds))


def descendants_of(opened: OpenCase) -> dict[str, int]:
    """Return the number of passages that were reached through each passage of the pool."""
    return {one: node.descendants for one, node in tree_of(opened).nodes.items() if node.descendants}


def view_value(opened: OpenCase, asked: Looked) -> str:
    """Return the JSON that the page shows for a request."""
    tree = tree_of(opened)
    if not tree.nodes:
        head, words = NOTHING
        values: dict[str, Any] = {
            "kind": asked.view,
            "html": rendered("expansion/nothing.html", head=head, words=words),
        }
    elif asked.view == "charts":
        values = _charts(opened, tree)
    elif asked.branch:
        values = _branch(opened, tree, asked)
    elif asked.only:
        values = {"kind": "told"} | _selected(opened, tree, asked.selected)
    else:
        values = _tree(opened, tree, asked)
    values |= {"turn": asked.turn, "at": time.time_ns()}
    # Escape "<", so that no code on the way treats the text as markup.
    return orjson.dumps(values).decode().replace("<", "\\u003c")


def _tree(opened: OpenCase, tree: ExpansionTree, asked: Looked) -> dict[str, Any]:
    open_ = [one for one in asked.open if one in tree.nodes] if asked.open is not None else first_open(tree)
    path = tree.path(asked.selected) if asked.selected in tree.nodes else ()
    words = asked.words.strip().casefold()
    hits = _hits(opened, tree, words) if words else None
    kept = None if hits is None else {step for one in hits for step in tree.path(one)}
    shown = Branches(frozenset(open_), path if kept is None else (), kept)
    seen = spread(tree, shown)
    _fetch(opened, tree, seen)
    html = rendered(
        "expansion/tree.html",
        question=marked(" ".join(opened.question.split())),
        summary=_summary(tree) if hits is None else f"{plural(len(hits), 'passage')} found",
        rows=list(rows(tree, seen, opened.name)),
    )
    count = len(tree.facts.ids)
    count_words = f"{count:,} in the tree" if hits is None else f"{len(hits):,} of {count:,} found"
    return {"kind": "tree", "html": html, "count": count_words, "hits": sorted(hits or ())} | _selected(
        opened, tree, asked.selected
    )


def _branch(opened: OpenCase, tree: ExpansionTree, asked: Looked) -> dict[str, Any]:
    node = asked.branch
    if node != QUESTION_NODE and node not in tree.nodes:
        return {"kind": "rows", "branch": node, "first": asked.first, "html": ""}
    level = 2 if node == QUESTION_NODE else len(tree.path(node)) + 2
    seen = branch(tree, node, level, asked.first)
    _fetch(opened, tree, seen)
    html = rendered("expansion/rows.html", rows=list(rows(tree, seen, opened.name)))
    return {"kind": "rows", "branch": node, "first": asked.first, "html": html}


def _fetch(opened: OpenCase, tree: ExpansionTree, seen: Spread) -> None:
    """Fetch the passages named in some lines in one read."""
    near = (one for node, _, _ in seen.spots if node in tree.nodes for one in (node, tree.nodes[node].parent))
    opened.lookup([one for one in near if one in tree.nodes and tree.nodes[one].query is None])


def _hits(opened: OpenCase, tree: ExpansionTree, words: str) -> set[str]:
    """Return the nodes whose words contain the searched words: citation, document, text, or those of a
    query."""
    found = {
        one
        for one, node in tree.nodes.items()
        if node.query is not None and words in node.query.text.casefold()
    }
    for one, (passage, document) in opened.lookup(list(tree.facts.ids)).items():
        text = f"{opened.name(one)} {document.title} {passage.label} {passage.text}"
        if words in text.casefold():
            found.add(one)
    return found


def _summary(tree: ExpansionTree) -> str:
    nodes = [node for node in tree.nodes.values() if node.query is None]
    if not nodes:
        return "Nothing was found"
    first, longest = sum(node.hops == 1 for node in nodes), max(node.hops for node in nodes)
    parts = [
        plural(len(nodes), "passage"),
        f"{first:,} from the question",
        f"{len(nodes) - first:,} through others" if len(nodes) > first else "",
        f"trails of {plural(longest, 'hop')} at most" if longest > 1 else "",
    ]
    return " · ".join(part for part in parts if part)


def _selected(opened: OpenCase, tree: ExpansionTree, selected: str) -> dict[str, Any]:
    """Return the results of the selected node, with its card if the board has none; empty for an unknown
    one."""
    if selected not in tree.nodes:
        return {"selected": "", "told": "", "node": None}
    node, found = tree.nodes[selected], tree.descendants(selected)
    parts = [
        {"token": thread(name).token, "words": f"{thread(name).legend} {count:,}"}
        for name, count in found.by_strategy.items()
    ]
    others = len(set(found.reached) - set(found.passages)) if node.query is None else 0
    html = rendered(
        "expansion/told.html",
        name=marked(opened.name(selected) if node.query is None else node.query.text),
        came=came_through(len(found.passages)),
        parts=parts,
        others=f"{others:,} more can be reached from it" if others else "",
    )
    return {"selected": selected, "told": html, "node": _card(opened, tree, selected)}


def _card(opened: OpenCase, tree: ExpansionTree, selected: str) -> dict[str, Any]:
    """Return a passage that is neither ranked nor on the board, in the form of a node of the board."""
    node = tree.nodes[selected]
    if node.query is not None:
        return _query_card(opened, tree, selected)
    dossier = dossiers(opened, [selected])[selected]
    trails = opened.case.pool.trails(selected, 1)
    why = marked(trail_sentence(trails[0], opened.name)) if trails else ""
    return {"id": selected, "kind": "passage", "why": why} | asdict(dossier)


def _query_card(opened: OpenCase, tree: ExpansionTree, selected: str) -> dict[str, Any]:
    node = tree.nodes[selected]
    assert node.query is not None
    sent = Sent(node.round, node.query)
    node_values = node_of(sent, found_by(opened.case.pool).get(sent, ()), opened.case.pool, opened.name)
    return {"id": selected} | node_values


def _charts(opened: OpenCase, tree: ExpansionTree) -> dict[str, Any]:
    known = names_of(opened, tree.facts.ids)
    found, made = charts(tree, known)
    figures = [
        ("passages", f"{found.passages:,}"),
        ("hops", f"{found.hops:,}"),
        ("hops to a passage, on average", f"{found.hops_in:.1f}"),
        ("hops from it, on average", f"{found.hops_out:.1f}"),
        ("dead ends", f"{found.leaves:,}"),
        ("longest trail", plural(len(found.longest), "hop")),
    ]
    html = rendered(
        "expansion/charts.html",
        figures=[{"words": words, "value": value} for words, value in figures],
        charts=made,
    )
    plots = [{"name": one.name, "data": one.traces, "layout": one.layout} for one in made]
    return {"kind": "charts", "html": html, "plots": plots, "count": f"{found.passages:,} in the pool"}


def names_of(opened: OpenCase, ids: Sequence[str]) -> Mapping[str, Named]:
    """Return the names of passages of a case."""
    return {one: named(*found) for one, found in opened.lookup(list(ids)).items()}


# The tabs of the board: the current one, and the data for it.


def wire_views(stage: Stage, token: gr.State, sessions: CaseSessions) -> None:
    """Wire one listener for all requests for the tree and the charts."""

    def look(request: gr.Request, case: str, wanted: gr.EventData) -> Any:
        opened = sessions.find(case_of(case, request))
        try:
            asked = looked(getattr(wanted, "given", None))
        except RedstringError:
            # The page itself never sends this.
            return gr.skip()
        if opened is None:
            return gr.skip()
        opened.view.pane = asked.view
        # If the case is running, its next step updates the current tab.
        if asked.view == "board" or opened.busy.locked():
            return gr.skip()
        return view_value(opened, asked)

    stage.views.select(
        look, token, stage.views,
        api_visibility="private", show_progress="hidden", queue=False, trigger_mode="multiple",
    )  # fmt: skip
