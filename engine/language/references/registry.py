"""The grammars by language, the shipped ones and those of the user's own folder."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from functools import cache

from engine.language.analyzer import analyzer
from engine.language.references.definitions import DefinedName, NameReader
from engine.language.references.designations import DesignationReader
from engine.language.references.grammar import Grammar, Mention
from engine.language.references.identity import StatementReader
from engine.language.references.loading import load_grammars
from engine.language.references.recogniser import Recogniser
from engine.language.script import with_hyphens
from engine.operator_settings import operator_settings


@cache
def grammars() -> tuple[Grammar, ...]:
    """All grammars, own ones first; read once per process.

    Raises:
        GrammarError: a grammar file is wrong, or the folder of own grammars does not exist.
    """
    return load_grammars(operator_settings().grammars)


@cache
def _compiled(name: str) -> Recogniser:
    return Recogniser(next(grammar for grammar in grammars() if grammar.name == name))


@cache
def recogniser(language: str) -> Recogniser | None:
    """The recogniser for a language (ISO 639-1, region ignored); None where there is no grammar."""
    base = language.split("-")[0].lower()
    name = next((grammar.name for grammar in grammars() if base in grammar.languages), None)
    return _compiled(name) if name else None


def prepare(languages: Iterable[str]) -> None:
    """Compile the grammars of these languages and read their lists of words, once per process."""
    for language in languages:
        analyzer(language).prepare()
        recogniser(language)
        _name_reader(language)
        _designation_reader(language)


def find_mentions(text: str, language: str) -> list[Mention]:
    """The references a text makes, in order, not yet resolved; none for a language without a grammar."""
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
    base = language.split("-")[0].lower()
    return next((DesignationReader(grammar) for grammar in grammars() if base in grammar.languages), None)


def find_designations(text: str, language: str, found: Sequence[Mention]) -> list[Mention]:
    """What else may be a reference, by a number in a form of the rulebook's own, beside the mentions that
    were ``found`` by the grammar; in order, none for a language without a grammar."""
    reader = _designation_reader(language)
    return reader.find(text, found) if reader else []


@cache
def statement_reader(language: str) -> StatementReader:
    """Return the reader of years, numbers and words for former acts in texts of a language."""
    base = language.split("-")[0].lower()
    return StatementReader(next((grammar for grammar in grammars() if base in grammar.languages), None))


@cache
def _name_reader(language: str) -> NameReader | None:
    base = language.split("-")[0].lower()
    return next((NameReader(grammar) for grammar in grammars() if base in grammar.languages), None)


def defined_names(text: str, language: str) -> list[DefinedName]:
    """The names a text gives to documents; none for a language without a grammar."""
    reader = _name_reader(language)
    return list(reader.names(text)) if reader else []
