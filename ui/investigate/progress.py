"""The progress of a case in one line: steps with figures, named provisions, parts, retrievers."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import date

from engine.investigation.events import (
    CoverageChanged,
    Event,
    PlanMade,
    Ranked,
    RoundFinished,
    RoundStarted,
    ScanFinished,
    Stopped,
    SufficiencyJudged,
)
from engine.investigation.facets import NONE
from engine.language.characters import attribute, escape
from engine.llm.cost import CostReport
from engine.model import (
    NOTHING,
    AreaCoverage,
    Choice,
    DepthKind,
    Document,
    Evidence,
    EvidenceStatus,
    NamedProvision,
    Naming,
    Passage,
    QueryPlan,
    RetrieverCount,
    RoundReport,
    Stop,
    StrategyCount,
    Suggestion,
    Transaction,
)
from engine.records.phrases import (
    LIMITS,
    completeness_words,
    evidence_words,
    part_texts,
    part_words,
    plural,
    query_words,
    short_citation,
    stop_coverage_words,
    stop_words,
)
from engine.records.plain import named_words
from engine.records.text import day_words
from engine.retrieval.retrievers.registry import title_of
from ui.investigate.controls import Terms, terms_step
from ui.investigate.costs import cost_step
from ui.palette import thread

# The finds for each part of a question with several parts, below the evidence line.


def parts_html(evidence: Evidence | None) -> str:
    """Return a line for each part: its evidence, its words, and links to its best passages; empty for a
    question with one part."""
    if evidence is None or not evidence.parts:
        return ""
    lines = "".join(
        f'<li data-status="{part.status.value}"><span class="part-text" dir="auto">{escape(text)}</span>'
        f'<span class="part-status">{escape(part_words(part))}</span>'
        f"{''.join(_chip(*found) for found in part.passages)}</li>"
        for text, part in zip(part_texts(evidence.parts), evidence.parts, strict=True)
    )
    return f'<ol class="parts" aria-label="Parts of the question">{lines}</ol>'


def _chip(passage: Passage, document: Document) -> str:
    """Return a link to a passage, with its short citation."""
    return (
        f'<button type="button" class="chip" dir="auto" data-passage="{attribute(passage.id)}">'
        f"{escape(short_citation(passage, document))}</button>"
    )


# The result for each provision that a question names, if the user has to know or to choose.


def named_html(plan: QueryPlan, day: date, titles: Mapping[str, str] = NOTHING) -> str:
    """Return a line for each named provision that was not simply found, with alternatives; one for a day that
    the question may mean; and one for a document that comes first. ``day`` is the day of the law, ``titles``
    are those of documents by id."""
    lines = [_line(plan.question, named) for named in plan.named if named.note]
    days = [found for found in plan.suggestions if found.kind == "as_of" and found.value != day.isoformat()]
    if plan.constraints.as_of is None:
        lines += [_day_line(plan.question, found, day) for found in days]
    if not plan.constraints.documents:
        lines += [_focus_line(plan.question, document, titles) for document in plan.focus]
    return "".join(lines)


def transaction_html(question: str, found: Transaction | None, kinds: Mapping[str, str]) -> str:
    """Report that a question was read as one about a type of transaction, with alternatives."""
    if found is None or found.id is None or not found.proposed:
        return ""
    plain = _without(question, "transaction")
    others = [NONE, *(kind for kind in kinds if kind != found.id)]
    offered = "".join(
        f'<button type="button" class="chip" dir="auto" '
        f'data-question="{attribute(f"{plain} transaction:{kind}")}">'
        f"{escape('Other' if kind == NONE else kinds[kind])}</button>"
        for kind in others
    )
    words = (
        f"Treated as a question about “{kinds.get(found.id, found.id)}”, so its usual topics must be covered."
    )
    return (
        f'<div class="told-first" data-status="transaction"><span dir="auto">{escape(words)}</span>'
        f"<details><summary>Change</summary>{offered}</details></div>"
    )


def depth_html(plan: QueryPlan) -> str:
    """Report why a question is searched less deeply than the settings allow, or as deeply; empty for the
    usual depth."""
    depth = plan.depth
    if depth is None or depth.kind is DepthKind.USUAL:
        return ""
    words, other, offer = {
        DepthKind.LOOK_UP: ("Looked up, no more", DepthKind.DEEP, "Go deep"),
        DepthKind.DEEP: ("Extra rounds", DepthKind.USUAL, "Use fewer rounds"),
    }[depth.kind]
    asked = attribute(f"{_without(plan.question, 'depth')} depth:{other.value}")
    return (
        f'<div class="told-first" data-status="depth"><span dir="auto">'
        f"{escape(f'{words}: {depth.reason}.')}</span>"
        f'<button type="button" class="chip" data-question="{asked}">{offer}</button></div>'
    )


def _without(question: str, sign: str) -> str:
    """Return a question without a sign that states a value."""
    kept = [word for word in question.split() if not word.casefold().startswith(f"{sign}:")]
    return " ".join(kept)


def _focus_line(question: str, document: str, titles: Mapping[str, str]) -> str:
    title = titles.get(document, document)
    asked = attribute(f'{" ".join(question.split())} document:"{document}"')
    words = f"What “{title}” says comes first, as the question asks for it."
    return (
        f'<div class="told-first" data-status="focus"><span dir="auto">{escape(words)}</span>'
        f'<button type="button" class="chip" data-question="{asked}">Search nothing else</button></div>'
    )


def _day_line(question: str, found: Suggestion, day: date) -> str:
    asked = attribute(f"{' '.join(question.split())} as_of:{found.value}")
    words = f"The question says “{found.words}”; this case looks at the law of {day_words(day)}."
    return (
        f'<div class="told-first" data-status="day"><span dir="auto">{escape(words)}</span>'
        f'<button type="button" class="chip" data-question="{asked}">'
        f"Look at the law of {day_words(date.fromisoformat(found.value))}</button></div>"
    )


def _line(question: str, named: NamedProvision) -> str:
    words = f"“{named.words}” may be one of several" if named.status is Naming.SEVERAL else named.note
    note = words[:1].upper() + words[1:]
    offered = "".join(_offers(question, named))
    return (
        f'<div class="told-first" data-status="{named.status.value}">'
        f'<span dir="auto">{escape(note)}.</span>{offered}</div>'
    )


def _offers(question: str, named: NamedProvision) -> Iterator[str]:
    for choice in named.choices:
        asked = attribute(_replace_provision(question, named, choice))
        yield (
            f'<button type="button" class="chip" data-question="{asked}" dir="auto">'
            f"{escape(choice.label)}</button>"
        )


def _replace_provision(question: str, named: NamedProvision, choice: Choice) -> str:
    """Return the question with an existing provision in place of the one that it names."""
    written = " ".join(question.split())
    return written.replace(named.words, choice.label, 1) if named.words in written else choice.label


# The finds of each retriever, one line each, with a title.


def retriever_lines(counts: Sequence[RetrieverCount]) -> list[str]:
    """Return the finds of each retriever on its own, with the rank of its first passage, or why it did not
    search."""
    return [_line_retrievers(count) for count in counts]


def _line_retrievers(count: RetrieverCount) -> str:
    title = title_of(count.retriever)
    if count.off:
        return f"{title}: off, {count.off}"
    facts = [f"{count.found:,} found"]
    if count.alone:
        facts.append(f"{count.alone:,} of them alone")
    if count.first is not None:
        facts.append(f"the first at {count.first:,}")
    return f"{title}: {', '.join(facts)}"


# The progress line: the steps so far in one line, with the figures of each step on hover.

# Shortest time shown, s; a cached question takes less.
SHORTEST = 0.01
_LOADING = (
    '<span class="step live" data-tip="Once after a start: the case needs it to search by meaning, and goes '
    'on by itself as soon as it is there.">The search model is being loaded, a few seconds …</span>'
)
_LINE = "The server works on as many cases at once as it has places; the visitors' cases come in turn."


@dataclass(frozen=True, slots=True)
class Story:
    """The progress of an investigation so far. ``terms``: its settings; ``cost``: the language model's usage;
    ``loading``: whether the scan waits for a model to load; ``ahead``: the number of cases before it in the
    queue, None once it runs. ``seconds`` is None for the example: a server that has just
    started is slow."""

    terms: Terms | None = None
    plan: QueryPlan | None = None
    reports: tuple[RoundReport, ...] = ()
    under_way: RoundStarted | None = None
    areas: tuple[AreaCoverage, ...] = ()
    stop: Stop | None = None
    ranked: int | None = None
    seconds: float | None = 0.0
    notes: tuple[str, ...] = field(default=())
    cost: CostReport | None = None
    judged: tuple[SufficiencyJudged, ...] = ()
    evidence: Evidence | None = None
    transaction: Transaction | None = None
    loading: bool = False
    ahead: int | None = None

    @property
    def running(self) -> bool:
        """Return whether the ranking is still to come."""
        return self.ranked is None


def update_progress(story: Story, event: Event, seconds: float) -> Story:
    """Return the progress with one more event; ``seconds`` is the time that the engine took so far."""
    story = replace(story, seconds=seconds)
    match event:
        case PlanMade(plan=plan):
            return replace(story, plan=plan, notes=plan.notes)
        case ScanFinished(report=report, notes=notes, transaction=transaction):
            reports = (*story.reports, report)
            return replace(story, reports=reports, notes=notes, transaction=transaction)
        case RoundFinished(report=report):
            return replace(story, reports=(*story.reports, report), under_way=None)
        case RoundStarted():
            return replace(story, under_way=event)
        case CoverageChanged(areas=areas):
            return replace(story, areas=areas)
        case SufficiencyJudged():
            return replace(story, judged=(*story.judged, event))
        case Stopped(stop=stop):
            return replace(story, stop=stop, under_way=None)
        case Ranked(passages=passages, notes=notes, evidence=evidence):
            known = tuple(dict.fromkeys((*story.notes, *notes)))
            return replace(story, ranked=len(passages), notes=known, evidence=evidence)


def brought(reports: Sequence[RoundReport]) -> dict[str, int]:
    """Return the number of passages that each strategy found in the rounds; the scan is not a strategy."""
    counts: Counter[str] = Counter()
    for report in reports:
        if report.number > 0:
            counts.update({count.strategy: count.admitted for count in report.strategies})
    return dict(counts)


def refused(reports: Sequence[RoundReport]) -> int:
    """Return the number of leads that the gate refused in all rounds."""
    return sum(report.refused for report in reports)


def render_progress(story: Story) -> str:
    """Return the progress line as HTML."""
    steps = [terms_step(story.terms)] if story.terms else []
    steps += [_plan_step(story.plan)] if story.plan else []
    for report in story.reports:
        steps.append(_report_step(report))
        steps += [_judged_step(judged) for judged in story.judged if judged.round == report.number]
    if story.notes:
        steps.append(_step("Note", "\n".join(story.notes)))
    if story.cost is not None and story.cost.tasks:
        steps.append(cost_step(story.cost))
    if story.under_way is not None:
        steps.append(_started_step(story.under_way))
    elif story.ahead is not None and not story.loading:
        steps.append(_waiting_step(story.ahead))
    elif story.loading and not story.reports:
        steps.append(_LOADING)
    elif story.running:
        steps.append('<span class="step live">…</span>')
    state = "running" if story.running else "done"
    counts = escape(json.dumps(brought(story.reports)))
    line = '<span class="to" aria-hidden="true">→</span>'.join(steps)
    return (
        f"{parts_html(story.evidence)}"
        f'<div class="story" role="status" data-state="{state}" data-brought="{counts}">'
        f"{line}{_ending(story)}</div>{_first(story)}"
    )


def _waiting_step(ahead: int) -> str:
    words = f"In line, {plural(ahead, 'case')} before yours …" if ahead else "In line, yours is next …"
    return f'<span class="step live" data-tip="{_LINE}">{words}</span>'


def _first(story: Story) -> str:
    if story.plan is None or story.terms is None:
        return ""
    nothing = story.evidence is not None and story.evidence.status is EvidenceStatus.NONE
    kind = None if nothing else story.transaction
    return (
        named_html(story.plan, story.terms.day, story.terms.titles)
        + transaction_html(story.plan.question, kind, story.terms.kinds)
        + depth_html(story.plan)
    )


def _step(words: str, tip: str) -> str:
    return f'<span class="step" tabindex="0" data-tip="{escape(tip)}">{words}</span>'


def _plan_step(plan: QueryPlan) -> str:
    views = [view for view in plan.views if view.enabled]
    count = len(views)
    lines = [f"{view.name}: {view.text}" for view in views]
    lines += [f"named: {words}" for words in named_words(plan)]
    if plan.depth is not None:
        lines.append(f"Depth: {plan.depth.kind.value}, for {plan.depth.reason}")
    return _step(f"Plan: <b>{count}</b> {'query' if count == 1 else 'queries'}", "\n".join(lines))


def _report_step(report: RoundReport) -> str:
    lines = [report.purpose[:1].upper() + report.purpose[1:]] if report.purpose else []
    lines += [_count_words(count) for count in report.strategies]
    lines += map(query_words, report.queries)
    lines += retriever_lines(report.retrievers)
    lines.append(f"pool {report.pool_size:,} · {report.milliseconds:.0f} ms")
    if report.number == 0:
        return _step(f"Scan <b>{report.admitted:,}</b>", "\n".join(lines))
    return _step(f"Round {report.number} <b>+{report.admitted:,}</b>", "\n".join(lines))


def _judged_step(judged: SufficiencyJudged) -> str:
    whose = "the language model" if judged.by == "model" else "coverage and gain"
    sure = "" if judged.confidence is None else f", {judged.confidence:.0%} sure"
    lines = [f"judged by {whose}{sure}", *([judged.reasons] if judged.reasons else [])]
    lines += [f"missing: {query}" for query in judged.missing]
    return _step("Enough" if judged.sufficient else "Not enough yet", "\n".join(lines))


def _count_words(count: StrategyCount) -> str:
    words = f"{thread(count.strategy).title}: +{count.admitted} of {plural(count.proposed, 'lead')}"
    reasons = ", ".join(f"{number} {reason.replace('_', ' ')}" for reason, number in count.refused.items())
    return f"{words}; refused: {reasons}" if reasons else words


def _started_step(started: RoundStarted) -> str:
    lines = [plural(len(started.seeds), "seed"), *map(query_words, started.queries)]
    return f'<span class="step live" data-tip="{escape(chr(10).join(lines))}">Round {started.number} …</span>'


def _time_words(seconds: float | None) -> str:
    if seconds is None:
        return ""
    return f"{seconds:.2f} s" if seconds >= SHORTEST else "from cache"


def _ending(story: Story) -> str:
    if story.stop is None or story.running:
        return ""
    facts = [
        stop_coverage_words(story.stop),
        completeness_words(story.stop),
        f"{plural(refused(story.reports), 'link')} not followed",
        _time_words(story.seconds),
    ]
    lines = [f"{name.replace('_', ' ')}: {value:g}" for name, value in sorted(story.stop.numbers.items())]
    numbers = "\n".join([*lines, evidence_words(story.stop)]).strip()
    nothing = story.evidence is not None and story.evidence.status is EvidenceStatus.NONE
    tone = " early" if story.stop.reason in LIMITS or nothing else ""
    return (
        f'<span class="stop{tone}" tabindex="0" data-tip="{escape(numbers)}"><b>{stop_words(story.stop)}</b>'
        f" · {' · '.join(fact for fact in facts if fact)}</span>"
    )
