"""An answer by a language model holds what its quotes hold, whatever the model says."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from engine.answers.answer import answer
from engine.answers.record import Answer, Method, Support
from engine.answers.writing import LONGEST_SENTENCE, MOST_SENTENCES, plain
from engine.corpus.protocol import Corpus
from engine.errors import CancelledError
from engine.investigation.record import Investigation
from engine.llm import Budget, Meter
from tests.engine.answers.conftest import investigated
from tests.engine.answers.models import (
    EXCEPTION,
    RULE,
    SAID,
    TOO_WIDE,
    filled,
    key_of,
    once,
    passages,
    said,
    truthful,
)
from tests.engine.answers.test_brief import checked
from tests.engine.llm.server import Asked, Fault, ScriptedServer

Ask = Callable[..., Answer]


@pytest.fixture
def ask(meridia: Corpus, delegation: Investigation) -> Ask:
    """Have a scripted model answer; the meter's ledger must be what the server counted."""

    def asked(script: Any, *, meter: Meter | None = None, unsupported: bool = True) -> Answer:
        meter = meter or Meter()
        with ScriptedServer(script) as server:
            made = answer(delegation, meridia, model=server.connect(), meter=meter, unsupported=unsupported)
            assert meter.spent.prompt_tokens == server.counted.prompt_tokens
            assert meter.spent.completion_tokens == server.counted.completion_tokens
        return made

    return asked


def only(made: Answer) -> tuple[str, Support, tuple[str, ...]]:
    [sentence] = made.sentences
    return sentence.text, sentence.support, sentence.doubts


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


@pytest.mark.parametrize(
    "quote",
    [
        RULE.replace("broader", "wider"),
        RULE.replace("manager", "Manager", 1),
        RULE.replace("may not", "may"),
        RULE.replace("agent", "agents"),
        "A manager of a company … than those which the manager holds",
        "broader powers",
        "",
        "ager of a company may not confer on an agent",
    ],
)
def test_an_altered_quote_is_no_quote(ask: Ask, quote: str) -> None:
    _, support, doubts = only(ask(lambda asked: filled(said("It is so.", (key_of(asked, RULE), quote)))))
    assert support is Support.NONE
    assert doubts


def test_the_words_of_another_passage_are_no_quote_of_this_one(ask: Ask) -> None:
    made = ask(lambda asked: filled(said("Two years at most.", (key_of(asked, RULE), EXCEPTION))))
    assert only(made)[1] is Support.NONE


@pytest.mark.parametrize("key", [0, -1, 99, 4711])
def test_a_key_that_was_not_listed_is_no_key(ask: Ask, key: int) -> None:
    made = ask(once(said("A manager may not confer broader powers.", (key, RULE))))
    assert only(made)[1] is Support.NONE
    assert made.citations == ()


def test_the_line_of_a_source_cannot_be_quoted(ask: Ask) -> None:
    line = "Commercial Agency and Powers of Attorney Code"
    made = ask(lambda asked: filled(said("There is such a code.", (key_of(asked, RULE), f"source: {line}"))))
    assert only(made)[1] is Support.NONE


@pytest.mark.parametrize(
    ("text", "doubt"),
    [
        ("A special resolution states a duration of not more than three years.", "three years"),
        ("A special resolution of 2019 states a duration of at most two years.", "2019"),
        ("A special resolution costs 500 crowns and lasts at most two years.", "500"),
    ],
)
def test_numbers_that_the_quotes_do_not_have_are_doubted(ask: Ask, text: str, doubt: str) -> None:
    made = ask(lambda asked: filled(said(text, (key_of(asked, EXCEPTION), EXCEPTION))))
    _, support, doubts = only(made)
    assert support is Support.PART
    assert any(doubt in one for one in doubts)


def test_a_sentence_that_leaves_out_what_binds_the_words_behind_its_quote_is_doubted(ask: Ask) -> None:
    # The quote has all the words; its sentence goes on with "as shown by the entries".
    made = ask(lambda asked: filled(said(TOO_WIDE, (key_of(asked, RULE), RULE))))
    _, support, doubts = only(made)
    assert support is Support.PART
    assert any("leaves out" in one for one in doubts)


