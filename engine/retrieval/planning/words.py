"""The tables of question words by language, and the intent, structure and meaning found with them."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import NamedTuple

from pydantic import BaseModel, ConfigDict, ValidationError

from engine import bounded, languages
from engine.errors import SettingsError, YamlError
from engine.language.analysis import analyzer
from engine.language.characters import shortened
from engine.model import Intent

# The file ``questions.yaml`` of each language
#
# - ``intent``: patterns by intent; the matched words are shown as evidence.
# - ``parts``: ``light``, words that no part is named by (question words, modal verbs; patterns in a script
#   without blanks); ``joints``, the conjunctions between two questions, and ``openers``, the beginning of the
#   second; ``asks``: beginnings of questions; ``requests``: beginnings of sentences that ask without a
#   question mark; ``relatives``: openers that may also continue a clause; ``refers``: ``pronouns`` and the
#   patterns of their referents in the first part, the group ``subject`` of ``subjects``, empty if it is never
#   clear; ``own``: words before a pronoun whose referent is in its own part; ``implied``: nouns whose
#   referent is only implied without background ("the consequences"); ``several``: the pronoun may refer to
#   both sides of a comparison.
# - ``compare``: whole questions with groups ``a``, ``b`` and optionally ``frame``; ``clauses``: whole
#   questions with groups ``outer`` and ``inner``. Both are matched without the final question mark.
# - ``changes``: whole questions for what changed between two days; groups are the words with the days and the
#   topic; ``relates``: words of questions for how two provisions are related.
# - ``meaning``: whole questions for the meaning of a term, the group ``term``.
# - ``asks_of_before`` and ``asks_of_behind``: words before and after a document whose own text is requested.
# - ``dates``: words before a year or date, by their purpose; ``..._behind``: words after it; ``before`` and
#   ``within``: the date of the law; ``between`` and ``through``: words around the first of two dates.
# - ``types``: kinds of documents, and the words for them in questions.
# - ``legal``: pairs of lists, everyday words and legal terms.
# - ``examples``: questions and the results required of them; the tests run them.
#
# All patterns ignore case; a blank in ``compare`` and ``clauses`` matches one blank.

SHIPPED = "questions.yaml"
Patterns = tuple[re.Pattern[str], ...]


class ExampleFile(BaseModel):
    """A question and what its plan must have; None or absent for what is not checked."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    question: str
    language: str = ""
    intent: Intent | None = None
    views: dict[str, list[str]] = {}
    suggests: dict[str, str] = {}
    types: list[str] = []
    meaning: str = ""


class _Refers(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)

    pronouns: list[str]
    subjects: list[str] = []
    own: str = ""
    implied: bool = False
    several: bool = False


class _Parts(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)

    light: list[str] = []
    joints: list[str] = []
    openers: list[str] = []
    asks: list[str] = []
    requests: list[str] = []
    relatives: list[str] = []
    refers: list[_Refers] = []
    # Parts of fewer terms imply the subject of the first one.
    short: int = 0
    # True for scripts that write the conjunction and the opener as one word.
    joined: bool = False


class DateWords(BaseModel):
    """Words around the dates of a question."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    since: list[str] = []
    until: list[str] = []
    as_of: list[str] = []
    between: list[str] = []
    through: list[str] = []
    # Words around a day or year whose law is meant: that of the day before, that of the year.
    before: list[str] = []
    before_behind: list[str] = []
    within: list[str] = []
    within_behind: list[str] = []
    # Beginnings of questions for the law of the past, as regular expressions.
    past: list[str] = []
    # Words before a year that may also be part of a law's name; "" if a year needs none in the past tense.
    bare: list[str] = []
    # Words before or after a date that describes the facts, not the law, as regular expressions.
    facts: list[str] = []
    facts_behind: list[str] = []
    since_behind: list[str] = []
    until_behind: list[str] = []


class WordsFile(BaseModel):
    """One file, field by field."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    intent: dict[Intent, list[str]] = {}
    parts: _Parts = _Parts()
    compare: list[str] = []
    changes: list[str] = []
    relates: list[str] = []
    clauses: list[str] = []
    meaning: list[str] = []
    asks_of_before: list[str] = []
    asks_of_behind: list[str] = []
    dates: DateWords = DateWords()
    types: dict[str, list[str]] = {}
    legal: list[tuple[list[str], list[str]]] = []
    examples: list[ExampleFile] = []


