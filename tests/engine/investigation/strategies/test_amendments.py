"""Amendments, repeals, versions and exceptions, both ways and over several steps."""

from __future__ import annotations

from dataclasses import replace
from datetime import date
from pathlib import Path

import pytest

from engine.corpus import open_corpus
from engine.corpus.embedded.writing import write_corpus
from engine.corpus.protocol import Corpus
from engine.corpus.toy import toy_contents
from engine.ingestion.build import build_corpus
from engine.investigation.strategies.base import Context
from engine.investigation.strategies.citations import Amendments
from engine.investigation.strategies.contract import StrategyContract, context_of, seeds_of
from engine.model import Direction, Reference, Relation, Span, Status, TargetKind
from engine.settings import InvestigationSettings
from tests.engine.investigation.strategies.proposed import seeds, told
from tests.tables import table

ACT: str = table(__file__, "ACT")

TOLLS: str = table(__file__, "TOLLS")
WHOLE = """### Article 1 Change of the tolls

The Bridge Tolls Act is amended as follows: the toll for a cart is raised to five crowns.
"""
SECOND = """### Article 1 Change of the change

Article 1 of the Tolls Amendment Act is amended: the toll for a cart is raised next year only.

### Article 2 Weather

Rain is measured every day.
"""
LETTER = """### Article 1 Fees

The fees follow Article 3 of the Bridge Tolls Act.
"""


def write_acts(folder: Path) -> Path:
    """The toll of a bridge in three versions, an act that amends it as a whole, and one that amends that."""
    folder.mkdir()
    acts = [
        ("tolls", "Bridge Tolls Act", "5", 2001, "", TOLLS.replace("{{", "{").replace("}}", "}")),
        ("change", "Tolls Amendment Act", "8", 2019, "amends: [tolls]", WHOLE),
        ("second", "Second Amendment Act", "9", 2020, "", SECOND),
        ("letter", "Fees Act", "6", 2003, "", LETTER),
    ]
    for name, title, number, year, more, body in acts:
        text = ACT.format(id=name, title=title, number=number, year=year, more=more, body=body)
        (folder / f"{name}.md").write_text(text, encoding="utf-8")
    return folder


@pytest.fixture(scope="module")
def tolls(tmp_path_factory: pytest.TempPathFactory) -> Corpus:
    root = tmp_path_factory.mktemp("tolls")
    build_corpus([write_acts(root / "sources")], root / "tolls", embedding="none")
    return open_corpus(root / "tolls")


class TestAmendments(StrategyContract):
    made, on = Amendments, "toy"


class TestAmendmentsOfALaw(StrategyContract):
    made, on = Amendments, "tolls"


def asked(corpus: Corpus, **changes: object) -> Context:
    settings = InvestigationSettings().changed(**changes)
    return context_of(corpus, settings, question="What is the toll for a cart on a bridge?")


OLD, MIDDLE, NEW = "tolls/art-2", "tolls/art-2@2010-01-01", "tolls/art-2@2020-01-01"


def test_versions_are_followed_to_the_latest_and_back(tolls: Corpus) -> None:
    later = told(tolls, Amendments().expand(seeds(tolls, OLD), asked(tolls)))
    assert (OLD, MIDDLE, Relation.SUPERSEDES, Direction.IN, 1) in later
    assert (MIDDLE, NEW, Relation.SUPERSEDES, Direction.IN, 2) in later
    earlier = told(tolls, Amendments().expand(seeds(tolls, NEW), asked(tolls)))
    assert (NEW, MIDDLE, Relation.SUPERSEDES, Direction.OUT, 1) in earlier
    assert (MIDDLE, OLD, Relation.SUPERSEDES, Direction.OUT, 2) in earlier


