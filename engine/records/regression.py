"""Regression test of saved cases on the current corpus and program, as values and as text."""

from __future__ import annotations

import re
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from statistics import fmean
from typing import Any

from engine.corpus.protocol import Corpus
from engine.errors import RedstringError
from engine.investigation.ranking.additive import Experience
from engine.investigation.round import PERSON
from engine.language.characters import shortened
from engine.llm import LanguageModel
from engine.model import EvidenceStatus
from engine.records.comparing import Move, compare, find_chance_reasons, without_times
from engine.records.conversion import investigation_to_json
from engine.records.replaying import DISMISS, FOLLOW, PIN, rerun
from engine.records.store.chain import Event

# Replays of saved cases on the current corpus, with improvements and regressions.

_BETTER = (EvidenceStatus.NONE, EvidenceStatus.PARTIAL, EvidenceStatus.FOUND)
FIGURES = ("coverage", "references", "completeness")
Record = Mapping[str, Any]
Pair = tuple[float | None, float | None]


@dataclass(frozen=True, slots=True)
class Saved:
    """A saved case to replay, with its events and the former state of the corpus.

    ``error``: why it could not be read; ``learned``: weights of its matter that it was ranked by.
    """

    id: str
    record: Record
    events: Sequence[Event] = ()
    fingerprint: str = ""
    error: str = ""
    learned: Experience | None = None


@dataclass(frozen=True, slots=True)
class Outcome:
    """The result of a replay.

    ``lost`` and ``gained`` are passages of the best ``top``, each with the reason; ``lost_pins`` are ids of
    pinned passages that are no longer found. ``evidence``, ``figures`` (0 to 1) and ``milliseconds`` are
    pairs of then and now. ``error``: why it could not be replayed.
    """

    id: str
    question: str
    same: bool = False
    lost: tuple[Move, ...] = ()
    gained: tuple[Move, ...] = ()
    lost_pins: tuple[str, ...] = ()
    evidence: tuple[str, str] = ("", "")
    figures: Mapping[str, Pair] = field(default_factory=dict)
    milliseconds: tuple[float, float] = (0.0, 0.0)
    inexact: tuple[str, ...] = ()
    error: str = ""

    @property
    def evidence_fell(self) -> bool:
        """True if the evidence status got worse."""
        then, now = (_rank(one) for one in self.evidence)
        return now < then

    @property
    def verdict(self) -> str:
        """One word: failed, same, worse, better, or other for differences without a clear direction."""
        if self.error:
            return "failed"
        if self.same:
            return "same"
        rises = [now - then for then, now in self.figures.values() if then is not None and now is not None]
        then, now = (_rank(one) for one in self.evidence)
        if self.lost_pins or now < then or min(rises, default=0) < 0 or len(self.lost) > len(self.gained):
            return "worse"
        return "better" if now > then or max(rises, default=0) > 0 or self.gained else "other"


def replay_cases(
    cases: Iterable[Saved],
    corpus: Corpus,
    *,
    fingerprint: str = "",
    top: int = 0,
    model: LanguageModel | None = None,
) -> Iterator[Outcome]:
    """Replay each case and yield its outcome; a failed replay does not stop the others.

    ``top``: number of best passages compared, 0 for the whole ranking.
    """
    for case in cases:
        question = str(case.record.get("question", ""))
        if case.error:
            yield Outcome(case.id, question, error=case.error)
            continue
        try:
            yield _replay_case(case, corpus, fingerprint, top, model)
        except RedstringError as error:
            yield Outcome(case.id, question, error=" ".join(str(error).split()))
        except (KeyError, TypeError, ValueError, AttributeError) as error:
            yield Outcome(case.id, question, error=f"the record is damaged ({type(error).__name__}: {error})")


def _replay_case(
    case: Saved, corpus: Corpus, fingerprint: str, top: int, model: LanguageModel | None
) -> Outcome:
    before = case.record
    started = time.perf_counter()
    again = rerun(before, corpus, events=case.events, model=model, learned=case.learned)
    milliseconds = 1000 * (time.perf_counter() - started)
    after = investigation_to_json(again.investigation())
    best = top or None
    found = compare(
        _best(before, best),
        _best(after, best),
        corpora=(None, corpus),
        states=(case.fingerprint, fingerprint),
    )
    same = found.same or without_times(before) == without_times(after)
    return Outcome(
        case.id,
        str(before["question"]),
        same=same,
        lost=found.went,
        gained=found.came,
        lost_pins=tuple(_lost_pins(case, corpus, model)),
        evidence=(before["evidence"]["status"], after["evidence"]["status"]),
        figures=_figures(before, after),
        milliseconds=(float(before["milliseconds"]), milliseconds),
        inexact=tuple(find_chance_reasons(before)),
    )


def _best(record: Record, count: int | None) -> Record:
    return {**record, "passages": record["passages"][:count]}


