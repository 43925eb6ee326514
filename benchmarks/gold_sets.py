"""All gold sets with one command and one preset, in one table.

    python -m benchmarks.gold_sets DATA_DIR CORPORA_DIR [--sets A,B]
        [--limit N | --every K | --most N] [--preset P] [--jobs N] [--ablate [--ablate-most N]]
        [--results DIR] [--markdown FILE]

``DATA_DIR`` holds a folder for each set (corpus.jsonl.gz or corpus.ref, queries.jsonl.gz, qrels.tsv);
``CORPORA_DIR`` the ingested corpora by name: one that is missing is ingested there, one that is there
is only read. One corpus is open at a time. ``--results`` keeps each set's questions as JSON lines
(for ``evaluate --compare``) and its rankings as a TREC run.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from benchmarks import new_parser
from benchmarks.gold_tables import Suite, markdown
from engine.corpus import open_corpus
from engine.corpus.protocol import Corpus
from engine.errors import InputError, RedstringError, SourceError
from engine.evaluation import Question, QuestionResult, judge_questions, read_questions
from engine.evaluation.ablation import ABLATED_MEASURES, Ablation, AskQuestions, ablate
from engine.evaluation.evaluate import Processes
from engine.evaluation.metrics import run_header, write_header, write_result
from engine.evaluation.questions import RUN_DEPTH, Run, choose_questions, write_run
from engine.ingestion.build import build_corpus
from engine.ingestion.report import ProgressBar
from engine.settings import InvestigationSettings, preset

SETS = (
    "obliqa_xref",
    "obliqa_mp",
    "obliqa_adgm",
    "hipporag_2wiki",
    "2wiki_dev164",
    "musique_dev200",
    "hipporag_musique_train100",
    "hotpotqa_dev200",
    "hipporag_hotpotqa_train100",
    "cn_stard",
    "id_kuhperdata",
)
# The packaged model reads English alone.
WITHOUT_VECTORS = ("cn_stard", "id_kuhperdata")


@dataclass(frozen=True, slots=True)
class GoldSet:
    """A set's folder, and the name and folder of the corpus that its questions are put to."""

    name: str
    folder: Path
    corpus: str
    source: Path

    def questions(self) -> list[Question]:
        """The set's questions that have gold."""
        return read_questions(self.folder / "queries.jsonl.gz", self.folder / "qrels.tsv")


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure, print the table, keep what is asked for; returns the exit code."""
    options = _parser().parse_args(arguments)
    try:
        settings = preset(options.preset)
        sets = [gold_set(options.data, name) for name in _names(options.sets)]
        suite = Suite(options.preset, settings, sys.argv[1:] if arguments is None else list(arguments))
        for gold in sets:
            model = "none" if gold.corpus in WITHOUT_VECTORS else options.embedding
            folder = ingested(gold, options.corpora, model)
            questions = choose_questions(gold.questions(), options.limit, options.every, options.most)
            corpus = open_corpus(folder)
            with _asking(corpus, folder, options.jobs) as asking:
                suite.add(gold.name, _evaluated(gold, corpus, questions, settings, options, asking))
                if options.ablate:
                    asked = choose_questions(questions, most=options.ablate_most)
                    suite.ablations[gold.name] = _ablated(gold, corpus, asked, settings, asking)
            # What is known so far is kept: a long run may be stopped.
            _keep(suite, options)
    except RedstringError as error:
        print(f"redstring: {error}", file=sys.stderr)
        return 2 if isinstance(error, InputError) else 1
    print(markdown(suite))
    return 0


def gold_set(data: Path, name: str) -> GoldSet:
    """A set by name; the corpus of another set must stand beside it. Raises SourceError for a folder that is
    not there or lacks a file."""
    folder = data / name
    for needed in ("queries.jsonl.gz", "qrels.tsv"):
        if not (folder / needed).is_file():
            raise SourceError(f"no gold set {name!r}: {folder / needed} is not there")
    reference = folder / "corpus.ref"
    corpus = Path(reference.read_text(encoding="utf-8").strip()).name if reference.is_file() else name
    if corpus in ("", "..") or not (data / corpus).is_dir():
        raise SourceError(f"{reference}: no set {corpus!r} in {data}; get that set too")
    return GoldSet(name, folder, corpus, data / corpus)


def ingested(gold: GoldSet, corpora: Path, embedding: str) -> Path:
    """The folder of the set's corpus, ingested if it is not there. References come from the text alone."""
    folder = corpora / gold.corpus
    if not folder.is_dir():
        corpora.mkdir(parents=True, exist_ok=True)
        with ProgressBar() as progress:
            build_corpus([gold.source], folder, name=gold.corpus, embedding=embedding, progress=progress)
    return folder


