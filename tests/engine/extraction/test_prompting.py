from __future__ import annotations

from engine.corpus.extracted import Proposal
from engine.extraction.prompting import CONCEPT_TOKENS, FULL_LIST, Concepts, Piece, Window
from engine.llm.prompt import most_tokens
from engine.model import Document, Passage, Relation


def definition(number: int, name: str, confidence: float = 0.5) -> Proposal:
    return Proposal(
        source_id=f"p{number}", quote="means", relation=Relation.DEFINES, concept=name, confidence=confidence
    )


def window(text: str) -> Window:
    passage = Passage("p1", "d", None, 1, text, label="Article 1")
    return Window(Document("d", "D"), (Piece(passage, 0, len(text)),), "w")


def test_the_list_of_concepts_shows_those_of_the_window_first_and_is_short() -> None:
    concepts = Concepts()
    concepts.learn(tuple(definition(1, f"term number {n}") for n in range(200)), window("x"))
    lines = list(concepts.lines(window("what Term  Number 7 is")))
    assert lines[0] == "C1: term number 7 (Article 1)"
    assert lines[1] == "C2: term number 199 (Article 1)"
    assert most_tokens("\n".join(lines)) <= CONCEPT_TOKENS == most_tokens(FULL_LIST)
    assert list(concepts.shown) == [f"C{n}" for n in range(1, len(lines) + 1)]
    assert concepts.shown["C1"].concept == "term number 7"


def test_the_surer_definition_counts_and_uses_define_nothing() -> None:
    concepts = Concepts()
    use = Proposal(source_id="p1", quote="Agent", relation=Relation.MENTIONS, concept="Agent", confidence=0.9)
    first, surer = definition(1, "Agent"), definition(2, "AGENT", 0.9)
    concepts.learn((use, first, surer, definition(3, "agent", 0.1)), window("x"))
    assert list(concepts.defining.values()) == [surer]
