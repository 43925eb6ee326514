"""The references of a corpus as rows of text: from passage to passage, by the ids of the source."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from engine.corpus.protocol import Corpus
from engine.language.amendments import changes_of
from engine.model import Reference, Relation, TargetKind


def reference_rows(corpus: Corpus, relation: Relation | None = None) -> Iterator[tuple[str, ...]]:
    """Source id, target id or nothing, relation, status and quoted text of each reference; of one that amends
    also the replaced and the new words, where the text says them.

    A reference to a section is told by the section's first passage, one to a whole document by the
    document's id. Parts of a line that was cut count as the line.
    """
    sources = source_ids(corpus)
    heads = section_heads(corpus)
    for reference in corpus.all_references():
        if relation in (None, reference.relation):
            target = _target(reference, heads)
            yield (
                sources.get(reference.source_id, reference.source_id),
                sources.get(target, target),
                reference.relation.value,
                reference.status.value,
                " ".join(reference.text.split()),
                *_changes(corpus, reference),
            )


def _changes(corpus: Corpus, reference: Reference) -> Iterator[str]:
    """The words that a reference changes of its target."""
    if reference.relation is not Relation.AMENDS:
        return
    rows = corpus.rows([reference.source_id])
    (passage,) = corpus.passages(rows)
    others = corpus.references(corpus.references_from(rows).numbers.tolist())
    spans = sorted({one.span for one in others if one.relation is Relation.AMENDS}, key=lambda one: one.start)
    found = changes_of(passage.text, reference.span, spans, passage.language)
    if found:
        yield "; ".join(" ".join(one.summary.split()) for one in found)


def source_ids(corpus: Corpus) -> dict[str, str]:
    """The id by which the source knows a passage, for each passage where it is another one."""
    passages = corpus.passages(np.arange(len(corpus), dtype=np.int32))
    return {passage.id: passage.source_id for passage in passages if passage.id != passage.source_id}


def section_heads(corpus: Corpus) -> dict[str, str]:
    """The id of each section's first passage, by section id."""
    numbers = corpus.section_numbers(np.arange(len(corpus), dtype=np.int32))
    count = int(corpus.info().metadata.get("sections", numbers.max(initial=-1) + 1))
    sections = corpus.sections(range(count))
    documents = sorted({section.document_id for section in sections})
    rows = dict(zip(documents, corpus.by_document(documents), strict=True))
    first = np.array([rows[section.document_id][section.first] for section in sections], np.int32)
    ids = [passage.id for passage in corpus.passages(first)]
    return {section.id: passage_id for section, passage_id in zip(sections, ids, strict=True)}


def _target(reference: Reference, heads: dict[str, str]) -> str:
    if reference.target_id is None:
        return ""
    if reference.target_kind is TargetKind.SECTION:
        return heads.get(reference.target_id, reference.target_id)
    return reference.target_id
