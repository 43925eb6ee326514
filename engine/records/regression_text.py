"""A regression run as lines for a terminal, and as Markdown for a report."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from engine.language.characters import shortened
from engine.records.regression import FIGURES, Outcome, Pair, Totals

LONGEST_QUESTION, MOST_NAMED = 70, 5
_MARKS = re.compile(r"([\\`*_{}\[\]<>()#+\-.!|~&$])")


def regression_lines(outcomes: Sequence[Outcome], totals: Totals, bad: Sequence[str]) -> Iterator[str]:
    """Each case that is not the same, then all together."""
    for one in outcomes:
        if one.verdict == "same":
            continue
        yield f"{one.verdict}: {one.id}  {_short(one.question)}"
        yield from (f"    {line}" for line in _details(one))
    yield from _totals(totals)
    yield f"Worse than allowed: {'; '.join(bad)}" if bad else "Nothing is worse than allowed."


def regression_markdown(
    outcomes: Sequence[Outcome], totals: Totals, bad: Sequence[str], corpus: str
) -> Iterator[str]:
    """A report: totals, a table of cases, and what differs in each; all words of others are escaped."""
    yield f"# Saved cases on {_plain(corpus)}"
    yield ""
    yield f"**Worse than allowed:** {'; '.join(bad)}." if bad else "Nothing is worse than allowed."
    yield ""
    yield from (f"- {line}" for line in _totals(totals))
    yield ""
    yield "| case | verdict | question | lost | gained | pins lost | evidence | coverage | references | ms |"
    yield "| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |"
    for one in outcomes:
        evidence = " → ".join(dict.fromkeys(filter(None, one.evidence)))
        cells = [
            *(_plain(one.id), one.verdict, _plain(_short(one.question))),
            *(str(len(each)) for each in (one.lost, one.gained, one.lost_pins)),
            *(evidence, _pair(one.figures.get("coverage")), _pair(one.figures.get("references"))),
            f"{one.milliseconds[0]:,.0f} → {one.milliseconds[1]:,.0f}",
        ]
        yield f"| {' | '.join(cells)} |"
    for one in outcomes:
        lines = list(_details(one)) if one.verdict != "same" else []
        if lines:
            yield ""
            yield f"## {_plain(_short(one.question))}"
            yield ""
            yield from (f"- {_plain(line)}" for line in lines)


def _details(one: Outcome) -> Iterator[str]:
    if one.error:
        yield one.error
    for name in one.lost_pins:
        yield f"pinned passage lost: {name}"
    for title, moves in (("lost", one.lost), ("gained", one.gained)):
        for move in moves[:MOST_NAMED]:
            yield f"{title}: {move.label} [{move.id}], rank {move.before or move.after}: {move.why}"
        if len(moves) > MOST_NAMED:
            yield f"{title}: {len(moves) - MOST_NAMED:,} more"
    if one.evidence[0] != one.evidence[1]:
        yield f"evidence: {one.evidence[0]} then, {one.evidence[1]} now"
    for name, pair in one.figures.items():
        if pair[0] != pair[1]:
            yield f"{name}: {_pair(pair)}"
    if not one.same:
        yield from (f"not exact: {why}" for why in one.inexact)


def _totals(totals: Totals) -> Iterator[str]:
    told = ", ".join(f"{count:,} {verdict}" for verdict, count in totals.verdicts.items() if count)
    yield f"{totals.cases:,} cases: {told or 'none'}"
    yield f"passages: {totals.lost:,} lost, {totals.gained:,} gained; pinned: {totals.lost_pins:,} lost"
    for name in FIGURES:
        if totals.figures[name][0] is not None:
            yield f"mean {name}: {_pair(totals.figures[name])}"
    then, now = totals.milliseconds
    yield f"time: {then / 1000:,.1f} s then, {now / 1000:,.1f} s now"


def _pair(pair: Pair | None) -> str:
    if pair is None:
        return ""
    then, now = ("none" if one is None else f"{one:.3f}" for one in pair)
    return then if then == now else f"{then} → {now}"


def _short(question: str) -> str:
    return shortened(" ".join(question.split()), LONGEST_QUESTION)


def _plain(text: str) -> str:
    """Words in which Markdown reads nothing."""
    return _MARKS.sub(r"\\\1", " ".join(text.split()))
