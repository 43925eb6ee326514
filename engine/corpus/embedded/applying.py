"""Puts the decisions that people have made since the last ingestion in force, without an ingestion."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

from engine.corpus.decisions import load_decisions, standing
from engine.corpus.embedded.deciding import Undecided, decided
from engine.corpus.embedded.documents import DocumentTable, SectionTable
from engine.corpus.embedded.generation import (
    CITED_NAME,
    FOUND_NAME,
    GRAPH_NAME,
    STATE_NAME,
    Generation,
    keep_file,
    published,
    seals_of,
)
from engine.corpus.embedded.mentions import EntityTable
from engine.corpus.embedded.passages import PassageTable
from engine.corpus.embedded.publication import new_generation, publish
from engine.corpus.embedded.references import columns_in
from engine.corpus.embedded.writing import write_references


def apply_decisions(folder: Path | str) -> Undecided:
    """Write the references of a corpus anew from what its texts say and what people have decided; whoever
    opens the corpus from now on sees it. Returns the decisions that found nothing to decide.

    Only the references and links are written; all other files are taken over. Raises CorpusError where
    there is no corpus, or another process is writing it.
    """
    folder = Path(folder)
    published(folder)
    with new_generation(folder) as generation:
        before = published(folder)
        kept = [name for name in before.manifest.files if name not in (CITED_NAME, GRAPH_NAME)]
        for parent in {(generation / name).parent for name in kept}:
            parent.mkdir(exist_ok=True)
        for name in kept:
            keep_file(before.data / name, generation / name)
        return _rewrite(before, generation)


def _rewrite(before: Generation, generation: Path) -> Undecided:
    folder, manifest = before.folder, before.manifest
    state = before.block(STATE_NAME)
    documents, sections = DocumentTable(state), SectionTable(state)
    passages = PassageTable(state, sorted(manifest.languages), manifest.statuses)
    found = columns_in(before.block(FOUND_NAME), manifest.found_grammars)
    references, undecided = decided(found, standing(load_decisions(folder)), passages, sections, documents)
    write_references(generation, references, sections, documents, EntityTable(state).every())
    changed = manifest.model_copy(
        update={
            "generation": generation.name,
            "created": datetime.now(UTC).isoformat(timespec="microseconds"),
            "references": len(references),
            "grammars": references.grammars,
            "references_by_relation": references.by_relation(),
            "references_by_status": references.by_status(),
            "files": seals_of(generation, before),
        }
    )
    publish(folder, changed.sealed())
    return undecided
