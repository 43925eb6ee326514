"""The finding of a case above its passages, its coverage, and its figures."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from engine import bounded
from engine.answers.record import Answer, Sentence
from engine.answers.relevance import Asks, measures, states_consequence
from engine.answers.units import split_lists
from engine.corpus.protocol import Corpus
from engine.investigation.view import WORTH
from engine.model import (
    NOTHING,
    UNMEASURED,
    AreaCoverage,
    AreaState,
    EvidenceStatus,
    Metrics,
    Passage,
    Relation,
    RoundReport,
    counted,
)
from engine.records.phrases import area_facts, is_part, short_citation
from engine.records.text import day_words
from ui.open_case import OpenCase
from ui.templating import rendered

# The coverage pane: the state of each area of the question, its evidence, and the query sent for
# it.

_TOKENS = {AreaState.COVERED: "ok", AreaState.WEAK: "weak", AreaState.MISSING: "miss"}
WAITING = (
    '<div class="empty"><p>What the question involves, and how well the sources cover each part.</p></div>'
)


def covered(areas: Sequence[AreaCoverage]) -> tuple[int, int]:
    """Return the number of required areas that are covered, and the number of required areas."""
    needed = counted(areas)
    return sum(area.state is AreaState.COVERED for area in needed), len(needed)


def coverage(areas: Sequence[AreaCoverage], figures: str = "", names: Mapping[str, str] = NOTHING) -> str:
    """Return the content of the pane, required areas first, followed by the figures of the case as HTML.

    ``names``: citations of the shown passages by id; empty while the case runs, when no row has actions.
    """
    done, wanted = covered(areas)
    touched = [
        area
        for area in areas
        if area.required or area.query or not area.needed or area.state is not AreaState.MISSING
    ]
    ordered = sorted(touched, key=lambda area: (not area.needed, not area.required))
    return rendered(
        "investigate/coverage.html",
        areas=[
            (area, state_words(area), _TOKENS[area.state] if area.needed else "soft", _facts(area, names))
            for area in ordered
        ],
        untouched=[area for area in areas if area not in touched],
        done=done,
        wanted=wanted,
        worth=WORTH,
        has_actions=bool(names),
        figures=figures,
    )


def state_words(area: AreaCoverage) -> str:
    """Return the state in one to three words: covered, closed in 2, weak, missing."""
    if not area.needed:
        return "not needed"
    return f"closed in round {area.closed_in}" if area.closed_in else area.state.value


def _facts(area: AreaCoverage, names: Mapping[str, str]) -> list[str]:
    facts = area_facts(area)
    if area.evidence and not is_part(area):
        facts.insert(1, f"{area.score:.0%} of the evidence")
    best = next((names[passage] for passage in area.evidence if passage in names), "")
    if best and area.state is not AreaState.MISSING:
        facts.insert(0, f"best: {best}")
    if not area.required and not area.query and area.state is not AreaState.COVERED:
        facts.append("not required")
    return facts


# The finding of a case, above its passages: status, rule, exception, consequence, time limit, and
# gaps.

RULE, CLOSEST, EXCEPTION, CONSEQUENCE, LIMIT = (
    "Rule",
    "Closest rule",
    "Exception",
    "Consequence",
    "Time limit",
)
_LIMITING = frozenset((Relation.EXCEPTION_TO, Relation.SUBJECT_TO, Relation.WITHOUT_PREJUDICE_TO))
_TITLES = {
    EvidenceStatus.FOUND: "The sources answer this question.",
    EvidenceStatus.PARTIAL: "The sources answer part of this question.",
    EvidenceStatus.NONE: "This corpus does not cover the question.",
}
_STATUS = {
    EvidenceStatus.FOUND: "Found",
    EvidenceStatus.PARTIAL: "Partly found",
    EvidenceStatus.NONE: "Not found",
}
# Gaps that are named; the coverage pane lists all.
MOST_GAPS = 3


@dataclass(frozen=True, slots=True)
class Line:
    """One quoted sentence: its role, its words as printed, its pinpoint and the passage with it."""

    role: str
    words: str
    pinpoint: str
    passage_id: str
    language: str = "und"


def finding_html(opened: OpenCase) -> str:
    """Return the finding of a finished case; empty without an answer."""
    if opened.answer is None:
        return ""
    made, case = opened.answer[0], opened.case
    evidence = case.evidence
    title = _TITLES[evidence.status]
    if made.unanswered and evidence.status is not EvidenceStatus.NONE:
        title = "No sentence answers this directly."
    done, wanted = covered(case.areas)
    gaps = [area.name for area in counted(case.areas) if area.state is not AreaState.COVERED]
    return rendered(
        "investigate/finding.html",
        title=title,
        question=opened.question,
        corpus=opened.corpus_name,
        status=evidence.status.value,
        status_words=_STATUS[evidence.status],
        lines=lines_of(made, opened),
        missing=evidence.missing,
        areas=f"{done} of {wanted}" if wanted else "",
        gaps=gaps[:MOST_GAPS],
        more_gaps=max(0, len(gaps) - MOST_GAPS),
        passages=len(case.pool),
        day=day_words(case.as_of),
    )


def lines_of(made: Answer, opened: OpenCase) -> list[Line]:
    """Return the quoted sentences, one for each role."""
    if made.missing:
        return []
    found: dict[str, Line] = {}
    for sentence in made.sentences:
        role = _role(sentence, made)
        if role and role not in found and sentence.citations:
            cited = made.citation(sentence.citations[0])
            found[role] = Line(role, sentence.text, cited.short, cited.passage_id, sentence.language)
    # The consequence and the time limit of a rule are often in another paragraph of the same article.
    near = list(_same_articles(list(found.values()), opened)) if not made.unanswered else []
    for role in (CONSEQUENCE, LIMIT):
        if role not in found:
            line = next((one for one in near if one.role == role), None)
            if line is not None:
                found[role] = line
    return [found[role] for role in (RULE, CLOSEST, EXCEPTION, CONSEQUENCE, LIMIT) if role in found]


def _role(sentence: Sentence, made: Answer) -> str:
    if sentence.link is not None and Relation(sentence.link[2]) in _LIMITING:
        return EXCEPTION
    if sentence is made.sentences[0]:
        return CLOSEST if made.unanswered else RULE
    return _kind(sentence.text, sentence.language)


def _kind(text: str, language: str) -> str:
    """Return whether a sentence states a consequence or a time limit; empty for neither."""
    if states_consequence(text, language):
        return CONSEQUENCE
    return LIMIT if measures(text, language, frozenset((Asks.DEADLINE,))) else ""


def _same_articles(lines: list[Line], opened: OpenCase) -> Iterator[Line]:
    """Yield the sentences on consequences and time limits in the ranked articles of the quoted ones."""
    quoted = {line.passage_id for line in lines}
    known = {line.words for line in lines}
    for entry in opened.case.ranking:
        ids = [entry.passage.id, *(one for one in entry.assembled_ids if one != entry.passage.id)]
        if quoted.isdisjoint(ids):
            continue
        for passage, document in opened.lookup(ids).values():
            for text in _sentences(passage):
                role = _kind(text, passage.language)
                if role and text not in known:
                    yield Line(role, text, short_citation(passage, document), passage.id, passage.language)


def _sentences(passage: Passage) -> Iterator[str]:
    for one in split_lists(passage):
        if not one.items:
            yield passage.text[one.span.start : one.span.end]


# The figures of a case on the page, each with a line on what it measures.

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
    every: Mapping[str, Mapping[str, Any]] = bounded.load_yaml(_WORDS.read_bytes())
    return every.get(language.split("-")[0], every["en"])