def test_a_sentence_that_denies_its_quote_is_doubted(ask: Ask) -> None:
    made = ask(
        lambda asked: filled(
            said("A manager may confer on an agent broader powers than the manager holds.",
                 (key_of(asked, RULE), RULE))
        )
    )  # fmt: skip
    assert only(made)[1] is Support.PART


def test_what_fails_is_asked_again_with_the_reasons(ask: Ask) -> None:
    heard: list[str] = []

    def script(asked: Asked) -> dict[str, Any]:
        good = said(SAID, (key_of(asked, RULE), RULE))
        if asked.task == "answer":
            return filled(said("A manager may not confer broader powers at all.", (1, "no such words here")))
        heard.append(asked.data["failed sentences"])
        return filled(good)

    made = ask(script)
    assert only(made)[1] is Support.FULL
    assert "not in the passage exactly as quoted" in heard[0]
    assert {task: used.calls for task, used in made.usage.items()} == {"answer": 1, "answer again": 1}


def test_what_the_second_try_invents_besides_is_not_taken(ask: Ask) -> None:
    made = ask(
        once(said("An agent flies.", (1, "nothing")), then=[said("Pigs have wings.", (1, "no such words"))])
    )
    assert only(made)[0] == "An agent flies."
    assert only(made)[1] is Support.NONE


def test_unsupported_sentences_can_be_left_out(ask: Ask) -> None:
    made = ask(
        lambda asked: filled(
            said(SAID, (key_of(asked, RULE), RULE)),
            said("The moon is made of cheese.", (1, "made of cheese")),
        ),
        unsupported=False,
    )
    assert [sentence.support for sentence in made.sentences] == [Support.FULL]
    assert any("left out" in note for note in made.notes)


def test_that_the_passages_do_not_answer_is_an_answer(ask: Ask) -> None:
    made = ask(lambda asked: filled(missing=True))
    assert made.missing
    assert made.sentences == ()
    assert made.unanswered


def test_a_model_cannot_say_missing_of_what_it_supports(ask: Ask) -> None:
    made = ask(lambda asked: filled(said(SAID, (key_of(asked, RULE), RULE)), missing=True))
    assert not made.missing


def test_a_model_that_invents_an_answer_to_what_is_missing(meridia: Corpus) -> None:
    investigation = investigated(meridia, "How high is the fee for fishing licences in lakes?")
    with ScriptedServer(once(said("The fee is 30 crowns.", (1, "the fee is 30 crowns")))) as server:
        made = answer(investigation, meridia, model=server.connect())
    assert made.missing
    assert "fishing" in made.unanswered


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("<b>Bold</b> <script>alert(1)</script> words", "Bold alert(1) words"),
        ("See [here](https://evil.example/x?key=1) and ![x](http://a.b/c.png) now", "See here and x now"),
        ("It is so [3], truly [1, 2] so 【4】.", "It is so, truly so."),
        ("**Strong** `code` __under__", "Strong code under"),
        ("# Title\n- item", "Title item"),
        ("Go to https://evil.example/steal or www.evil.example now", "Go to or now"),
        ("hid\u200bden \u202eturn\x00", "hidden turn"),
        ("Article 14(2) and Article 22 (3) stay", "Article 14(2) and Article 22 (3) stay"),
    ],
)
def test_a_sentence_is_plain_text(text: str, shown: str) -> None:
    assert plain(text) == shown


def test_an_answer_has_an_end(ask: Ask) -> None:
    def script(asked: Asked) -> dict[str, Any]:
        long = "word " * 700
        return filled(*(said(f"{long} {number}", (key_of(asked, RULE), RULE)) for number in range(40)))

    made = ask(script)
    assert len(made.sentences) <= MOST_SENTENCES
    assert all(len(sentence.text) <= LONGEST_SENTENCE + 2 for sentence in made.sentences)


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


def test_the_best_passages_stand_at_both_ends(ask: Ask) -> None:
    orders: list[list[int]] = []

    def script(asked: Asked) -> dict[str, Any]:
        orders.append(list(passages(asked)))
        return truthful(asked)

    ask(script)
    assert (orders[0][0], orders[0][-1]) == (1, 2)
