"""The rule that a brief states first: with its amendments, not repealed, with a number stated elsewhere."""

from __future__ import annotations

from pathlib import Path

import pytest

from engine.answers.answer import answer
from engine.corpus import open_corpus
from engine.corpus.protocol import Corpus
from engine.ingestion.build import build_corpus
from tests.engine.answers.conftest import investigated
from tests.tables import table

ACTS: dict[str, str] = table(__file__, "ACTS")
ASKED: list[tuple[str, list[str]]] = table(__file__, "ASKED")
UNANSWERED: list[str] = table(__file__, "UNANSWERED")


@pytest.fixture(scope="module")
def corpus(tmp_path_factory: pytest.TempPathFactory) -> Corpus:
    root: Path = tmp_path_factory.mktemp("rules")
    for name, text in ACTS.items():
        (root / f"{name}.md").write_text(text, encoding="utf-8")
    build_corpus([root], root / "corpus", embedding="none")
    return open_corpus(root / "corpus")


def test_a_brief_begins_with_the_rule_as_it_is_now(corpus: Corpus, subtests: pytest.Subtests) -> None:
    for question, expected in ASKED:
        with subtests.test(question):
            brief = answer(investigated(corpus, question), corpus)
            assert not brief.unanswered
            assert [one.text for one in brief.sentences[: len(expected)]] == expected


def test_a_sentence_that_presupposes_what_is_asked_answers_nothing(corpus: Corpus) -> None:
    for question in UNANSWERED:
        assert answer(investigated(corpus, question), corpus).unanswered
