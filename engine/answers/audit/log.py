"""The verification log of a checked text: comparisons, verdicts, reviews by people, and totals.

Reviews are stored next to the corpus (``confirmations.jsonl``). A review applies to a claim as long as the
claim, its compared passage, the words of that passage and the verdict are unchanged. Otherwise the log shows
it as an earlier review, with the changes.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np

from engine.answers.audit.record import (
    FINDING_WORDS,
    GROUNDED,
    LOW_GRADE_WORDS,
    Audit,
    Checked,
    Citation,
    Finding,
    FindingWords,
    Source,
    citation_of,
    heading_of,
    key_of,
)
from engine.corpus.grades import Grades, grades_of
from engine.corpus.judgements import (
    Confirmation,
    Review,
    add_confirmation,
    current_confirmations,
    digest_of,
    load_confirmations,
    make_confirmation,
    same_words,
)
from engine.corpus.protocol import Corpus
from engine.errors import CorpusError, InputError
from engine.model import Grade
from engine.records.phrases import plural, short_citation

# Maximum characters of a cited passage that no source was quoted from.
LONGEST_QUOTE = 300
# Verdicts on correct and on ambiguous citations outside the claims.
RESOLVED, AMBIGUOUS = "resolved", "ambiguous"
WORDS: Mapping[str, str] = {
    **{key_of(one): words.word for one, words in FINDING_WORDS.items()},
    RESOLVED: "Citation resolved",
    AMBIGUOUS: "Citation with several targets",
}


@dataclass(frozen=True, slots=True)
class ComparedPassage:
    """The passage that a claim was compared with: its id, the SHA-256 of its text, and the quoted words."""

    passage_id: str
    sha256: str
    quote: str
    citation: str
    grade: Grade | None


@dataclass(frozen=True, slots=True)
class LoggedCitation:
    """A citation as the text writes it, the passage it leads to, and its problem, if any."""

    text: str
    compared: ComparedPassage | None
    problem: str


@dataclass(frozen=True, slots=True)
class Entry:
    """A claim ("3"), or a citation outside the claims ("c1"). ``finding`` is the verdict as a key.

    ``review`` is the current review of this verdict; ``before`` is an earlier one that no longer applies,
    for the reason ``changed``.
    """

    number: str
    words: str
    finding: str
    reason: str
    compared: ComparedPassage | None
    citations: tuple[LoggedCitation, ...]
    review: Confirmation | None = None
    before: Confirmation | None = None
    changed: str = ""

    @property
    def is_citation(self) -> bool:
        """True for a citation outside the claims."""
        return self.number.startswith("c")


@dataclass(frozen=True, slots=True)
class Log:
    """The log of one text against one corpus on one day; ``minimum`` is the lowest accepted grade."""

    corpus: str
    day: str
    entries: tuple[Entry, ...]
    minimum: Grade | None = None

    def heading(self, one: Entry) -> str:
        """Return the words over an entry."""
        grade = None if one.compared is None else one.compared.grade
        low = self.minimum is not None and (grade is None or not grade.reaches(self.minimum))
        return LOW_GRADE_WORDS.word if low and one.finding == Finding.SUPPORTED else WORDS[one.finding]

    def entry(self, number: str) -> Entry:
        """Return the entry with a number. Raises InputError if there is none."""
        for one in self.entries:
            if one.number == number:
                return one
        raise InputError(f"there is no claim {number[:20]!r}; there are {self._numbers()}")

    def _numbers(self) -> str:
        outside = [one.number for one in self.entries if one.is_citation]
        claims = f"1 to {len(self.entries) - len(outside)}"
        return f"{claims}, and c1 to {outside[-1]} outside of them" if outside else claims

    @property
    def reviewed(self) -> tuple[Entry, ...]:
        """The entries that a reviewer has confirmed or overruled."""
        return tuple(one for one in self.entries if one.review is not None)


def verification_log(audit: Audit, corpus: Corpus, *, reviews: bool = True) -> Log:
    """Return the log of an audit, with the reviews of people unless ``reviews`` is false.

    Raises CorpusError if the reviews cannot be read.
    """
    confirmations: Sequence[Confirmation] = ()
    if reviews and corpus.journals is not None:
        confirmations = tuple(current_confirmations(load_confirmations(corpus.journals)).values())
    grades = grades_of(corpus)
    entries = [*_claims(audit, corpus, grades), *_outside(audit, corpus, grades)]
    by_claim: dict[str, list[Confirmation]] = {}
    for one in confirmations:
        by_claim.setdefault(one.claim, []).append(one)
    reviewed = tuple(_reviewed(entry, by_claim.get(same_words(entry.words), ())) for entry in entries)
    return Log(audit.corpus, audit.day.isoformat(), reviewed, audit.minimum)


def _claims(audit: Audit, corpus: Corpus, grades: Grades) -> Iterator[Entry]:
    for one in audit.checked:
        compared = None if one.finding is Finding.NOT_IN_CORPUS or not one.sources else _held(one.sources[0])
        citations = tuple(_citation(cited, one, corpus, grades) for cited in one.citations)
        yield Entry(
            str(one.claim.number), one.claim.text, key_of(one.finding), one.reason, compared, citations
        )


def _outside(audit: Audit, corpus: Corpus, grades: Grades) -> Iterator[Entry]:
    for number, cited in enumerate(audit.citations, start=1):
        logged = _citation(cited, None, corpus, grades)
        if cited.problem:
            finding = key_of(Finding.NO_PROVISION if cited.known else Finding.UNCLEAR_CITATION)
        else:
            finding = RESOLVED if cited.rows and cited.status == RESOLVED else AMBIGUOUS
        yield Entry(f"c{number}", cited.text, finding, cited.problem, logged.compared, (logged,))


def _citation(cited: Citation, within: Checked | None, corpus: Corpus, grades: Grades) -> LoggedCitation:
    """Log a citation with the passage it leads to: the one quoted for the claim, if it is among them."""
    sources = () if within is None else within.sources
    quoted = next((one for one in sources if one.row in cited.rows), None)
    if quoted is not None:
        return LoggedCitation(cited.text, _held(quoted), cited.problem)
    if not cited.rows:
        return LoggedCitation(cited.text, None, cited.problem)
    row = np.array(cited.rows[:1], np.int32)
    (passage,) = corpus.passages(row)
    document = corpus.documents()[int(corpus.document_numbers(row)[0])]
    text = passage.text if len(passage.text) <= LONGEST_QUOTE else passage.text[:LONGEST_QUOTE] + " …"
    compared = ComparedPassage(
        passage.id, digest_of(passage.text), text, short_citation(passage, document), grades.of(document)
    )
    return LoggedCitation(cited.text, compared, cited.problem)


def _held(source: Source) -> ComparedPassage:
    passage = source.passage
    return ComparedPassage(
        passage.id, digest_of(passage.text), source.quote, citation_of(source), source.grade
    )


def _reviewed(entry: Entry, confirmations: Sequence[Confirmation]) -> Entry:
    """Add the reviews of an entry's claim to it."""
    if not confirmations:
        return entry
    passage, digest = (
        ("", "") if entry.compared is None else (entry.compared.passage_id, entry.compared.sha256)
    )
    own = next((one for one in confirmations if one.passage_id == passage), None)
    last = own or max(confirmations, key=lambda one: one.when)
    if own is None:
        changed = "it was compared with another passage then"
    elif own.sha256 != digest:
        changed = "the words of the source have changed since"
    elif own.finding != entry.finding:
        changed = f"the verdict was “{WORDS.get(own.finding, own.finding).lower()}” then"
    else:
        return _with(entry, review=own)
    return _with(entry, before=last, changed=changed)


