"""Why each round was made."""

from __future__ import annotations

import pytest

from engine.investigation.strategies.base import strategy
from engine.investigation.view import describe_round, describe_scan
from engine.model import GapQuery, QueryPlan, View
from tests.ui.values import small_pool

FORM = GapQuery("seals", "form", "Form")
SAID = GapQuery("towage of wrecks")
FOLLOW = "follow “References”"
FOUR = ("citations", "metadata", "entities", "semantic")


@pytest.mark.parametrize(
    ("names", "seeds", "queries", "purpose"),
    [
        (FOUR[:2], ("a", "b"), (), f"{FOLLOW}, “Same document” from the scan's best passages"),
        (FOUR, ("a",), (), "follow 4 threads from the scan's best passages"),
        (FOUR[:1], ("d", "f"), (), f"{FOLLOW} from what round 1 brought"),
        (FOUR[:1], ("a", "d"), (), f"{FOLLOW} from the best passages so far"),
        (
            FOUR[:1],
            (),
            (SAID, FORM, FORM),
            "close gaps: Form; find what was named missing: “towage of wrecks”",
        ),
        ((), ("a",), (), "nothing was left to follow"),
    ],
)
def test_a_round_is_for_what_it_does(
    names: tuple[str, ...], seeds: tuple[str, ...], queries: tuple[GapQuery, ...], purpose: str
) -> None:
    strategies = [strategy(name) for name in names]
    assert describe_round(strategies, seeds, queries, small_pool(), chosen=False) == purpose


def test_a_scan_is_for_the_views_that_are_on() -> None:
    plan = QueryPlan("q", "en", (View("literal", "q"), View("part", "r", enabled=False)))
    assert describe_scan(plan) == "find candidates by 1 view of the question"
