"""An answer by a language model holds what its quotes hold, whatever the model says."""

from __future__ import annotations

import pytest

from engine.answers.answer import answer
from engine.answers.record import Method, Support
from engine.corpus.protocol import Corpus
from engine.errors import CancelledError
from engine.investigation.record import Investigation
from engine.llm import Budget, Meter
from tests.engine.answers.conftest import Ask, investigated
from tests.engine.answers.models import RULE, STATED, filled, key_of, once, said, truthful
from tests.engine.answers.test_brief import checked
from tests.engine.llm.server import Fault, ScriptedServer


def test_a_truthful_model_is_believed_and_every_quote_is_located(ask: Ask, meridia: Corpus) -> None:
    made = ask(truthful)
    assert made.method is Method.MODEL
    assert [sentence.support for sentence in made.sentences] == [Support.FULL, Support.FULL]
    assert made.citations[0].passage_id == "commercial-agency-code/art-14/para-2"
    assert made.citations[0].quote == RULE
    for citation in made.citations:
        [(place, span)] = citation.places
        [passage] = meridia.passages(meridia.rows([place]))
        assert passage.text[span.start : span.end] == citation.quote
    # Nothing failed, so it was asked once.
    assert {task: used.calls for task, used in made.usage.items()} == {"answer": 1}


def test_that_the_passages_do_not_answer_is_an_answer(ask: Ask) -> None:
    made = ask(lambda asked: filled(missing=True))
    assert made.missing
    assert made.sentences == ()
    assert made.unanswered


def test_a_model_cannot_say_missing_of_what_it_supports(ask: Ask) -> None:
    made = ask(lambda asked: filled(said(STATED, (key_of(asked, RULE), RULE)), missing=True))
    assert not made.missing


def test_a_model_that_invents_an_answer_to_what_is_missing(meridia: Corpus) -> None:
    investigation = investigated(meridia, "How high is the fee for fishing licences in lakes?")
    with ScriptedServer(once(said("The fee is 30 crowns.", (1, "the fee is 30 crowns")))) as server:
        made = answer(investigation, meridia, model=server.connect())
    assert made.missing
    assert "fishing" in made.unanswered


@pytest.mark.parametrize(
    "fault",
    [Fault(status=401), Fault(text="no JSON at all"), Fault(refusal="I will not"), Fault(answer="nonsense")],
)
def test_where_the_model_fails_the_brief_takes_its_place(ask: Ask, meridia: Corpus, fault: Fault) -> None:
    with ScriptedServer(lambda asked: fault) as server:
        investigation = investigated(meridia, "What must the notice of an amended assessment contain?")
        made = answer(investigation, meridia, model=server.connect())
    assert made.method is Method.BRIEF
    assert made.sentences
    checked(made, meridia)
    assert any("brief" in note for note in made.notes)


def test_where_the_budget_is_too_small_nothing_is_sent(meridia: Corpus, delegation: Investigation) -> None:
    with ScriptedServer(truthful) as server:
        made = answer(delegation, meridia, model=server.connect(), meter=Meter(Budget(tokens=10)))
        assert server.requests == []
    assert made.method is Method.BRIEF
    assert any("budget" in note for note in made.notes)


def test_a_cancelled_answer_is_none(meridia: Corpus, delegation: Investigation) -> None:
    with ScriptedServer(truthful) as server, pytest.raises(CancelledError):
        answer(delegation, meridia, model=server.connect(), meter=Meter(cancelled=lambda: True))
