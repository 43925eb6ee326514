"""References followed both ways and over several hops."""

from __future__ import annotations

from dataclasses import replace
from datetime import date

import numpy as np
import pytest

from engine.corpus import open_corpus
from engine.corpus.embedded.writing import write_corpus
from engine.corpus.protocol import Corpus
from engine.corpus.toy import toy_contents
from engine.investigation.strategies.base import Context
from engine.investigation.strategies.citations import Citations, quote, rank_within
from engine.investigation.strategies.contract import StrategyContract, context_of, seeds_of
from engine.model import Direction, Passage, Reference, Relation, Span, Status, TargetKind
from engine.settings import InvestigationSettings
from tests.engine.investigation.strategies.proposed import seeds, told


class TestCitations(StrategyContract):
    made, on = Citations, "toy"


class TestCitationsOfALaw(StrategyContract):
    made, on = Citations, "bare"


def hopping(corpus: Corpus, hops: int, direction: str = "both") -> Context:
    """A context in which so many references are followed in a row."""
    context = context_of(corpus, InvestigationSettings().changed(citation_direction=direction))
    return replace(context, search_budget=replace(context.search_budget, hops=hops))


def test_a_chain_of_references_is_followed_hop_by_hop(bare: Corpus) -> None:
    one, two, three = (
        told(
            bare,
            Citations().expand(
                seeds(bare, "harbour-act/art-5/para-2"),
                hopping(bare, hops),
            ),
        )
        for hops in (1, 2, 3)
    )
    withdrawal, objection = "harbour-act/art-5/para-2", "harbour-act/art-11/para-2"
    assert (withdrawal, objection, Relation.CITES, Direction.OUT, 1) in one
    assert {step for *_, step in one} == {1}
    suspension = (objection, "harbour-act/art-12@2019-01-01", Relation.CITES, Direction.OUT, 2)
    assert suspension in two
    assert suspension not in one
    superseded = (
        "harbour-act/art-12@2019-01-01",
        "harbour-act/art-12",
        Relation.SUPERSEDES,
        Direction.OUT,
        3,
    )
    assert superseded in three
    assert superseded not in two


def test_who_cites_a_seed_is_found_too_and_counts_less(bare: Corpus) -> None:
    context = hopping(bare, 1)
    there = Citations().expand(seeds(bare, "harbour-act/art-9"), context)
    back = Citations().expand(seeds(bare, "harbour-act/art-6/para-1"), context)
    assert ("harbour-act/art-6/para-1", "harbour-act/art-9", Relation.CITES, Direction.IN, 1) in told(
        bare, back
    )
    out = there.strengths[there.rows == bare.rows(["harbour-act/art-6/para-1"])[0]]
    incoming = back.strengths[back.rows == bare.rows(["harbour-act/art-9"])[0]]
    assert out.max() > incoming.max() > 0


@pytest.mark.parametrize(
    "seed", ["harbour-act/art-5/para-2", "harbour-act/art-9", "pilot-regulation/section-2"]
)
def test_only_the_references_of_the_wanted_direction_are_followed(bare: Corpus, seed: str) -> None:
    both, out, back = (
        told(bare, Citations().expand(seeds(bare, seed), hopping(bare, 3, direction)))
        for direction in ("both", "out", "in")
    )
    assert {direction for _, _, _, direction, _ in out} <= {Direction.OUT}
    assert {direction for _, _, _, direction, _ in back} <= {Direction.IN}
    assert out | back <= both


def test_both_directions_are_the_union_of_each(bare: Corpus) -> None:
    everything = seeds_of(*range(len(bare)))
    both, out, back = (
        told(bare, Citations().expand(everything, hopping(bare, 1, direction)))
        for direction in ("both", "out", "in")
    )
    assert out
    assert back
    assert not out & back
    assert out | back == both


