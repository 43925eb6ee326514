"""A case: one question under investigation, from the plan to the ranking.

``Case.run`` is the loop: plan, broad scan, rounds of expansion, stop, ranking. A user steers a case with
``pin``, ``dismiss`` and ``follow``. ``Case.investigation`` returns the result as one object, which
``engine.records`` saves, compares and replays. Open a case with ``engine.investigation.make_case``.
"""

from __future__ import annotations

import threading
import time
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import UTC, date, datetime

import numpy as np

from engine.corpus.protocol import Corpus, Rows
from engine.errors import InputError
from engine.investigation import case_cache
from engine.investigation.assistance import Assistance, budget_of, with_prefix
from engine.investigation.completeness import find_completeness
from engine.investigation.coverage import Coverage
from engine.investigation.evidence import evidence_of
from engine.investigation.facets import check_transaction
from engine.investigation.filters import Filters
from engine.investigation.gate import sort_by_trust
from engine.investigation.opening import limit_to_plan, make_case_plan, scan_into_pool
from engine.investigation.parts import reconcile_part_evidence
from engine.investigation.pool import Pool, Reading
from engine.investigation.ranking import Ranking
from engine.investigation.ranking.additive import Experience, experience_of
from engine.investigation.ranking.reranking import Reranking
from engine.investigation.record import (
    CoverageChanged,
    Event,
    Investigation,
    PlanMade,
    Ranked,
    RoundFinished,
    RoundStarted,
    ScanFinished,
    Stopped,
    SufficiencyJudged,
)
from engine.investigation.round import (
    EARNING_RANKS,
    WHOLE_DOCUMENT_LIMIT,
    admit_manually,
    budget_shares,
    choose_seeds,
    find_row,
    run_round,
)
from engine.investigation.stopping import Progress, Spending, decide, is_before_sufficiency
from engine.investigation.strategies.base import Context, Seeds, Strategy, bypasses_gate, strategy
from engine.investigation.strategies.gaps import Gaps
from engine.investigation.view import (
    RankingView,
    classify_round,
    coverage_score,
    describe_round,
    describe_scan,
    found_by,
    measure_conditions,
    measure_shown,
)
from engine.language.embedders import Embedder, embedder
from engine.llm import LanguageModel, Meter, Usage
from engine.llm.base import Asking
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
    counted,
)
from engine.retrieval.planning import Helpers, active, checked_plan
from engine.retrieval.planning.hypothetical import check_language
from engine.retrieval.relevance import Relevance
from engine.retrieval.scan import Scan
from engine.search_budget import SearchBudget, budget_for
from engine.settings import InvestigationSettings


