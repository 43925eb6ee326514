"""The verification log of a checked text: comparisons, verdicts, what reviewers overruled, and totals."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np

from engine.answers.audit.record import (
    CARRIED,
    TOLD,
    Audit,
    Checked,
    Citation,
    Finding,
    Source,
    citation_of,
    key_of,
)
from engine.corpus.grades import Grades, grades_of
from engine.corpus.judgements import (
    Confirmation,
    Review,
    add_confirmation,
    digest_of,
    load_confirmations,
    made_confirmation,
    same_words,
    standing_confirmations,
)
from engine.corpus.protocol import Corpus
from engine.errors import CorpusError, InputError
from engine.model import Grade
from engine.records.phrases import plural, short_citation

# The verification log of a checked text: what each claim and each citation was held against, the
# verdict, and who confirmed or overruled it and when.
#
# What people say lies beside the corpus (``confirmations.jsonl``). It holds for a claim as long
# as the claim, the passage that it was held against, the words of that passage and the verdict
# are the same; where one of them is another, it is told as what was said before, with what has
# changed.

# Characters of a cited passage that no source was quoted from.
LONGEST_QUOTE = 300
# The verdict on a citation outside of the claims with which nothing is wrong.
RESOLVED, AMBIGUOUS = "resolved", "ambiguous"
WORDS: Mapping[str, str] = {
    **{key_of(one): told.word for one, told in TOLD.items()},
    RESOLVED: "Citation resolved",
    AMBIGUOUS: "Citation with several targets",
}


@dataclass(frozen=True, slots=True)
class Held:
    """What something was held against: a passage, the SHA-256 of its words, and the quoted ones of them."""

    passage_id: str
    sha256: str
    quote: str
    citation: str
    grade: Grade | None


@dataclass(frozen=True, slots=True)
class LoggedCitation:
    """A citation as the text writes it, the passage it leads to, and what is wrong with it."""

    text: str
    held: Held | None
    told: str


@dataclass(frozen=True, slots=True)
class Entry:
    """A claim ("3"), or a citation outside of the claims ("c1"). ``finding`` is the verdict as a key.

    ``review`` is what a person said of this very verdict; ``before`` what was said before and no longer
    holds, for the reason ``changed``.
    """

    number: str
    words: str
    finding: str
    reason: str
    held: Held | None
    citations: tuple[LoggedCitation, ...]
    review: Confirmation | None = None
    before: Confirmation | None = None
    changed: str = ""

    @property
    def is_citation(self) -> bool:
        """Whether it is a citation outside of the claims."""
        return self.number.startswith("c")


@dataclass(frozen=True, slots=True)
class Log:
    """The log of one text against one corpus on one day; ``minimum`` is the lowest grade asked for."""

    corpus: str
    day: str
    entries: tuple[Entry, ...]
    minimum: Grade | None = None

    def entry(self, number: str) -> Entry:
        """The entry with a number. Raises InputError where there is none."""
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
        """The entries that a person has confirmed or overruled."""
        return tuple(one for one in self.entries if one.review is not None)


def verification_log(audit: Audit, corpus: Corpus, *, reviews: bool = True) -> Log:
    """The log of an audit. Without ``reviews`` nothing is told of what people said.

    Raises CorpusError where what they said cannot be read.
    """
    said: Sequence[Confirmation] = ()
    if reviews and corpus.journals is not None:
        said = tuple(standing_confirmations(load_confirmations(corpus.journals)).values())
    grades = grades_of(corpus)
    entries = [*_claims(audit, corpus, grades), *_outside(audit, corpus, grades)]
    by_claim: dict[str, list[Confirmation]] = {}
    for one in said:
        by_claim.setdefault(one.claim, []).append(one)
    told = tuple(_reviewed(entry, by_claim.get(same_words(entry.words), ())) for entry in entries)
    return Log(audit.corpus, audit.day.isoformat(), told, audit.minimum)


def _claims(audit: Audit, corpus: Corpus, grades: Grades) -> Iterator[Entry]:
    for one in audit.checked:
        held = None if one.finding is Finding.NOT_IN_CORPUS or not one.sources else _held(one.sources[0])
        citations = tuple(_citation(cited, one, corpus, grades) for cited in one.citations)
        yield Entry(str(one.claim.number), one.claim.text, key_of(one.finding), one.reason, held, citations)


def _outside(audit: Audit, corpus: Corpus, grades: Grades) -> Iterator[Entry]:
    for number, cited in enumerate(audit.citations, start=1):
        logged = _citation(cited, None, corpus, grades)
        if cited.told:
            finding = key_of(Finding.NO_PROVISION if cited.known else Finding.UNCLEAR_CITATION)
        else:
            finding = RESOLVED if cited.rows and cited.status == RESOLVED else AMBIGUOUS
        yield Entry(f"c{number}", cited.text, finding, cited.told, logged.held, (logged,))


def _citation(cited: Citation, within: Checked | None, corpus: Corpus, grades: Grades) -> LoggedCitation:
    """A citation with the passage it leads to: the quoted one of a claim's sources where it is among them."""
    sources = () if within is None else within.sources
    quoted = next((one for one in sources if one.row in cited.rows), None)
    if quoted is not None:
        return LoggedCitation(cited.text, _held(quoted), cited.told)
    if not cited.rows:
        return LoggedCitation(cited.text, None, cited.told)
    row = np.array(cited.rows[:1], np.int32)
    (passage,) = corpus.passages(row)
    document = corpus.documents()[int(corpus.document_numbers(row)[0])]
    text = passage.text if len(passage.text) <= LONGEST_QUOTE else passage.text[:LONGEST_QUOTE] + " …"
    held = Held(
        passage.id, digest_of(passage.text), text, short_citation(passage, document), grades.of(document)
    )
    return LoggedCitation(cited.text, held, cited.told)