def test_an_amendment_of_the_whole_act_reaches_its_provisions_both_ways(tolls: Corpus) -> None:
    to_act = told(tolls, Amendments().expand(seeds(tolls, NEW), asked(tolls)))
    assert (NEW, "change/art-1", Relation.AMENDS, Direction.IN, 1) in to_act
    # ... and what amends the amendment is one step further.
    assert ("change/art-1", "second/art-1", Relation.AMENDS, Direction.IN, 2) in to_act
    from_act = told(tolls, Amendments().expand(seeds(tolls, "change/art-1"), asked(tolls)))
    reached = {row for source, row, relation, _, _ in from_act if relation is Relation.AMENDS}
    assert {OLD, MIDDLE, NEW} & reached


def test_exceptions_are_followed_one_step(tolls: Corpus) -> None:
    found = told(tolls, Amendments().expand(seeds(tolls, "tolls/art-3"), asked(tolls)))
    assert ("tolls/art-3", "tolls/art-4", Relation.SUBJECT_TO, Direction.OUT, 1) in found
    assert {step for *_, relation, _, step in found if relation is Relation.SUBJECT_TO} == {1}
    back = told(tolls, Amendments().expand(seeds(tolls, NEW), asked(tolls)))
    assert {source for source, _, relation, *_ in back if relation is Relation.EXCEPTION_TO} == {NEW}


def test_what_is_not_in_force_is_no_lead_but_what_follows_it_is(tolls: Corpus) -> None:
    mask = ~tolls.out_of_force(date(2026, 1, 1))
    context = replace(asked(tolls), mask=mask)
    leads = Amendments().expand(seeds(tolls, OLD), context)
    found = told(tolls, leads)
    assert mask[leads.rows].all()
    assert (OLD, NEW, Relation.SUPERSEDES, Direction.IN, 2) in found, "over the version in between"


def test_an_exception_from_what_was_superseded_leads_to_what_holds(tmp_path: Path) -> None:
    """p1 makes an exception from p6, which is repealed; p3 takes the place of p6."""
    exception = Reference(
        "p1", Span(0, 6), "Powers", Relation.EXCEPTION_TO, Status.RESOLVED, TargetKind.PASSAGE, "p6"
    )
    replaces = replace(exception, source_id="p3", text="Fees a", relation=Relation.SUPERSEDES)
    write_corpus(tmp_path / "renewed", replace(toy_contents(), references=(exception, replaces)))
    corpus = open_corpus(tmp_path / "renewed")
    context = replace(asked(corpus), mask=~corpus.out_of_force(date(2026, 1, 1)))
    found = told(corpus, Amendments().expand(seeds(corpus, "p1"), context))
    assert ("p1", "p3", Relation.EXCEPTION_TO, Direction.OUT, 1) in found


def test_circles_end(tmp_path: Path) -> None:
    folder = tmp_path / "sources"
    folder.mkdir()
    for own, other in (("one", "two"), ("two", "one")):
        body = f"### Article 1 Change\n\nThis Act amends the {other.title()} Act and its toll."
        text = ACT.format(
            id=own, title=f"{own.title()} Act", number=own, year=2001, more=f"amends: [{other}]", body=body
        )
        (folder / f"{own}.md").write_text(text, encoding="utf-8")
    build_corpus([folder], tmp_path / "circle", embedding="none")
    corpus = open_corpus(tmp_path / "circle")
    leads = Amendments().expand(seeds_of(*range(len(corpus))), asked(corpus))
    assert 0 < len(leads) <= 2 * len(corpus)


def test_the_words_that_amend_are_quoted(tolls: Corpus) -> None:
    context = asked(tolls)
    leads = Amendments().expand(seeds(tolls, "change/art-1", NEW), context)
    evidence = list(Amendments().explain(leads, context))
    quotes = {item.quote for item in evidence}
    assert "Article 1 of the Tolls Amendment Act" in quotes
    assert any("Bridge Tolls Act" in words for words in quotes)
    assert {item.detail for item in evidence if not item.quote} == {"an earlier version", "a later version"}
