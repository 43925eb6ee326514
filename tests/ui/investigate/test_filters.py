from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, cast

from engine.corpus.protocol import Corpus, Ontology
from engine.model import Document
from ui.investigate.sidebar import OF_CORPUS, choices_of, refreshed


@dataclass
class Shelf:
    """A corpus of which only the documents and the ontology are asked."""

    own: list[Document]
    ontology: Ontology | None = None
    more: dict[str, Any] = field(default_factory=dict)

    def documents(self) -> list[Document]:
        return self.own


LAWS = [
    Document("b", "Tax Act", "en", type="act", status="in force", issuer="Parliament"),
    Document("a", "Agency Act", "en", type="act", status="repealed"),
    Document("c", "لائحة", "ar", type="regulation"),
]


def test_choices_come_from_the_documents_the_most_frequent_first() -> None:
    found = choices_of(cast(Corpus, Shelf(LAWS)))
    assert found["types"] == [("act (2)", "act"), ("regulation (1)", "regulation")]
    assert found["documents"][0] == ("Agency Act", "a")
    assert found["languages"] == [("en (2)", "en"), ("ar (1)", "ar")]
    assert found["issuers"] == [("Parliament (1)", "Parliament")]


def test_what_leaves_no_choice_is_not_offered() -> None:
    shown = {name: update["visible"] for name, update in refreshed(cast(Corpus, Shelf(LAWS))).items()}
    assert [name for name in OF_CORPUS if not shown[name]] == ["issuers", "transaction_type"]
    assert shown.keys() == set(OF_CORPUS)
