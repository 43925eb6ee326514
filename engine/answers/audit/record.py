"""The result of an audit: claims with verdicts, quotes, citations, reasons and notes, and their wording."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from datetime import date
from enum import StrEnum

from engine.answers.conflicts import Amended, Amending
from engine.corpus.grades import Grades, words_of
from engine.language.statements import Alignment, Change, Changed, Token
from engine.llm import Usage
from engine.model import RELATION_VERBS, Document, Grade, Passage, Span
from engine.records.phrases import plural, short_citation


class Finding(StrEnum):
    """The corpus's verdict on a claim."""

    SUPPORTED = "supported"
    CONTRADICTED = "contradicted"
    RELATED = "related"
    OUTDATED = "outdated"
    AMENDED = "amended"
    WRONG_PINPOINT = "wrong pinpoint"
    NO_PROVISION = "no such provision"
    UNCLEAR_CITATION = "citation not understood"
    NOT_IN_CORPUS = "not in corpus"


# Findings whose sources state the claim, in force or not, with a right or wrong citation.
STATED = (Finding.SUPPORTED, Finding.WRONG_PINPOINT, Finding.OUTDATED)
# Findings in which a passage supports the claim, a cited one if the claim cites.
GROUNDED = (Finding.SUPPORTED, Finding.OUTDATED)


@dataclass(frozen=True, slots=True)
class Citation:
    """A reference in the audited text.

    ``rows`` are the passages it leads to; ``status`` is resolved, ambiguous or unresolved; ``known``: the
    text names a document of the corpus. ``paragraph`` is the part it names below the provision ("2/a");
    ``problem`` describes its error, empty if there is none."""

    span: Span
    text: str
    status: str
    rows: tuple[int, ...] = ()
    known: bool = False
    paragraph: str = ""
    problem: str = ""


@dataclass(frozen=True, slots=True)
class Claim:
    """One statement of the audited text, with its span and the references it makes."""

    number: int
    span: Span
    text: str
    language: str
    citations: tuple[Citation, ...] = ()


@dataclass(frozen=True, slots=True)
class Source:
    """A passage compared with a claim: its verbatim words on the claim, and their alignment with it.

    ``near`` is how much they share the claim's subject (0..1). ``in_force`` is as of the day of the audit.
    ``grade`` is that of its document, None if it has none. ``amended`` has the amendments of the passage: the
    claim is compared with the amended words, and with the old ones if ``in_force`` is false. ``doubtful``:
    uncertain amendments may change the result.
    """

    row: int
    passage: Passage
    document: Document
    span: Span
    quote: str
    alignment: Alignment | None
    near: float
    in_force: bool
    cited: bool = False
    grade: Grade | None = None
    amended: Amended | None = None
    doubtful: bool = False

    @property
    def supports(self) -> bool:
        """True if the words state the claim."""
        return self.alignment is not None and self.alignment.complete

    @property
    def differs(self) -> bool:
        """True if the words contradict the claim on the same subject and act."""
        return self.alignment is not None and self.alignment.contrary

    @property
    def words(self) -> str:
        """The text of the passage, with its certain amendments."""
        return self.passage.text if self.amended is None else self.amended.text

    def moved(self, row: int, passage: Passage, document: Document) -> Source:
        """Return the beginning of a successor of this source, not compared with anything."""
        span = Span(0, len(passage.text))
        return replace(
            self,
            row=row,
            passage=passage,
            document=document,
            span=span,
            quote=passage.text,
            alignment=None,
            in_force=True,
            amended=None,
            doubtful=False,
        )


@dataclass(frozen=True, slots=True)
class Reading:
    """A model's second reading of one claim. ``decided``: it changed the finding. Otherwise it is an opinion,
    and ``refused`` is why it could not."""

    finding: Finding
    quote: str
    passage_id: str
    explanation: str
    decided: bool
    refused: str = ""


@dataclass(frozen=True, slots=True)
class Checked:
    """A claim with its finding. ``sources`` are best first; the finding rests on the first.

    ``citations`` are the claim's own references, without those that are words of the source. ``grounded``: a
    passage supports the claim, a cited one if the claim cites. ``independent`` counts supporting documents
    that are no versions, translations or amendments of each other. ``grade`` is the best grade of the
    supporting sources, None if none has one. ``graded`` is false if that is missing or below the minimum:
    then the claim counts as neither correct nor grounded.
    """

    claim: Claim
    finding: Finding
    reason: str
    sources: tuple[Source, ...] = ()
    differences: tuple[str, ...] = ()
    citations: tuple[Citation, ...] = ()
    right: Source | None = None
    successor: Source | None = None
    grounded: bool = False
    independent: int = 0
    grade: Grade | None = None
    graded: bool = True
    reading: Reading | None = None

    @property
    def correct(self) -> bool | None:
        """True if the sources state the claim, False if they contradict it; None if undecided or if their
        grade is too low: a reviewer has to read them."""
        if self.finding in (Finding.SUPPORTED, Finding.WRONG_PINPOINT):
            return True if self.graded else None
        return False if self.finding in (Finding.CONTRADICTED, Finding.OUTDATED) else None


