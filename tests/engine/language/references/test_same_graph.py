"""One law in several languages: the General Data Protection Regulation cites itself the same way in all."""

from __future__ import annotations

import gzip
import os
from collections.abc import Sequence
from pathlib import Path

import orjson
import pytest

from benchmarks.references import read
from engine.ingestion.readers.base import Problem, SourceFile
from engine.ingestion.readers.formex import FormexReader
from engine.language.references import Resolver
from engine.model import Passage, Reference, Section, SectionKind, Status, TargetKind

DATA = Path(os.environ.get("REDSTRING_DATA") or Path(__file__).parents[4].parent / "shared" / "data")
CORPUS = DATA / "eu_gdpr_24lang"

pytestmark = [
    pytest.mark.corpora,
    pytest.mark.skipif(not CORPUS.is_dir(), reason=f"no corpora beside the project ({CORPUS.name})"),
]

LANGUAGES = ("en", "de", "fr", "es", "it", "nl", "pt")
Edge = tuple[str, str]

# Where the printed text of a language cites something else than the English one: misprints of the
# consolidated version (Article 55 as 51, 32 as 30, 83 as "7983").
MISPRINTS: dict[str, set[Edge]] = {
    "es": {("art-40", "art-51")},
    "nl": {("art-40", "art-51")},
    "pt": {("art-40", "art-30"), ("art-40", "art-32"), ("art-84", "art-83")},
}
# Edges of the file that the text does not bear out: these articles are of other acts, of the Directives
# 2000/31/EC and 95/46/EC and of Regulation (EU) No 182/2011.
FOREIGN = {
    *(("art-2", f"art-{number}") for number in range(12, 16)),
    *(("rec-21", f"art-{number}") for number in range(12, 16)),
    ("rec-106", "art-25"),
    ("art-93", "art-5"),
}


@pytest.fixture(scope="module")
def graphs(tmp_path_factory: pytest.TempPathFactory) -> dict[str, set[Edge]]:
    """Per language the pairs of what cites and what is cited, both without their language."""
    found: dict[str, set[Edge]] = {}
    folder = tmp_path_factory.mktemp("gdpr")
    with gzip.open(CORPUS / "corpus.jsonl.gz") as file:
        lines = [line for line in file if orjson.loads(line)["metadata"]["language"] in LANGUAGES]
    (folder / "corpus.jsonl.gz").write_bytes(gzip.compress(b"".join(lines), 1))
    corpus = read(folder)
    resolver = Resolver(corpus.documents, corpus.sections, corpus.passages)
    for language in LANGUAGES:
        own = [passage for passage in corpus.passages if passage.language == language]
        references = [one for passage in own for one in resolver.references(passage)]
        found[language] = edges(references, corpus.sections, own)
    return found


def edges(
    references: Sequence[Reference], sections: Sequence[Section], passages: Sequence[Passage]
) -> set[Edge]:
    """What the references join; an article or recital by its key, a chapter by its number."""
    by_id = {passage.id: passage for passage in passages}
    heads = {(passage.document_id, passage.position): passage for passage in passages}
    parts = {section.id: section for section in sections}
    found = set()
    for one in references:
        if one.status is not Status.RESOLVED or one.target_kind is TargetKind.DOCUMENT or not one.target_id:
            continue
        section = parts.get(one.target_id) if one.target_kind is TargetKind.SECTION else None
        if section is None:
            target = key_of(by_id[one.target_id])
        elif section.kind is SectionKind.CHAPTER:
            target = f"chapter-{section.number}"
        else:
            target = key_of(heads[section.document_id, section.first])
        found.add((key_of(by_id[one.source_id]), target))
    return {(source, target) for source, target in found if source != target}


def key_of(passage: Passage) -> str:
    return f"{_KEYS.get(passage.kind, passage.kind)}-{passage.number}"


_KEYS = {SectionKind.ARTICLE: "art", SectionKind.RECITAL: "rec"}


@pytest.mark.parametrize("language", LANGUAGES[1:])
def test_every_language_gives_the_same_graph(graphs: dict[str, set[Edge]], language: str) -> None:
    assert graphs[language] ^ graphs["en"] == MISPRINTS.get(language, set())


@pytest.mark.parametrize("language", ["en", "de", "fr"])
def test_the_official_journal_gives_the_same_graph(graphs: dict[str, set[Edge]], language: str) -> None:
    path = DATA / "raw" / "eu_formex_xml" / f"gdpr-{language}.xml"
    (law,) = (one for one in FormexReader().read(SourceFile(path, path.name)) if not isinstance(one, Problem))
    resolver = Resolver([law.document], law.sections, law.passages)
    references = [one for passage in law.passages for one in resolver.references(passage)]
    # Article 85 opens Chapter IX: where it is one passage, the chapter it names begins with itself.
    assert edges(references, law.sections, law.passages) == graphs[language] | {("art-85", "chapter-IX")}


def test_the_marked_edges_are_found(graphs: dict[str, set[Edge]]) -> None:
    lines = (CORPUS / "edges.tsv").read_text(encoding="utf-8").splitlines()[1:]
    pairs = [line.split("\t")[:2] for line in lines if line.startswith("gdpr-en-")]
    marked = {(source.split("-", 2)[2], target.split("-", 2)[2]) for source, target in pairs}
    articles = {(source, target) for source, target in graphs["en"] if not target.startswith("chapter")}
    assert marked - articles == FOREIGN
    assert articles <= marked
