"""Quality of the brief, the answer without a language model, on gold questions.

    python -m benchmarks.briefs --corpus DIR --queries FILE --qrels FILE [--limit N] [--preset P]
        [--foreign CORPUS_DIR]

Prints the share of questions in which the brief cites a gold passage, or all of them, and the same for the
ranking, which it may cite; its length, and the compression relative to the ranked passages; its time.
``--foreign``: the share of the same questions that are reported as missing in a corpus that cannot answer
them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from benchmarks import new_parser
from engine.answers.answer import answer
from engine.answers.record import Answer, Citation
from engine.answers.units import word_count
from engine.corpus import open_corpus
from engine.corpus.protocol import Corpus
from engine.evaluation import Question, read_questions
from engine.investigation import run_case
from engine.investigation.record import Investigation
from engine.settings import InvestigationSettings, preset


@dataclass(frozen=True, slots=True)
class Measured:
    """Measurements of one brief.

    ``cited`` and ``ranked``: shares of the question's gold; ``sure``: it has sentences that answer;
    ``close``: it has those of the closest rule; ``first``, ``best``: its first citation, or the first passage
    of the ranking, is gold.
    """

    cited: float
    ranked: float
    passages: int
    words: int
    compression: float
    milliseconds: float
    missing: bool
    sure: bool
    close: bool
    first: bool
    best: bool


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure and print."""
    parser = new_parser(__doc__)
    parser.add_argument("--corpus", type=Path, required=True)
    parser.add_argument("--queries", type=Path, required=True)
    parser.add_argument("--qrels", type=Path, required=True)
    parser.add_argument("--limit", type=int, default=100)
    parser.add_argument("--preset", default="balanced")
    parser.add_argument("--foreign", type=Path)
    options = parser.parse_args(arguments)
    settings = preset(options.preset)
    questions = read_questions(options.queries, options.qrels)[: options.limit]
    own = measured(open_corpus(options.corpus), questions, settings)
    for name, value in table(own):
        print(f"{name:44}{value:>8}")
    if options.foreign is not None:
        foreign = open_corpus(options.foreign)
        missing = [briefed(foreign, question, settings)[1].missing for question in questions]
        print(f"{'reported missing in a foreign corpus':44}{np.mean(missing):>8.3f}")
    return 0


def measured(
    corpus: Corpus, questions: Sequence[Question], settings: InvestigationSettings
) -> list[Measured]:
    """Measure the brief of each question; the first question runs twice, to warm up."""
    briefed(corpus, questions[0], settings)
    return [_measure(question, *briefed(corpus, question, settings), corpus) for question in questions]


def briefed(
    corpus: Corpus, question: Question, settings: InvestigationSettings
) -> tuple[Investigation, Answer]:
    """Return the investigation of a question and its brief."""
    investigation = run_case(corpus, question.text, settings).investigation()
    return investigation, answer(investigation, corpus)


def _measure(question: Question, investigation: Investigation, brief: Answer, corpus: Corpus) -> Measured:
    gold = set(question.gold)
    cited = _sources([place for one in brief.citations for place, _ in one.places], corpus)
    ids = [one for found in investigation.passages for one in found.assembled_ids or (found.passage.id,)]
    words = sum(word_count(sentence.text) for sentence in brief.sentences)
    read = sum(word_count(found.text) for found in investigation.passages)
    return Measured(
        len(gold & cited) / len(gold),
        len(gold & _sources(ids, corpus)) / len(gold),
        len(cited),
        words,
        read / words if words else 0.0,
        brief.milliseconds,
        brief.missing,
        bool(brief.sentences) and not brief.unanswered,
        bool(brief.sentences) and bool(brief.unanswered),
        bool(gold & _sources([place for one in _first(brief) for place, _ in one.places], corpus)),
        bool(investigation.passages) and investigation.passages[0].passage.source_id in gold,
    )


def _first(brief: Answer) -> list[Citation]:
    """Return the first citation of the first sentence, or of the passages to read."""
    numbers = brief.sentences[0].citations if brief.sentences else brief.to_read
    return [brief.citation(number) for number in numbers[:1]]


def _sources(ids: Sequence[str], corpus: Corpus) -> set[str]:
    return {passage.source_id for passage in corpus.passages(corpus.rows(list(ids)))} if ids else set()


def _share(found: Sequence[bool]) -> float:
    return float(np.mean(found)) if found else 0.0


def table(results: Sequence[Measured]) -> list[tuple[str, str]]:
    """Return the figures by name."""
    cited = np.array([one.cited for one in results])
    ranked = np.array([one.ranked for one in results])
    words = np.array([one.words for one in results])
    time = np.array([one.milliseconds for one in results])
    return [
        ("questions", f"{len(results)}"),
        ("a gold passage in the ranking", f"{np.mean(ranked > 0):.3f}"),
        ("a gold passage cited", f"{np.mean(cited > 0):.3f}"),
        ("all gold passages in the ranking", f"{np.mean(ranked == 1):.3f}"),
        ("all gold passages cited", f"{np.mean(cited == 1):.3f}"),
        ("passages cited, mean", f"{np.mean([one.passages for one in results]):.1f}"),
        ("words, median", f"{np.median(words):.0f}"),
        ("words, 95th percentile", f"{np.percentile(words, 95):.0f}"),
        (
            "words of the ranked passages for one, median",
            f"{np.median([m.compression for m in results]):.1f}",
        ),
        ("milliseconds, median", f"{np.median(time):.0f}"),
        ("milliseconds, 95th percentile", f"{np.percentile(time, 95):.0f}"),
        ("first citation is gold", f"{np.mean([one.first for one in results]):.3f}"),
        ("a sentence answers with certainty", f"{np.mean([one.sure for one in results]):.3f}"),
        ("- and its first citation is gold", f"{_share([one.first for one in results if one.sure]):.3f}"),
        ("the closest rule is shown", f"{np.mean([one.close for one in results]):.3f}"),
        ("- and that is gold", f"{_share([one.first for one in results if one.close]):.3f}"),
        ("first passage of the ranking is gold", f"{np.mean([one.best for one in results]):.3f}"),
        ("wrongly reported missing", f"{np.mean([one.missing for one in results]):.3f}"),
    ]


if __name__ == "__main__":
    raise SystemExit(main())
