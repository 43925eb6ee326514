"""How an audit is put into words: findings, sums, sources."""

from __future__ import annotations

from dataclasses import dataclass

from engine.answers.audit.record import Audit, Checked, Finding, Source
from engine.records.citation import short_citation
from engine.records.wording import plural


@dataclass(frozen=True, slots=True)
class Told:
    """A finding as people read it: a word, a sign that needs no colour, what it means."""

    word: str
    sign: str
    meaning: str


TOLD = {
    Finding.SUPPORTED: Told("Supported", "✓", "a source in force says so"),
    Finding.PARTLY: Told("Partly", "◐", "a source says a part of it"),
    Finding.CONTRADICTED: Told("Contradicted", "✕", "a source says otherwise"),
    Finding.OUTDATED: Told("Outdated", "↺", "only a text that is no longer in force says so"),
    Finding.WRONG_PINPOINT: Told("Wrong pinpoint", "⚲", "another provision than the cited one says so"),
    Finding.NOT_IN_CORPUS: Told("Not in corpus", "∅", "no passage of the corpus speaks of it"),
}


def key_of(finding: Finding) -> str:
    """A finding as a name in JSON and CSS."""
    return finding.value.replace(" ", "_")


def citation_of(source: Source) -> str:
    """How a source is cited."""
    return short_citation(source.passage, source.document)


def summary(audit: Audit) -> str:
    """The findings in one line, none left out that occurs."""
    counted = [(TOLD[one].word.lower(), audit.count(one)) for one in Finding]
    parts = ", ".join(f"{count} {word}" for word, count in counted if count)
    return f"{plural(len(audit.checked), 'claim')}: {parts}"


def axes(audit: Audit) -> tuple[str, str]:
    """The two axes in words: whether the sources say so, and whether a passage carries it."""
    whole = len(audit.checked)
    return (
        f"Correct: the sources say so of {audit.correct} of {whole}",
        f"Grounded: a passage, the cited one where one is cited, carries {audit.grounded} of {whole}",
    )


def remarks(one: Checked) -> list[str]:
    """What else is to be said of a claim: grade, independence, a second reading."""
    found = []
    if not one.graded and one.grade is not None:
        found.append(f"rests on sources of grade {one.grade:g}, below the minimum")
    if one.finding is Finding.SUPPORTED:
        found.append(plural(one.independent, "independent source"))
    reading = one.reading
    if reading is not None and reading.decided:
        found.append(f"changed by the model's second reading: {reading.explanation}")
    elif reading is not None and reading.refused:
        told = TOLD[reading.finding].word.lower()
        found.append(f"the model reads it as {told} ({reading.explanation}); not counted: {reading.refused}")
    return found
