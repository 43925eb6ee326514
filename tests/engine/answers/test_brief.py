"""The brief: sentences of the sources, word for word, that can be read alone, in half a minute."""

from __future__ import annotations

import json

import pytest

from engine.answers.answer import NOT_SURE, OUT_OF_FORCE_ONLY, answer
from engine.answers.record import Answer, ConflictKind, Method, Support
from engine.answers.selection import LONGEST_BRIEF
from engine.answers.units import LONGEST_UNIT, word_count
from engine.corpus.protocol import Corpus
from engine.investigation.evidence import best_share, comparable_text, weigh_words
from engine.investigation.record import Investigation
from engine.language.quotes import locate
from engine.model import Span
from tests.conftest import SAMPLE
from tests.engine.answers.conftest import investigated

# The first forty of the sample's questions: each costs an investigation, all would take four times as long.
QUESTIONS = [
    (row["id"], row["text"])
    for row in map(json.loads, (SAMPLE / "queries.jsonl").read_text(encoding="utf-8").splitlines()[:40])
]


def checked(brief: Answer, corpus: Corpus) -> None:
    """Every citation is word for word where it says, and every sentence is made of its citations."""
    for citation in brief.citations:
        passages = {p.id: p for p in corpus.passages(corpus.rows([place for place, _ in citation.places]))}
        said = "\n".join(passages[place].text[span.start : span.end] for place, span in citation.places)
        assert said == citation.quote
        for place, span in citation.places:
            words = passages[place].text[span.start : span.end]
            found = locate(words, passages[place].text, fewest_words=1)
            assert isinstance(found, Span)
    for sentence in brief.sentences:
        quotes = [" ".join(brief.citation(number).quote.split()) for number in sentence.citations]
        assert sentence.citations
        assert sentence.support is Support.FULL
        rest = sentence.text
        for quote in quotes:
            assert quote in rest
            rest = rest.replace(quote, "", 1)
        assert rest.strip(" …:;") == ""


@pytest.mark.parametrize("question", [text for _, text in QUESTIONS[::3]])
def test_a_brief_is_the_sources_own_words_and_can_be_read(meridia: Corpus, question: str) -> None:
    brief = answer(investigated(meridia, question), meridia)
    assert brief.method is Method.BRIEF
    assert not brief.missing
    checked(brief, meridia)
    if NOT_SURE in brief.unanswered:
        # No sentence surely answers: that is told, with the closest rule, and others to read.
        closest = {brief.citation(number).passage_id for one in brief.sentences for number in one.citations}
        others = {brief.citation(number).passage_id for number in brief.to_read}
        assert others
        assert others.isdisjoint(closest)
        assert len({place.rsplit("/para-", 1)[0] for place in closest}) <= 1
    for sentence in brief.sentences:
        assert not sentence.text.rstrip().endswith((":", "—"))
        # No headings, no items without their head.
        assert word_count(sentence.text) >= 4
        assert not sentence.text.startswith(("(a)", "(b)", "(1)", "(2)"))
    told = sum(word_count(sentence.text) for sentence in brief.sentences)
    # The first sentence may be long; short definitions of terms come on top.
    assert told <= max(LONGEST_BRIEF, word_count(brief.sentences[0].text)) + 2 * LONGEST_UNIT


def test_the_passage_that_decides_and_its_exception_are_cited(
    meridia: Corpus, delegation: Investigation
) -> None:
    brief = answer(delegation, meridia)
    cited = {place for citation in brief.citations for place, _ in citation.places}
    assert {"commercial-agency-code/art-14/para-2", "commercial-agency-code/art-15/para-1"} <= cited
    exceptions = [one for one in brief.conflicts if one.kind is ConflictKind.EXCEPTION]
    assert any(
        "Article 15(1) (in force) makes an exception to CAC Article 14(2)" in one.words for one in exceptions
    )
    first, second = exceptions[0].citations
    assert brief.citation(first).passage_id != brief.citation(second).passage_id


def test_sentences_are_grouped_by_area_and_name_it_once(meridia: Corpus, delegation: Investigation) -> None:
    areas = [sentence.area for sentence in answer(delegation, meridia).sentences if sentence.area]
    runs = [area for place, area in enumerate(areas) if place == 0 or areas[place - 1] != area]
    # Sentences of one area need no name of it.
    assert len(runs) == len(set(runs))


def test_definitions_of_the_terms_are_told(meridia: Corpus, delegation: Investigation) -> None:
    texts = [sentence.text for sentence in answer(delegation, meridia).sentences]
    assert any(text.startswith('"broader powers" means') for text in texts)


@pytest.mark.parametrize(
    ("question", "language"),
    [
        ("هل يجوز للوكيل أن يوكل غيره؟", "ar"),
        ("Wann endet die Einspruchsfrist nach einem geänderten Bescheid?", "de"),
        (
            "Bolehkah pengurus dengan kewenangan terbatas memberikan kepada kuasa kewenangan lebih luas?",
            "id",
        ),
    ],
)
def test_a_brief_is_in_the_language_of_the_question(meridia: Corpus, question: str, language: str) -> None:
    brief = answer(investigated(meridia, question), meridia)
    assert brief.sentences
    assert {sentence.language for sentence in brief.sentences} == {language}


@pytest.mark.parametrize(
    "question",
    [
        "How high is the fee for fishing licences in lakes?",
        "Which film won the award for best director in 1994?",
        "What temperature must frozen poultry be stored at?",
    ],
)
def test_that_the_pool_does_not_contain_it_is_an_answer(meridia: Corpus, question: str) -> None:
    brief = answer(investigated(meridia, question), meridia)
    assert brief.missing
    assert brief.sentences == ()
    assert f"not occur in {meridia.name}" in brief.unanswered


def test_none_of_the_first_forty_questions_is_said_to_be_missing(meridia: Corpus) -> None:
    told = [text for _, text in QUESTIONS if answer(investigated(meridia, text), meridia).missing]
    assert told == []


def test_a_question_in_a_language_that_the_corpus_lacks_is_not_judged_by_words(meridia: Corpus) -> None:
    investigation = investigated(meridia, "Un agent peut-il nommer un agent general power of attorney?")
    asked = weigh_words("Quelle est la peine?", "fr", meridia)
    texts = [comparable_text(one.passage, one.document.title, one.text) for one in investigation.passages]
    assert best_share(asked, texts) is None


def test_how_much_of_a_question_a_text_holds(meridia: Corpus) -> None:
    asked = weigh_words("Is fishing by the manager void?", "en", meridia)
    assert asked.unknown == ("fishing",)
    assert asked.weights.sum() == pytest.approx(1.0)
    assert asked.share(["manag", "void"]) < 1 - asked.weights.max() + 1e-6


def test_old_law_is_marked_and_an_answer_that_rests_on_it_alone_says_so(meridia: Corpus) -> None:
    question = "May an agent grant all or part of the powers to a sub-agent unless that is excluded?"
    only = ("commercial-agency-code",)
    brief = answer(investigated(meridia, question, include_superseded=True, documents=only), meridia)
    old = [citation for citation in brief.citations if citation.old]
    assert old
    assert all(citation.validity.startswith("until") for citation in old)
    replaced = [one for one in brief.conflicts if one.kind is ConflictKind.REPLACED]
    assert any("takes the place of" in one.words for one in replaced)
    told = [note for note in brief.notes if "not in force" in note or note == OUT_OF_FORCE_ONLY]
    assert told