@dataclass(frozen=True, slots=True)
class Referring:
    """A kind of pronoun, and the patterns of its referents."""

    pronoun: re.Pattern[str]
    subjects: Patterns
    own: re.Pattern[str] | None
    implied: bool
    several: bool


@dataclass(frozen=True, slots=True)
class Words:
    """The compiled tables of one language; the comment at the top of this file describes the fields."""

    language: str
    intent: Mapping[Intent, Patterns] = field(default_factory=dict)
    light: re.Pattern[str] | None = None
    border: re.Pattern[str] | None = None
    asks: Patterns = ()
    requests: Patterns = ()
    relatives: Patterns = ()
    refers: tuple[Referring, ...] = ()
    short: int = 0
    compare: Patterns = ()
    changes: Patterns = ()
    relates: Patterns = ()
    clauses: Patterns = ()
    dates: DateWords = field(default_factory=DateWords)
    types: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    legal: tuple[tuple[tuple[str, ...], tuple[str, ...]], ...] = ()
    meaning: Patterns = ()
    asks_of_before: Patterns = ()
    asks_of_behind: Patterns = ()


NO_WORDS = Words("und")


@cache
def words_of(language: str) -> Words:
    """Return the tables of a language (ISO 639-1, region ignored), empty ones if it has no file.

    Raises SettingsError that names the file and the invalid field.
    """
    base = languages.base_of(language)
    if base != language:
        return words_of(base)
    path = languages.file_of(base, SHIPPED)
    return NO_WORDS if path is None else load_words(path, base)


def load_words(path: Path, language: str) -> Words:
    """Load the tables of a language from a file. Raises SettingsError as ``words_of`` does."""
    file = read_file(path)
    try:
        return _compiled(file, language)
    except re.error as error:
        raise SettingsError(f"{path}: {error.pattern!r} is not a regular expression: {error}") from error


def read_file(path: Path) -> WordsFile:
    """Read and check one file. Raises SettingsError that names the file and the invalid field."""
    try:
        return WordsFile.model_validate(bounded.load_yaml(path.read_bytes()))
    except (OSError, YamlError) as error:
        raise SettingsError(f"{path}: cannot be read ({error})") from error
    except ValidationError as error:
        first = error.errors()[0]
        name = ".".join(str(part) for part in first["loc"])
        raise SettingsError(f"{path}: {name}: {first['msg']}") from error


def _compiled(file: WordsFile, language: str) -> Words:
    return Words(
        language,
        {intent: tuple(_pattern(one) for one in patterns) for intent, patterns in file.intent.items()},
        _pattern("|".join(file.parts.light)) if file.parts.light else None,
        _border(file.parts),
        tuple(_pattern(one) for one in (*file.parts.asks, *file.parts.requests)),
        tuple(_pattern(one) for one in file.parts.requests),
        tuple(_pattern(one) for one in file.parts.relatives),
        tuple(_referring(one, joined=file.parts.joined) for one in file.parts.refers),
        file.parts.short,
        tuple(_pattern(one) for one in file.compare),
        tuple(_pattern(one) for one in file.changes),
        tuple(_pattern(one) for one in file.relates),
        tuple(_pattern(one) for one in file.clauses),
        file.dates,
        {kind: tuple(names) for kind, names in file.types.items()},
        tuple((tuple(plain), tuple(formal)) for plain, formal in file.legal),
        tuple(_pattern(one) for one in file.meaning),
        tuple(_pattern(rf"(?:{one})\s*[\"“„«《]?\Z") for one in file.asks_of_before),
        tuple(_pattern(rf"[\"”“»》]?\s*(?:{one})") for one in file.asks_of_behind),
    )


def _pattern(source: str) -> re.Pattern[str]:
    return re.compile(source, re.IGNORECASE)


def _referring(refers: _Refers, *, joined: bool) -> Referring:
    pronouns = "|".join(refers.pronouns)
    return Referring(
        _pattern(rf"(?:{pronouns})" if joined else rf"\b(?:{pronouns})\b"),
        tuple(_pattern(one) for one in refers.subjects),
        _pattern(refers.own) if refers.own else None,
        refers.implied,
        refers.several,
    )