@pytest.fixture(scope="module")
def renewed(tmp_path_factory: pytest.TempPathFactory) -> Corpus:
    """The toy corpus, in which p1 cites p6, which is repealed, and p3 takes the place of p6."""
    contents = toy_contents()
    cites = Reference("p1", Span(0, 6), "Powers", Relation.CITES, Status.RESOLVED, TargetKind.PASSAGE, "p6")
    replaces = replace(cites, source_id="p3", text="Fees a", relation=Relation.SUPERSEDES)
    folder = tmp_path_factory.mktemp("renewed") / "corpus"
    write_corpus(folder, replace(contents, references=(cites, replaces)))
    return open_corpus(folder)


def test_a_reference_to_a_superseded_text_leads_to_the_one_that_holds(renewed: Corpus) -> None:
    plain = hopping(renewed, 1)
    held = replace(plain, mask=~renewed.out_of_force(date(2026, 1, 1)))
    link = (Relation.CITES, Direction.OUT, 1)
    assert told(renewed, Citations().expand(seeds(renewed, "p1"), plain)) == {("p1", "p6", *link)}
    assert told(renewed, Citations().expand(seeds(renewed, "p1"), held)) == {("p1", "p3", *link)}
    # Who cites the old text is still told of it: only what is cited is renewed.
    back = Citations().expand(seeds(renewed, "p6"), held)
    assert ("p6", "p1", Relation.CITES, Direction.IN, 1) in told(renewed, back)


def test_the_quote_is_the_reference_with_the_words_that_lead_to_it(bare: Corpus) -> None:
    context = hopping(bare, 1)
    leads = Citations().expand(seeds(bare, "harbour-act/art-5/para-2"), context)
    (found,) = {item.quote for item in Citations().explain(leads, context)}
    assert found == "Against it an objection under Article 11"


TEXT = "First sentence. The duty in this case, which is wide, ends subject to Article 14, as agreed."


@pytest.mark.parametrize(
    ("text", "cited", "quoted"),
    [
        (TEXT, "Article 14", "is wide, ends subject to Article 14"),
        ("Article 14 applies.", "Article 14", "Article 14"),
        ("See Article 14.", "Article 14", "See Article 14"),
        ("It ends. Article 14 applies.", "Article 14", "Article 14"),
        ("duty;\nunder Article 14", "Article 14", "under Article 14"),
        ("x" * 100 + " under Article 14", "Article 14", "under Article 14"),
        ("", "", ""),
    ],
)
def test_quotes_stay_in_their_sentence(text: str, cited: str, quoted: str) -> None:
    start = text.index(cited)
    reference = Reference("p", Span(start, start + len(cited)), cited, Relation.CITES, Status.RESOLVED)
    assert quote(reference, Passage("p", "d", None, 0, text)) == quoted
    assert quoted in text


def test_places_count_within_each_group_by_score() -> None:
    place, size = rank_within(np.array([7, 3, 7, 7], np.int32), np.array([0.1, 0.5, 0.9, 0.1], np.float32))
    assert place.tolist() == [2, 1, 1, 3]
    assert size.tolist() == [3, 1, 3, 3]


def test_a_translation_that_lacks_what_it_cites_leads_into_the_original_and_says_so(meridia: Corpus) -> None:
    law = "commercial-agency-code"
    context = context_of(meridia, question="Was darf ein Sonderbeschluss nicht gestatten?")
    row, annex = meridia.rows([f"{law}-de/sec-15/para-4", f"{law}/annex-ii/para-1"]).tolist()
    leads = Citations().expand(seeds_of(row), context)
    told = [one.detail for one in Citations().explain(leads, context)]
    from_to = [
        (source.language, reached.language)
        for source, reached in zip(meridia.passages(leads.sources), meridia.passages(leads.rows), strict=True)
    ]
    assert told[leads.rows.tolist().index(annex)] == (
        "across languages: from the German text into the English one"
    )
    assert ("de", "de") in from_to
    assert all(bool(detail) == (one != other) for detail, (one, other) in zip(told, from_to, strict=True))
