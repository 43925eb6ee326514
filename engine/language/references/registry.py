"""The grammars by language."""

from __future__ import annotations

from functools import cache

from engine.language.references.arabic import ARABIC
from engine.language.references.english import ENGLISH
from engine.language.references.german import GERMAN
from engine.language.references.grammar import Grammar, Mention
from engine.language.references.indonesian import INDONESIAN
from engine.language.references.recogniser import Recogniser

GRAMMARS: tuple[Grammar, ...] = (ENGLISH, GERMAN, INDONESIAN, ARABIC)


@cache
def _compiled(name: str) -> Recogniser:
    return Recogniser(next(grammar for grammar in GRAMMARS if grammar.name == name))


@cache
def recogniser(language: str) -> Recogniser | None:
    """The recogniser for a language (ISO 639-1, region ignored); None where there is no grammar."""
    base = language.split("-")[0].lower()
    name = next((grammar.name for grammar in GRAMMARS if base in grammar.languages), None)
    return _compiled(name) if name else None


def find_mentions(text: str, language: str) -> list[Mention]:
    """The references a text makes, in order, not yet resolved; none for a language without a grammar."""
    reader = recogniser(language)
    return reader.find(text) if reader else []
