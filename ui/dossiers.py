"""What the board and the tree tell of a passage when asked."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from engine.language.characters import marked
from engine.records.citation import full_citation
from ui.board import Dossier
from ui.session import OpenCase
from ui.validity import badge

EXCERPT = 320


def excerpt(text: str) -> str:
    """The beginning of a text, cut at a word."""
    return text if len(text) <= EXCERPT else text[:EXCERPT].rsplit(" ", 1)[0] + " …"


def dossiers(opened: OpenCase, passage_ids: Sequence[str]) -> Mapping[str, Dossier]:
    """What is told of passages, from one look into the corpus."""
    found: dict[str, Dossier] = {}
    for passage_id, (passage, document) in opened.lookup(list(passage_ids)).items():
        seal = badge(passage, document, opened.case.as_of)
        page = f"p. {passage.page}" if passage.page is not None else ""
        found[passage_id] = Dossier(
            name=marked(opened.name(passage_id)),
            title=marked(document.title or document.id),
            where=marked(", ".join(part for part in (passage.label, page) if part)),
            text=marked(excerpt(passage.text)),
            language=passage.language,
            citation=marked(full_citation(passage, document)),
            badge=seal.words if seal else "",
        )
    return found
