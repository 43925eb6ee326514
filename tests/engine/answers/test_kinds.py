"""What kind of answer a question asks for, and which sentences give it, by language."""

from __future__ import annotations

import pytest

from engine.answers.relevance import Asks, answer_kinds, departs, gives, question_words


@pytest.mark.parametrize(
    ("question", "language", "kinds"),
    [
        ("What is the deadline for reporting a suspicious transaction?", "en", {Asks.DEADLINE}),
        ("How long must records be kept?", "en", {Asks.PERIOD}),
        ("Who must approve the relationship?", "en", {Asks.WHO}),
        ("May an agent appoint a sub-agent?", "en", {Asks.WHETHER}),
        ("What records must a firm keep where it holds client money?", "en", set()),
        ("Wie lange ist die Kündigungsfrist?", "de", {Asks.PERIOD}),
        ("Wann verjähren Mängelansprüche?", "de", {Asks.WHEN}),
        ("Welche Strafe droht bei Betrug?", "de", {Asks.PENALTY}),
        ("Wie viele Urlaubstage gibt es?", "de", {Asks.NUMBER}),
        ("Wie hoch ist das Stammkapital?", "de", {Asks.AMOUNT}),
        ("Wo muss der Schuldner leisten?", "de", {Asks.WHERE}),
        ("Bis wann ist sie abzugeben?", "de", {Asks.DEADLINE}),
        ("Dans quel délai faut-il contester ?", "fr", {Asks.DEADLINE}),
        ("¿Cuándo vence el plazo?", "es", {Asks.WHEN}),
        ("Siapa yang membayar?", "id", {Asks.WHO}),
        ("What happens if the agent dies?", "en", {Asks.CONSEQUENCE}),
        ("Quem pode apresentar queixa?", "pt", {Asks.WHO}),
        ("试用期最长是多久?", "zh", {Asks.PERIOD, Asks.LIMIT}),
        ("هل يجوز للوكيل أن يوكل غيره؟", "ar", {Asks.WHETHER}),
    ],
)
def test_the_kind_of_answer(question: str, language: str, kinds: set[Asks]) -> None:
    assert answer_kinds(question, language) == kinds


@pytest.mark.parametrize(
    ("text", "language", "kind", "given"),
    [
        ("Records must be kept for at least six years.", "en", Asks.PERIOD, True),
        # What is kept for six years at least is no deadline.
        ("Records must be kept for at least six years.", "en", Asks.DEADLINE, False),
        ("The report is made without delay.", "en", Asks.DEADLINE, True),
        ("The report names the client.", "en", Asks.PERIOD, False),
        ("Die Anfechtung kann nur binnen Jahresfrist erfolgen.", "de", Asks.DEADLINE, True),
        ("Die Ausschlagung kann nur binnen sechs Wochen erfolgen.", "de", Asks.PERIOD, True),
        ("Wer stiehlt, wird mit Freiheitsstrafe bis zu fünf Jahren bestraft.", "de", Asks.PENALTY, True),
        ("Der Versuch wird erwähnt.", "de", Asks.PENALTY, False),
        ("Der Pflichtteil besteht in der Hälfte des Erbteils.", "de", Asks.AMOUNT, True),
        ("Denda paling banyak 50.000 rupiah.", "id", Asks.PENALTY, True),
    ],
)
def test_whether_a_sentence_gives_it(text: str, language: str, kind: Asks, given: bool) -> None:
    assert gives(text, language, kind) is given


def test_words_that_only_ask_are_no_subject() -> None:
    assert {"welche", "strafe", "droht"} <= question_words("Welche Strafe droht bei Betrug?", "de")


def test_a_departure_from_a_rule() -> None:
    assert departs("Abweichend von Absatz 1 gilt § 195.", "de")
    assert not departs("Die Frist beträgt zwei Jahre.", "de")
