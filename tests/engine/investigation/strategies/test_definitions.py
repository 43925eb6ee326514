"""Definitions of the terms of the question and of the seeds."""

from __future__ import annotations

import numpy as np

from engine.corpus.protocol import Corpus
from engine.investigation.strategies.base import Context, Evidence
from engine.investigation.strategies.contract import StrategyContract, context_of, seeds_of
from engine.investigation.strategies.entities import Definitions
from engine.investigation.trails import NO_SOURCE, RELATIONS
from engine.model import Relation

BERTH = "When may a berth be withdrawn from a vessel?"


class TestDefinitions(StrategyContract):
    starts_at_question = True
    made, on = Definitions, "toy"


class TestDefinitionsOfALaw(StrategyContract):
    starts_at_question = True
    question = BERTH
    made, on = Definitions, "bare"


def found(context: Context, *ids: str) -> dict[tuple[str | None, str], Evidence]:
    """What was found from where, by id, and its evidence."""
    corpus = context.corpus
    leads = Definitions().expand(seeds_of(*corpus.rows(list(ids)).tolist()), context)
    assert {RELATIONS[number] for number in leads.relations.tolist()} <= {Relation.DEFINES}
    targets = [passage.id for passage in corpus.passages(leads.rows)]
    has_source = leads.sources != NO_SOURCE
    names = iter(corpus.passages(leads.sources[has_source]))
    sources = [next(names).id if known else None for known in has_source.tolist()]
    evidence = Definitions().explain(leads, context)
    return dict(zip(zip(sources, targets, strict=True), evidence, strict=True))


def test_terms_of_the_question_lead_to_their_definitions(bare: Corpus) -> None:
    leads = found(context_of(bare, question=BERTH))
    assert leads[None, "harbour-act/art-1/para-3"] == Evidence("berth", None, "definition of berth")
    assert leads[None, "harbour-act/art-1/para-1"] == Evidence("vessel", None, "definition of vessel")
    assert len(leads) == 2


def test_a_question_without_defined_terms_leads_nowhere(bare: Corpus) -> None:
    assert found(context_of(bare, question="Who is fined?")) == {}


def test_a_question_in_another_language_has_none_of_these_terms(bare: Corpus) -> None:
    context = context_of(bare, question="Quand le navire doit-il payer ?")
    assert all(source is not None for source, _ in found(context, "harbour-act/art-10"))


def test_a_seed_leads_to_the_definition_of_its_own_document(bare: Corpus) -> None:
    seed = "harbour-act/art-10"
    leads = found(context_of(bare, question="Who is fined?"), seed)
    assert leads[seed, "harbour-act/art-1/para-3"] == Evidence("berth", seed, "definition of berth")


def test_another_documents_definition_counts_less(bare: Corpus) -> None:
    context = context_of(bare, question="Which dues does a vessel pay?")
    near = Definitions().expand(seeds_of(*bare.rows(["dues-act/art-2/para-1"]).tolist()), context)
    strengths = {
        bare.passages(near.rows[n : n + 1])[0].id: float(near.strengths[n])
        for n in np.flatnonzero(near.sources == NO_SOURCE).tolist()
    }
    assert strengths["dues-act/art-1"] == 1.0
    assert strengths["harbour-act/art-1/para-1"] == 0.5
