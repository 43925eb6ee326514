"""Costs, reports and precision figures as lines of text and as JSON, for the command line."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import asdict
from typing import Any

from engine.corpus.extracted.validations import Validation
from engine.corpus.protocol import Corpus
from engine.extraction.checklist import Checklist, State
from engine.extraction.extracting import ExtractionReport
from engine.extraction.planning import Expected
from engine.extraction.precision import Precision, by_sort, calibration, precision
from engine.extraction.stated import stated_counts
from engine.llm.cost import usage_values


def money_text(money: float | None, currency: str) -> str:
    """An amount in its currency, or that nobody gave the prices."""
    if money is None or not currency:
        return "the prices of this model are not known"
    return f"{money:,.4g} {currency}" if money < 1 else f"{money:,.2f} {currency}"


def expected_lines(found: Expected) -> Iterator[str]:
    """What is still to be read and what it costs at most."""
    if found.withheld:
        yield f"{found.withheld:,} passages address a machine and are not shown to one."
    if found.already:
        yield f"{found.already:,} windows have been read already and are not read again."
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
    """The same as JSON."""
    return {
        "documents": found.documents,
        "windows": found.windows,
        "already_read": found.already,
        "withheld_passages": found.withheld,
        "at_most": usage_values(found.usage),
        "currency": found.currency or None,
    }


def report_lines(report: ExtractionReport) -> Iterator[str]:
    """How a run ended."""
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
    """The same as JSON."""
    return asdict(report) | {"usage": usage_values(report.usage)}


def precision_lines(corpus: Corpus, checked: Checklist) -> Iterator[str]:
    """How many of each sort were judged, and how many of those were right."""
    verdicts = verdicts_of(checked)
    states = [item.state for item in checked.items.values()]
    yield (
        f"{len(states):,} proposals to check: {states.count(State.OPEN):,} open, "
        f"{states.count(State.JUDGED):,} judged, {states.count(State.STALE):,} stale."
    )
    sampled = ", ".join(f"{name} {count:,}" for name, count in stated_counts(corpus).items())
    yield f"The texts themselves state: {sampled or 'none of these relations'} (a sample is to be checked)."
    if not verdicts:
        yield "Nobody has judged any of them yet."
        return
    for (origin, sort), figure in by_sort(verdicts).items():
        yield _row(f"{origin} {sort}", figure)
    yield _row("in all", precision(verdicts))
    for one in calibration(verdicts):
        said = f"said {one.low:.1f} to {one.high:.1f} (mean {one.said:.2f})"
        yield _row(said, one.precision)


def precision_to_json(corpus: Corpus, checked: Checklist) -> dict[str, Any]:
    """The same as JSON."""
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
            {"low": one.low, "high": one.high, "said": one.said, **_figure(one.precision)}
            for one in calibration(verdicts)
        ],
    }


def verdicts_of(checked: Checklist) -> list[Validation]:
    """The verdicts that count, stale items' too: they were true of the words that were judged."""
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
