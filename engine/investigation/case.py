"""A case: one question under investigation. The loop of scan, rounds, stop and ranking."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import UTC, date, datetime

import numpy as np

from engine.breadth import Breadth, breadth_of
from engine.corpus.protocol import Corpus, Rows
from engine.errors import InputError
from engine.investigation import again
from engine.investigation.assistance import Assistance, budget_of, with_prefix
from engine.investigation.completeness import completeness_of
from engine.investigation.coverage import Coverage
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
from engine.investigation.evidence import evidence_of
from engine.investigation.facets import check_transaction
from engine.investigation.filters import Filters
from engine.investigation.gate import by_trust
from engine.investigation.opening import bounded, opening, plan_of
from engine.investigation.parts import told_together
from engine.investigation.pool import Pool, Reading
from engine.investigation.ranking import Ranking
from engine.investigation.ranking.additive import Experience
from engine.investigation.ranking.weights import experience_of
from engine.investigation.record import Investigation
from engine.investigation.reranking import Reranking
from engine.investigation.stopping import Progress, Spending, conclusion, decide
from engine.investigation.strategies.base import Context, Seeds, Strategy, brings_whole
from engine.investigation.strategies.gaps import Gaps
from engine.investigation.strategies.registry import strategy
from engine.investigation.turn import MOST_OF_WHOLE, point_at, row_of, seeds_of, take_turn
from engine.investigation.view import (
    Showing,
    figures_asked,
    found_by,
    kinds_of_round,
    metrics_shown,
    purpose_of_round,
    purpose_of_scan,
)
from engine.language.embedders import Embedder, embedder
from engine.llm import LanguageModel, Meter, Usage
from engine.model import (
    NOTHING,
    UNJUDGED,
    UNMEASURED,
    AreaCoverage,
    AreaState,
    Completeness,
    DepthKind,
    EvidenceStatus,
    FoundBy,
    GapQuery,
    QueryPlan,
    RankedPassage,
    RoundJudgement,
    RoundKind,
    RoundReport,
    Stop,
    StopReason,
    Transaction,
)
from engine.retrieval.asking import Asking
from engine.retrieval.planning import Helpers, active, checked_plan
from engine.retrieval.planning.hypothetical import check_language
from engine.retrieval.relevance import Relevance
from engine.retrieval.scan import Scan
from engine.settings import InvestigationSettings


class Case:
    """One question, its settings and its pool. Run it, steer it, run on.

    ``cancel`` may be called from another thread; everything else belongs to one. ``day`` is the day
    on which the law is looked at where the settings name none; today, unless another is given. ``model`` is
    asked where the settings say so and never else; ``meter`` counts what it uses and keeps the budget;
    ``used`` is what the saved case that this one carries on had used, by task; ``breadth`` overrides what the
    limit of the pool makes of scan and budgets; ``weights`` are what was learned of verdicts, or name what is
    kept of it beside the corpus, as ``weights.experience_of`` takes it. Raises
    InputError for an empty question or a pool with passages that the settings' filters exclude,
    SettingsError for an unknown strategy, transaction type or language, or a filter that fits no document.
    """

    def __init__(
        self,
        corpus: Corpus,
        question: str,
        settings: InvestigationSettings,
        *,
        pool: Pool | None = None,
        plan: QueryPlan | None = None,
        day: date | None = None,
        model: LanguageModel | None = None,
        used: Mapping[str, Usage] = NOTHING,
        breadth: Breadth | None = None,
        weights: str | Experience | None = None,
    ) -> None:
        if not question.strip():
            raise InputError("the question is empty: type one")
        check_transaction(corpus, settings.transaction_type)
        check_language(corpus, settings.hypothetical_language)
        self.corpus, self.question, self.settings = corpus, question, settings
        self.pool = pool if pool is not None else Pool(settings.pool_size)
        self.pool.limit = max(settings.pool_size, len(self.pool))
        self._experience = weights if isinstance(weights, Experience) else experience_of(corpus, weights)
        # By which id it is known, empty for nothing learned.
        self.weights = "" if self._experience is None else self._experience.id
        self.plan: QueryPlan | None = None
        self.edited = None if plan is None else checked_plan(plan, question)
        self.areas: tuple[AreaCoverage, ...] = ()
        self.rounds: list[RoundReport] = []
        self.stop: Stop | None = None
        self.ranking: tuple[RankedPassage, ...] = ()
        self.order: Ranking | None = None
        self.evidence, self.metrics = UNJUDGED, UNMEASURED
        self.transaction: Transaction | None = None
        # What the depth of the question leaves of the settings.
        self.bounds = settings
        self._broad = breadth
        by_trust([strategy(name) for name in settings.strategies])
        self._cancelled = threading.Event()
        self.model, self.meter = model, Meter(budget_of(settings), self._cancelled.is_set)
        self._asking = Asking(None if model is None else with_prefix(model, corpus), self.meter)
        self.day = day or date.today()
        self.started = datetime.now(UTC)
        self._filters = Filters(corpus, settings, self.day)
        self._embedder: Embedder | None = embedder(corpus.embedding)
        self._reranking = Reranking(question, settings.reranker, self._asking)
        self._spending = Spending(self.meter, self._embedder, self._reranking, used)
        self.notes: tuple[str, ...] = ()
        self.scanned: Scan | None = None
        # By which queries passages were found, of a case that is shown without its scan.
        self.found: Mapping[str, FoundBy] = NOTHING
        self._coverage: Coverage | None = None
        self._assistance: Assistance | None = None
        self._reading = Reading(corpus)
        self._filters.check(self.pool.rows(), self._reading.ids)

    @property
    def has_bounds_of_its_own(self) -> bool:
        """Whether its breadth was given."""
        return self._broad is not None

    @property
    def breadth(self) -> Breadth:
        """How broad it goes: as its bounds and its plan say, where nothing else was given."""
        return self._broad or breadth_of(self.bounds, None if self.plan is None else self.plan.strategy)

    @property
    def as_of(self) -> date:
        """The day on which the law is looked at: the settings', else the one that the question demands."""
        demanded = None if self.plan is None else self.plan.constraints.as_of
        return self.settings.as_of or demanded or self.day

    def cancel(self) -> None:
        """Stop before the next step; what was found is ranked and kept."""
        self._cancelled.set()

    def carry_on(self) -> None:
        """Forget that it was cancelled."""
        self._cancelled.clear()

    @property
    def is_cancelled(self) -> bool:
        """Whether it was cancelled, and has not come to its end since."""
        return self._cancelled.is_set()

    def run(self) -> Iterator[Event]:
        """Open the case, or carry on from the pool it was given. Yields one event per step; where the same
        case came to its end before, what it told then."""
        self._spending.begin(spent=0.0)
        key = again.key_of(self)
        finished = again.known(self, key)
        if finished is not None:
            again.adopt(self, finished)
            self._spending.end()
            yield from again.told_anew(finished.events, self)
            return
        told: list[Event] = []
        for event in self._run():
            told.append(event)
            if isinstance(event, Ranked):
                again.keep(self, key, told)
            yield event

    def _run(self) -> Iterator[Event]:
        self.stop = None
        self.plan = self.edited or self.make_plan()
        self.bounds = bounds = bounded(self.settings, self.plan.depth)
        self.pool.limit = max(bounds.pool_size, len(self.pool))
        strategies = by_trust([strategy(name) for name in bounds.strategies])
        yield PlanMade(self.plan)
        yield self._broad_scan(self.plan)
        yield CoverageChanged(0, self.areas)
        first = self._last_round()
        for number in range(first + 1, first + bounds.rounds + 1):
            yield from self._decide(number - 1 - first)
            if self.stop is not None:
                break
            yield from self._round(
                number, seeds_of(self.pool, self.breadth.seeds), strategies, gaps=bounds.close_gaps
            )
        else:
            yield from self._decide(bounds.rounds)
        self.stop = self.stop or Stop(StopReason.ROUNDS)
        ranked = self._rank()
        looked_up = self.plan.depth is not None and self.plan.depth.kind is DepthKind.LOOK_UP
        if looked_up or self.evidence.status is not EvidenceStatus.FOUND:
            # How much of it is there cannot be told of what was not found, or in part only; nor of a look-up,
            # for none was among the questions that it was learned from.
            self.stop = replace(self.stop, completeness=None)
        if self.evidence.status is EvidenceStatus.NONE:
            # Nothing is covered where nothing was found.
            self.areas = tuple(_uncovered(area) for area in self.areas)
            if self.transaction is not None and self.transaction.proposed:
                # Nor is it about anything that its words only resembled.
                self.transaction = replace(self.transaction, id=None)
            yield CoverageChanged(self._last_round(), self.areas)
        yield Stopped(self.stop)
        yield ranked
        # A cancel that comes before a run stops it; one during or right after it ends with it.
        self._cancelled.clear()

    def follow(self, passage_id: str, strategies: Sequence[str]) -> Iterator[Event]:
        """Follow a lead from one passage by some strategies, as one more round.

        Raises InputError for a passage that is not in the corpus or a case that was not run yet,
        SettingsError for an unknown strategy.
        """
        relevant_to = self._relevance()
        followed = by_trust([strategy(name) for name in strategies])
        number = self._last_round() + 1
        row = self._admit_by_person(passage_id)
        if any(map(brings_whole, followed)):
            self.pool.limit = max(self.pool.limit, len(self.pool) + MOST_OF_WHOLE)
        self._cancelled.clear()
        self._spending.begin(spent=self.milliseconds)
        relevance = relevant_to.of(row)
        # What a person points at is worth following whatever its own score.
        yield from self._round(number, Seeds(row, np.maximum(relevance, 1.0)), followed, chosen=True)
        yield self._rank()

    def pin(self, passage_id: str) -> None:
        """Keep a passage first in the ranking, and a seed of the next round."""
        self._admit_by_person(passage_id)
        self.pool.dismissed.discard(passage_id)
        self.pool.pinned.add(passage_id)
        self._rank_again()

    def dismiss(self, passage_id: str) -> None:
        """Take a passage out of the ranking; no later round proposes it or starts from it."""
        row_of(self.corpus, passage_id)
        self.pool.pinned.discard(passage_id)
        self.pool.dismissed.add(passage_id)
        self._rank_again()

    def investigation(self) -> Investigation:
        """The case as one object. Raises InputError for a case that was not run."""
        if self.plan is None or self.stop is None:
            raise InputError("the case has not been run yet")
        return Investigation(
            self.question,
            self.corpus.name,
            self.settings,
            self.plan,
            tuple(self.rounds),
            self.areas,
            self.stop,
            self.ranking,
            self.pool,
            self.milliseconds,
            self.started,
            self.as_of,
            (*self.notes, *self._late_notes()),
            "" if self.model is None else self.model.spec,
            self.evidence,
            self.metrics,
            self.transaction,
            self.usage,
            self.found if self.scanned is None else found_by(self.scanned, self.pool, self.rounds),
            self.weights,
        )

    @property
    def usage(self) -> Mapping[str, Usage]:
        """What the language model used so far, by task; nothing where it was not asked."""
        return self._spending.usage

    @property
    def milliseconds(self) -> float:
        """The time that it took, up to the last ranking."""
        return self._spending.milliseconds

    def make_plan(self, *, offered: bool = False) -> QueryPlan:
        """The plan by which ``run`` would scan; ``offered``: with what a person may choose besides."""
        helpers = Helpers(self._asking, self._embedder)
        return plan_of(
            self.question, self.corpus, self.settings, self._filters, self.day, helpers, offered=offered
        )

    def _broad_scan(self, whole: QueryPlan) -> ScanFinished:
        self._filters = Filters(self.corpus, self.settings, self.day, whole)
        found = opening(
            whole,
            self.corpus,
            self._filters,
            self.bounds,
            self.breadth,
            self._embedder,
            self.pool,
            self._reading,
        )
        self.scanned, self._coverage, self.notes = found.scanned, found.coverage, found.notes
        self.transaction = found.coverage.transaction
        relevance = found.scanned.relevance
        self._assistance = Assistance(
            self.question, self.settings, self._asking, self.corpus, self._reading, relevance
        )
        self._check_coverage(0)
        report = RoundReport(
            0, (), found.counts, len(found.hops), 0, len(self.pool), found.milliseconds,
            found.scanned.finders, after=_states(self.areas), purpose=purpose_of_scan(active(whole)),
            kinds=(RoundKind.BROAD_SCAN,), searches=found.searches,
        )  # fmt: skip
        self.rounds.append(report)
        return ScanFinished(report, found.hops, self.notes, self.transaction)

    def _round(
        self,
        number: int,
        seeds: Seeds,
        strategies: Sequence[Strategy],
        *,
        gaps: bool = False,
        chosen: bool = False,
    ) -> Iterator[Event]:
        """One turn. ``gaps``: with queries for what lacks evidence; ``chosen``: a person says from where."""
        started = time.perf_counter()
        coverage, assistance = self._coverage, self._assistance
        queries: tuple[GapQuery, ...] = ()
        if gaps and coverage is not None and assistance is not None:
            queries = assistance.queries(coverage)
        ids = self._reading.ids(seeds.rows)
        purpose = purpose_of_round(strategies, ids, queries, self.pool, chosen=chosen)
        kinds = kinds_of_round(strategies, ids, queries, chosen=chosen)
        yield RoundStarted(number, tuple(ids), queries)
        self.pool.explored.update(ids)
        context = Context(
            self.corpus,
            self.bounds,
            self.breadth,
            self._relevance(),
            self._reading,
            queries,
            self._filters.mask,
        )
        dismissed = self.corpus.rows(sorted(self.pool.dismissed))
        model = self._embedder if context.relevance.vectors is not None else None
        asking = Gaps(model)
        turn = [*strategies, asking] if queries else list(strategies)
        counts, hops = take_turn(turn, seeds, context, self.pool, dismissed, number, self._halted)
        refused = sum(sum(count.refused.values()) for count in counts)
        milliseconds = 1000 * (time.perf_counter() - started)
        before = _states(self.areas)
        changed = self._check_coverage(number)
        report = RoundReport(
            number, tuple(ids), counts, len(hops), refused, len(self.pool), milliseconds,
            queries=queries, before=before, after=_states(self.areas), purpose=purpose,
            kinds=kinds, searches=tuple(asking.searches),
        )  # fmt: skip
        self.rounds.append(report)
        yield RoundFinished(report, hops)
        yield changed

    def _check_coverage(self, number: int) -> CoverageChanged:
        coverage = self._coverage
        if coverage is not None:
            entries = [e for e in self.pool.entries() if e.passage_id not in self.pool.dismissed]
            rows = np.array([entry.row for entry in entries], np.int32)
            ids = [entry.passage_id for entry in entries]
            coverage.update(rows, ids, number)
            self.areas = coverage.areas
        return CoverageChanged(number, self.areas)

    def _decide(self, rounds_done: int) -> Iterator[Event]:
        """Whether to stop after so many rounds; tells a judgement that was made for it."""
        progress, assistance = self._progress(rounds_done), self._assistance
        self.stop = decide(progress, self.bounds)
        if assistance is None or not (conclusion(self.stop) and assistance.judges(rounds_done)):
            return
        judged, by = assistance.judge(self.areas, self.pool, self.completeness())
        report, sure, why = self.rounds[-1], judged.confidence, judged.reasons
        said = RoundJudgement(by, judged.sufficient, judged.missing, sure, why)
        self.rounds[-1] = replace(report, judged=said)
        yield SufficiencyJudged(
            report.number, by, judged.sufficient, judged.missing, judged.evidence, sure, why
        )
        told = replace(self._progress(rounds_done), sufficient=judged.numbers if judged.sufficient else None)
        self.stop = decide(told, self.bounds)

    def _progress(self, rounds_done: int) -> Progress:
        showing = self._showing
        figures: dict[str, float] = {}
        if showing is not None:
            wanted = self.bounds.stop_when
            figures = figures_asked(wanted, showing, self.areas, self.rounds, self.completeness)
        return Progress(
            round=rounds_done,
            admitted=self.rounds[-1].admitted if self.rounds else 0,
            pool_size=len(self.pool),
            pool_limit=self.pool.limit,
            seconds=self._spending.seconds,
            calls=self._spending.calls,
            cancelled=self._cancelled.is_set(),
            completeness=self.completeness,
            figures=figures,
            gain=self.breadth.gain,
            open_queries=self._open_queries(),
        )

    def _open_queries(self) -> int:
        """Queries for gaps that the next round would send."""
        coverage, assistance = self._coverage, self._assistance
        if coverage is None or assistance is None or not self.settings.close_gaps:
            return 0
        return coverage.open_queries + len(assistance.missing)

    def completeness(self) -> Completeness | None:
        """Estimated share of the relevant passages that the pool holds; None where it cannot be told."""
        if self.scanned is None:
            return None
        number = self.rounds[-1].number if self.rounds else 0
        return completeness_of(self.scanned, self.pool, self.areas, number, self._reading)

    def _rank(self) -> Ranked:
        self._rank_again()
        self._spending.end()
        showing = self._showing
        if showing is not None:
            self.metrics = metrics_shown(showing, self.ranking, self.areas, self.rounds)
        notes = self._late_notes()
        return Ranked(self.ranking, self.milliseconds, notes, self.usage, self.evidence, self.metrics)

    def _late_notes(self) -> tuple[str, ...]:
        """What a person should know besides what the scan told."""
        late = dict.fromkeys((*self._asking.notes, *self._reranking.notes))
        return tuple(note for note in late if note not in self.notes)

    def _rank_again(self) -> None:
        showing = self._showing
        if showing is None:
            return
        relevance = showing.scanned.relevance
        plan = relevance.plan
        refined = self._reranking.applied(
            showing.ranked(), self.corpus, self._reading, plan.language, self._halted
        )
        shown = showing.shown(refined)
        self.order, self.ranking = shown.order, shown.passages
        evidence = evidence_of(plan.views[0].text, plan, self.corpus, relevance, self.ranking)
        self.evidence = told_together(evidence, [part.evidence for part in shown.parts])

    @property
    def _showing(self) -> Showing | None:
        """What decides what is shown; None before the scan."""
        if self.scanned is None or self.plan is None:
            return None
        mask = self._filters.mask
        return Showing(
            self.corpus,
            self.pool,
            self.plan,
            self.settings,
            self.scanned,
            mask,
            self._reading,
            self._experience,
        )

    def _admit_by_person(self, passage_id: str) -> Rows:
        row = row_of(self.corpus, passage_id)
        self._filters.check(row, self._reading.ids)
        score = 1.0 if self.scanned is None else float(self._relevance().of(row)[0])
        point_at(self.pool, passage_id, int(row[0]), score, self._last_round() + 1 if self.rounds else 0)
        return row

    def _last_round(self) -> int:
        """The highest round so far; a case that carries on from a saved pool goes on counting."""
        return max([self.pool.last_round(), *(report.number for report in self.rounds)])

    def _relevance(self) -> Relevance:
        if self.scanned is None:
            raise InputError("the case has not been run yet")
        return self.scanned.relevance

    def _halted(self) -> bool:
        budget = self.settings.time_budget
        out_of_time = budget is not None and self._spending.seconds >= budget
        return self._cancelled.is_set() or out_of_time


def _states(areas: Sequence[AreaCoverage]) -> dict[str, AreaState]:
    return {area.id: area.state for area in areas}


def _uncovered(area: AreaCoverage) -> AreaCoverage:
    return replace(area, state=AreaState.MISSING, evidence=(), score=0.0, closed_in=None)


def investigate(
    question: str,
    corpus: Corpus,
    settings: InvestigationSettings,
    *,
    pool: Pool | None = None,
    plan: QueryPlan | None = None,
    day: date | None = None,
    model: LanguageModel | None = None,
    breadth: Breadth | None = None,
) -> Iterator[Event]:
    """Investigate a question from the scan to the ranking, one event per step."""
    return Case(corpus, question, settings, pool=pool, plan=plan, day=day, model=model, breadth=breadth).run()