def _with(
    entry: Entry,
    *,
    review: Confirmation | None = None,
    before: Confirmation | None = None,
    changed: str = "",
) -> Entry:
    return Entry(
        entry.number, entry.words, entry.finding, entry.reason, entry.compared, entry.citations,
        review, before, changed,
    )  # fmt: skip


# Reviews of verdicts by people: confirm, overrule, undo.

Act = Literal["confirm", "overrule", "undo"]


@dataclass(frozen=True, slots=True)
class ReviewAction:
    """A review of the entry with a ``number``; ``instead`` is the right verdict, to overrule it."""

    act: Act
    number: str
    instead: str = ""


def record_reviews(
    corpus: Corpus, log: Log, sayings: Sequence[ReviewAction], *, note: str = "", reviewer: str = ""
) -> tuple[Confirmation, ...]:
    """Store reviews of entries; durable once this returns.

    All of them are checked before any is stored. Raises InputError for an unknown entry or verdict, and
    CorpusError if nothing can be stored.
    """
    if corpus.journals is None:
        raise CorpusError(f"{corpus.name!r} cannot store confirmations: it has no journals")
    journals, confirmations = corpus.journals, list(_made(log, sayings, note, reviewer))
    return tuple(add_confirmation(journals, one) for one in confirmations)


