"""The finding of a case, above its passages: status, rule, exception, consequence, time limit, and gaps."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from engine.answers.record import Answer, Sentence
from engine.answers.relevance import Asks, measures, states_consequence
from engine.answers.units import split_lists
from engine.model import AreaState, EvidenceStatus, Passage, Relation, counted
from engine.records.phrases import short_citation
from engine.records.text import day_words
from ui.investigate.coverage import covered
from ui.open_case import OpenCase
from ui.templating import rendered

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
