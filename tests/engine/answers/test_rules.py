"""The rule that a brief states first: with its amendments, not repealed, with a number stated elsewhere."""

from __future__ import annotations

from pathlib import Path

import pytest

from engine.answers.answer import answer
from engine.corpus import open_corpus
from engine.ingestion.build import build_corpus
from tests.engine.answers.conftest import investigated
from tests.tables import table

ACTS: dict[str, str] = table(__file__, "ACTS")
ASKED: list[tuple[str, list[str]]] = table(__file__, "ASKED")


def test_a_brief_begins_with_the_rule_as_it_is_now(tmp_path: Path, subtests: pytest.Subtests) -> None:
    for name, text in ACTS.items():
        (tmp_path / f"{name}.md").write_text(text, encoding="utf-8")
    build_corpus([tmp_path], tmp_path / "corpus", embedding="none")
    corpus = open_corpus(tmp_path / "corpus")
    for question, expected in ASKED:
        with subtests.test(question):
            brief = answer(investigated(corpus, question), corpus)
            assert not brief.unanswered
            assert [one.text for one in brief.sentences[: len(expected)]] == expected
