"""What was found for each part of a question that asks several things, beneath the evidence line."""

from __future__ import annotations

from engine.language.characters import attribute, escape
from engine.model import Document, Evidence, Passage
from engine.records.citation import short_citation
from engine.records.wording import part_texts, part_words


def parts_html(evidence: Evidence | None) -> str:
    """A line for each part: what was found, its words, and where its best passages stand; nothing for a
    question that asks one thing."""
    if evidence is None or not evidence.parts:
        return ""
    lines = "".join(
        f'<li data-status="{part.status.value}"><span class="part-text" dir="auto">{escape(text)}</span>'
        f'<span class="part-status">{escape(part_words(part))}</span>'
        f"{''.join(_chip(*found) for found in part.passages)}</li>"
        for text, part in zip(part_texts(evidence.parts), evidence.parts, strict=True)
    )
    return f'<ol class="parts" aria-label="Parts of the question">{lines}</ol>'


def _chip(passage: Passage, document: Document) -> str:
    """A passage to go to, by its short citation."""
    return (
        f'<button type="button" class="chip" dir="auto" data-passage="{attribute(passage.id)}">'
        f"{escape(short_citation(passage, document))}</button>"
    )