def _held(source: Source) -> Held:
    passage = source.passage
    return Held(passage.id, digest_of(passage.text), source.quote, citation_of(source), source.grade)


def _reviewed(entry: Entry, said: Sequence[Confirmation]) -> Entry:
    """An entry with what people said of its claim."""
    if not said:
        return entry
    passage, digest = ("", "") if entry.held is None else (entry.held.passage_id, entry.held.sha256)
    own = next((one for one in said if one.passage_id == passage), None)
    last = own or max(said, key=lambda one: one.when)
    if own is None:
        changed = "it was held against another passage then"
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
        entry.number, entry.words, entry.finding, entry.reason, entry.held, entry.citations,
        review, before, changed,
    )  # fmt: skip


# What a person says of verdicts: confirmed, overruled, or taken back; kept beside the corpus.

Act = Literal["confirm", "overrule", "undo"]


@dataclass(frozen=True, slots=True)
class Saying:
    """What is said of the entry with a ``number``; ``instead`` is the right verdict, to overrule it."""

    act: Act
    number: str
    instead: str = ""


def say(
    corpus: Corpus, log: Log, sayings: Sequence[Saying], *, note: str = "", reviewer: str = ""
) -> tuple[Confirmation, ...]:
    """Keep what a person says of the entries of a log; durable once this returns.

    All of it is looked up and checked before anything is kept. Raises InputError for an entry or a verdict
    that there is none of, CorpusError where nothing can be kept.
    """
    if corpus.journals is None:
        raise CorpusError(f"{corpus.name!r} has no journals: there is no place for confirmations")
    journals, made = corpus.journals, list(_made(log, sayings, note, reviewer))
    return tuple(add_confirmation(journals, one) for one in made)


def checked_instead(told: str, entry: Entry) -> str:
    """The verdict that a person gives an entry, as a key. Raises InputError for what it cannot have."""
    key = "_".join(told.strip().lower().split())[:100]
    known = [one for one in WORDS if entry.is_citation or one not in (RESOLVED, AMBIGUOUS)]
    if key not in known:
        raise InputError(f"{told.strip()[:30]!r} is no verdict; there are {', '.join(known)}")
    return key


def _made(log: Log, sayings: Sequence[Saying], note: str, reviewer: str) -> Iterator[Confirmation]:
    for one in sayings:
        entry = log.entry(one.number)
        if one.act == "undo":
            yield _withdrawal(entry, reviewer)
            continue
        instead = checked_instead(one.instead, entry) if one.act == "overrule" else ""
        held = ("", "") if entry.held is None else (entry.held.passage_id, entry.held.sha256)
        said = {"instead": instead, "note": note, "reviewer": reviewer}
        yield made_confirmation(entry.words, held, entry.finding, **said)


def _withdrawal(entry: Entry, reviewer: str) -> Confirmation:
    """What takes back what was said of an entry, whether that still holds or not."""
    said = entry.review or entry.before
    if said is None:
        raise InputError(f"nobody has said anything of {entry.number}")
    held = (said.passage_id, said.sha256)
    made = made_confirmation(said.claim, held, said.finding, instead=said.instead, reviewer=reviewer)
    return made.model_copy(update={"withdrawn": True})


# What a checked text comes to: the verdicts with what people overruled, and the check's own count
# beside it.
#
# The one place where this is counted and put into words, for the page, the exports, the terminal
# and JSON.

_FINDINGS = {key_of(one): one for one in Finding}


@dataclass(frozen=True, slots=True)
class Count:
    """How many ``claims`` of how many (``of``), as the verdicts stand; how many of these people made so, and
    how many the check had by itself."""

    claims: int
    of: int
    by_people: int
    of_the_check: int

    @property
    def words(self) -> str:
        """The count, with whose it is where people changed anything of it."""
        told = [f"{self.by_people} by a person"] if self.by_people else []
        told += [f"the check by itself: {self.of_the_check}"] if self.of_the_check != self.claims else []
        return f"{self.claims} of {self.of}" + (f" ({'; '.join(told)})" if told else "")


