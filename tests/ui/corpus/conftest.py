"""A visitor with a corpus of their own: an act, a regulation that cites it, an Arabic law."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import pytest

from engine.ingestion.build import build_corpus
from ui.corpus.answers import answer
from ui.corpus.desk import CorpusDesk
from ui.shelf import open_library

VISITOR = "v" * 32
STRANGER = "s" * 32
ACT = """---
id: act
title: Agency Act <New>
type: act
number: "4"
year: 2012
language: en
status: in force
aliases: ["AA", "Agency Act"]
---

# Agency Act <New>

## Chapter 1 General

#### Article 1 Powers

(1) A manager may grant an agent <q>powers</q> within the limits of Article 2(1).

(2) A grant of broader powers is void, subject to Article 3.

#### Article 2 Limits

(1) The limits of the authority of a manager are those entered in the register.

## Chapter 2 Approval

#### Article 3 Approval

The principal may approve a grant under Article 1(2), see Article 77 of the Unknown Act.
"""
REGULATION = """---
id: regulation
title: Agency Regulation
type: regulation
number: "9"
year: 2015
language: en
status: repealed
valid_to: 2020-12-31
---

# Agency Regulation

#### Article 1 Register

Limits under Article 2(1) of the Agency Act are entered in the register within 14 days.
"""
ARABIC = """---
id: nizam
title: نظام الوكالة
type: law
language: ar
year: 2011
---

# نظام الوكالة

#### المادة 1

يجوز للمدير أن يوكل غيره وفقا للمادة 2.

#### المادة 2

حدود سلطة المدير هي المقيدة في السجل.
"""


class Caller:
    """Asks the desk as a page of one visitor does."""

    def __init__(self, desk: CorpusDesk, visitor: str, corpus: str) -> None:
        self.desk, self.visitor, self.corpus = desk, visitor, corpus

    def __call__(self, do: str, **more: Any) -> dict[str, Any]:
        return answer(self.desk, {"do": do, "visitor": self.visitor, "corpus": self.corpus, **more})

    def good(self, do: str, **more: Any) -> dict[str, Any]:
        """The answer of a request that must not fail."""
        found = self(do, **more)
        assert "error" not in found, found["error"]
        return found


@pytest.fixture(scope="session")
def sources(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("desk-sources")
    for name, text in (("act.md", ACT), ("regulation.md", REGULATION), ("nizam.md", ARABIC)):
        (folder / name).write_text(text, encoding="utf-8")
    return folder


@pytest.fixture(scope="session")
def made(tmp_path_factory: pytest.TempPathFactory, sources: Path) -> Path:
    """The visitor's corpus, made once; each test gets a copy."""
    folder = tmp_path_factory.mktemp("made") / "mine"
    build_corpus([sources], folder, name="Mine", embedding="none")
    return folder


@pytest.fixture
def desk(tmp_path: Path, corpus_folder: Path, made: Path) -> CorpusDesk:
    library = open_library([corpus_folder], tmp_path / "home")
    shutil.copytree(made, library.place_for("Mine", VISITOR))
    return CorpusDesk(library)


@pytest.fixture
def mine(desk: CorpusDesk) -> Caller:
    return Caller(desk, VISITOR, "Mine")
