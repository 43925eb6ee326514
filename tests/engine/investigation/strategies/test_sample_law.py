"""The sample corpus: what its questions' terms mean, and what amended the article that they are about."""

from __future__ import annotations

from dataclasses import replace
from datetime import date

import pytest

from engine.breadth import breadth_of
from engine.corpus.protocol import Corpus
from engine.investigation import Case
from engine.model import Hop, Relation
from engine.settings import InvestigationSettings
from tests.engine.investigation.story import ran

DAY = date(2026, 1, 1)
CODE, REGISTER, ACT = "commercial-agency-code", "commercial-register-act", "agency-code-amendment-act-2023"


def hops(corpus: Corpus, question: str, strategy: str) -> list[Hop]:
    settings = InvestigationSettings(strategies=(strategy,), rounds=2, close_gaps=False)
    breadth = replace(breadth_of(settings), scan=10, gain=0.0, gate=0.1)
    case = Case(corpus, question, settings, day=DAY, breadth=breadth)
    ran(case)
    return [hop for hop in case.pool.hops() if hop.strategy == strategy]


@pytest.mark.parametrize(
    ("question", "defined"),
    [
        (
            "Can a manager with limited authority grant an agent broader powers than those in the register?",
            {
                "limited authority": f"{CODE}/art-3/para-7",
                "broader powers": f"{CODE}/art-3/para-8",
                "manager": f"{REGISTER}/art-2/para-3",
                "agent": f"{CODE}/art-3/para-2",
                "register": f"{REGISTER}/art-2/para-1",
            },
        ),
        (
            "What must a special resolution contain before a manager may confer wider powers?",
            {"special resolution": f"{CODE}/art-3/para-11"},
        ),
        ("هل يجوز للوكيل التوكيل من الباطن؟", {"التوكيل من الباطن": f"{CODE}-ar/art-3/para-10"}),
    ],
)
def test_the_terms_of_a_question_are_defined(meridia: Corpus, question: str, defined: dict[str, str]) -> None:
    found = {
        (hop.quote, hop.target_id) for hop in hops(meridia, question, "definitions") if not hop.source_id
    }
    assert found >= set(defined.items()), found


def test_a_definition_by_reference_is_followed(meridia: Corpus) -> None:
    found = hops(meridia, "Who is a manager under the Agency Code?", "definitions")
    onward = {(hop.source_id, hop.target_id) for hop in found if "has the meaning given in" in hop.quote}
    assert any(
        source == f"{CODE}/art-3/para-6" and target.startswith(f"{REGISTER}/art-2")
        for source, target in onward
    ), onward


def test_a_version_that_no_longer_holds_is_not_brought(meridia: Corpus) -> None:
    found = hops(meridia, "When may an agent grant powers to a sub-agent by sub-delegation?", "amendments")
    gone = meridia.out_of_force(DAY)
    assert not gone[meridia.rows([hop.target_id for hop in found])].any()


def test_on_an_earlier_day_the_old_version_leads_to_the_new(meridia: Corpus) -> None:
    settings = InvestigationSettings(
        strategies=("amendments",), rounds=2, close_gaps=False, include_superseded=True
    )
    question = "May an agent sub-delegate under Article 22 of the Agency Code?"
    case = Case(meridia, question, settings, day=DAY, breadth=replace(breadth_of(settings), scan=30))
    ran(case)
    versions = {
        (hop.source_id, hop.target_id)
        for hop in case.pool.hops()
        if hop.strategy == "amendments" and hop.relation is Relation.SUPERSEDES
    }
    old, new = f"{CODE}/art-22/para-1", f"{CODE}/art-22@2024-01-01/para-1"
    assert (old, new) in versions or (new, old) in versions
