"""Audit a text step by step, so that a page can show progress and stop it."""

from __future__ import annotations

import re
import time
from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import date
from itertools import pairwise

import numpy as np

from engine.answers.audit.citing import find_citations
from engine.answers.audit.claims import (
    LONGEST_TEXT,
    MOST_CLAIMS,
    StatedSentence,
    find_statements,
    keep_claims,
)
from engine.answers.audit.matching import ClaimMatcher, document_numbers
from engine.answers.audit.record import (
    STATED,
    Audit,
    Checked,
    Citation,
    Claim,
    Source,
    add_affected_claims,
    grade_notes,
    with_grades,
)
from engine.answers.audit.second import add_second_readings, split
from engine.answers.audit.verdicts import Judge
from engine.corpus.grades import grades_of
from engine.corpus.protocol import Corpus
from engine.errors import CancelledError, InputError
from engine.language.dates import parse_period
from engine.language.detection import detect
from engine.llm import LanguageModel, Meter, Usage
from engine.model import Grade, Span
from engine.retrieval.planning.plan import has_law_of
from engine.retrieval.planning.prose import dates_in_prose, day_asked

# Documents that a bare "Article 5" may mean: the last cited ones, and those on the claim's subject.
CONTEXT = 4
# Patterns start at every blank of a run, so runs over a hundred are cut.
_BLANKS = re.compile(r"(\s{100})\s+")


@dataclass(frozen=True, slots=True)
class Step:
    """Progress of an audit: the current activity, and how many of how many claims are done."""

    doing: str
    done: int
    total: int
    checked: Checked | None = None