@dataclass(frozen=True, slots=True)
class Audit:
    """An audited text. ``citations`` are the references outside the claims. ``notes`` report what was left
    out or off; ``spent`` is the usage of a language model. ``minimum`` is the lowest grade that sources may
    have, None for any; ``grades`` is the version of the corpus's table of grades."""

    text: str
    corpus: str
    day: date
    checked: tuple[Checked, ...]
    notes: tuple[str, ...] = ()
    citations: tuple[Citation, ...] = ()
    milliseconds: float = 0.0
    model: str = ""
    spent: Usage = field(default_factory=Usage)
    minimum: Grade | None = None
    grades: int = 0

    @property
    def dead(self) -> tuple[Citation, ...]:
        """The wrong citations of the whole text, in order."""
        every = [*(cited for one in self.checked for cited in one.citations), *self.citations]
        return tuple(sorted((one for one in every if one.problem), key=lambda one: one.span.start))

    @property
    def below(self) -> tuple[Checked, ...]:
        """The claims stated by sources without a grade or below the minimum."""
        return tuple(one for one in self.checked if not one.graded and one.finding in STATED)

    @property
    def changed_by_model(self) -> tuple[Checked, ...]:
        """The claims whose finding a model's second reading changed."""
        return tuple(one for one in self.checked if one.reading is not None and one.reading.decided)


def with_grades(checked: Checked, grades: Grades) -> Checked:
    """Add the grades of their documents to the sources of a claim."""

    def graded(source: Source) -> Source:
        return replace(source, grade=grades.of(source.document))

    return replace(
        checked,
        sources=tuple(map(graded, checked.sources)),
        right=None if checked.right is None else graded(checked.right),
        successor=None if checked.successor is None else graded(checked.successor),
    )


# Notes on an audit as a whole: disabled parts with the verdicts they affect, and the effect of a minimum
# grade.
MOST_NAMED = 12
_MEANING_OFF = "dense search is off"
# Verdicts that a passage in other words could change.
_MAY_CHANGE = (Finding.NOT_IN_CORPUS, Finding.RELATED)


def add_affected_claims(notes: Iterable[str], checked: Sequence[Checked]) -> Iterator[str]:
    """Yield the notes of a search; those on missing search by meaning with the affected claims."""
    for note in notes:
        yield f"{note}; {_concerned(checked)}" if note.startswith(_MEANING_OFF) else note


def _concerned(checked: Sequence[Checked]) -> str:
    numbers = [one.claim.number for one in checked if one.finding in _MAY_CHANGE]
    if not numbers:
        return "no verdict on this text is of that kind"
    return f"claims of this text concerned: {_named(numbers)}"


def grade_notes(checked: Sequence[Checked], minimum: Grade | None) -> Iterator[str]:
    """Yield notes on the claims that a minimum grade excludes."""
    if minimum is None:
        return
    below = [one for one in checked if not one.graded and one.finding in STATED]
    for grade in dict.fromkeys(one.grade for one in below):
        numbers = [one.claim.number for one in below if one.grade is grade]
        rests = "rests" if len(numbers) == 1 else "rest"
        yield (
            f"{_named(numbers)} {rests} on sources with {words_of(grade)}, and grade {minimum.value} was "
            "required: not counted as correct or grounded"
        )


def _named(numbers: Sequence[int]) -> str:
    more = " …" if len(numbers) > MOST_NAMED else ""
    return f"{plural(len(numbers), 'claim')} ({', '.join(map(str, numbers[:MOST_NAMED]))}{more})"


# Wording of findings and sources.
@dataclass(frozen=True, slots=True)
class FindingWords:
    """Words for a finding: a word, a sign that needs no colour, its meaning."""

    word: str
    sign: str
    meaning: str


FINDING_WORDS = {
    Finding.SUPPORTED: FindingWords("Supported", "✓", "a source in force states it"),
    Finding.CONTRADICTED: FindingWords("Contradicted", "✕", "a source states otherwise on the same subject"),
    Finding.RELATED: FindingWords(
        "Related: read it", "◐", "sources on the subject; a person has to read whether they support it"
    ),
    Finding.OUTDATED: FindingWords("Outdated", "↺", "only a text that is no longer in force states it"),
    Finding.AMENDED: FindingWords(
        "Amended: read both", "⇄", "a later text amends the source in a way that a person has to read"
    ),
    Finding.WRONG_PINPOINT: FindingWords(
        "Wrong pinpoint", "⚲", "a provision other than the cited one states it"
    ),
    Finding.NO_PROVISION: FindingWords("No such provision", "⊘", "the cited provision does not exist"),
    Finding.UNCLEAR_CITATION: FindingWords(
        "Citation not understood", "?", "its target could not be determined"
    ),
    Finding.NOT_IN_CORPUS: FindingWords("Not in corpus", "∅", "no passage of the corpus is about it"),
}


