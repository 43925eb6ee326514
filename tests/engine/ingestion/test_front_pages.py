"""What files without metadata say of themselves on their first page, and what is made of it."""

from __future__ import annotations

from datetime import date

import pytest

from engine.corpus import open_corpus
from engine.corpus.protocol import Corpus
from engine.ingestion.build import build_corpus
from engine.investigation import Case
from engine.records.context import edition
from engine.settings import preset
from tests.tables import table

REGULATION: str = table(__file__, "REGULATION")
OLD = """# Remote Work Policy

Version 1.9, effective 3 January 2021

## 1. Scope
Nobody may work from home.
"""
REST = """
## 2. Equipment
The company lends a chair, a desk and a lamp to whoever asks for them in writing.
## 3. Hours
Nobody has to answer a message after eight in the evening.
"""
NEW = """# Remote Work Policy

Issued by: Human Resources Department
Version: 2.4
Date: 15 May 2023

## 1. Scope
All staff may work from home.
"""


@pytest.fixture(scope="module")
def corpus(tmp_path_factory: pytest.TempPathFactory) -> Corpus:
    root = tmp_path_factory.mktemp("pages")
    (root / "files").mkdir()
    for name, text in (("reg.txt", REGULATION), ("policy-old.md", OLD + REST), ("policy.md", NEW + REST)):
        (root / "files" / name).write_text(text, encoding="utf-8")
    build_corpus([root / "files"], root / "corpus", embedding="none")
    return open_corpus(root / "corpus")


@pytest.mark.parametrize(
    ("as_of", "first"),
    [(None, "All staff may work from home."), ("2022-01-01", "Nobody may work from home.")],
)
def test_versions_told_by_their_texts_alone_hold_one_after_the_other(
    corpus: Corpus, as_of: str | None, first: str
) -> None:
    settings = preset("auto").changed(as_of=date.fromisoformat(as_of) if as_of else None)
    case = Case(corpus, "May staff work from home under the policy?", settings, day=date(2026, 1, 1))
    for _ in case.run():
        continue
    assert case.ranking[0].passage.text == first


def test_each_version_says_which_it_is(corpus: Corpus) -> None:
    assert {one.id: edition(one) for one in corpus.documents()} == {
        "reg": "",
        "policy-old": "version 1 of 2",
        "policy": "latest of 2 versions",
    }
