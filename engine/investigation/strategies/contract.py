# The names of tests replace docstrings.
# ruff: noqa: D102
"""The contract of strategies: every strategy has to pass these tests.

A strategy's test module inherits ``StrategyContract`` and provides the strategy and a corpus with leads for
it::

    class TestCitations(StrategyContract):
        @pytest.fixture(scope="class")
        @classmethod
        def corpus(cls, tmp_path_factory):
            return toy_corpus(tmp_path_factory.mktemp("toy") / "harbour")

        @pytest.fixture
        def strategy(self):
            return Citations()

A strategy that starts at queries instead of seeds sets ``queries``. One that also starts at words of the
question sets ``starts_at_question``, and ``question`` if the default one has no such words.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import fields
from pathlib import Path

import numpy as np

from engine.corpus import open_corpus
from engine.corpus.embedded.writing import write_corpus
from engine.corpus.protocol import Corpus, Rows
from engine.corpus.toy import toy_contents
from engine.investigation.pool import Reading
from engine.investigation.strategies.base import Context, Seeds, Strategy, all_strategies
from engine.investigation.trails import NO_SOURCE, RELATIONS, Leads
from engine.model import GapQuery
from engine.retrieval.planning import make_plan
from engine.retrieval.scan import scan
from engine.search_budget import budget_for
from engine.settings import InvestigationSettings
from engine.strategy_registry import BUILT_IN, check_strategy

QUESTION = "Which fees does a vessel pay under the harbour code?"


def toy_corpus(folder: Path) -> Corpus:
    """Return the toy corpus of the Corpus contract, in a new folder: eight passages, vectors in the plane."""
    write_corpus(folder, toy_contents())
    return open_corpus(folder)


def context_of(
    corpus: Corpus,
    settings: InvestigationSettings | None = None,
    *,
    question: str = QUESTION,
    queries: Sequence[str] = (),
) -> Context:
    """Make the context of a strategy after a lexical scan."""
    settings = settings or InvestigationSettings()
    plan = make_plan(question, list(corpus.info().languages))
    search_budget = budget_for(settings)
    found = scan(
        corpus, plan, None, names=settings.retrievers, limit=search_budget.scan, depth=search_budget.depth
    )
    sent = tuple(GapQuery(words, f"area-{number}") for number, words in enumerate(queries))
    return Context(corpus, settings, search_budget, found.relevance, Reading(corpus), sent)


def seeds_of(*rows: int) -> Seeds:
    """Make seeds of equal scores from rows."""
    return Seeds(np.array(rows, np.int32), np.ones(len(rows), np.float32))


def rows_of(corpus: Corpus) -> range:
    """Return rows to start from one by one: all of a small corpus, one or two hundred of a larger one."""
    return range(0, len(corpus), max(1, len(corpus) // 100))


def all_seeds(corpus: Corpus) -> Seeds:
    """Make seeds from every passage of the corpus."""
    return seeds_of(*range(len(corpus)))


class StrategyContract:
    """The tests. A subclass provides the fixtures ``strategy`` and ``corpus``."""

    queries: tuple[str, ...] = ()
    question: str = QUESTION
    starts_at_question: bool = False

    def context(self, corpus: Corpus) -> Context:
        return context_of(corpus, question=self.question, queries=self.queries)

    def leads(self, strategy: Strategy, corpus: Corpus, seeds: Seeds) -> Leads:
        return strategy.expand(seeds, self.context(corpus))

    def test_it_has_the_required_attributes(self, strategy: Strategy) -> None:
        check_strategy(strategy, f"strategy {strategy.name!r}")
        if strategy.name in BUILT_IN:
            assert all_strategies()[strategy.name] is type(strategy), "a built-in name cannot be taken"

    def test_it_proposes_something(self, strategy: Strategy, corpus: Corpus) -> None:
        assert len(self.leads(strategy, corpus, all_seeds(corpus))) > 0

    def test_no_seeds_and_no_queries_give_no_leads(self, strategy: Strategy, corpus: Corpus) -> None:
        leads = strategy.expand(seeds_of(), context_of(corpus, question=self.question))
        if self.starts_at_question:
            first = leads.steps == 1
            assert first.any()
            assert (leads.sources[first] == NO_SOURCE).all()
        else:
            assert len(leads) == 0

    def test_leads_are_arrays_of_one_shape(self, strategy: Strategy, corpus: Corpus) -> None:
        for seeds in (all_seeds(corpus), seeds_of(0), seeds_of()):
            leads = self.leads(strategy, corpus, seeds)
            columns = {field.name: getattr(leads, field.name) for field in fields(leads)}
            assert {name: column.shape for name, column in columns.items()} == dict.fromkeys(
                columns, (len(leads),)
            )
            kinds = {name: column.dtype for name, column in columns.items()}
            assert kinds == {
                **dict.fromkeys(("rows", "sources", "evidence"), np.dtype(np.int32)),
                **dict.fromkeys(("relations", "directions", "steps"), np.dtype(np.int8)),
                "strengths": np.dtype(np.float32),
            }

    def test_values_are_within_their_bounds(self, strategy: Strategy, corpus: Corpus) -> None:
        leads = self.leads(strategy, corpus, all_seeds(corpus))
        assert ((leads.rows >= 0) & (leads.rows < len(corpus))).all()
        assert ((leads.strengths >= 0) & (leads.strengths <= 1)).all()
        assert ((leads.relations >= 0) & (leads.relations < len(RELATIONS))).all()
        assert np.isin(leads.directions, (0, 1)).all()
        assert (leads.steps >= 1).all()

    def test_sources_are_seeds_or_leads_of_an_earlier_step(self, strategy: Strategy, corpus: Corpus) -> None:
        for row in rows_of(corpus):
            leads = self.leads(strategy, corpus, seeds_of(row))
            known: set[int] = {row, NO_SOURCE}
            for step in sorted(set(leads.steps.tolist())):
                here = leads.steps == step
                assert set(leads.sources[here].tolist()) <= known
                known |= set(leads.rows[here].tolist())

    def test_leads_of_one_seed_are_among_those_of_all(self, strategy: Strategy, corpus: Corpus) -> None:
        everything = set(self.leads(strategy, corpus, all_seeds(corpus)).rows.tolist())
        for row in rows_of(corpus):
            found = self.leads(strategy, corpus, seeds_of(row))
            assert set(found.rows[found.steps == 1].tolist()) <= everything

    def test_every_lead_is_explained_verbatim(self, strategy: Strategy, corpus: Corpus) -> None:
        context = self.context(corpus)
        leads = strategy.expand(all_seeds(corpus), context)
        evidence = strategy.explain(leads, context)
        assert len(evidence) == len(leads)
        quoted = corpus.rows([item.quoted_from or "" for item in evidence])
        for item, row, passage in zip(evidence, quoted.tolist(), texts(corpus, quoted), strict=True):
            if item.quoted_from is None:
                from_question = self.starts_at_question and item.quote in self.question
                assert item.quote == "" or item.quote in self.queries or from_question
            else:
                assert row >= 0
                assert item.quote in passage

    def test_a_quote_is_at_one_end_of_its_link(self, strategy: Strategy, corpus: Corpus) -> None:
        context = self.context(corpus)
        leads = strategy.expand(all_seeds(corpus), context)
        for number, item in enumerate(strategy.explain(leads, context)):
            if item.quoted_from is not None:
                quoted = int(corpus.rows([item.quoted_from])[0])
                assert quoted in (int(leads.rows[number]), int(leads.sources[number]))

    def test_some_leads_can_be_explained_without_the_others(self, strategy: Strategy, corpus: Corpus) -> None:
        context = self.context(corpus)
        leads = strategy.expand(all_seeds(corpus), context)
        whole = list(strategy.explain(leads, context))
        for number in range(len(leads)):
            assert list(strategy.explain(leads.take(np.array([number], np.intp)), context)) == [whole[number]]

    def test_the_same_seeds_give_the_same_leads(self, strategy: Strategy, corpus: Corpus) -> None:
        first, second = (self.leads(strategy, corpus, all_seeds(corpus)) for _ in range(2))
        for field in fields(first):
            assert getattr(first, field.name).tolist() == getattr(second, field.name).tolist()


def texts(corpus: Corpus, rows: Rows) -> list[str]:
    """Return the text at each row, "" for a row of -1."""
    known = np.flatnonzero(rows >= 0)
    passages = dict(zip(known.tolist(), corpus.passages(rows[known]), strict=True))
    return [passages[index].text if index in passages else "" for index in range(len(rows))]
