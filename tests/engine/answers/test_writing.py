"""What is left of what a language model writes, after every sentence was held against its quotes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from types import SimpleNamespace
from typing import Any, cast

import pytest

from engine.answers.answer import answer
from engine.answers.record import Answer, Method, Support
from engine.answers.writing import (
    LONGEST_SENTENCE,
    MOST_SENTENCES,
    expected_prompt,
    passages_shown,
    plain,
    prompt_data,
)
from engine.corpus.protocol import Corpus
from engine.investigation.record import Investigation
from engine.llm import LanguageModel, Prompt, Usage
from engine.llm.client import connect
from engine.records.context import ContextPassage
from tests.engine.answers.conftest import Ask
from tests.engine.answers.models import (
    EXCEPTION,
    RULE,
    STATED,
    TOO_WIDE,
    filled,
    key_of,
    once,
    passages,
    said,
)
from tests.engine.llm.server import Asked, ScriptedServer

LIMIT = "A special resolution states a duration of not more than two years."


def only(made: Answer) -> tuple[str, Support, str]:
    [sentence] = made.sentences
    return sentence.text, sentence.support, "; ".join(sentence.doubts)


def told(asked: Asked, rows: Sequence[tuple[str, str, str]]) -> dict[str, Any]:
    """A model that says each text with a quote from the passage with some words, and keeps to it."""
    if asked.task != "answer":
        return filled()
    return filled(*(said(text, (key_of(asked, source), quote)) for text, source, quote in rows))


def test_a_sentence_holds_what_its_quotes_hold(ask: Ask, subtests: pytest.Subtests) -> None:
    full, part, none = Support.FULL, Support.PART, Support.NONE
    rows = [
        (STATED, RULE, RULE, full, ""),
        (LIMIT, EXCEPTION, EXCEPTION, full, ""),
        ("It is so.", RULE, "ager of a company may not confer on an agent", none, "a quote is dropped"),
        # Words that are not in the passage cited.
        (STATED, RULE, RULE.replace("broader", "wider"), none, "a quote is dropped"),
        (STATED, RULE, RULE.replace("manager", "Manager", 1), none, "a quote is dropped"),
        (
            STATED,
            RULE,
            "A manager of a company … than those which the manager holds",
            none,
            "a quote is dropped",
        ),
        (STATED, RULE, "broader powers", none, "a quote is dropped"),
        (STATED, RULE, "source: Commercial Agency and Powers of Attorney Code", none, "a quote is dropped"),
        (LIMIT, RULE, EXCEPTION, none, "a quote is dropped"),
        # Words that are, and say something else.
        (LIMIT.replace("two", "three"), EXCEPTION, EXCEPTION, part, "three years"),
        ("A special resolution of 2019 lasts at most two years.", EXCEPTION, EXCEPTION, part, "2019"),
        (TOO_WIDE, RULE, RULE, part, "omits binding words"),
        ("A manager may confer on an agent broader powers than he holds.", RULE, RULE, part, ""),
    ]
    for first in range(0, len(rows), MOST_SENTENCES):
        some = rows[first : first + MOST_SENTENCES]
        said_of = [(text, source, quote) for text, source, quote, _, _ in some]
        made = ask(lambda asked, of=said_of: told(asked, of))
        for (text, _, quote, support, doubt), sentence in zip(some, made.sentences, strict=True):
            with subtests.test(text=text, quote=quote):
                assert (sentence.text, sentence.support) == (text, support)
                assert doubt in "; ".join(sentence.doubts)
                assert bool(sentence.doubts) is (support is not full)


def test_keys_that_were_not_listed_cite_nothing(ask: Ask) -> None:
    for key in (0, -1, 99):
        made = ask(once(said(STATED, (key, RULE))))
        assert only(made) == (STATED, Support.NONE, "it cites a passage that is not listed")
        assert made.citations == ()
    assert only(ask(once(said(STATED))))[1:] == (Support.NONE, "it cites nothing")


def test_a_dropped_or_repeated_quote_is_no_fault_of_a_sentence_that_another_carries(ask: Ask) -> None:
    made = ask(
        lambda asked: filled(said(STATED, *[(key_of(asked, RULE), one) for one in (RULE, "no such", RULE)]))
    )
    assert only(made) == (STATED, Support.FULL, "")
    assert [len(one.citations) for one in made.sentences] == [1]


def test_what_fails_is_asked_again_and_only_what_is_better_takes_its_place(ask: Ask) -> None:
    heard: list[str] = []

    def script(asked: Asked) -> dict[str, Any]:
        rule, limit = (key_of(asked, RULE), RULE), (key_of(asked, EXCEPTION), EXCEPTION)
        if asked.task == "answer":
            return filled(said(TOO_WIDE, (1, "no words")), said("Pigs fly.", (1, "no")), said(LIMIT, limit))
        heard.append(asked.data["failed sentences"])
        return filled(said("Wings grow.", limit), said("Pigs fly.", (1, "none")), said(STATED, rule))

    made = ask(script)
    assert [(one.text, one.support) for one in made.sentences] == [
        (STATED, Support.FULL),
        ("Pigs fly.", Support.NONE),
        (LIMIT, Support.FULL),
    ]
    assert heard[0].startswith(f"1. {TOO_WIDE}\n   failed: a quote is dropped: ")
    assert "\n2. Pigs fly.\n" in heard[0]
    assert LIMIT not in heard[0]
    assert {task: used.calls for task, used in made.usage.items()} == {"answer": 1, "answer again": 1}


def test_sentences_without_a_quote_can_be_left_out(ask: Ask) -> None:
    def script(asked: Asked) -> dict[str, Any]:
        return filled(said("The moon is cheese.", (1, "cheese")), said(TOO_WIDE, (key_of(asked, RULE), RULE)))

    made = ask(script, unsupported=False)
    assert only(made)[:2] == (TOO_WIDE, Support.PART)
    assert "1 sentence of the model left out: no quote supports it" in made.notes


def test_a_sentence_is_plain_text_in_one_line(subtests: pytest.Subtests) -> None:
    rows = {
        "<b>Bold</b> <script>alert(1)</script> words": "Bold alert(1) words",
        "<scr<b>ipt>nested</script>": "nested",
        "See [here](https://evil.example/x?key=1) and ![x](http://a.b/c.png) now": "See here and x now",
        "It is so [3], truly [1, 2] so 【4】.": "It is so, truly so.",
        "**Strong** `code` __under__": "Strong code under",
        "# Title\n- item": "Title item",
        "Go to https://evil.example/steal or www.evil.example now": "Go to or now",
        "hid\u200bden \u202eturn\x00": "hidden turn",
        "Article 14(2) and Article 22 (3) stay": "Article 14(2) and Article 22 (3) stay",
        "w" * LONGEST_SENTENCE: "w" * LONGEST_SENTENCE,
        "one " * LONGEST_SENTENCE: "one " * (LONGEST_SENTENCE // 4) + "…",
    }
    for text, shown in rows.items():
        with subtests.test(text[:60]):
            assert plain(text) == shown


def test_an_answer_has_an_end(ask: Ask) -> None:
    made = ask(lambda asked: filled(*(said(f"{STATED} {n}", (key_of(asked, RULE), RULE)) for n in range(40))))
    assert len(made.sentences) == MOST_SENTENCES


def test_the_model_reads_what_it_has_room_for_the_best_at_both_ends(
    meridia: Corpus, delegation: Investigation
) -> None:
    def expected(prompt: Prompt, schema: object) -> Usage:
        return Usage(prompt_tokens=2500 * sum(one.name.startswith("passage") for one in prompt.data))

    for tokens, keys in ((10**4, [1, 3, 4, 2]), (9000, [1, 3, 2]), (7499, [1, 2])):
        model = cast(LanguageModel, SimpleNamespace(context_tokens=tokens, expected=expected))
        shown, hidden = passages_shown(delegation, meridia, model)
        assert ([one.key for one in shown], hidden) == (keys, [])


def test_a_context_too_small_for_a_passage_leaves_the_brief(
    meridia: Corpus, delegation: Investigation
) -> None:
    with ScriptedServer(lambda asked: filled()) as server:
        made = answer(delegation, meridia, model=connect(f"{server.spec}&context=4096"))
    assert (made.method, server.requests) == (Method.BRIEF, [])
    assert "a context of 4,096 tokens is too small" in " ".join(made.notes)


def test_the_prompt_that_is_priced_is_the_one_that_is_sent(
    meridia: Corpus, delegation: Investigation
) -> None:
    with ScriptedServer(lambda asked: filled()) as server:
        priced = expected_prompt(delegation, meridia, server.connect())
        answer(delegation, meridia, model=server.connect())
    assert priced is not None
    # What stands in front of every prompt of a corpus says what it is a collection of.
    sent = {name: text for name, text in server.requests[0].data.items() if not name.startswith("collection")}
    assert {part.name: part.text for part in priced[0].data} == sent


def test_what_speaks_to_a_machine_is_kept_from_it_and_counted(
    ask: Ask, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("engine.answers.writing.addresses_machine", lambda text: RULE in text)
    read: list[str] = []

    def script(asked: Asked) -> dict[str, Any]:
        read.extend(passages(asked).values())
        return filled()

    assert "1 passage not shown to the model, because the text addresses a machine" in ask(script).notes
    assert read
    assert not any(RULE in text for text in read)


def test_a_passage_is_given_with_its_source_and_whether_it_is_in_force() -> None:
    old = ContextPassage(3, ("a",), "Act, Article 1", "until 2020", "Text.", 3)
    question, related, one, other = prompt_data(
        "Why?", [old, replace(old, key=1, validity="")], ["A is B.", "C"]
    )
    assert (question.name, question.text, related.text) == ("question", "Why?", "A is B.\nC")
    assert (one.name, one.text) == ("passage 3", "source: Act, Article 1 (not in force: until 2020)\n\nText.")
    assert (other.name, other.text) == ("passage 1", "source: Act, Article 1\n\nText.")
    assert [part.name for part in prompt_data("Why?", [])] == ["question"]