@dataclass(frozen=True, slots=True)
class Tally:
    """The claims of a text as the check found them, and as they stand: with the verdicts that people gave
    instead."""

    found: tuple[Checked, ...]
    stand: tuple[Checked, ...]

    @property
    def overruled(self) -> tuple[Checked, ...]:
        """The claims whose verdict a person gave, as they stand."""
        return tuple(one for one, before in self._pairs() if one is not before)

    def finding(self, finding: Finding) -> Count:
        """How many claims have a finding."""
        return self._count(lambda one: one.finding is finding)

    @property
    def said(self) -> Count:
        """How many claims the sources bear out as the law is on the day."""
        return self._count(lambda one: one.correct is True)

    @property
    def unsaid(self) -> Count:
        """How many are neither right nor wrong: a person has to read."""
        return self._count(lambda one: one.correct is None)

    @property
    def grounded(self) -> Count:
        """How many are carried by a passage, the cited one where they cite."""
        return self._count(lambda one: one.grounded and one.graded)

    def _pairs(self) -> Iterator[tuple[Checked, Checked]]:
        return zip(self.stand, self.found, strict=True)

    def _count(self, holds: Callable[[Checked], bool]) -> Count:
        by_people = sum(holds(one) for one in self.overruled)
        return Count(_sum(holds, self.stand), len(self.stand), by_people, _sum(holds, self.found))


def _sum(holds: Callable[[Checked], bool], claims: Iterable[Checked]) -> int:
    return sum(map(holds, claims))


def tally(audit: Audit, log: Log | None = None) -> Tally:
    """Count an audit; what people said of it stands in its log."""
    instead = {} if log is None else _instead(log)
    return Tally(audit.checked, tuple(_standing(one, instead) for one in audit.checked))


def _instead(log: Log) -> Mapping[int, tuple[Finding, bool]]:
    """The verdicts that people gave instead, by claim, and whether there is a passage that they are on."""
    return {
        int(one.number): (_FINDINGS[one.review.instead], one.held is not None)
        for one in log.entries
        if one.review is not None
        and one.review.review is Review.OVERRULED
        and not one.is_citation
        and one.review.instead in _FINDINGS
    }


def _standing(one: Checked, instead: Mapping[int, tuple[Finding, bool]]) -> Checked:
    if one.claim.number not in instead:
        return one
    finding, held = instead[one.claim.number]
    return replace(one, finding=finding, grounded=held and finding in CARRIED)


def summary(counted: Tally) -> str:
    """The findings in one line, none left out that occurs; behind them the check's own where people overruled
    any."""
    whole = plural(len(counted.stand), "claim")
    told = f"{whole}: {', '.join(_each(counted))}"
    if not counted.overruled:
        return told
    own = [(finding, counted.finding(finding).of_the_check) for finding in Finding]
    alone = ", ".join(f"{count} {TOLD[finding].word.lower()}" for finding, count in own if count)
    return f"{told}; the check by itself: {alone}"


def _each(counted: Tally) -> Iterator[str]:
    for finding in Finding:
        count = counted.finding(finding)
        if count.claims:
            by = f" ({count.by_people} by a person)" if count.by_people else ""
            yield f"{count.claims} {TOLD[finding].word.lower()}{by}"


def axes(counted: Tally) -> tuple[str, str]:
    """The two axes in words: of how many claims the sources say so, and how many a passage carries."""
    unsaid = counted.unsaid.claims
    told = f"; {unsaid} neither right nor wrong: to be read" if unsaid else ""
    return (
        f"Said: the sources say so of {counted.said.words}{told}",
        f"Grounded: a passage, the cited one where one is cited, carries {counted.grounded.words}",
    )


def verdict_words(counted: Tally) -> Mapping[int, str]:
    """The verdict on each claim as it stands, by its number: its sign and word, and the check's own where a
    person overruled that."""
    pairs = zip(counted.stand, counted.found, strict=True)
    return {one.claim.number: _verdict(one, before) for one, before in pairs}


def _verdict(one: Checked, before: Checked) -> str:
    told = TOLD[one.finding]
    by = "" if one is before else f" (by a person; the check: {TOLD[before.finding].word.lower()})"
    return f"{told.sign} {told.word}{by}"


def tally_to_json(counted: Tally) -> dict[str, Any]:
    """The counts as plain values; those of the check by itself stand under ``of_the_check``."""
    findings = {key_of(finding): counted.finding(finding) for finding in Finding}
    said, grounded, whole = counted.said, counted.grounded, len(counted.stand)
    return {
        "counts": {key: count.claims for key, count in findings.items()},
        "correct": {"claims": said.claims, "of": whole, "by_people": said.by_people},
        "grounded": {"claims": grounded.claims, "of": whole, "by_people": grounded.by_people},
        "overruled": {str(one.claim.number): key_of(one.finding) for one in counted.overruled},
        "of_the_check": {
            "counts": {key: count.of_the_check for key, count in findings.items()},
            "correct": said.of_the_check,
            "grounded": grounded.of_the_check,
        },
    }
