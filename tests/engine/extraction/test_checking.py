from __future__ import annotations

from typing import Any

import pytest

from engine.corpus.extracted import Proposal
from engine.extraction.prompting import MOST_ENTRIES, ModelAnswer, Piece, Refused, Window, check_answer
from engine.model import Document, Passage, Relation

MODEL = "openai:scripted"
TEXTS = (
    "A manager may grant an agent powers.  Powers end with the grant. Powers end with the grant.",
    "Article 1 does not apply to “brokers”\u00a0of ships.",
)
PASSAGES = tuple(Passage(f"act/{n}", "act", None, n, text) for n, text in enumerate(TEXTS, start=1))
WINDOW = Window(
    Document("act", "Act"), tuple(Piece(passage, 0, len(passage.text)) for passage in PASSAGES), "w"
)
KNOWN = {
    "C1": Proposal(
        source_id="act/9", quote="Broker means", relation=Relation.DEFINES, concept="broker", confidence=1.0
    )
}


def link(**more: Any) -> dict[str, Any]:
    quote = 'does not apply to "brokers" of ships'
    return {"from": "P2", "to": "P1", "relation": "exception_to", "quote": quote, "confidence": 0.5, **more}


def concept(**more: Any) -> dict[str, Any]:
    return {
        "name": "agent", "passage": "P1", "role": "uses", "quote": "agent", "confidence": 0.5, **more,
    }  # fmt: skip


def check(*, concepts: list[Any] | None = None, links: list[Any] | None = None) -> Any:
    said = ModelAnswer.model_validate({"concepts": concepts or [], "links": links or []})
    return check_answer(said, WINDOW, KNOWN, MODEL)


def test_a_quote_is_kept_as_the_text_writes_it() -> None:
    (kept,) = check(links=[link()]).proposals
    assert kept.quote == "does not apply to “brokers”\u00a0of ships"
    assert (kept.source_id, kept.target_id, kept.relation) == ("act/2", "act/1", Relation.EXCEPTION_TO)
    assert (kept.said_by, kept.confidence, kept.occurrence) == (MODEL, 0.5, 0)


def test_a_use_may_be_a_single_word_and_a_definition_not() -> None:
    (kept,) = check(concepts=[concept()]).proposals
    assert (kept.relation, kept.concept, kept.quote) == (Relation.MENTIONS, "agent", "agent")
    assert check(concepts=[concept(role="defines")]).refused == {Refused.QUOTE: 1}
    assert check(concepts=[concept(role="defines", quote="may grant an agent powers")]).proposals


@pytest.mark.parametrize(
    ("wrong", "reason"),
    [
        (link(quote="does not apply to brokers of ships"), Refused.QUOTE),
        (link(quote=""), Refused.QUOTE),
        (link(quote="Powers end with the grant."), Refused.QUOTE),
        (link(to="C2"), Refused.KEY),
        (link(to="act/1"), Refused.KEY),
        (link(relation="cites"), Refused.RELATION),
        (link(relation="mentions"), Refused.RELATION),
        (link(to="P2"), Refused.ITSELF),
        (link(confidence=1.5), Refused.CONFIDENCE),
    ],
)
def test_a_link_is_refused_for_a_reason(wrong: dict[str, Any], reason: Refused) -> None:
    assert check(links=[wrong]) == ((), {reason: 1})


def test_what_is_said_twice_counts_once_and_floods_are_cut() -> None:
    found = check(links=[link(), link(confidence=0.9)])
    assert (len(found.proposals), found.refused) == (1, {Refused.TWICE: 1})
    flood = check(concepts=[concept()] * (MOST_ENTRIES + 5))
    assert flood.refused == {Refused.TWICE: MOST_ENTRIES - 1, Refused.TOO_MANY: 5}
