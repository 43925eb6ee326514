"""The verification log of a checked text: what each claim and each citation was held against, the verdict,
and who confirmed or overruled it and when.

What people say lies beside the corpus (``confirmations.jsonl``). It holds for a claim as long as the claim,
the passage that it was held against, the words of that passage and the verdict are the same; where one of
them is another, it is told as what was said before, with what has changed.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from engine.answers.audit.record import Audit, Checked, Citation, Finding, Source
from engine.answers.audit.wording import TOLD, citation_of, key_of
from engine.corpus.confirmations import (
    Confirmation,
    digest_of,
    load_confirmations,
    same_words,
    standing_confirmations,
)
from engine.corpus.grades import Grades, grades_of
from engine.corpus.protocol import Corpus
from engine.errors import InputError
from engine.model import Grade
from engine.records.citation import short_citation

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