@contextmanager
def _asking(corpus: Corpus, folder: Path, jobs: int) -> Iterator[AskQuestions]:
    """How questions are put: one after the other here, or by several processes."""
    if jobs == 1:
        yield partial(judge_questions, corpus)
    else:
        with Processes(folder, jobs) as processes:
            yield processes.judge_questions


def _evaluated(
    gold: GoldSet,
    corpus: Corpus,
    questions: Sequence[Question],
    settings: InvestigationSettings,
    options: argparse.Namespace,
    asking: AskQuestions,
) -> list[QuestionResult]:
    results, run = [], Run()
    directory: Path | None = options.results
    if directory is not None:
        directory.mkdir(parents=True, exist_ok=True)
    target = (directory / f"{gold.name}.jsonl").open("wb") if directory is not None else None
    try:
        if target is not None:
            write_header(target, run_header(corpus, settings))
        with ProgressBar() as bar:
            for number, (outcome, result) in enumerate(asking(questions, settings), 1):
                results.append(result)
                run.add(result.id, outcome.final[:RUN_DEPTH], outcome.scores[:RUN_DEPTH])
                bar(gold.name, number, len(questions))
                if target is not None:
                    write_result(target, result)
    finally:
        if target is not None:
            target.close()
    if directory is not None:
        write_run(run, directory / f"{gold.name}.run")
    return results


def _ablated(
    gold: GoldSet,
    corpus: Corpus,
    questions: Sequence[Question],
    settings: InvestigationSettings,
    asking: AskQuestions,
) -> Ablation:
    with ProgressBar() as bar:
        return ablate(
            corpus,
            questions,
            settings,
            progress=lambda name, done, total: bar(f"{gold.name}: {name}", done, total),
            asking=asking,
        )


def _keep(suite: Suite, options: argparse.Namespace) -> None:
    if options.markdown is not None:
        options.markdown.write_text(markdown(suite), encoding="utf-8")


def _names(listed: str | None) -> list[str]:
    names = list(SETS) if listed is None else [name.strip() for name in listed.split(",") if name.strip()]
    unknown = [name for name in names if name not in SETS]
    if unknown or not names:
        raise InputError(f"--sets: unknown {', '.join(unknown) or 'nothing'}; known sets: {', '.join(SETS)}")
    return names


def _parser() -> argparse.ArgumentParser:
    parser = new_parser(__doc__)
    add: Any = parser.add_argument
    add("data", type=Path, metavar="DATA_DIR")
    add("corpora", type=Path, metavar="CORPORA_DIR")
    add("--sets", metavar="A,B", help=f"of {', '.join(SETS)} (default: all)")
    which = parser.add_mutually_exclusive_group()
    which.add_argument("--limit", type=int, metavar="N", help="the first N questions of each set")
    which.add_argument("--every", type=int, metavar="K", help="every K-th question of each set")
    which.add_argument("--most", type=int, metavar="N", help="N questions of each set at even distances")
    add("--preset", default="balanced", metavar="P")
    add("--embedding", default="minilm", metavar="SPEC", help="model for corpora that are ingested")
    add("--jobs", type=int, default=1, metavar="N", help="processes (times are theirs; default 1)")
    add("--ablate", action="store_true", help=f"rows of the ablation: {', '.join(ABLATED_MEASURES)}")
    add("--ablate-most", type=int, metavar="N", help="ablation on N of the questions, at even distances")
    add("--results", type=Path, metavar="DIR", help="keep each set's questions and rankings")
    add("--markdown", type=Path, metavar="FILE", help="write the tables as Markdown")
    return parser


if __name__ == "__main__":
    sys.exit(main())
