"""Quotes held against the passages that they are cited from; what is verbatim: ``language/test_quotes``."""

from __future__ import annotations

from engine.answers.record import Located, Refusal, verify
from engine.model import Passage, Span


def part(number: int, text: str, overlap: int = 0) -> Passage:
    return Passage(f"act/{number}", "act", "act/s", number, text, "en", overlap=overlap)


def test_a_quote_over_a_border_has_a_span_in_each_passage() -> None:
    passages = (part(1, "The agent acts in the name"), part(2, "name of the principal alone.", overlap=4))
    found = verify("in the name of the principal", passages)
    assert isinstance(found, Located)
    assert found.words == "in the name\n of the principal"
    assert found.places == (("act/1", Span(15, 26)), ("act/2", Span(4, 21)))
    assert [
        passages[number].text[span.start : span.end] for number, (_, span) in enumerate(found.places)
    ] == [
        "in the name",
        " of the principal",
    ]


def test_a_refusal_tells_what_was_nearly_right() -> None:
    passages = (part(1, "The agent is non-compliant today"), part(2, "Nothing."))
    assert verify("compliant today", passages) is Refusal.BROKEN
    assert verify("The principal acts today", passages) is Refusal.ABSENT
