"""Puts the decisions that people have made since the last ingestion in force, without an ingestion."""

from __future__ import annotations

import os
import shutil
from datetime import UTC, datetime
from pathlib import Path

from engine.corpus.decisions import load_decisions, standing
from engine.corpus.embedded.arrays import StringTable, open_array
from engine.corpus.embedded.block import open_blocks
from engine.corpus.embedded.deciding import Undecided, decided
from engine.corpus.embedded.documents import DocumentTable, SectionTable
from engine.corpus.embedded.manifest import Manifest, check_files, read_manifest
from engine.corpus.embedded.passages import PassageTable
from engine.corpus.embedded.publication import new_generation, publish
from engine.corpus.embedded.references import COLUMNS, ReferenceColumns
from engine.corpus.embedded.writing import FOUND, files_of, write_references
from engine.errors import CorpusError

_REWRITTEN = ("references.", "links.")


def apply_decisions(folder: Path | str) -> Undecided:
    """Write the references of a corpus anew from what its texts say and what people have decided; whoever
    opens the corpus from now on sees it. Returns the decisions that found nothing to decide.

    Only the references and links are written; all other files are taken over. Raises CorpusError where
    there is no corpus, or another process is writing it.
    """
    folder = Path(folder)
    read_manifest(folder)
    with new_generation(folder) as generation:
        manifest = read_manifest(folder)
        old = check_files(folder, manifest)
        for path in sorted(path for path in old.rglob("*") if path.is_file()):
            name = path.relative_to(old)
            if not name.as_posix().startswith(_REWRITTEN):
                _take_over(path, generation / name)
        return _rewrite(folder, generation, manifest)


def _rewrite(folder: Path, generation: Path, manifest: Manifest) -> Undecided:
    try:
        blocks = open_blocks(generation, manifest.blocks)
        documents, sections = DocumentTable(generation), SectionTable(generation)
        passages = PassageTable(generation, sorted(manifest.languages), manifest.statuses, blocks)
        columns = {name: open_array(generation, f"{FOUND}.{name}") for name in COLUMNS}
        candidates = StringTable(generation, f"{FOUND}.candidates").all()
    except (OSError, ValueError) as error:
        raise CorpusError(f"damaged corpus at {folder}: {error}; ingest again") from error
    found = ReferenceColumns(columns, candidates, manifest.found_grammars)
    references, undecided = decided(found, standing(load_decisions(folder)), passages, sections, documents)
    write_references(generation, references, sections, documents, len(passages))
    changed = manifest.model_copy(
        update={
            "generation": generation.name,
            "created": datetime.now(UTC).isoformat(timespec="seconds"),
            "references": len(references),
            "grammars": references.grammars,
            "references_by_relation": references.by_relation(),
            "references_by_status": references.by_status(),
            "files": files_of(generation),
        }
    )
    publish(folder, changed.sealed())
    return undecided


def _take_over(old: Path, new: Path) -> None:
    new.parent.mkdir(exist_ok=True)
    try:
        os.link(old, new)
    except OSError:
        shutil.copyfile(old, new)
