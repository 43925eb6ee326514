"""The progress of a case in one line: steps with figures, named provisions, parts, retrievers."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import date
from typing import Any

from engine.investigation.facets import NONE
from engine.investigation.record import (
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
from engine.llm.cost import CostReport
from engine.model import (
    NOTHING,
    AreaCoverage,
    Choice,
    DepthKind,
    Evidence,
    EvidenceStatus,
    NamedProvision,
    Naming,
    QueryPlan,
    RetrieverCount,
    RoundReport,
    Stop,
    StrategyCount,
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
from ui.templating import rendered

# The finds for each part of a question with several parts, below the evidence line.


def parts_html(evidence: Evidence | None) -> str:
    """Return a line for each part: its evidence, its words, and links to its best passages; empty for a
    question with one part."""
    if evidence is None or not evidence.parts:
        return ""
    lines = [
        (part, text, part_words(part), [(one.id, short_citation(one, of)) for one, of in part.passages])
        for text, part in zip(part_texts(evidence.parts), evidence.parts, strict=True)
    ]
    return rendered("investigate/parts.html", lines=lines)


# The result for each provision that a question names, if the user has to know or to choose.


@dataclass(frozen=True, slots=True)
class Notice:
    """What the user has to know or to choose: words, and questions to ask instead with their labels."""

    status: str
    words: str
    offers: Sequence[tuple[str, str]]
    is_folded: bool = False


def notices_html(lines: Sequence[Notice]) -> str:
    """Return the lines, each with its offers."""
    return rendered("investigate/notices.html", lines=lines) if lines else ""


def named_html(plan: QueryPlan, day: date, titles: Mapping[str, str] = NOTHING) -> str:
    """Return a line for each named provision that was not simply found, with alternatives; one for a day that
    the question may mean; and one for a document that comes first. ``day`` is the day of the law, ``titles``
    are those of documents by id."""
    question = " ".join(plan.question.split())
    lines = [_line(plan.question, named) for named in plan.named if named.note]
    days = [found for found in plan.suggestions if found.kind == "as_of" and found.value != day.isoformat()]
    for found in days if plan.constraints.as_of is None else ():
        words = f"The question says “{found.words}”; this case looks at the law of {day_words(day)}."
        offer = f"Look at the law of {day_words(date.fromisoformat(found.value))}"
        lines.append(Notice("day", words, [(offer, f"{question} as_of:{found.value}")]))
    for document in () if plan.constraints.documents else plan.focus:
        words = f"What “{titles.get(document, document)}” says comes first, as the question asks for it."
        asked = f'{question} document:"{document}"'
        lines.append(Notice("focus", words, [("Search nothing else", asked)]))
    return notices_html(lines)


def transaction_html(question: str, found: Transaction | None, kinds: Mapping[str, str]) -> str:
    """Report that a question was read as one about a type of transaction, with alternatives."""
    if found is None or found.id is None or not found.proposed:
        return ""
    plain = _without(question, "transaction")
    others = [NONE, *(kind for kind in kinds if kind != found.id)]
    offers = [("Other" if kind == NONE else kinds[kind], f"{plain} transaction:{kind}") for kind in others]
    words = (
        f"Treated as a question about “{kinds.get(found.id, found.id)}”, so its usual topics must be covered."
    )
    return notices_html([Notice("transaction", words, offers, is_folded=True)])


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
    asked = f"{_without(plan.question, 'depth')} depth:{other.value}"
    return notices_html([Notice("depth", f"{words}: {depth.reason}.", [(offer, asked)])])


def _without(question: str, sign: str) -> str:
    """Return a question without a sign that states a value."""
    kept = [word for word in question.split() if not word.casefold().startswith(f"{sign}:")]
    return " ".join(kept)


def _line(question: str, named: NamedProvision) -> Notice:
    words = f"“{named.words}” may be one of several" if named.status is Naming.SEVERAL else named.note
    offers = [(choice.label, _replace_provision(question, named, choice)) for choice in named.choices]
    return Notice(named.status.value, f"{words[:1].upper()}{words[1:]}.", offers)


def _replace_provision(question: str, named: NamedProvision, choice: Choice) -> str:
    """Return the question with an existing provision in place of the one that it names."""
    written = " ".join(question.split())
    return written.replace(named.words, choice.label, 1) if named.words in written else choice.label


# The finds of each retriever, one line each, with a title.


def retriever_line(count: RetrieverCount) -> str:
    """Return the finds of a retriever on its own, with the rank of its first passage, or why it did not
    search."""
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
    "Once after a start: the case needs it to search by meaning, and goes on by itself as soon as it is "
    "there."
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


@dataclass(frozen=True, slots=True)
class Step:
    """A step: its words with a figure, and its tooltip. ``live``: it is under way."""

    words: str
    tip: str = ""
    figure: str = ""
    unit: str = ""
    live: bool = False


def render_progress(story: Story) -> str:
    """Return the progress line as HTML."""
    return rendered(
        "investigate/story.html",
        story=story,
        steps=list(_steps(story)),
        brought=brought(story.reports),
        ending=_ending(story),
        parts=parts_html(story.evidence),
        first=_first(story),
    )


def _steps(story: Story) -> Iterator[Step | str]:
    """Yield the steps; those with a table behind them as HTML."""
    if story.terms:
        yield terms_step(story.terms)
    if story.plan:
        yield _plan_step(story.plan)
    for report in story.reports:
        yield _report_step(report)
        yield from (_judged_step(judged) for judged in story.judged if judged.round == report.number)
    if story.notes:
        yield Step("Note", "\n".join(story.notes))
    if story.cost is not None and story.cost.tasks:
        yield cost_step(story.cost)
    if story.under_way is not None:
        started = story.under_way
        lines = [plural(len(started.seeds), "seed"), *map(query_words, started.queries)]
        yield Step(f"Round {started.number} …", "\n".join(lines), live=True)
    elif story.ahead is not None and not story.loading:
        before = f"{plural(story.ahead, 'case')} before yours" if story.ahead else "yours is next"
        yield Step(f"In line, {before} …", _LINE, live=True)
    elif story.loading and not story.reports:
        yield Step("The search model is being loaded, a few seconds …", _LOADING, live=True)
    elif story.running:
        yield Step("…", live=True)


def _first(story: Story) -> str:
    if story.plan is None or story.terms is None:
        return ""
    kind = None if _found_nothing(story) else story.transaction
    return (
        named_html(story.plan, story.terms.day, story.terms.titles)
        + transaction_html(story.plan.question, kind, story.terms.kinds)
        + depth_html(story.plan)
    )


def _found_nothing(story: Story) -> bool:
    return story.evidence is not None and story.evidence.status is EvidenceStatus.NONE


def _plan_step(plan: QueryPlan) -> Step:
    views = [view for view in plan.views if view.enabled]
    count = len(views)
    lines = [f"{view.name}: {view.text}" for view in views]
    lines += [f"named: {words}" for words in named_words(plan)]
    if plan.depth is not None:
        lines.append(f"Depth: {plan.depth.kind.value}, for {plan.depth.reason}")
    return Step("Plan:", "\n".join(lines), f"{count}", " query" if count == 1 else " queries")


def _report_step(report: RoundReport) -> Step:
    lines = [report.purpose[:1].upper() + report.purpose[1:]] if report.purpose else []
    lines += [_count_words(count) for count in report.strategies]
    lines += map(query_words, report.queries)
    lines += map(retriever_line, report.retrievers)
    lines.append(f"pool {report.pool_size:,} · {report.milliseconds:.0f} ms")
    if report.number == 0:
        return Step("Scan", "\n".join(lines), f"{report.admitted:,}")
    return Step(f"Round {report.number}", "\n".join(lines), f"+{report.admitted:,}")


def _judged_step(judged: SufficiencyJudged) -> Step:
    whose = "the language model" if judged.by == "model" else "coverage and gain"
    sure = "" if judged.confidence is None else f", {judged.confidence:.0%} sure"
    lines = [f"judged by {whose}{sure}", *([judged.reasons] if judged.reasons else [])]
    lines += [f"missing: {query}" for query in judged.missing]
    return Step("Enough" if judged.sufficient else "Not enough yet", "\n".join(lines))


def _count_words(count: StrategyCount) -> str:
    words = f"{thread(count.strategy).title}: +{count.admitted} of {plural(count.proposed, 'lead')}"
    reasons = ", ".join(f"{number} {reason.replace('_', ' ')}" for reason, number in count.refused.items())
    return f"{words}; refused: {reasons}" if reasons else words


def _time_words(seconds: float | None) -> str:
    if seconds is None:
        return ""
    return f"{seconds:.2f} s" if seconds >= SHORTEST else "from cache"


def _ending(story: Story) -> Mapping[str, Any] | None:
    if story.stop is None or story.running:
        return None
    facts = [
        stop_coverage_words(story.stop),
        completeness_words(story.stop),
        f"{plural(refused(story.reports), 'link')} not followed",
        _time_words(story.seconds),
    ]
    lines = [f"{name.replace('_', ' ')}: {value:g}" for name, value in sorted(story.stop.numbers.items())]
    return {
        "words": stop_words(story.stop),
        "facts": [fact for fact in facts if fact],
        "tip": "\n".join([*lines, evidence_words(story.stop)]).strip(),
        "is_early": story.stop.reason in LIMITS or _found_nothing(story),
    }
