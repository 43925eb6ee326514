"""How an audit is put into words: findings, sources."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from engine.answers.amending import Amending
from engine.answers.audit.record import SAID, Checked, Finding, Source
from engine.corpus.grades import words_of
from engine.language.statements import Alignment, Change, Changed, Token
from engine.model import RELATION_VERBS
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
    Finding.CONTRADICTED: Told("Contradicted", "✕", "a source says otherwise of the same"),
    Finding.RELATED: Told(
        "Related: read it", "◐", "sources speak of it; whether they say so, a person tells"
    ),
    Finding.OUTDATED: Told("Outdated", "↺", "only a text that is no longer in force says so"),
    Finding.AMENDED: Told(
        "Amended: read both", "⇄", "a later text amends the source in a way that a person has to read"
    ),
    Finding.WRONG_PINPOINT: Told("Wrong pinpoint", "⚲", "another provision than the cited one says so"),
    Finding.NO_PROVISION: Told("No such provision", "⊘", "the cited provision does not exist"),
    Finding.UNCLEAR_CITATION: Told("Citation not understood", "?", "what it cites was not found out"),
    Finding.NOT_IN_CORPUS: Told("Not in corpus", "∅", "no passage of the corpus speaks of it"),
}


def key_of(finding: Finding) -> str:
    """A finding as a name in JSON and CSS."""
    return finding.value.replace(" ", "_")


def citation_of(source: Source) -> str:
    """How a source is cited."""
    return short_citation(source.passage, source.document)


def difference(source: Source) -> list[str]:
    """What a source says otherwise than the claim it was compared with, each in words."""
    return [] if source.alignment is None else _differences(source.alignment)


def _differences(found: Alignment) -> list[str]:
    return [_otherwise(one) for one in found.changed]


def as_amended(source: Source) -> str:
    """What amended the words of a source; empty where nothing did."""
    by = () if source.amended is None else source.amended.by
    return f", as amended by {' and '.join(one.words for one in by)}" if by else ""


def doubt_of(amending: Amending) -> str:
    """Why an amendment cannot be put into what it amends with certainty."""
    told = f"{amending.words} {RELATION_VERBS[amending.reference.relation]} it"
    if amending.since is None:
        return f"{told} from a day that is not known: read both"
    return f"{told}, and how it reads then is not certain: read both"


_DENIED = "one of the two denies it: “{}”"


def _otherwise(one: Changed) -> str:
    if one.claim is None or one.source is None:
        token = one.claim or one.source
        return _DENIED.format(token.word) if token is not None else ""
    if one.change is Change.JOINT:
        return f"the source says “{one.source.opened} {one.source.word}”, the claim “{one.claim.opened}”"
    return f"the source says “{one.source.word}”, the claim says “{one.claim.word}”"


def otherwise(found: Alignment | None) -> str:
    """Why a source that is about the same is no support, in words, by how the claim stands in it."""
    if found is None:
        return "it may be about the same; the words differ"
    told = _differences(found)
    instead = dict.fromkeys((own.word, theirs.word) for own, theirs in found.instead)
    told += [f"it says it of “{theirs}”, not of “{own}”" for own, theirs in list(instead)[:2]]
    if found.exchanged:
        words = ", ".join(f"“{word}”" for word in _words(found.exchanged)[:4])
        told.append(f"{words}: in another part of the sentence, so who does what to whom may differ")
    if found.dropped:
        words = " … ".join(_words(found.dropped)[:6])
        told.append(f"the claim leaves out what it is bound to: “{words}”")
    missing = _words(t for t in found.missing if all(t is not own for own, _ in found.instead[:2]))
    if missing:
        told.append(f"it does not say: {', '.join(missing[:6])}")
    if found.loose and not told:
        told.append(f"it says it in other words: {', '.join(_words(found.loose)[:6])}")
    return "; ".join(told) or "it says only a part of it"


def _words(tokens: Iterable[Token]) -> list[str]:
    """The words of tokens, each once: in a script without spaces several are of one."""
    return list(dict.fromkeys(token.word for token in tokens))


def remarks(one: Checked) -> list[str]:
    """What else is to be said of a claim: grade, independence, a second reading."""
    found = []
    if not one.graded:
        low = "" if one.grade is None else ", below the one asked for"
        counted = ": not counted" if one.finding in SAID else ""
        found.append(f"rests on sources with {words_of(one.grade)}{low}{counted}")
    if one.finding is Finding.SUPPORTED:
        found.append(plural(one.independent, "independent source"))
    reading = one.reading
    if reading is not None and reading.decided:
        found.append(f"changed by the model's second reading: {reading.explanation}")
    elif reading is not None and reading.refused:
        told = TOLD[reading.finding].word.lower()
        found.append(f"the model reads it as {told} ({reading.explanation}); not counted: {reading.refused}")
    return found