class Case:
    """One question, its settings and its research pool. Run it, steer it, run it again.

    ``cancel`` may be called from another thread; everything else belongs to one thread.

    - ``pool`` and ``plan``: from an earlier case, or edited by a user.
    - ``day``: what "today" means; the date as of which the law applies unless the settings or the question
      name another.
    - ``model``: the language model for the tasks that the settings give to one; never needed.
    - ``used``: the language model's usage in the saved case that this one continues, by task.
    - ``search_budget``: replaces the budget that follows from the pool's limit.
    - ``weights``: ranking weights learned from verdicts, or their id in the corpus's journal. None for the
      adopted ones, "" for the shipped ones alone.

    Raises InputError for an empty question or a pool with passages that the settings' filters exclude,
    SettingsError for an unknown strategy, transaction type or language, or a filter that matches no document.
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
        search_budget: SearchBudget | None = None,
        weights: str | Experience | None = None,
    ) -> None:
        if not question.strip():
            raise InputError("the question is empty: type one")
        check_transaction(corpus, settings.transaction_type)
        check_language(corpus, settings.hypothetical_language)
        sort_by_trust([strategy(name) for name in settings.strategies])
        self.corpus, self.question, self.settings = corpus, question, settings
        self.day = day or date.today()
        self.started = datetime.now(UTC)
        self._experience = weights if isinstance(weights, Experience) else experience_of(corpus, weights)
        # The id of the learned weights, "" without any.
        self.weights = "" if self._experience is None else self._experience.id

        # The state of the case.
        self.pool = pool if pool is not None else Pool(settings.pool_size)
        self.pool.limit = max(settings.pool_size, len(self.pool))
        self.edited = None if plan is None else checked_plan(plan, question)
        self.plan: QueryPlan | None = None
        # The settings, limited by the depth of the question.
        self.bounds = settings
        self.areas: tuple[AreaCoverage, ...] = ()
        self.transaction: Transaction | None = None
        self.rounds: list[RoundReport] = []
        self.stop: Stop | None = None
        self.order: Ranking | None = None
        self.ranking: tuple[RankedPassage, ...] = ()
        self.evidence, self.metrics = UNJUDGED, UNMEASURED
        self.notes: tuple[str, ...] = ()
        self.scanned: Scan | None = None
        # The query that found each passage, for a reopened case, which has no scan.
        self.found: Mapping[str, FoundBy] = NOTHING

        # What it works with.
        self._cancelled = threading.Event()
        self._own_budget = search_budget
        self.model, self.meter = model, Meter(budget_of(settings), self._cancelled.is_set)
        self._asking = Asking(None if model is None else with_prefix(model, corpus), self.meter)
        self._embedder: Embedder | None = embedder(corpus.embedding)
        self._reranking = Reranking(question, settings.reranker, self._asking)
        self._spending = Spending(self.meter, self._embedder, self._reranking, used)
        self._reading = Reading(corpus)
        self._filters = Filters(corpus, settings, self.day)
        self._filters.check(self.pool.rows(), self._reading.ids)
        self._coverage: Coverage | None = None
        self._assistance: Assistance | None = None

    # Inputs and state.

    @property
    def has_own_budget(self) -> bool:
        """True if the caller passed a search budget."""
        return self._own_budget is not None

    @property
    def search_budget(self) -> SearchBudget:
        """The limits of scan and rounds: those passed by the caller, or those that bounds and plan imply."""
        return self._own_budget or budget_for(self.bounds, None if self.plan is None else self.plan.strategy)

    @property
    def as_of(self) -> date:
        """The date as of which the law applies: from the settings, the question or ``day``, in this order."""
        from_question = None if self.plan is None else self.plan.constraints.as_of
        return self.settings.as_of or from_question or self.day

    @property
    def usage(self) -> Mapping[str, Usage]:
        """The language model's usage so far, by task; empty without calls."""
        return self._spending.usage

    @property
    def milliseconds(self) -> float:
        """The time used up to the last ranking."""
        return self._spending.milliseconds

    def cancel(self) -> None:
        """Stop before the next step; what was found is ranked and kept."""
        self._cancelled.set()

    def reset_cancel(self) -> None:
        """Clear an earlier ``cancel``."""
        self._cancelled.clear()

    @property
    def is_cancelled(self) -> bool:
        """True if the case was cancelled and has not ended since."""
        return self._cancelled.is_set()

    # The loop.

    def run(self) -> Iterator[Event]:
        """Run from the plan to the ranking and yield one event per step.

        Continues from the pool of an earlier case if there is one. A case that has already run to its end
        with the same inputs is restored from the cache, and its events are replayed.
        """
        self._spending.begin(spent=0.0)
        key = case_cache.make_key(self)
        finished = case_cache.lookup(self, key)
        if finished is not None:
            case_cache.restore(self, finished)
            self._spending.end()
            yield from case_cache.replay_events(finished.events, self)
            return
        events: list[Event] = []
        for event in self._run():
            events.append(event)
            if isinstance(event, Ranked):
                case_cache.store(self, key, events)
            yield event

    def _run(self) -> Iterator[Event]:
        self.stop = None
        self.plan = self.edited or self.make_plan()
        self.bounds = bounds = limit_to_plan(self.settings, self.plan, self.corpus)
        self.pool.limit = max(bounds.pool_size, len(self.pool))
        strategies = sort_by_trust([strategy(name) for name in bounds.strategies])
        yield PlanMade(self.plan)
        yield self._scan(self.plan)
        yield CoverageChanged(0, self.areas)
        first = self._last_round()
        for number in range(first + 1, first + bounds.rounds + 1):
            yield from self._decide(number - 1 - first)
            if self.stop is not None:
                break
            seeds = choose_seeds(self.pool, self.search_budget.seeds)
            yield from self._round(number, seeds, strategies, gaps=bounds.close_gaps)
        else:
            yield from self._decide(bounds.rounds)
        self.stop = self.stop or Stop(StopReason.ROUNDS)
        ranked = self._rank()
        self.stop = self._with_coverage(self._without_unfounded_estimate(self.stop))
        if self.evidence.status is EvidenceStatus.NONE:
            self._withdraw_transaction()
        yield CoverageChanged(self._last_round(), self.areas)
        yield Stopped(self.stop)
        yield ranked
        # A cancel before a run stops it; a cancel during or right after a run ends with it.
        self._cancelled.clear()

    def make_plan(self, *, offered: bool = False) -> QueryPlan:
        """Return the plan by which ``run`` would scan; with ``offered``, also the views a user may add."""
        helpers = Helpers(self._asking, self._embedder)
        return make_case_plan(
            self.question, self.corpus, self.settings, self._filters, self.day, helpers, offered=offered
        )

    def _scan(self, plan: QueryPlan) -> ScanFinished:
        """Scan the whole corpus into the pool: round 0."""
        self._filters = Filters(self.corpus, self.settings, self.day, plan)
        opening = scan_into_pool(
            plan,
            self.corpus,
            self._filters,
            self.bounds,
            self.search_budget,
            self._embedder,
            self.pool,
            self._reading,
        )
        self.scanned, self._coverage, self.notes = opening.scanned, opening.coverage, opening.notes
        self.transaction = opening.coverage.transaction
        self._assistance = Assistance(
            self.question, self.settings, self._asking, self.corpus, self._reading, opening.scanned.relevance
        )
        self._check_coverage(0)
        report = RoundReport(
            0, (), opening.counts, len(opening.hops), 0, len(self.pool), opening.milliseconds,
            opening.scanned.finders, after=_states(self.areas), purpose=describe_scan(active(plan)),
            kinds=(RoundKind.BROAD_SCAN,), searches=opening.searches,
        )  # fmt: skip
        self.rounds.append(report)
        return ScanFinished(report, opening.hops, self.notes, self.transaction)

    def _round(
        self,
        number: int,
        seeds: Seeds,
        strategies: Sequence[Strategy],
        *,
        gaps: bool = False,
        chosen: bool = False,
    ) -> Iterator[Event]:
        """Run one round. ``gaps``: also send queries for gaps; ``chosen``: a user chose the seeds."""
        started = time.perf_counter()
        coverage, assistance = self._coverage, self._assistance
        queries: tuple[GapQuery, ...] = ()
        if gaps and coverage is not None and assistance is not None:
            queries = assistance.queries(coverage)
        ids = self._reading.ids(seeds.rows)
        purpose = describe_round(strategies, ids, queries, self.pool, chosen=chosen)
        kinds = classify_round(strategies, ids, queries, chosen=chosen)
        yield RoundStarted(number, tuple(ids), queries)
        self.pool.explored.update(ids)
        context = Context(
            self.corpus,
            self.bounds,
            self.search_budget,
            self._relevance(),
            self._reading,
            queries,
            self._filters.mask,
        )
        dismissed = self.corpus.rows(sorted(self.pool.dismissed))
        gap_search = Gaps(
            self._embedder if context.relevance.vectors is not None else None,
            None if coverage is None else coverage.raises,
        )
        used = [*strategies, gap_search] if queries else list(strategies)
        shares = NOTHING if chosen else self._budget_shares(strategies)
        counts, hops = run_round(
            used, seeds, context, self.pool, dismissed, number, self._is_interrupted, shares
        )
        refused = sum(sum(count.refused.values()) for count in counts)
        milliseconds = 1000 * (time.perf_counter() - started)
        before = _states(self.areas)
        if coverage is not None:
            coverage.count_gained(queries, hops)
        changed = self._check_coverage(number)
        report = RoundReport(
            number, tuple(ids), counts, len(hops), refused, len(self.pool), milliseconds,
            queries=queries, before=before, after=_states(self.areas), purpose=purpose,
            kinds=kinds, searches=tuple(gap_search.searches),
        )  # fmt: skip
        self.rounds.append(report)
        yield RoundFinished(report, hops)
        yield changed

    def _budget_shares(self, strategies: Sequence[Strategy]) -> Mapping[str, float]:
        """Return the share of its budget that each strategy has earned in the rounds of this run."""
        last_scan = max(index for index, report in enumerate(self.rounds) if report.number == 0)
        rounds, view = self.rounds[last_scan + 1 :], self._view
        ranked: Counter[str] = Counter()
        if rounds and view is not None:
            best = view.ranked().rows[:EARNING_RANKS]
            ranked.update(map(self.pool.strategy, self._reading.ids(best)))
        return budget_shares(strategies, rounds, ranked, self.search_budget)

    def _check_coverage(self, number: int) -> CoverageChanged:
        self._update_coverage(number, None)
        return CoverageChanged(number, self.areas)

    def _check_shown(self) -> None:
        """Check coverage against the shown passages, in agreement with the evidence status."""
        shown = [member for ranked in self.ranking for member in (ranked.passage.id, *ranked.assembled_ids)]
        self._update_coverage(self._last_round(), self.corpus.rows(list(dict.fromkeys(shown))))
        if self._coverage is not None:
            self._coverage.agree(self.evidence)
            self._set_areas(self._coverage.areas)

    def _update_coverage(self, number: int, shown: Rows | None) -> None:
        coverage = self._coverage
        if coverage is not None:
            entries = [e for e in self.pool.entries() if e.passage_id not in self.pool.dismissed]
            rows = np.array([entry.row for entry in entries], np.int32)
            ids = [entry.passage_id for entry in entries]
            coverage.update(rows, ids, number, shown)
            self._set_areas(coverage.areas)

    # The decision to stop.

    def _decide(self, rounds_done: int) -> Iterator[Event]:
        """Set ``stop`` if a condition holds after ``rounds_done`` rounds; yield a judgement made for it."""
        progress, assistance = self._progress(rounds_done), self._assistance
        self.stop = decide(progress, self.bounds)
        if assistance is None or not (is_before_sufficiency(self.stop) and assistance.judges(rounds_done)):
            return
        judged, by = assistance.judge(self.areas, self.pool, self.completeness())
        report, confidence, reasons = self.rounds[-1], judged.confidence, judged.reasons
        judgement = RoundJudgement(by, judged.sufficient, judged.missing, confidence, reasons)
        self.rounds[-1] = replace(report, judged=judgement)
        yield SufficiencyJudged(
            report.number, by, judged.sufficient, judged.missing, judged.evidence, confidence, reasons
        )
        progress = self._progress(rounds_done)
        sufficient = judged.numbers if judged.sufficient else None
        self.stop = decide(replace(progress, sufficient=sufficient), self.bounds)

    def _progress(self, rounds_done: int) -> Progress:
        view = self._view
        figures: dict[str, float] = {}
        if view is not None:
            conditions = self.bounds.stop_when
            figures = measure_conditions(conditions, view, self.areas, self.rounds, self.completeness)
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
            gain=self.search_budget.gain,
            open_queries=self._open_queries(),
        )

    def _open_queries(self) -> int:
        """Count the gap queries that the next round would send."""
        coverage, assistance = self._coverage, self._assistance
        if coverage is None or assistance is None or not self.settings.close_gaps:
            return 0
        return coverage.open_queries + len(assistance.missing)

    def completeness(self) -> Completeness | None:
        """Estimate the share of the relevant passages that the pool holds.

        None if there is no basis for it.
        """
        if self.scanned is None:
            return None
        number = self.rounds[-1].number if self.rounds else 0
        return find_completeness(self.scanned, self.pool, self.areas, number, self._reading)

    def _without_unfounded_estimate(self, stop: Stop) -> Stop:
        """Drop the estimate of completeness for questions unlike those that it was learned from.

        It was learned from questions with evidence, and from no look-ups.
        """
        depth = None if self.plan is None else self.plan.depth
        looked_up = depth is not None and depth.kind is DepthKind.LOOK_UP
        if looked_up or self.evidence.status is not EvidenceStatus.FOUND:
            return replace(stop, completeness=None)
        return stop

    def _with_coverage(self, stop: Stop) -> Stop:
        """Add to the numbers of a stop what the rounds did for coverage."""
        needed = counted(self.areas)
        if not needed:
            return stop
        covered = [area for area in needed if area.state is AreaState.COVERED]
        closed = sum(area.closed_in is not None and area.closed_in > 0 for area in covered)
        sent = sum(len(report.queries) for report in self.rounds)
        gained = sum(area.gained or 0 for area in self.areas)
        numbers = {"areas": len(needed), "covered": len(covered), "closed_by_rounds": closed}
        numbers |= {"gap_queries": sent, "gap_passages": gained} if sent else {}
        return replace(stop, numbers={**stop.numbers, **numbers})

    def _withdraw_transaction(self) -> None:
        """Propose no type of transaction for a question without evidence."""
        if self.transaction is not None and self.transaction.proposed:
            self.transaction = replace(self.transaction, id=None)

    def _is_interrupted(self) -> bool:
        budget = self.settings.time_budget
        out_of_time = budget is not None and self._spending.seconds >= budget
        return self._cancelled.is_set() or out_of_time

    # The ranking.

    def _rank(self) -> Ranked:
        self._update_ranking()
        self._check_shown()
        self._spending.end()
        view = self._view
        if view is not None:
            self.metrics = measure_shown(view, self.ranking, self.areas, self.rounds)
        notes = self._later_notes()
        return Ranked(self.ranking, self.milliseconds, notes, self.usage, self.evidence, self.metrics)

    def _update_ranking(self) -> None:
        view = self._view
        if view is None:
            return
        relevance = view.scanned.relevance
        plan = relevance.plan
        reranked = self._reranking.applied(
            view.ranked(), self.corpus, self._reading, plan.language, self._is_interrupted
        )
        shown = view.shown(reranked)
        self.order, self.ranking = shown.order, shown.passages
        evidence = evidence_of(plan.views[0].text, plan, self.corpus, relevance, self.ranking)
        self.evidence = reconcile_part_evidence(evidence, [part.evidence for part in shown.parts])

    @property
    def _view(self) -> RankingView | None:
        """What decides which passages are shown; None before the scan."""
        if self.scanned is None or self.plan is None:
            return None
        return RankingView(
            self.corpus,
            self.pool,
            self.plan,
            self.settings,
            self.scanned,
            self._filters.mask,
            self._reading,
            self._experience,
        )

    def _later_notes(self) -> tuple[str, ...]:
        """Notes of the language model and the reranker that the scan did not report."""
        notes = dict.fromkeys((*self._asking.notes, *self._reranking.notes))
        return tuple(note for note in notes if note not in self.notes)

    # Steering by a user.

    def pin(self, passage_id: str) -> None:
        """Keep a passage at the top of the ranking, and use it as a seed of the next round."""
        self._admit_manually(passage_id)
        self.pool.dismissed.discard(passage_id)
        self.pool.pinned.add(passage_id)
        self._update_ranking()

    def dismiss(self, passage_id: str) -> None:
        """Remove a passage from the ranking; no later round proposes it or starts from it."""
        find_row(self.corpus, passage_id)
        self.pool.pinned.discard(passage_id)
        self.pool.dismissed.add(passage_id)
        self._update_ranking()

    def set_unneeded(self, area_id: str, *, needed: bool = False) -> None:
        """Record that the user does not need an area or a part of the question, or needs it after all.

        Raises InputError for an unknown one.
        """
        if area_id not in {area.id for area in self.areas}:
            raise InputError(f"no area or part {area_id[:60]!r} in the coverage of this case")
        self.areas = tuple(
            replace(area, needed=needed) if area.id == area_id else area for area in self.areas
        )
        self.metrics = replace(self.metrics, coverage=coverage_score(self.areas))

    def _set_areas(self, areas: Sequence[AreaCoverage]) -> None:
        """Set the areas; those that the user does not need stay so."""
        unneeded = {area.id for area in self.areas if not area.needed}
        self.areas = tuple(replace(area, needed=area.id not in unneeded) for area in areas)

    def follow(self, passage_id: str, strategies: Sequence[str]) -> Iterator[Event]:
        """Follow some strategies from one passage, as one more round.

        Raises InputError for a passage that is not in the corpus or a case that was not run yet,
        SettingsError for an unknown strategy.
        """
        relevance = self._relevance()
        followed = sort_by_trust([strategy(name) for name in strategies])
        number = self._last_round() + 1
        row = self._admit_manually(passage_id)
        if any(map(bypasses_gate, followed)):
            self.pool.limit = max(self.pool.limit, len(self.pool) + WHOLE_DOCUMENT_LIMIT)
        self._cancelled.clear()
        self._spending.begin(spent=self.milliseconds)
        # A user chose it: its own score does not matter.
        yield from self._round(number, Seeds(row, np.maximum(relevance.of(row), 1.0)), followed, chosen=True)
        yield self._rank()

    def _admit_manually(self, passage_id: str) -> Rows:
        row = find_row(self.corpus, passage_id)
        self._filters.check(row, self._reading.ids)
        score = 1.0 if self.scanned is None else float(self._relevance().of(row)[0])
        number = self._last_round() + 1 if self.rounds else 0
        admit_manually(self.pool, passage_id, int(row[0]), score, number)
        return row

    def _last_round(self) -> int:
        """Return the highest round so far; a case that continues from a saved pool continues its numbers."""
        return max([self.pool.last_round(), *(report.number for report in self.rounds)])

    def _relevance(self) -> Relevance:
        if self.scanned is None:
            raise InputError("the case has not been run yet")
        return self.scanned.relevance

    # The result.

    def investigation(self) -> Investigation:
        """Return the case as one object. Raises InputError for a case that was not run."""
        if self.plan is None or self.stop is None:
            raise InputError("the case has not been run yet")
        return Investigation(
            question=self.question,
            corpus=self.corpus.name,
            settings=self.settings,
            plan=self.plan,
            rounds=tuple(self.rounds),
            areas=self.areas,
            stop=self.stop,
            passages=self.ranking,
            pool=self.pool,
            milliseconds=self.milliseconds,
            started=self.started,
            day=self.as_of,
            notes=(*self.notes, *self._later_notes()),
            model="" if self.model is None else self.model.spec,
            evidence=self.evidence,
            metrics=self.metrics,
            transaction=self.transaction,
            usage=self.usage,
            found=self.found if self.scanned is None else found_by(self.scanned, self.pool, self.rounds),
            weights=self.weights,
        )


def _states(areas: Sequence[AreaCoverage]) -> dict[str, AreaState]:
    return {area.id: area.state for area in areas}
