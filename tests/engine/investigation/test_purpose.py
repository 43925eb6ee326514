"""Why each round was made."""

from __future__ import annotations

import pytest

from engine.investigation.purpose import purpose_of_round, purpose_of_scan
from engine.investigation.strategies.registry import strategy
from engine.model import GapQuery, QueryPlan, View
from tests.ui.values import small_pool

AGENCY, FORM = GapQuery("powers", "agency", "Agency"), GapQuery("seals", "form", "Form")
SAID = GapQuery("towage of wrecks")


@pytest.mark.parametrize(
    ("names", "seeds", "queries", "purpose"),
    [
        (
            ("citations", "metadata"),
            ("a", "b"),
            (),
            "follow “References, both ways”, “Same document” from the scan's best passages",
        ),
        (
            ("citations", "metadata", "entities", "semantic"),
            ("a",),
            (),
            "follow 4 threads from the scan's best passages",
        ),
        (("citations",), ("d", "f"), (), "follow “References, both ways” from what round 1 brought"),
        (("citations",), ("a", "d"), (), "follow “References, both ways” from the best passages so far"),
        ((), ("a",), (AGENCY, AGENCY, FORM), "close gaps: Agency, Form"),
        (
            ("citations",),
            (),
            (SAID, FORM),
            "close gaps: Form; find what was named missing: “towage of wrecks”",
        ),
        ((), ("a",), (), "nothing was left to follow"),
    ],
)
def test_a_round_is_for_what_it_does(
    names: tuple[str, ...], seeds: tuple[str, ...], queries: tuple[GapQuery, ...], purpose: str
) -> None:
    strategies = [strategy(name) for name in names]
    assert purpose_of_round(strategies, seeds, queries, small_pool(), chosen=False) == purpose


def test_a_scan_is_for_the_views_that_are_on() -> None:
    plan = QueryPlan("q", "en", (View("literal", "q"), View("part", "r", enabled=False)))
    assert purpose_of_scan(plan) == "find candidates by 1 view of the question"
