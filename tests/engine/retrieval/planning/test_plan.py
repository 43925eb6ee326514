"""The question seen several ways."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.corpus import open_corpus
from engine.corpus.protocol import Corpus
from engine.errors import InputError
from engine.ingestion.build import build_corpus
from engine.retrieval.planning import LITERAL, LONGEST_QUESTION, PART, make_plan


@pytest.fixture(scope="module")
def mixed(tmp_path_factory: pytest.TempPathFactory) -> Corpus:
    folder = tmp_path_factory.mktemp("mixed")
    texts = [
        ("es", "El capitán pagará las tasas del puerto."),
        ("de", "Der Kapitän zahlt die Gebühren des Hafens."),
        ("pt", "O capitão paga as taxas do porto."),
        ("pt", "O piloto deve ter um certificado."),
        ("pt", "A autoridade remove os destroços."),
    ]
    lines = [
        json.dumps({"id": f"l{place}", "text": text, "metadata": {"language": code}})
        for place, (code, text) in enumerate(texts)
    ]
    (folder / "lines.jsonl").write_text("\n".join(lines), encoding="utf-8")
    build_corpus([folder / "lines.jsonl"], folder / "corpus", name="Mixed", embedding="none")
    return open_corpus(folder / "corpus")


@pytest.mark.parametrize(
    ("question", "languages", "language"),
    [
        ("Wann endet die Frist für den Einspruch?", ["en", "de"], "de"),
        ("هل يجوز للوكيل أن يوكل غيره؟", ["en", "ar"], "ar"),
        ("When does the deadline end?", [], "und"),
        ("Wann endet die Frist für den Einspruch?", ["en"], "de"),
    ],
)
def test_the_language_is_of_the_corpus_or_clearly_another(
    question: str, languages: list[str], language: str
) -> None:
    assert make_plan(question, languages).language == language


def test_a_question_that_tells_no_language_is_taken_for_the_most_frequent_of_a_mixed_corpus(
    mixed: Corpus,
) -> None:
    languages = mixed.info().languages
    assert list(languages.items()) == [("pt", 3), ("de", 1), ("es", 1)]
    assert make_plan("§ 33", list(languages), corpus=mixed).language == "pt"


def test_a_very_long_question_is_cut_and_says_so() -> None:
    plan = make_plan("berth " * 1000, ["en"])
    assert len(plan.views[0].text) == LONGEST_QUESTION
    assert plan.notes == (f"the question was cut to {LONGEST_QUESTION} characters",)
    assert plan.question == "berth " * 1000


@given(st.text(max_size=200))
def test_any_text_makes_a_plan(question: str) -> None:
    try:
        plan = make_plan(question, ["en", "de"])
    except InputError:
        return
    assert plan.views[0].name == LITERAL
    assert sum(view.name == PART for view in plan.views) != 1, "one part alone is the question again"
    assert all(view.text for view in plan.views[1:])
