from __future__ import annotations

import pytest

from engine.corpus.extracted import Proposal
from engine.corpus.protocol import Corpus
from engine.extraction import planned
from engine.extraction.prompting import (
    CONCEPT_TOKENS,
    FULL_LIST,
    Concepts,
    Said,
    prompt_for,
    reader_of,
    text_tokens,
)
from engine.extraction.windows import Piece, Window
from engine.llm.connecting import connect
from engine.llm.estimating import most_tokens
from engine.model import Document, Passage, Relation

LONG = "a heading that goes on " * 30


@pytest.mark.parametrize("context", [4600, 8192, 32768])
def test_a_prompt_and_its_answer_fit_the_context(tariff: Corpus, context: int) -> None:
    model = connect(f"openai:scripted@http://127.0.0.1:9/v1?context={context}")
    assert model is not None
    for work in planned(tariff, model).work:
        for window in work.windows:
            assert model.expected(prompt_for(window, FULL_LIST), Said).tokens <= context


def test_long_titles_and_headings_are_cut() -> None:
    passages = [Passage(f"p{n}", "d", None, n, f"{n}.", headings=(LONG, LONG), label=LONG) for n in range(40)]
    window = Window(Document("d", "Title"), tuple(Piece(one, 0, len(one.text)) for one in passages), "w")
    parts = {part.name: part.text for part in prompt_for(window, "").data}
    assert most_tokens(parts["headings"]) < 40 * 40
    assert [line.partition(":")[0] for line in parts["headings"].split("\n")] == [
        f"P{n}" for n in range(1, 41)
    ]
    assert parts["known concepts"] == "none yet"
    assert parts["P40"] == "39."


def test_the_reader_is_the_model_without_its_prices() -> None:
    model = connect("openai:scripted@http://127.0.0.1:9/v1?context=9000&input=1&output=2")
    assert model is not None
    assert reader_of(model) == "openai:scripted@http://127.0.0.1:9/v1"
    assert text_tokens(model) <= 3000


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
