"""The figures of a case on the page, each with a line on what it measures."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from engine import bounded_yaml
from engine.corpus.protocol import Corpus
from engine.model import UNMEASURED, Metrics, RoundReport
from engine.records.phrases import short_citation
from ui.templating import rendered

_WORDS = Path(__file__).with_name("figures.yaml")
# Figures in the order of the page; those that are means of cosines are no shares.
SHARES = ("coverage", "references", "efficiency")
COSINES = ("similarity", "similarity_top", "coherence")
ORDER = ("coverage", "similarity", "similarity_top", "references", "efficiency", "coherence")


@dataclass(frozen=True, slots=True)
class Figure:
    """A figure with its label, its value as text, and the line that explains it."""

    name: str
    label: str
    value: str
    meaning: str


def figures_html(
    metrics: Metrics, rounds: Sequence[RoundReport], corpus: Corpus, language: str = "en"
) -> str:
    """Return the measured figures, and links to the passages that are referred to and not in the pool."""
    if metrics == UNMEASURED:
        return ""
    words = figure_words(language)
    rows = corpus.rows(list(metrics.outside))
    passages = corpus.passages(rows[rows >= 0])
    documents = corpus.documents()
    numbers = corpus.document_numbers(rows[rows >= 0]).tolist()
    outside = [
        (passage.id, short_citation(passage, documents[number]))
        for passage, number in zip(passages, numbers, strict=True)
    ]
    return rendered(
        "investigate/figures.html",
        figures=measured(metrics, rounds, words),
        outside=outside,
        heading=words["outside"].format(count=len(outside)),
        language=language,
    )


def measured(metrics: Metrics, rounds: Sequence[RoundReport], words: Mapping[str, Any]) -> list[Figure]:
    """Return the figures that could be measured: shares in percent, cosines with two decimals."""
    found = []
    for name in ORDER:
        value = getattr(metrics, name)
        if value is None:
            continue
        label, meaning = words[name]
        if name == "efficiency" and rounds:
            meaning = f"{meaning} {_counts(rounds[-1], words)}"
        found.append(Figure(name, label, f"{value:.0%}" if name in SHARES else f"{value:.2f}", meaning))
    return found


def _counts(report: RoundReport, words: Mapping[str, Any]) -> str:
    """Return the numbers behind the efficiency of a round."""
    proposed = sum(count.proposed for count in report.strategies)
    known = proposed - report.admitted - report.refused
    counts = {"admitted": report.admitted, "proposed": proposed, "known": known, "refused": report.refused}
    written: str = words["proposed"].format(**{name: f"{count:,}" for name, count in counts.items()})
    return written


@cache
def figure_words(language: str) -> Mapping[str, Any]:
    """Return the words of a language for the figures; English for other languages."""
    every: Mapping[str, Mapping[str, Any]] = bounded_yaml.load(_WORDS.read_bytes())
    return every.get(language.split("-")[0], every["en"])