def parse_verdict(given_verdict: str, entry: Entry) -> str:
    """Return the key of a verdict that a reviewer gives an entry. Raises InputError for an unknown one."""
    key = "_".join(given_verdict.strip().lower().split())[:100]
    known = [one for one in WORDS if entry.is_citation or one not in (RESOLVED, AMBIGUOUS)]
    if key not in known:
        raise InputError(f"{given_verdict.strip()[:30]!r} is no verdict; there are {', '.join(known)}")
    return key


def _made(log: Log, sayings: Sequence[ReviewAction], note: str, reviewer: str) -> Iterator[Confirmation]:
    for one in sayings:
        entry = log.entry(one.number)
        if one.act == "undo":
            yield _withdrawal(entry, reviewer)
            continue
        instead = parse_verdict(one.instead, entry) if one.act == "overrule" else ""
        compared = ("", "") if entry.compared is None else (entry.compared.passage_id, entry.compared.sha256)
        fields = {"instead": instead, "note": note, "reviewer": reviewer}
        yield make_confirmation(entry.words, compared, entry.finding, **fields)


def _withdrawal(entry: Entry, reviewer: str) -> Confirmation:
    """Return the withdrawal of an entry's review, whether it still applies or not."""
    confirmation = entry.review or entry.before
    if confirmation is None:
        raise InputError(f"there is no review of {entry.number} to undo")
    compared = (confirmation.passage_id, confirmation.sha256)
    made = make_confirmation(
        confirmation.claim, compared, confirmation.finding, instead=confirmation.instead, reviewer=reviewer
    )
    return made.model_copy(update={"withdrawn": True})


# Totals of a checked text: the current verdicts with those overruled, and the check's own counts. The page,
# the exports, the terminal and JSON all use these.

_FINDINGS = {key_of(one): one for one in Finding}


@dataclass(frozen=True, slots=True)
class Count:
    """How many ``claims`` ``of`` how many have a property by the current verdicts, how many of these are by
    people, and how many the check alone counts."""

    claims: int
    of: int
    by_people: int
    of_the_check: int

    @property
    def words(self) -> str:
        """The count, with the shares of people and of the check if they differ."""
        notes = [f"{self.by_people} by a person"] if self.by_people else []
        notes += [f"the check alone: {self.of_the_check}"] if self.of_the_check != self.claims else []
        return f"{self.claims} of {self.of}" + (f" ({'; '.join(notes)})" if notes else "")


@dataclass(frozen=True, slots=True)
class Tally:
    """The claims of a text as the check ``found`` them, and with their ``current`` verdicts: those of people
    instead of the check's."""

    found: tuple[Checked, ...]
    current: tuple[Checked, ...]

    @property
    def overruled(self) -> tuple[Checked, ...]:
        """The claims whose verdict a reviewer changed, with that verdict."""
        return tuple(one for one, before in self._pairs() if one is not before)

    def finding(self, finding: Finding) -> Count:
        """Count the claims with a finding."""
        return self._count(lambda one: one.finding is finding)

    def headed(self, words: FindingWords) -> Count:
        """Count the claims under a heading."""
        return self._count(lambda one: heading_of(one) is words)

    @property
    def correct(self) -> Count:
        """Number of claims that the sources support, by the law of the day."""
        return self._count(lambda one: one.correct is True)

    @property
    def undecided(self) -> Count:
        """Number of claims that are neither right nor wrong: a reviewer has to read them."""
        return self._count(lambda one: one.correct is None)

    @property
    def grounded(self) -> Count:
        """Number of claims that a passage supports, a cited one if the claim cites."""
        return self._count(lambda one: one.grounded and one.graded)

    def _pairs(self) -> Iterator[tuple[Checked, Checked]]:
        return zip(self.current, self.found, strict=True)

    def _count(self, holds: Callable[[Checked], bool]) -> Count:
        by_people = sum(holds(one) for one in self.overruled)
        return Count(_sum(holds, self.current), len(self.current), by_people, _sum(holds, self.found))