class Auditor:
    """Audits texts against one corpus on one day.

    ``minimum`` is the lowest grade that sources may have. ``model`` may split claims and give a second
    reading; ``meter`` enforces its budget, and cancelling it ends the audit. ``has_begun``: read
    only law that began by the day. Raises InputError for an empty corpus, and CorpusError if the grades that
    people gave cannot be read.
    """

    def __init__(
        self,
        corpus: Corpus,
        *,
        day: date | None = None,
        minimum: Grade | None = None,
        model: LanguageModel | None = None,
        meter: Meter | None = None,
        has_begun: bool = False,
    ) -> None:
        if not len(corpus):
            raise InputError(f"the corpus {corpus.name!r} has no passage to compare a text with")
        self.corpus, self.day = corpus, day or date.today()
        self._matching = ClaimMatcher(corpus, self.day, has_begun=has_begun)
        self.minimum, self._grades = minimum, grades_of(corpus)
        self._judge = Judge(corpus, self._matching.in_force, minimum, self._grades)
        self._model, self._meter = model, meter or Meter()
        self._earlier: dict[date, Auditor] = {}

    def claim(self, text: str, language: str) -> Checked:
        """Check a single claim. Raises InputError if it is empty."""
        if not text.strip():
            raise InputError("there is no claim: write one")
        claim = self._claim(1, text, Span(0, len(text)), language, [])
        return self._checked(claim)

    def steps(self, text: str) -> Iterator[Step | Audit]:
        """Audit a text: a step for each claim, the audit at the end.

        Raises InputError for a text without claims, and CancelledError if the meter is cancelled.
        """
        started = time.perf_counter()
        if not text.strip():
            raise InputError("there is no text: paste one")
        notes: list[str] = []
        text = _BLANKS.sub(r"\1", text)
        cut = text[:LONGEST_TEXT]
        if len(cut) < len(text):
            notes.append(f"the text was cut to {LONGEST_TEXT:,} characters of {len(text):,}")
        if keep_claims(cut) != cut:
            notes.append("a memo of a case: its findings and notes were checked, not its research steps")
        yield Step("reading the text", 0, 0)
        stated = self._stated(cut, notes)
        checked: list[Checked] = []
        context: list[int] = []
        for number, one in enumerate(stated):
            self._stopped()
            for found in self._of_sentence(cut, one, len(checked) + 1, context):
                checked.append(found)
                context = self._context(found.claim, context)
            yield Step("checking claims", number + 1, len(stated), checked[-1])
        if self._model is not None:
            yield Step("second reading", 0, len(checked))
            self._stopped()
            checked, reading_notes = add_second_readings(
                checked, self._matching, self._judge, self._model, self._meter
            )
            checked = [with_grades(one, self._grades) for one in checked]
            notes.extend(reading_notes)
        notes = [
            *add_affected_claims(self._matching.notes, checked),
            *grade_notes(checked, self.minimum),
            *notes,
        ]
        spent = self._meter.spent if self._model is not None else Usage()
        yield Audit(
            cut,
            self.corpus.name,
            self.day,
            tuple(checked),
            tuple(dict.fromkeys(notes)),
            tuple(self._outside(cut, [one.claim.span for one in checked], context)),
            1000 * (time.perf_counter() - started),
            "" if self._model is None else self._model.spec,
            spent,
            self.minimum,
            self._grades.version,
        )

    def _outside(self, text: str, claims: list[Span], context: list[int]) -> Iterator[Citation]:
        """Yield the references in headings, questions and fragments, which make no claim."""
        languages = tuple(self.corpus.info().languages)
        ends = [(span.start, span.end) for span in claims]
        for (_, start), (end, _) in pairwise([(0, 0), *ends, (len(text), len(text))]):
            part = text[start:end]
            if not any(map(str.isalnum, part)):
                continue
            for one in find_citations(
                self.corpus, part, detect(part, languages), self.day, context[:CONTEXT]
            ):
                yield replace(one, span=Span(start + one.span.start, start + one.span.end))

    def _stopped(self) -> None:
        if self._meter.cancelled():
            raise CancelledError("the audit was stopped")

    def _stated(self, text: str, notes: list[str]) -> list[StatedSentence]:
        """Return the sentences of a text that state something, with their clauses."""
        found = list(find_statements(text, tuple(self.corpus.info().languages)))
        if not found:
            raise InputError("the text makes no claim: headings and questions state nothing")
        if self._model is not None:
            clauses = [span for one in found for span in one.clauses]
            pieces = split(text, clauses, self._model, self._meter)
            notes.extend(pieces.notes)
            found = [replace(one, clauses=_recut(one.clauses, pieces.spans)) for one in found]
        if len(found) > MOST_CLAIMS:
            notes.append(f"the first {MOST_CLAIMS} sentences of {len(found):,} were checked")
            found = found[:MOST_CLAIMS]
        return found

    def _of_sentence(
        self, text: str, stated: StatedSentence, number: int, context: list[int]
    ) -> list[Checked]:
        """Check a sentence as one claim if a source states all of it, else each of its clauses."""
        near = context[:CONTEXT]
        if len(stated.clauses) > 1:
            sentence = self._checked(self._claim(number, text, stated.span, stated.language, near))
            if sentence.finding in STATED:
                return [sentence]
        checked = []
        for index, clause in enumerate(stated.clauses):
            claim = self._claim(number + index, text, clause, stated.language, near)
            checked.append(self._checked(claim))
            near = self._context(claim, near)[:CONTEXT]
        return checked

    def _context(self, claim: Claim, before: list[int]) -> list[int]:
        """Return the documents that a bare reference after a claim may mean, the last cited first."""
        rows = [row for citation in claim.citations for row in citation.rows[:1]]
        numbers = self.corpus.document_numbers(np.array(rows, np.int32)).tolist()
        return list(dict.fromkeys([*reversed(numbers), *before]))

    def _claim(self, number: int, text: str, span: Span, language: str, context: list[int]) -> Claim:
        quoted = text[span.start : span.end]
        found = find_citations(self.corpus, quoted, language, self.day, context)
        moved = [
            replace(one, span=Span(span.start + one.span.start, span.start + one.span.end)) for one in found
        ]
        return Claim(number, span, quoted, language, tuple(moved))

    def compared(self, claim: Claim) -> list[Source]:
        """Return the passages on a claim's subject, each compared with it, best first."""
        return self._matching.sources(claim)

    def _checked(self, claim: Claim) -> Checked:
        found = self._found(claim)
        if found.finding not in STATED:
            found = self._on_its_day(claim) or found
        return with_grades(found, self._grades)

    def _on_its_day(self, claim: Claim) -> Checked | None:
        """Return the finding on a claim that begins or ends with a past day ("In June 2023 the fee was ...").

        None if it does not rest on law that was in force on that day and is not on the day of the audit.
        """
        dates = dates_in_prose(claim.text, claim.language, [one.span for one in claim.citations])
        asked = day_asked(claim.text, claim.language, dates, self.day)
        if asked is None:
            return None
        front, _, behind = claim.text.partition(asked.words)
        day = date.fromisoformat(asked.value)
        is_inside = any(map(str.isalnum, front)) and any(map(str.isalnum, behind))
        if is_inside or day > self.day or not has_law_of(self.corpus, day, self.day):
            return None
        if day not in self._earlier:
            self._earlier[day] = Auditor(self.corpus, day=day, minimum=self.minimum, has_begun=True)
        behind = behind if any(map(str.isalnum, front)) else behind.replace(",", " ", 1)
        undated = front + " " * len(asked.words) + behind
        found = self._earlier[day].claim(undated, claim.language)
        if not found.sources or self._matching.in_force[found.sources[0].row]:
            return None
        source, period = found.sources[0], parse_period(asked.words, claim.language)
        begun = source.passage.valid_from or source.document.valid_from
        if period is not None and begun is not None and period[0] < begun <= period[1]:
            # The law changed within the month or year: the claim may be about either text.
            return None
        start = claim.span.start
        moved = [
            replace(one, span=Span(start + one.span.start, start + one.span.end)) for one in found.citations
        ]
        return replace(found, claim=claim, reason=f"on {day}: {found.reason}", citations=tuple(moved))

    def _found(self, claim: Claim) -> Checked:
        sources = self.compared(claim)
        if sources and any(
            one.status == "ambiguous" or not (one.rows or one.known) for one in claim.citations
        ):
            # A bare "Article 5" may mean a provision of a document on the claim's subject.
            near = document_numbers(sources[:6], self.corpus)[:CONTEXT]
            before = " " * claim.span.start
            new_claim = self._claim(claim.number, before + claim.text, claim.span, claim.language, near)
            if any(one.rows for one in new_claim.citations):
                return self._judge.finding(new_claim, self.compared(new_claim))
        return self._judge.finding(claim, sources)


def _recut(clauses: tuple[Span, ...], pieces: tuple[Span, ...]) -> tuple[Span, ...]:
    """Replace each clause with the pieces inside it; keep a clause without pieces."""
    result: list[Span] = []
    for span in clauses:
        inside = [piece for piece in pieces if span.start <= piece.start and piece.end <= span.end]
        result += inside or [span]
    return tuple(result)


def audit(text: str, auditor: Auditor) -> Audit:
    """Audit a whole text."""
    for step in auditor.steps(text):
        if isinstance(step, Audit):
            return step
    raise InputError("the audit came to no end")
