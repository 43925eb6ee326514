"""Characters that nobody sees, wherever a document can hold them: answers show them by their numbers."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from engine.ingestion.build import build_corpus
from tests.ui.corpus.conftest import Caller
from ui.corpus.access import CorpusDesk
from ui.shelf import Library

RLO = "\u202e"
LAW = """---
id: act
title: Harbour R Act
type: lawR
language: en
aliases: [PortR Act]
---

# Harbour R Act

### Chapter 1 FeesR and dues

#### Article 1 PaymentR of fees

(1) The masterR of a vessel shall pay the fee under Article 2(1) and Article 99R of this Act.

#### Article 2 PaymentR of fees

(1) "FeeR" means what the master pays under Article 1(1). See the LostR Act 1999, Article 4.
""".replace("R", RLO)
# Fields that the page sends back as they are, and never shows.
SENT_BACK = {"keys", "id", "target", "passage", "content", "area", "keywords", "found"}


@pytest.fixture(scope="module")
def caller(tmp_path_factory: pytest.TempPathFactory) -> Caller:
    folder = tmp_path_factory.mktemp("hidden")
    (folder / "act.md").write_text(LAW, encoding="utf-8")
    (folder / "second.md").write_text(LAW.replace("id: act", "id: second"), encoding="utf-8")
    (folder / "ontology.yaml").write_text(
        "areas:\n- id: fees\n  names: {en: Fees}\n  keywords: {en: [master, fee]}\n", encoding="utf-8"
    )
    build_corpus([folder], folder / "corpus", name="Hidden", embedding="none")
    return Caller(CorpusDesk(Library([folder / "corpus"])), "v", "Hidden")


def texts(value: Any, name: str = "") -> Iterator[str]:
    """All texts of an answer that somebody may read."""
    if isinstance(value, dict):
        for key, inner in value.items():
            if key not in SENT_BACK:
                yield from texts(inner, key)
    elif isinstance(value, list):
        # A choice of a list is a value, which is sent back, and its words.
        for inner in [words for _, words in value] if name in ("kinds", "sorts") else value:
            yield from texts(inner)
    elif isinstance(value, str):
        yield value


@pytest.mark.parametrize(
    ("do", "more"),
    [
        ("shelf", {}), ("overview", {}), ("documents", {"words": "payment"}), ("nodes", {}),
        ("piece", {"stop": 20}), ("head", {}), ("path", {}), ("targets", {"refs": [0, 1, 2]}),
        ("citing", {}), ("cases", {}), ("suggest", {"words": "harbour"}), ("statistics", {}), ("report", {}),
        ("areas", {}), ("links", {}), ("extraction", {}),
    ],
)  # fmt: skip
def test_no_answer_hides_anything(caller: Caller, do: str, more: dict[str, Any]) -> None:
    told = list(texts(caller.good(do, **more)))
    assert not [text for text in told if RLO in text]


def test_there_is_something_to_be_hidden(caller: Caller) -> None:
    shown = {do: "".join(texts(caller(do))) for do in ("documents", "piece", "cases", "areas", "statistics")}
    assert [do for do, text in shown.items() if "⟦U+202E⟧" not in text] == []
