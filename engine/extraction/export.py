"""Export the results of extraction: costs, reports and precision as lines and JSON, relations as GraphML."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

from engine.corpus.extracted import Validation
from engine.corpus.protocol import Corpus
from engine.errors import InputError
from engine.exports.cases import for_xml
from engine.extraction.checklist import (
    Checklist,
    Item,
    Precision,
    State,
    by_sort,
    calibration,
    precision,
    stated_counts,
)
from engine.extraction.extracting import Expected, ExtractionReport
from engine.llm.cost import usage_values

if TYPE_CHECKING:
    import networkx as nx


def money_text(money: float | None, currency: str) -> str:
    """Return an amount in its currency, or a note that the prices are unknown."""
    if money is None or not currency:
        return "the prices of this model are not known"
    return f"{money:,.4g} {currency}" if money < 1 else f"{money:,.2f} {currency}"


def expected_lines(found: Expected) -> Iterator[str]:
    """Yield what is still to be read and its maximum cost."""
    if found.withheld:
        yield f"{found.withheld:,} passages address a machine and are not shown to one."
    if found.already:
        yield f"{found.already:,} windows were read before and are not read again."
    if not found.windows:
        yield "There is nothing left to read."
        return
    yield (
        f"{found.windows:,} windows of {found.documents:,} documents are to be read, each with one call "
        "(another where an answer has to be repaired)."
    )
    yield (
        f"At most about {found.usage.prompt_tokens:,} tokens in and {found.usage.completion_tokens:,} out: "
        f"{money_text(found.usage.money, found.currency)}."
    )


def expected_to_json(found: Expected) -> dict[str, Any]:
    """Return the same as JSON."""
    return {
        "documents": found.documents,
        "windows": found.windows,
        "already_read": found.already,
        "withheld_passages": found.withheld,
        "at_most": usage_values(found.usage),
        "currency": found.currency or None,
    }


def report_lines(report: ExtractionReport) -> Iterator[str]:
    """Yield the result of a run."""
    yield (
        f"{report.windows:,} windows read, {report.already:,} before, "
        f"{sum(report.failed.values()):,} failed, {report.left:,} left."
    )
    yield f"Proposals: {_counted(report.proposals) or 'none'}."
    if report.refused:
        yield f"Refused: {_counted(report.refused)}."
    for reason, count in report.failed.items():
        yield f"Failed ({count:,}): {reason}"
    used = report.usage
    yield (
        f"Used: {used.calls:,} calls, {used.prompt_tokens:,} tokens in ({used.cached_tokens:,} cached), "
        f"{used.completion_tokens:,} out, {report.seconds:,.0f} s: {money_text(used.money, report.currency)}."
    )
    yield from report.warnings
    if report.stopped:
        yield f"Stopped: {report.stopped}"


def report_to_json(report: ExtractionReport) -> dict[str, Any]:
    """Return the same as JSON."""
    return asdict(report) | {"usage": usage_values(report.usage)}


def precision_lines(corpus: Corpus, checked: Checklist) -> Iterator[str]:
    """Yield the number of judged and of right proposals by sort."""
    verdicts = verdicts_of(checked)
    states = [item.state for item in checked.items.values()]
    yield (
        f"{len(states):,} proposals to check: {states.count(State.OPEN):,} open, "
        f"{states.count(State.JUDGED):,} judged, {states.count(State.STALE):,} stale."
    )
    sampled = ", ".join(f"{name} {count:,}" for name, count in stated_counts(corpus).items())
    yield f"The texts themselves state: {sampled or 'none of these relations'} (a sample is to be checked)."
    if not verdicts:
        yield "None of them has been judged yet."
        return
    for (origin, sort), figure in by_sort(verdicts).items():
        yield _row(f"{origin} {sort}", figure)
    yield _row("in all", precision(verdicts))
    for one in calibration(verdicts):
        range_words = f"confidence {one.low:.1f} to {one.high:.1f} (mean {one.confidence:.2f})"
        yield _row(range_words, one.precision)


def precision_to_json(corpus: Corpus, checked: Checklist) -> dict[str, Any]:
    """Return the same as JSON."""
    verdicts = verdicts_of(checked)
    states = [item.state for item in checked.items.values()]
    return {
        "items": {state.value: states.count(state) for state in State},
        "stated": stated_counts(corpus),
        "precision": [
            {"origin": origin, "sort": sort, **_figure(figure)}
            for (origin, sort), figure in by_sort(verdicts).items()
        ],
        "all": _figure(precision(verdicts)),
        "calibration": [
            {"low": one.low, "high": one.high, "said": one.confidence, **_figure(one.precision)}
            for one in calibration(verdicts)
        ],
    }


def verdicts_of(checked: Checklist) -> list[Validation]:
    """Return the current verdicts, also on stale items: they were true of the words judged."""
    return [item.validation for item in checked.items.values() if item.validation is not None]


def _figure(figure: Precision) -> dict[str, Any]:
    low, high = figure.interval or (None, None)
    return {
        "accepted": figure.accepted,
        "corrected": figure.corrected,
        "rejected": figure.rejected,
        "precision": figure.share,
        "low": low,
        "high": high,
    }


def _row(name: str, figure: Precision) -> str:
    assert figure.share is not None
    assert figure.interval is not None
    low, high = figure.interval
    return (
        f"{name:32} {figure.share:.2f} [{low:.2f}, {high:.2f}]  {figure.accepted:,} accepted, "
        f"{figure.corrected:,} corrected, {figure.rejected:,} rejected"
    )


def _counted(counts: Mapping[str, int]) -> str:
    return ", ".join(f"{count:,} {name}" for name, count in sorted(counts.items(), key=lambda one: -one[1]))


def write_graphml(corpus: Corpus, checked: Checklist, path: Path) -> int:
    """Write every valid proposal as an edge, corrected ones as corrected; return their number.

    Raises InputError if the file cannot be written.
    """
    import networkx as nx

    graph: nx.MultiDiGraph[str] = nx.MultiDiGraph(name=corpus.name)
    count = 0
    for item in checked.items.values():
        proposal = item.proposal if item.validation is None else item.validation.holds
        if proposal is None or item.state is State.STALE:
            continue
        document = corpus.documents()[item.document]
        source = proposal.source_id
        graph.add_node(source, kind="passage", document=document.id)
        target = proposal.target_id or f"concept:{document.id}:{proposal.name}"
        if proposal.target_id is None:
            graph.add_node(target, kind="concept", name=proposal.concept, document=document.id)
        elif target not in graph:
            graph.add_node(target, kind="passage")
        graph.add_edge(
            source,
            target,
            relation=proposal.relation.value,
            confidence=proposal.confidence,
            quote=proposal.quote,
            origin=item.origin,
            said_by=proposal.said_by,
            verdict=_verdict(item),
        )
        count += 1
    write_network(graph, path)
    return count


def write_network(graph: nx.MultiDiGraph[str], path: Path) -> None:
    """Write a networkx graph, without characters that XML cannot contain. Raises InputError if the file
    cannot be written."""
    import networkx as nx

    cleaned: nx.MultiDiGraph[str] = nx.MultiDiGraph(name=for_xml(str(graph.graph.get("name", ""))))
    for node, data in graph.nodes(data=True):
        cleaned.add_node(for_xml(node), **_cleaned(data))
    for source, target, data in graph.edges(data=True):
        cleaned.add_edge(for_xml(source), for_xml(target), **_cleaned(data))
    try:
        nx.write_graphml_lxml(cleaned, path)
    except OSError as error:
        raise InputError(f"cannot write {path} ({error})") from error


def _cleaned(data: Mapping[str, Any]) -> dict[str, Any]:
    return {name: for_xml(value) if isinstance(value, str) else value for name, value in data.items()}


def _verdict(item: Item) -> str:
    return "not reviewed" if item.validation is None else item.validation.judgement.value
