"""Recall on references that people annotated, and speed, on the large corpora."""

from __future__ import annotations

import csv
import os
import time
from pathlib import Path

import pytest

from engine.ingestion.readers.base import Problem, SourceFile
from engine.ingestion.readers.beir import BeirReader
from engine.language.references import Resolver
from engine.model import Document, Passage, Reference, Section, Status, TargetKind

DATA = Path(os.environ.get("REDSTRING_DATA") or Path(__file__).parents[4].parent / "shared" / "data")
WRONG_EDGES = Path(__file__).parent / "wrong_edges.tsv"

pytestmark = [
    pytest.mark.corpora,
    pytest.mark.skipif(not DATA.is_dir(), reason=f"no corpora beside the project ({DATA.name})"),
]


def read(name: str) -> tuple[list[Document], list[Section], list[Passage]]:
    documents: list[Document] = []
    sections: list[Section] = []
    passages: list[Passage] = []
    path = DATA / name / "corpus.jsonl.gz"
    for found in BeirReader().read(SourceFile(path, path.name)):
        if not isinstance(found, Problem):
            documents.append(found.document)
            sections.extend(found.sections)
            passages.extend(found.passages)
    return documents, sections, passages


def reached(found: list[Reference], sections: list[Section], passages: list[Passage]) -> set[tuple[str, str]]:
    """(source id, id of the passage reached): of a section its head passage."""
    by_id = {passage.id: passage for passage in passages}
    places = {(passage.document_id, passage.position): passage for passage in passages}
    heads = {section.id: places[section.document_id, section.first] for section in sections}
    pairs = set()
    for reference in found:
        if reference.status is Status.RESOLVED and reference.target_kind is not TargetKind.DOCUMENT:
            target = str(reference.target_id)
            head = heads[target] if reference.target_kind is TargetKind.SECTION else by_id[target]
            pairs.add((by_id[reference.source_id].source_id, head.source_id))
    return pairs


def wrong_edges(name: str) -> set[tuple[str, str]]:
    """Edges that point elsewhere than their text, each with the reason (they are made by patterns)."""
    with WRONG_EDGES.open(encoding="utf-8", newline="") as file:
        rows = csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE)
        return {(row["source"], row["target"]) for row in rows if row["corpus"] == name}


@pytest.mark.parametrize(
    ("name", "least", "every"),
    [
        ("obliqa_adgm", 0.95, 2),
        ("de_bundesrecht", 0.96, 4),
        ("sa_laws_ar", 0.99, 1),
        ("id_peraturan", 0.98, 1),
        ("id_kuhperdata", 0.99, 1),
    ],
)
def test_annotated_references_are_found(name: str, least: float, every: int) -> None:
    """Over all targets, from one in ``every`` of the sources."""
    documents, sections, passages = read(name)
    resolver = Resolver(documents, sections, passages)
    started = time.process_time()
    sources = set(list(dict.fromkeys(passage.source_id for passage in passages))[::every])
    citing = [passage for passage in passages if passage.source_id in sources]
    found = [reference for passage in citing for reference in resolver.references(passage)]
    speed = len(citing) / (time.process_time() - started)
    targets = {passage.source_id for passage in passages}
    with (DATA / name / "edges.tsv").open(encoding="utf-8") as file:
        edges = {(row["source-id"], row["target-id"]) for row in csv.DictReader(file, delimiter="\t")}
    edges = {pair for pair in edges if pair[0] in sources and pair[1] in targets and pair[0] != pair[1]}
    edges -= wrong_edges(name)
    assert len(edges & reached(found, sections, passages)) / len(edges) >= least
    # A machine shared with others is slow; a tenth of the usual speed is a mistake in a pattern.
    assert speed > 300