def _sum(holds: Callable[[Checked], bool], claims: Iterable[Checked]) -> int:
    return sum(map(holds, claims))


def tally(audit: Audit, log: Log | None = None) -> Tally:
    """Count an audit, with the reviews in its log."""
    overrulings = {} if log is None else _instead(log)
    return Tally(audit.checked, tuple(_standing(one, overrulings) for one in audit.checked))


def _instead(log: Log) -> Mapping[int, tuple[Finding, bool]]:
    """Return people's verdicts by claim number, each with whether the claim has a compared passage."""
    return {
        int(one.number): (_FINDINGS[one.review.instead], one.compared is not None)
        for one in log.entries
        if one.review is not None
        and one.review.review is Review.OVERRULED
        and not one.is_citation
        and one.review.instead in _FINDINGS
    }


def _standing(one: Checked, overrulings: Mapping[int, tuple[Finding, bool]]) -> Checked:
    if one.claim.number not in overrulings:
        return one
    finding, has_passage = overrulings[one.claim.number]
    return replace(one, finding=finding, grounded=has_passage and finding in GROUNDED)


def summary(counted: Tally) -> str:
    """Return the findings that occur in one line, followed by the check's own if people overruled any."""
    total = plural(len(counted.current), "claim")
    findings = f"{total}: {', '.join(_each(counted))}"
    if not counted.overruled:
        return findings
    own = [(finding, counted.finding(finding).of_the_check) for finding in Finding]
    alone = ", ".join(f"{count} {FINDING_WORDS[finding].word.lower()}" for finding, count in own if count)
    return f"{findings}; the check alone: {alone}"


def _each(counted: Tally) -> Iterator[str]:
    supported, *others = FINDING_WORDS.values()
    for words in (supported, LOW_GRADE_WORDS, *others):
        count = counted.headed(words)
        if count.claims:
            by = f" ({count.by_people} by a person)" if count.by_people else ""
            yield f"{count.claims} {words.word.lower()}{by}"


def axes(counted: Tally) -> tuple[str, str]:
    """Return in words how many claims the sources support, and how many are grounded in a passage."""
    count = counted.undecided.claims
    note = f"; {count} neither right nor wrong: to be read" if count else ""
    return (
        f"Correct: the sources support {counted.correct.words}{note}",
        f"Grounded: a passage, the cited one if the claim cites, supports {counted.grounded.words}",
    )


def verdict_words(counted: Tally) -> Mapping[int, str]:
    """Return the current verdict on each claim, by number: sign, word, and the check's own if overruled."""
    pairs = zip(counted.current, counted.found, strict=True)
    return {one.claim.number: _verdict(one, before) for one, before in pairs}


def _verdict(one: Checked, before: Checked) -> str:
    shown = heading_of(one)
    by = "" if one is before else f" (by a person; the check: {FINDING_WORDS[before.finding].word.lower()})"
    return f"{shown.sign} {shown.word}{by}"


def tally_to_json(counted: Tally) -> dict[str, Any]:
    """Return the counts as plain values; those of the check alone are under ``of_the_check``."""
    findings = {key_of(finding): counted.finding(finding) for finding in Finding}
    correct, grounded, total = counted.correct, counted.grounded, len(counted.current)
    return {
        "counts": {key: count.claims for key, count in findings.items()},
        "correct": {"claims": correct.claims, "of": total, "by_people": correct.by_people},
        "grounded": {"claims": grounded.claims, "of": total, "by_people": grounded.by_people},
        "overruled": {str(one.claim.number): key_of(one.finding) for one in counted.overruled},
        "of_the_check": {
            "counts": {key: count.of_the_check for key, count in findings.items()},
            "correct": correct.of_the_check,
            "grounded": grounded.of_the_check,
        },
    }
