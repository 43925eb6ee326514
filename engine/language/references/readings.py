"""Provide the grammars by language, and the mentions and names in the text of a passage."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from functools import cache, lru_cache
from typing import Any, Protocol

from engine.language.addresses import Address
from engine.language.analysis import analyzer
from engine.language.characters import with_hyphens
from engine.language.references.definitions import DefinedName, NameReader, StatementReader
from engine.language.references.designations import DesignationReader
from engine.language.references.grammar import Grammar, Mention, Target
from engine.language.references.grammar_files import load_grammars
from engine.language.references.recogniser import Recogniser
from engine.languages import base_of
from engine.model import Passage, Relation, SectionKind, Span
from engine.operator_settings import operator_settings

# Grammars by language: shipped ones and those of the operator's folder


@cache
def grammars() -> tuple[Grammar, ...]:
    """Load all grammars, the operator's first; cached.

    Raises:
        GrammarError: an invalid grammar file, or a missing folder of the operator's grammars.
    """
    return load_grammars(operator_settings().grammars)


def _grammar(language: str) -> Grammar | None:
    base = base_of(language)
    return next((grammar for grammar in grammars() if base in grammar.languages), None)


@cache
def _compiled(name: str) -> Recogniser:
    return Recogniser(next(grammar for grammar in grammars() if grammar.name == name))


@cache
def recogniser(language: str) -> Recogniser | None:
    """Return the recogniser of a language (ISO 639-1, region ignored); None if there is no grammar."""
    grammar = _grammar(language)
    return _compiled(grammar.name) if grammar else None


def prepare(languages: Iterable[str]) -> None:
    """Compile the grammars of these languages and load their word lists."""
    for language in languages:
        analyzer(language).prepare()
        recogniser(language)
        _name_reader(language)
        _designation_reader(language)


def find_mentions(text: str, language: str) -> list[Mention]:
    """Find the references in a text in order, without resolving them; empty for a language without a
    grammar."""
    reader = recogniser(language)
    plain = with_hyphens(text)
    found = reader.find(plain) if reader else []
    return found if plain == text else [_as_printed(one, text) for one in found]


def _as_printed(mention: Mention, text: str) -> Mention:
    name, at = mention.document, mention.name_at
    printed = name if name is None or at is None else text[at : at + len(name)]
    return replace(mention, text=text[mention.span.start : mention.span.end], document=printed)


@cache
def _designation_reader(language: str) -> DesignationReader | None:
    grammar = _grammar(language)
    return DesignationReader(grammar) if grammar else None


def find_designations(text: str, language: str, found: Sequence[Mention]) -> list[Mention]:
    """Find candidates for designations in addition to the mentions ``found`` by the grammar.

    Returns them in order; empty for a language without a grammar.
    """
    reader = _designation_reader(language)
    return reader.find(text, found) if reader else []


@cache
def statement_reader(language: str) -> StatementReader:
    """Return the reader of years, numbers and words for former acts in texts of a language."""
    return StatementReader(_grammar(language))


@cache
def _name_reader(language: str) -> NameReader | None:
    grammar = _grammar(language)
    return NameReader(grammar) if grammar else None


def defined_names(text: str, language: str) -> list[DefinedName]:
    """Find the names that a text gives to documents; empty for a language without a grammar."""
    reader = _name_reader(language)
    return list(reader.names(text)) if reader else []


# Mentions and names of single passages
#
# They depend on no other passage, so they can be read in any process, stored as plain lists (``packed``), and
# resolved again when the corpus changes.

# Number of passages whose mentions are cached: a text and those before it.
_KEPT = 256

# Tables instead of enum calls: a corpus has a hundred thousand mentions.
_KINDS = {str(kind): kind for kind in SectionKind}
_RELATIONS = {str(relation): relation for relation in Relation}


class Readings(Protocol):
    """Source of the mentions and names of a corpus, by passage."""

    def mentions(self, row: int) -> Sequence[Mention]:
        """Return the references of a passage in text order."""
        ...

    def names(self) -> Iterable[tuple[int, str, DefinedName]]:
        """Yield the names that passages give to documents: (row, language of the passage, name)."""
        ...


class TextReadings:
    """Reads the text of each passage on demand."""

    def __init__(self, passages: Sequence[Passage]) -> None:
        self._passages = passages
        self.mentions = lru_cache(_KEPT)(self._mentions)

    def _mentions(self, row: int) -> list[Mention]:
        passage = self._passages[row]
        return read_mentions(passage.text, passage.language)

    def names(self) -> Iterator[tuple[int, str, DefinedName]]:
        """Yield the names that passages give to documents: (row, language of the passage, name)."""
        for row, passage in enumerate(self._passages):
            for name in defined_names(passage.text, passage.language):
                yield row, passage.language, name


def read_mentions(text: str, language: str) -> list[Mention]:
    """Find the mentions of a language's grammar in a text, followed by candidates for designations."""
    found = find_mentions(text, language)
    return [*found, *find_designations(text, language, found)]


def packed(mentions: Iterable[Mention]) -> list[list[Any]]:
    """Convert mentions to lists of numbers, strings and lists, for JSON."""
    return [
        [
            *(mention.span.start, mention.span.end, mention.text, mention.grammar, str(mention.relation)),
            [_packed_target(target) for target in mention.targets],
            *(mention.document, mention.name_at, mention.leads_at),
            mention.here + 2 * mention.that + 4 * mention.bare + 8 * mention.joined,
        ]
        for mention in mentions
    ]


def unpacked(rows: Iterable[Sequence[Any]]) -> list[Mention]:
    """Restore mentions from the lists of ``packed``."""
    return [
        Mention(
            Span(start, end),
            text,
            grammar,
            _RELATIONS[relation],
            tuple(_unpacked_target(target) for target in targets),
            document,
            name_at,
            leads_at,
            here=bool(flags & 1),
            that=bool(flags & 2),
            bare=bool(flags & 4),
            joined=bool(flags & 8),
        )
        for start, end, text, grammar, relation, targets, document, name_at, leads_at, flags in rows
    ]


def _packed_target(target: Target) -> list[Any]:
    through = target.through
    last = None if through is None else _packed_address(through)
    span = target.span
    return [*_packed_address(target.address), span.start, span.end, last, target.step, target.count]


def _packed_address(address: Address) -> list[Any]:
    within = [[str(kind), number] for kind, number in address.within]
    return [str(address.kind), address.number, address.paragraph, within]


def _unpacked_target(row: Sequence[Any]) -> Target:
    kind, number, paragraph, within, start, end, last, step, count = row
    address = (
        _unpacked_address((kind, number, paragraph, within)) if within else _plain(kind, number, paragraph)
    )
    return Target(address, Span(start, end), _unpacked_address(last) if last else None, step, count)


@lru_cache(maxsize=1 << 14)
def _plain(kind: str, number: str | None, paragraph: str | None) -> Address:
    """Make an address without containers; cached, because a corpus repeats a few of them many times."""
    return Address(_KINDS[kind], number, paragraph)


def _unpacked_address(row: Sequence[Any]) -> Address:
    kind, number, paragraph, within = row
    inside = tuple((_KINDS[outer], count) for outer, count in within)
    return Address(_KINDS[kind], number, paragraph, inside)
