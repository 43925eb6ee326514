from __future__ import annotations

import pytest

from engine.corpus.protocol import Corpus
from engine.ontology.applying import facts_from
from engine.ontology.reports import mentioned_facts

BROAD = "May a manager with an authority of 50,000 crowns sign a power of attorney for 200,000 crowns?"


@pytest.mark.parametrize(
    ("question", "stated"),
    [
        (BROAD, {"authority": "50,000 crowns", "scope": "200,000 crowns"}),
        ("It was delivered on 10 January 2024 and lodged on 20 February 2024.",
         {"delivered": "10 January 2024", "lodged": "20 February 2024"}),
        ("A special resolution for 30 months was adopted.", {"resolution_duration": "30 months"}),
        ("What is the authority of a manager? The fee is 300 crowns.", {}),
        ("A manager has an authority of 50,000 euros.", {}),
        ("Who appoints managers?", {}),
        ("", {}),
    ],
)  # fmt: skip
def test_what_a_question_states(meridia: Corpus, question: str, stated: dict[str, str]) -> None:
    assert meridia.ontology is not None
    found = mentioned_facts(meridia.ontology, question, "en")
    assert {one.fact: one.words for one in found} == stated
    for one in found:
        assert question[one.span.start : one.span.end] == one.words
    # What is proposed can be taken as it stands.
    assert set(facts_from(meridia.ontology, {one.fact: one.value for one in found})) == set(stated)
