"""A case: one question under investigation. The loop of scan, rounds, stop and ranking."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, replace
from datetime import UTC, date, datetime

import numpy as np

from engine.breadth import Breadth, breadth_of
from engine.corpus.protocol import Corpus, Rows
from engine.errors import InputError
from engine.figures import OF_THE_SHOWN, condition
from engine.investigation.assistance import Assistance, budget_of, with_prefix
from engine.investigation.completeness import completeness_of
from engine.investigation.coverage import Coverage, opened
from engine.investigation.depth import bounded, worth_showing
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
from engine.investigation.gate import Gate, by_trust
from engine.investigation.leading import NAMED, NO_ROWS, admit_named, first_rows, led
from engine.investigation.meanings import meaning_named
from engine.investigation.metrics import metrics_of
from engine.investigation.parts import PartFound, parts_found, told_together, with_best_of_parts
from engine.investigation.pool import Pool
from engine.investigation.presentation import present
from engine.investigation.purpose import purpose_of_round, purpose_of_scan
from engine.investigation.ranking import Ranking, plain, rank
from engine.investigation.reading import Reading
from engine.investigation.record import Investigation
from engine.investigation.reranking import Reranking, pinned
from engine.investigation.seeding import seeds_of
from engine.investigation.stopping import Progress, conclusion, decide
from engine.investigation.strategies.base import Context, Seeds, Strategy, brings_whole
from engine.investigation.strategies.gaps import Gaps
from engine.investigation.strategies.registry import strategy
from engine.investigation.turn import PERSON, SCAN, admit_scanned, follow_threads
from engine.investigation.whole import MOST_OF_WHOLE, unweighed
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
    Direction,
    EvidenceStatus,
    GapQuery,
    Hop,
    Metrics,
    QueryPlan,
    RankedPassage,
    Relation,
    RoundJudgement,
    RoundReport,
    Stop,
    StopReason,
    StrategyCount,
    Transaction,
)
from engine.retrieval.asking import Asking
from engine.retrieval.embedding import embed_views
from engine.retrieval.planning import Helpers, active, checked_plan, make_plan
from engine.retrieval.planning.hypothetical import check_language
from engine.retrieval.relevance import Relevance
from engine.retrieval.scan import Scan, scan
from engine.settings import InvestigationSettings


class Case:
    """One question, its settings and its pool. Run it, steer it, run on.

    ``cancel`` may be called from another thread; everything else belongs to one. ``day`` is the day
    on which the law is looked at where the settings name none; today, unless another is given. ``model`` is
    asked where the settings say so and never else; ``meter`` counts what it uses and keeps the budget;
    ``used`` is what the saved case that this one carries on had used, by task; ``breadth`` overrides what the
    limit of the pool makes of scan and budgets. Raises
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
    ) -> None:
        if not question.strip():
            raise InputError("the question is empty: type one")
        check_transaction(corpus, settings.transaction_type)
        check_language(corpus, settings.hypothetical_language)
        self.corpus, self.question, self.settings = corpus, question, settings
        self.pool = pool if pool is not None else Pool(settings.pool_size)
        self.pool.limit = max(settings.pool_size, len(self.pool))
        self.plan: QueryPlan | None = None
        self.edited = None if plan is None else checked_plan(plan, question)
        self.areas: tuple[AreaCoverage, ...] = ()
        self.rounds: list[RoundReport] = []
        self.stop: Stop | None = None
        self.ranking: tuple[RankedPassage, ...] = ()
        self.order: Ranking | None = None
        self.milliseconds = 0.0
        self.evidence, self.metrics = UNJUDGED, UNMEASURED
        self.transaction: Transaction | None = None
        # What the depth of the question leaves of the settings.
        self.bounds = settings
        self._broad = breadth
        by_trust([strategy(name) for name in settings.strategies])
        self._cancelled = threading.Event()
        self._used = dict(used)
        self.model, self.meter = model, Meter(budget_of(settings), self._cancelled.is_set)
        self._asking = Asking(None if model is None else with_prefix(model, corpus), self.meter)
        self.day = day or date.today()
        self.started = datetime.now(UTC)
        self._filters = Filters(corpus, settings, self.day)
        self._embedder: Embedder | None = embedder(corpus.embedding)
        self._reranking = Reranking(question, settings.reranker, self._asking)
        self._calls_before = self._calls()
        self.notes: tuple[str, ...] = ()
        self.scanned: Scan | None = None
        self._coverage: Coverage | None = None
        self._assistance: Assistance | None = None
        self._reading = Reading(corpus)
        self._started = 0.0
        self._spent = 0.0
        self._filters.check(self.pool.rows(), self._reading.ids)

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

    def run(self) -> Iterator[Event]:
        """Open the case, or carry on from the pool it was given. Yields one event per step."""
        self._begin(spent=0.0)
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
        self._begin(spent=self.milliseconds)
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
        self._row(passage_id)
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
        )

    @property
    def usage(self) -> Mapping[str, Usage]:
        """What the language model used so far, by task; nothing where it was not asked."""
        before, now = self._used, self.meter.tasks
        return {task: before.get(task, Usage()) + now.get(task, Usage()) for task in {**before, **now}}

    def make_plan(self, *, offered: bool = False) -> QueryPlan:
        """The plan by which ``run`` would scan; ``offered``: with what a person may choose besides."""
        languages, mask = list(self.corpus.info().languages), self._filters.mask
        helpers = Helpers(self._asking, self._embedder)
        plan = make_plan(
            self.question,
            languages,
            self.settings,
            corpus=self.corpus,
            mask=mask,
            allowed=self._filters.demanded,
            day=self.day,
            offered=offered,
            helpers=helpers,
        )
        text = plan.views[0].text
        defined = meaning_named(self.corpus, text, plan.language, mask, plan.document_ids)
        if defined is None or plan.named:
            return plan
        return replace(plan, named=(defined,))

    def _broad_scan(self, whole: QueryPlan) -> ScanFinished:
        started = time.perf_counter()
        plan, settings, breadth = active(whole), self.bounds, self.breadth
        self._filters = Filters(self.corpus, self.settings, self.day, whole)
        vectors, notes = embed_views(self._embedder, self.corpus, plan)
        self.scanned = found = scan(
            self.corpus, plan, vectors, self._filters.mask,
            names=settings.retrievers, limit=breadth.scan, depth=breadth.depth,
        )  # fmt: skip
        named = admit_named(whole, self.pool, self.corpus)
        hops = admit_scanned(found, self.pool, self._reading)
        milliseconds = 1000 * (time.perf_counter() - started)
        counts = [StrategyCount(SCAN, len(found.rows), len(hops), milliseconds=milliseconds)]
        if named:
            counts.insert(0, StrategyCount(NAMED, len(named), len(named)))
        hops = [*named, *hops]
        kind = whole.constraints.transaction or settings.transaction_type
        self._coverage, told = opened(found.relevance, found.rows, kind, self._reading, self._embedder)
        self.transaction = self._coverage.transaction
        notes += (*found.notes, *self._filters.notes, *told)
        self.notes = (*plan.notes, *notes)
        self._assistance = Assistance(
            self.question, self.settings, self._asking, self.corpus, self._reading, found.relevance
        )
        self._check_coverage(0)
        report = RoundReport(
            0, (), tuple(counts), len(hops), 0, len(self.pool), milliseconds, found.finders,
            after=_states(self.areas), purpose=purpose_of_scan(plan),
        )  # fmt: skip
        self.rounds.append(report)
        return ScanFinished(report, tuple(hops), self.notes, self.transaction)

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
        turn = [*strategies, Gaps(model)] if queries else list(strategies)
        counts: tuple[StrategyCount, ...] = ()
        hops: tuple[Hop, ...] = ()
        # What belongs together comes after what is weighed by itself, past bounds that would tear it apart.
        whole = [one for one in turn if brings_whole(one)]
        weighed = [one for one in turn if not brings_whole(one)]
        for some, breadth in ((weighed, self.breadth), (whole, unweighed(self.breadth))):
            gate = Gate(
                breadth,
                room=self.pool.limit - len(self.pool),
                known=set(self.pool.rows().tolist()),
                dismissed=set(dismissed.tolist()),
            )
            told, found = follow_threads(some, seeds, context, self.pool, gate, number, self._halted)
            counts, hops = (*counts, *told), (*hops, *found)
        refused = sum(sum(count.refused.values()) for count in counts)
        milliseconds = 1000 * (time.perf_counter() - started)
        before = _states(self.areas)
        changed = self._check_coverage(number)
        report = RoundReport(
            number, tuple(ids), counts, len(hops), refused, len(self.pool), milliseconds,
            queries=queries, before=before, after=_states(self.areas), purpose=purpose,
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
        judged, by = assistance.judge(self.areas, self.pool, progress.completeness)
        report, sure, why = self.rounds[-1], judged.confidence, judged.reasons
        said = RoundJudgement(by, judged.sufficient, judged.missing, sure, why)
        self.rounds[-1] = replace(report, judged=said)
        yield SufficiencyJudged(
            report.number, by, judged.sufficient, judged.missing, judged.evidence, sure, why
        )
        told = replace(self._progress(rounds_done), sufficient=judged.numbers if judged.sufficient else None)
        self.stop = decide(told, self.bounds)

    def _progress(self, rounds_done: int) -> Progress:
        completeness = self.completeness()
        return Progress(
            round=rounds_done,
            admitted=self.rounds[-1].admitted if self.rounds else 0,
            pool_size=len(self.pool),
            pool_limit=self.pool.limit,
            seconds=time.perf_counter() - self._started,
            calls=self._calls() - self._calls_before,
            cancelled=self._cancelled.is_set(),
            completeness=completeness,
            figures=self._figures(completeness),
            gain=self.breadth.gain,
            open_queries=self._open_queries(),
        )

    def _figures(self, completeness: Completeness | None) -> dict[str, float]:
        """The figures that conditions ask for, as far as they are known."""
        wanted = {condition(one).figure for one in self.bounds.stop_when}
        if not wanted or self.scanned is None:
            return {}
        # What would be shown now; a reranker is asked at the end alone.
        shown = self._shown(self.scanned, self._ranked(self.scanned))[1] if wanted & OF_THE_SHOWN else ()
        found = self._metrics(self.scanned, shown)
        told = {"completeness": None if completeness is None else completeness.estimate, **asdict(found)}
        return {name: told[name] for name in wanted if told[name] is not None}

    def _metrics(self, scanned: Scan, shown: Sequence[RankedPassage]) -> Metrics:
        rows = self.corpus.rows([one.passage.id for one in shown])
        return metrics_of(rows, self.pool.rows(), scanned.relevance, self.areas, self.rounds, shown)

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
        self.milliseconds = self._spent + 1000 * (time.perf_counter() - self._started)
        if self.scanned is not None:
            self.metrics = self._metrics(self.scanned, self.ranking)
        notes = self._late_notes()
        return Ranked(self.ranking, self.milliseconds, notes, self.usage, self.evidence, self.metrics)

    def _late_notes(self) -> tuple[str, ...]:
        """What a person should know besides what the scan told."""
        late = dict.fromkeys((*self._asking.notes, *self._reranking.notes))
        return tuple(note for note in late if note not in self.notes)

    def _rank_again(self) -> None:
        if self.scanned is None:
            return
        relevance = self._relevance()
        language = relevance.plan.language
        refined = self._reranking.applied(
            self._ranked(self.scanned), self.corpus, self._reading, language, self._halted
        )
        self.order, self.ranking, parts = self._shown(self.scanned, refined)
        text = relevance.plan.views[0].text
        evidence = evidence_of(text, relevance.plan, self.corpus, relevance, self.ranking)
        self.evidence = told_together(evidence, [part.evidence for part in parts])

    def _ranked(self, scanned: Scan) -> Ranking:
        """The pool in order, as its passages are now; the scan's own order where nothing is followed."""
        if not self.settings.follow:
            return plain(self.pool, scanned.relevance, scanned.rows, scanned.scores)
        return rank(self.pool, self.corpus, scanned.relevance, self.settings.strategies, scanned.rows)

    def _shown(
        self, scanned: Scan, ranking: Ranking
    ) -> tuple[Ranking, tuple[RankedPassage, ...], Sequence[PartFound]]:
        """A ranking with what the question names first, the top of it as it is shown, in which each part of
        the question has its best passage, and what was found for the parts."""
        follows = self.settings.follow
        first = first_rows(self.plan, self.corpus) if follows and self.plan is not None else NO_ROWS
        top, mask, leading = self.settings.top_k, self._filters.mask, set(first.tolist())

        def read_(order: Ranking) -> tuple[RankedPassage, ...]:
            return present(order, self.pool, self.corpus, self._reading, scanned.hits, top, mask, leading)

        order = self._worth_showing(led(ranking, first), first)
        shown = read_(order)
        parts = parts_found(scanned.relevance, order, self._reading)
        lifted = with_best_of_parts(order, parts, shown, self.corpus) if follows else order
        return lifted, shown if lifted is order else read_(lifted), parts

    def _worth_showing(self, ranking: Ranking, first: Rows) -> Ranking:
        """A ranking without what a look-up does not need; pinned passages stay."""
        depth = None if self.plan is None else self.plan.depth
        if depth is None or depth.kind is not DepthKind.LOOK_UP or not len(first):
            return ranking
        kept = worth_showing(ranking.rows, first, self.pool, self._relevance())
        return ranking.take(kept | pinned(ranking))

    def _admit_by_person(self, passage_id: str) -> Rows:
        row = self._row(passage_id)
        self._filters.check(row, self._reading.ids)
        if passage_id not in self.pool:
            self.pool.limit = max(self.pool.limit, len(self.pool) + 1)
            score = float(self._relevance().of(row)[0]) if self.scanned is not None else 1.0
            number = self._last_round() + 1 if self.rounds else 0
            hop = Hop(passage_id, None, PERSON, Relation.MATCHES, Direction.OUT, number, 1.0)
            self.pool.admit(hop, int(row[0]), score)
        return row

    def _row(self, passage_id: str) -> Rows:
        row = self.corpus.rows([passage_id])
        if row[0] < 0:
            raise InputError(f"no passage {passage_id!r} in the corpus {self.corpus.name!r}")
        return row

    def _begin(self, *, spent: float) -> None:
        """Start the clock of a run, or of one lead; ``spent`` milliseconds were used before."""
        self._started, self._spent = time.perf_counter(), spent
        self.meter.restart()

    def _last_round(self) -> int:
        """The highest round so far; a case that carries on from a saved pool goes on counting."""
        numbers = [report.number for report in self.rounds] + [hop.round for hop in self.pool.hops()]
        return max(numbers, default=0)

    def _relevance(self) -> Relevance:
        if self.scanned is None:
            raise InputError("the case has not been run yet")
        return self.scanned.relevance

    def _halted(self) -> bool:
        budget = self.settings.time_budget
        out_of_time = budget is not None and time.perf_counter() - self._started >= budget
        return self._cancelled.is_set() or out_of_time

    def _calls(self) -> int:
        """Requests to outside models so far: of the reranker, the embedder and the language model."""
        embedder_calls = self._embedder.calls if self._embedder is not None else 0
        return self._reranking.calls + embedder_calls + self.meter.spent.calls


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
