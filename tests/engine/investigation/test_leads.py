"""Leads in bulk: their orders are numpy's, the strongest of each link stays."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from engine.investigation.trails import Leads, make_leads, strongest
from engine.model import Relation

# Source, passage, direction, strength, evidence. Few values, so that many are equal.
DRAWN = st.lists(
    st.tuples(
        st.integers(-1, 3),
        st.integers(0, 4),
        st.integers(0, 1),
        st.sampled_from([0.0, 0.25, 0.5, 1.0]),
        st.integers(-1, 2),
    ),
    max_size=40,
)


def leads_of(drawn: list[tuple[int, int, int, float, int]]) -> Leads:
    sources, rows, directions, strengths, evidence = (
        (list(column) for column in zip(*drawn, strict=True)) if drawn else ([], [], [], [], [])
    )
    made = make_leads(
        np.array(rows, np.int32),
        np.array(sources, np.int32),
        np.array(strengths, np.float32),
        Relation.CITES,
        evidence=np.array(evidence, np.int32),
    )
    return replace(made, directions=np.array(directions, np.int8))


@given(DRAWN)
def test_the_strongest_of_each_link_stays_where_it_stood(
    drawn: list[tuple[int, int, int, float, int]],
) -> None:
    best: dict[tuple[int, ...], tuple[float, int]] = {}
    for number, (source, row, direction, strength, evidence) in enumerate(drawn):
        # From the question, each query says so for itself.
        link = (source, row, direction, evidence if source < 0 else 0)
        if link not in best or strength > best[link][0]:
            best[link] = strength, number
    stay = sorted(number for _, number in best.values())
    left = strongest(leads_of(drawn))
    assert left.evidence.tolist() == [drawn[number][4] for number in stay]
    assert left.rows.tolist() == [drawn[number][1] for number in stay]
    assert left.strengths.tolist() == [drawn[number][3] for number in stay]


@given(DRAWN)
def test_the_ends_of_leads_are_their_sources_and_passages(
    drawn: list[tuple[int, int, int, float, int]],
) -> None:
    leads = leads_of(drawn)
    rows, targets, sources = leads.ends
    assert rows.tolist() == sorted({*leads.rows.tolist(), *leads.sources.tolist()})
    assert rows[targets].tolist() == leads.rows.tolist()
    assert rows[sources].tolist() == leads.sources.tolist()
    assert leads.take(np.arange(len(leads))[::-1]).ends.targets.tolist() == targets[::-1].tolist()