def _border(parts: _Parts) -> re.Pattern[str] | None:
    """Compile the border between two questions: a conjunction before a word that begins a question."""
    if not parts.joints or not parts.openers:
        return None
    joints, openers = "|".join(parts.joints), "|".join(parts.openers)
    if parts.joined:
        return _pattern(rf"[،,，、；]?\s*(?:{joints})\s*(?=(?:{openers})(?!\w*[؟?]?\Z))")
    listed = rf",(?=\s+(?:{openers})\b[^?]*?,?\s(?:{joints})\s+(?:{openers})\b)"
    return _pattern(rf"(?:,?\s+(?:{joints}),?|[;؛]|{listed})\s+(?=(?:{openers})\b)")


# Questions for the meaning of a term: "What is a Relevant Person?", "Was bedeutet 'unverzüglich'?".

LONGEST_TERM = 60
_ENDS = " \t?!.؟？。\"“”„«»‘’'"


def term_asked(text: str, language: str) -> str:
    """Return the term whose meaning a question asks for, as written; "" if it asks for something else."""
    question = text.strip(" \t?!.؟？。")
    for pattern in words_of(language).meaning:
        match = pattern.fullmatch(question)
        if match:
            term = match["term"].strip(_ENDS)
            return term if len(term) <= LONGEST_TERM else ""
    return ""


# Sub-questions by structure: sides of a comparison and clauses. ``parting.py`` finds parts.

# Maximum words of a side of a comparison: longer text is a clause.
LONGEST_SIDE = 16

MARKS = " -–•.?!؟。？,،，:;"


class Compared(NamedTuple):
    """Two things that a question compares, the frame of the comparison, and whether the frame comes first."""

    pair: tuple[str, str]
    frame: str
    before: bool


def compared(text: str, language: str) -> Compared | None:
    """Return the comparison in a question; None if there is none."""
    for pattern in words_of(language).compare:
        match = pattern.fullmatch(text.strip(MARKS))
        if match is None:
            continue
        named = match.groupdict()
        frame = (named.get("frame") or "").strip(MARKS)
        pair = ((named["a"] or "").strip(MARKS), (named["b"] or "").strip(MARKS))
        if not all(_has_terms(side, language) and len(side.split()) <= LONGEST_SIDE for side in pair):
            continue
        before = bool(named.get("frame")) and match.start("frame") < match.start("a")
        return Compared(pair, frame, before)
    return None


def sides(text: str, language: str) -> list[str]:
    """Make one question for each side of a comparison, with the shared frame; empty without one."""
    found = compared(text, language)
    if found is None:
        return []
    pair, frame, before = found
    return [f"{frame} {side}".strip() if before else f"{side} {frame}".strip() for side in pair]


def clauses(text: str, language: str) -> list[str]:
    """Return the inner clause of a question, which must be answered first, and the outer one, or nothing."""
    for pattern in words_of(language).clauses:
        match = pattern.fullmatch(text.strip(MARKS))
        if match is None:
            continue
        inner, outer = match["inner"].strip(MARKS), match["outer"].strip(MARKS)
        if len(analyzer(language).terms(inner)) >= 2 and _has_terms(outer, language):
            return [inner, outer]
    return []


def _has_terms(text: str, language: str) -> bool:
    return bool(analyzer(language).terms(text))


# Intent: the kind of answer that a question asks for, by its words

# Comparative and multi-hop questions are recognised first: "how long" may be in any of them.
_ORDER = (Intent.COMPARATIVE, Intent.MULTI_HOP, Intent.LOOKUP, Intent.EXPLORATORY)
LONGEST_EVIDENCE = 60


@dataclass(frozen=True, slots=True)
class IntentReading:
    """An intent and the words of the question that show it; no words for the default intent."""

    intent: Intent
    evidence: tuple[str, ...]


def intent_of(text: str, language: str, references: tuple[str, ...] = ()) -> IntentReading:
    """Return the intent of a question. ``references`` are the provisions that it names.

    The first of comparative, multi-hop and lookup that its words show, or else exploratory. A question that
    names a provision and is neither comparative nor multi-hop is a lookup.
    """
    words = words_of(language)
    for intent in _ORDER:
        patterns = words.intent.get(intent, ())
        found = [match[0].strip() for pattern in patterns if (match := pattern.search(text))]
        if intent is Intent.LOOKUP and references:
            found += list(references)
        if found:
            named = dict.fromkeys(found)
            return IntentReading(intent, tuple(shortened(evidence, LONGEST_EVIDENCE) for evidence in named))
    return IntentReading(Intent.EXPLORATORY, ())