def _lost_pins(case: Saved, corpus: Corpus, model: LanguageModel | None) -> Iterator[str]:
    """Yield pinned passages that left the corpus, or that the case no longer finds on its own."""
    pinned = list(case.record["pool"]["pinned"])
    if not pinned:
        return
    brought = {node["id"]: node["strategy"] for node in case.record["pool"]["nodes"]}
    unaided = [event for event in case.events if event.kind not in (PIN, DISMISS, FOLLOW)]
    pool = rerun(case.record, corpus, events=unaided, model=model, learned=case.learned).pool
    for name, row in zip(pinned, corpus.rows(pinned).tolist(), strict=True):
        if row < 0 or (brought.get(name) != PERSON and name not in pool and not _followed(case, name)):
            yield name


def _followed(case: Saved, name: str) -> bool:
    """Return whether a passage was reached by a lead that the user followed: no replay finds it alone."""
    rounds = {node["id"]: node["round"] for node in case.record["pool"]["nodes"]}
    leads = sum(event.kind == FOLLOW for event in case.events)
    last = max((report["number"] for report in case.record["rounds"]), default=0)
    return bool(leads) and rounds.get(name, 0) > last - leads


def _figures(before: Record, after: Record) -> dict[str, Pair]:
    return {
        "coverage": (before["metrics"]["coverage"], after["metrics"]["coverage"]),
        "references": (before["metrics"]["references"], after["metrics"]["references"]),
        "completeness": (_estimate(before), _estimate(after)),
    }


def _estimate(record: Record) -> float | None:
    estimate = record["stop"]["completeness"]
    return None if estimate is None else float(estimate["estimate"])


def _rank(status: str) -> int:
    return _BETTER.index(EvidenceStatus(status)) if status in set(_BETTER) else -1


@dataclass(frozen=True, slots=True)
class Totals:
    """All outcomes together.

    ``verdicts`` counts cases by verdict, ``figures`` are means then and now over cases that have both,
    ``milliseconds`` are sums.
    """

    cases: int
    verdicts: Mapping[str, int]
    lost: int
    gained: int
    lost_pins: int
    evidence_fell: int
    figures: Mapping[str, Pair]
    milliseconds: tuple[float, float]


def totals_of(outcomes: Sequence[Outcome]) -> Totals:
    """Return the totals of some outcomes."""
    verdicts = [one.verdict for one in outcomes]
    names = ("same", "better", "worse", "other", "failed")
    return Totals(
        cases=len(outcomes),
        verdicts={name: verdicts.count(name) for name in names},
        lost=sum(len(one.lost) for one in outcomes),
        gained=sum(len(one.gained) for one in outcomes),
        lost_pins=sum(len(one.lost_pins) for one in outcomes),
        evidence_fell=sum(one.evidence_fell for one in outcomes),
        figures={name: _means(outcomes, name) for name in FIGURES},
        milliseconds=(
            sum(one.milliseconds[0] for one in outcomes),
            sum(one.milliseconds[1] for one in outcomes),
        ),
    )


def _means(outcomes: Sequence[Outcome], name: str) -> Pair:
    pairs = [one.figures[name] for one in outcomes if name in one.figures]
    both = [(then, now) for then, now in pairs if then is not None and now is not None]
    if not both:
        return None, None
    return fmean(then for then, _ in both), fmean(now for _, now in both)


def find_excesses(totals: Totals, most_lost: int) -> list[str]:
    """Return the regressions beyond the limits as sentences; empty if there are none."""
    counts = (
        (totals.verdicts["failed"], 0, "cases that could not be replayed"),
        (totals.lost_pins, 0, "pinned passages lost"),
        (totals.evidence_fell, 0, "cases with less evidence"),
        (totals.lost, most_lost, "passages lost"),
    )
    return [f"{words}: {count:,}, at most {most:,}" for count, most, words in counts if count > most]


def regression_to_json(outcomes: Sequence[Outcome], totals: Totals, bad: Sequence[str]) -> dict[str, Any]:
    """Return outcomes and totals as plain values; ``worse_than_allowed`` is empty if all is well."""
    return {
        "totals": asdict(totals),
        "worse_than_allowed": list(bad),
        "cases": [{**asdict(one), "verdict": one.verdict} for one in outcomes],
    }


# A regression run as lines for a terminal, and as Markdown for a report.

LONGEST_QUESTION, MOST_NAMED = 70, 5
_MARKS = re.compile(r"([\\`*_{}\[\]<>()#+\-.!|~&$])")


def regression_lines(outcomes: Sequence[Outcome], totals: Totals, bad: Sequence[str]) -> Iterator[str]:
    """Yield each case that changed, then the totals."""
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
    """Yield a report: totals, a table of cases, and the differences of each; texts are escaped."""
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
    counts = ", ".join(f"{count:,} {verdict}" for verdict, count in totals.verdicts.items() if count)
    yield f"{totals.cases:,} cases: {counts or 'none'}"
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
    """Return text escaped for Markdown."""
    return _MARKS.sub(r"\\\1", " ".join(text.split()))
