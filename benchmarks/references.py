"""How many of the references that somebody else marked are found, and what else is found.

    python -m benchmarks.references CORPUS_DIR... [--language L] [--missed N]
        [--draw N --seed S [--relation R]]

Each folder holds ``corpus.jsonl.gz`` and, to be compared with, ``edges.tsv`` (``source-id``,
``target-id``, and more). Prints per language: recall of the edges, the share of what is resolved inside
the corpus that is among the edges (for passages with an edge, and for all), counts by status and by
relation, and passages a second. An edge file is seldom complete, so that share is no precision:
``--draw`` prints resolved references at random, as a table to be read by eye, and ``--missed`` the
edges that were not found.
"""

from __future__ import annotations

import csv
import random
import time
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from benchmarks import new_parser
from engine.ingestion.readers.base import Problem, SourceFile
from engine.ingestion.readers.beir import BeirReader
from engine.language.references import Resolver, recogniser
from engine.model import Document, Passage, Reference, Section, Status, TargetKind

Pair = tuple[str, str]
# A passage, a reference it makes, and what an edge file calls the target.
Named = tuple[Passage, Reference, str]
COLUMNS = ("corpus", "source", "text", "context", "target", "relation", "verdict", "remark")
# How much of a text stands around a reference in the tables, in characters.
CONTEXT = 60


@dataclass(slots=True)
class Corpus:
    """A corpus as its reader gives it, with the lines that ids come from."""

    name: str
    documents: list[Document] = field(default_factory=list)
    sections: list[Section] = field(default_factory=list)
    passages: list[Passage] = field(default_factory=list)

    def targets(self) -> dict[tuple[TargetKind, str], str]:
        """What each target is called in an edge file: of a section the line of its first passage."""
        heads = {(passage.document_id, passage.position): passage for passage in self.passages}
        named = {(TargetKind.PASSAGE, one.id): one.source_id for one in self.passages}
        for section in self.sections:
            named[TargetKind.SECTION, section.id] = heads[section.document_id, section.first].source_id
        return named | {(TargetKind.DOCUMENT, document.id): document.id for document in self.documents}


def read(folder: Path) -> Corpus:
    """The corpus of a folder."""
    corpus = Corpus(folder.name)
    path = folder / "corpus.jsonl.gz"
    for item in BeirReader().read(SourceFile(path, path.name)):
        if not isinstance(item, Problem):
            corpus.documents.append(item.document)
            corpus.sections.extend(item.sections)
            corpus.passages.extend(item.passages)
    return corpus


def edges_of(folder: Path, languages: dict[str, str]) -> dict[str, set[Pair]]:
    """The edges by language of their source, without those whose ends the corpus lacks."""
    path = folder / "edges.tsv"
    found: dict[str, set[Pair]] = defaultdict(set)
    if not path.is_file():
        return found
    with path.open(encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE):
            source, target = row["source-id"], row["target-id"]
            if source != target and source in languages and target in languages:
                found[languages[source]].add((source, target))
    return found


def inside(text: str) -> str:
    """A text as one field of a table."""
    return " ".join(text.split())


def context(passage: Passage, reference: Reference) -> str:
    """The reference with the words around it."""
    start, end = reference.span.start, reference.span.end
    before, after = passage.text[max(0, start - CONTEXT) : start], passage.text[end : end + CONTEXT]
    return inside(f"{before}>>{reference.text}<<{after}")


def report(corpus: Corpus, language: str, edges: set[Pair], resolver: Resolver, options: Options) -> None:
    """Resolve the references of one language and print what came out."""
    passages = [passage for passage in corpus.passages if passage.language == language]
    started = time.process_time()
    found = [(passage, one) for passage in passages for one in resolver.references(passage)]
    seconds = time.process_time() - started
    targets = corpus.targets()
    named: list[Named] = [
        (passage, one, targets[one.target_kind, one.target_id])
        for passage, one in found
        if one.status is Status.RESOLVED and one.target_kind and one.target_id
    ]
    print(f"{corpus.name} [{language}]: {len(passages):,} passages, {len(passages) / seconds:,.0f} a second")
    if edges:
        compare(edges, named, options.missed, {passage.source_id: passage.text for passage in passages})
    print(f"  status    {counted(one.status for _, one in found)}")
    print(f"  relation  {counted(one.relation for _, one in found)}")
    print(f"  resolved  {counted(one.relation for _, one, _ in named)}")
    if options.draw:
        draw(corpus.name, named, options)


