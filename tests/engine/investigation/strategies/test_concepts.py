"""From the question over a concept to its articles, and to what these refer to."""

from __future__ import annotations

from engine.corpus.protocol import Corpus
from engine.investigation.strategies.base import Seeds
from engine.investigation.strategies.concepts import Concepts
from engine.investigation.strategies.contract import StrategyContract, all_seeds, context_of, seeds_of
from engine.investigation.trails import NO_SOURCE
from engine.model import Direction, Hop, Relation
from engine.records.phrases import trail_sentence

QUESTION = "When does the objection deadline end after an amended assessment?"


class TestConcepts(StrategyContract):
    question = QUESTION
    starts_at_question = True
    made, on = Concepts, "meridia"


def told(corpus: Corpus, question: str, seeds: Seeds | None = None) -> dict[str, str]:
    context = context_of(corpus, question=question)
    leads = Concepts().expand(seeds or seeds_of(0), context)
    evidence = Concepts().explain(leads, context)
    ids = [passage.id for passage in corpus.passages(leads.rows)]
    return {
        name: one.detail or one.quote
        for name, one, source in zip(ids, evidence, leads.sources.tolist(), strict=True)
        if source == NO_SOURCE
    }


def test_each_article_says_which_concept_the_question_names(meridia: Corpus) -> None:
    found = told(meridia, QUESTION)
    assert found["tax-procedure-act/art-26/para-1"] == (
        "Article 26 of the Tax Procedure Act, an article of the concept “objection deadline” "
        "that the question names"
    )
    assert "the definition of the concept" in found["tax-procedure-act/art-3/para-6"]
    # The wider concept is one step further.
    assert "the parent of “objection deadline”" in found["tax-procedure-act/art-25/para-1"]


def test_the_trail_is_a_sentence(meridia: Corpus) -> None:
    detail = told(meridia, QUESTION)["tax-procedure-act/art-26/para-1"]
    where = "tax-procedure-act/art-26/para-1"
    hop = Hop(where, None, "concepts", Relation.APPLIES_TO, Direction.OUT, 1, 1.0, detail=detail)
    assert trail_sentence((hop,), str) == f"{detail}."


def test_the_more_important_concept_counts_more(meridia: Corpus) -> None:
    context = context_of(meridia, question="special power or sub-delegation")
    leads = Concepts().expand(all_seeds(meridia), context)
    names = [passage.id for passage in meridia.passages(leads.rows)]
    strength = dict(zip(names, leads.strengths.tolist(), strict=True))
    assert strength["commercial-agency-code/art-21/para-1"] > strength["commercial-agency-code/art-12/para-1"]


def test_where_nothing_is_named_or_known_nothing_is_proposed(meridia: Corpus, bare: Corpus) -> None:
    assert told(meridia, "Where is the moon?") == {}
    assert told(bare, QUESTION) == {}