# A claim that only sources below the required grade state is not headed "Supported".
LOW_GRADE = "below_grade"
LOW_GRADE_WORDS = FindingWords(
    "Stated below the required grade", "▽", "only sources below the grade asked for state it"
)


def key_of(finding: Finding) -> str:
    """Return a finding's name in JSON and CSS."""
    return finding.value.replace(" ", "_")


def is_low_grade(one: Checked) -> bool:
    """True if a claim is stated, but only by sources below the required grade."""
    return one.finding is Finding.SUPPORTED and not one.graded


def heading_of(one: Checked) -> FindingWords:
    """Return the words over a claim."""
    return LOW_GRADE_WORDS if is_low_grade(one) else FINDING_WORDS[one.finding]


def style_of(one: Checked) -> str:
    """Return the name in CSS of a claim's heading."""
    return LOW_GRADE if is_low_grade(one) else key_of(one.finding)


def citation_of(source: Source) -> str:
    """Return the citation of a source."""
    return short_citation(source.passage, source.document)


def difference(source: Source) -> list[str]:
    """Return the differences between a source and its compared claim, in words."""
    return [] if source.alignment is None else _differences(source.alignment)


def _differences(found: Alignment) -> list[str]:
    return [_otherwise(one) for one in found.changed]


def as_amended(source: Source) -> str:
    """Return a phrase for the amendments of a source; empty if there are none."""
    by = () if source.amended is None else source.amended.by
    return f", as amended by {' and '.join(one.words for one in by)}" if by else ""


def doubt_words(amending: Amending) -> str:
    """Return why an amendment cannot be applied with certainty."""
    text = f"{amending.words} {RELATION_VERBS[amending.reference.relation]} it"
    if amending.since is None:
        return f"{text} from an unknown day: read both"
    return f"{text}, and the amended text is not certain: read both"


_DENIED = "one of the two negates it: “{}”"


def _otherwise(one: Changed) -> str:
    if one.claim is None or one.source is None:
        token = one.claim or one.source
        return _DENIED.format(token.word) if token is not None else ""
    if one.change is Change.JOINT:
        return f"the source has “{one.source.opened} {one.source.word}”, the claim “{one.claim.opened}”"
    return f"the source has “{one.source.word}”, the claim has “{one.claim.word}”"


def why_unsupported(found: Alignment | None) -> str:
    """Return in words why a source on the same subject does not support a claim, from their alignment."""
    if found is None:
        return "it may be on the same subject; the words differ"
    differences = _differences(found)
    instead = dict.fromkeys((own.word, theirs.word) for own, theirs in found.instead)
    differences += [f"it is about “{theirs}”, not “{own}”" for own, theirs in list(instead)[:2]]
    if found.exchanged:
        words = ", ".join(f"“{word}”" for word in _words(found.exchanged)[:4])
        differences.append(f"{words}: in another part of the sentence, so who does what to whom may differ")
    if found.dropped:
        words = " … ".join(_words(found.dropped)[:6])
        differences.append(f"the claim omits binding words: “{words}”")
    missing = _words(t for t in found.missing if all(t is not own for own, _ in found.instead[:2]))
    if missing:
        differences.append(f"missing in the source: {', '.join(missing[:6])}")
    if found.loose and not differences:
        differences.append(f"the source uses other words: {', '.join(_words(found.loose)[:6])}")
    return "; ".join(differences) or "the source states only a part of it"


def _words(tokens: Iterable[Token]) -> list[str]:
    """Return the words of tokens, each once: in a script without spaces a word has several tokens."""
    return list(dict.fromkeys(token.word for token in tokens))


def remarks(one: Checked) -> list[str]:
    """Return further remarks on a claim: grade, independence, second reading."""
    found = []
    if not one.graded:
        low = "" if one.grade is None else ", below the one asked for"
        counted = ": not counted" if one.finding in STATED else ""
        found.append(f"rests on sources with {words_of(one.grade)}{low}{counted}")
    if one.finding is Finding.SUPPORTED:
        found.append(plural(one.independent, "independent source"))
    reading = one.reading
    if reading is not None and reading.decided:
        found.append(f"changed by the model's second reading: {reading.explanation}")
    elif reading is not None and reading.refused:
        finding_word = FINDING_WORDS[reading.finding].word.lower()
        found.append(
            f"the model reads it as {finding_word} ({reading.explanation}); not counted: {reading.refused}"
        )
    return found