def compare(edges: set[Pair], named: Sequence[Named], missed: int, texts: dict[str, str]) -> None:
    """Print what of the edges is found, and how much of what is found they hold."""
    pairs = {(one.source_id, to) for one, found, to in named if found.target_kind != TargetKind.DOCUMENT}
    pairs = {(source, target) for source, target in pairs if source != target}
    annotated = {source for source, _ in edges}
    beside = {pair for pair in pairs if pair[0] in annotated}
    print(f"  edges {len(edges):,}, recall {share(len(edges & pairs), len(edges))}")
    print(
        f"  our pairs {len(pairs):,}, of them in the edges {share(len(pairs & edges), len(pairs))};"
        f" from passages with an edge {len(beside):,}, {share(len(beside & edges), len(beside))}"
    )
    for source, target in sorted(edges - pairs)[:missed]:
        print(f"  missed    {source} -> {target}: {inside(texts[source])[:300]}")


def draw(name: str, named: Sequence[Named], options: Options) -> None:
    """Print resolved references drawn at random, with two empty columns for the reader's verdict."""
    named = [row for row in named if options.relation in (None, row[1].relation)]
    drawn = random.Random(options.seed).sample(named, min(options.draw, len(named)))
    print("\t".join(COLUMNS))
    for passage, one, target in sorted(drawn, key=lambda row: (row[0].source_id, row[1].span.start)):
        row = (name, passage.source_id, inside(one.text), context(passage, one), target, one.relation, "", "")
        print("\t".join(row))


def share(part: int, whole: int) -> str:
    """A part of a whole in per cent."""
    return f"{100 * part / whole:.1f} %" if whole else "none"


def counted(names: Iterable[str]) -> str:
    """How often each name occurs, the most frequent first."""
    return ", ".join(f"{name} {count:,}" for name, count in Counter(names).most_common())


@dataclass(frozen=True, slots=True)
class Options:
    """What was asked for on the command line."""

    folders: tuple[Path, ...]
    language: str | None
    missed: int
    draw: int
    seed: int
    relation: str | None


def options_of(arguments: list[str] | None = None) -> Options:
    """The options of the command line."""
    parser = new_parser(__doc__)
    parser.add_argument("folders", type=Path, nargs="+", metavar="CORPUS_DIR")
    parser.add_argument("--language", help="only this language")
    parser.add_argument("--missed", type=int, default=0, metavar="N", help="print N edges not found")
    parser.add_argument("--draw", type=int, default=0, metavar="N", help="print N references drawn at random")
    parser.add_argument("--seed", type=int, default=1, metavar="S")
    parser.add_argument("--relation", metavar="R", help="draw references of this relation only")
    given = parser.parse_args(arguments)
    return Options(tuple(given.folders), given.language, given.missed, given.draw, given.seed, given.relation)


def languages_with_grammar(corpus: Corpus) -> Iterator[str]:
    """The languages of a corpus that can be read, in the order of their first passage."""
    for language in dict.fromkeys(passage.language for passage in corpus.passages):
        if recogniser(language):
            yield language


def main() -> None:
    """Measure and print."""
    options = options_of()
    for folder in options.folders:
        corpus = read(folder)
        resolver = Resolver(corpus.documents, corpus.sections, corpus.passages)
        edges = edges_of(folder, {passage.source_id: passage.language for passage in corpus.passages})
        for language in languages_with_grammar(corpus):
            if options.language in (None, language):
                report(corpus, language, edges.get(language, set()), resolver, options)


if __name__ == "__main__":
    main()
