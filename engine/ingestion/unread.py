"""What of the days and languages of a corpus was not understood, and what a person can do about it."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterator, Sequence

from engine.ingestion.readers import fields
from engine.ingestion.readers.base import Problem
from engine.ingestion.readers.field_names import Told, leaves, told_by
from engine.language.analysis import STEMMERS
from engine.language.characters import LANGUAGE_SCRIPTS
from engine.language.references.readings import recogniser
from engine.model import Document

# A text of fewer passages need not tell its language.
_TELLING = 3
_KNOWN = (Told.EFFECT, Told.STATE)
# Written without blanks: cut into pairs of letters, which needs no stemmer.
_UNSPACED = frozenset(
    code for code, scripts in LANGUAGE_SCRIPTS.items() if {"han", "kana", "hangul", "thai"} & {*scripts}
)
_MAPPING = "say with --mapping (document: {{valid_from: {name}}}) if it is the day of effect"


def unread(
    documents: Sequence[Document],
    paths: Sequence[str | None],
    versions: Collection[int],
    passages: Sequence[int],
) -> Iterator[Problem]:
    """One note for each field of which days were not understood, and for each language without a grammar.

    ``versions`` are the numbers of documents whose days are known by their families, ``passages`` how many
    each document has.
    """
    unknown: dict[str, list[int]] = defaultdict(list)
    unreadable: dict[str, list[tuple[int, str]]] = defaultdict(list)
    for number, document in enumerate(documents):
        if paths[number] is None or number in versions:
            continue
        days = [
            (name, value) for name, value in leaves(document.metadata) if fields.day_of(value) is not None
        ]
        kinds = {told_by(name.rpartition(".")[2]) for name, _ in days}
        if document.valid_from is None and document.version is None and not kinds & {*_KNOWN}:
            for name, _ in days:
                if told_by(name.rpartition(".")[2]) is Told.UNKNOWN:
                    unknown[name].append(number)
        for name, value in leaves(document.metadata):
            effect = told_by(name.rpartition(".")[2]) is Told.EFFECT
            written = isinstance(value, str) and any(letter.isdigit() for letter in value)
            if effect and written and fields.day_of(value) is None:
                unreadable[name].append((number, str(value)[:60]))
    for name, numbers in sorted(unknown.items()):
        reason = (
            f"{name!r} holds a day and is not understood{_in(len(numbers))}; {_MAPPING.format(name=name)}"
        )
        yield Problem(_where(numbers[0], documents, paths), reason, is_note=True)
    for name, found in sorted(unreadable.items()):
        number, value = found[0]
        reason = (
            f"{name}: {value!r} is no day{_in(len(found))}: its text is taken to hold at any time; write "
            "days as 2010-03-01"
        )
        yield Problem(_where(number, documents, paths), reason, is_note=True)
    yield from _languages(documents, paths, passages)


def _languages(
    documents: Sequence[Document], paths: Sequence[str | None], passages: Sequence[int]
) -> Iterator[Problem]:
    first: dict[str, list[int]] = defaultdict(list)
    for number, document in enumerate(documents):
        base = document.language.split("-")[0]
        if base == "und" and passages[number] < _TELLING:
            continue
        if recogniser(base) is None:
            first[base].append(number)
    for code, numbers in sorted(first.items()):
        named = "no language was told" if code == "und" else f"the language {code!r} has no grammar"
        advice = "; state it as language in its fields" if code == "und" else ""
        plain = code not in STEMMERS and code not in _UNSPACED
        words = "its words are searched as they are written, and " if plain else ""
        reason = f"{named}{_in(len(numbers))}: {words}what it cites by number is not followed{advice}"
        yield Problem(_where(numbers[0], documents, paths), reason, is_note=True)


def _in(count: int) -> str:
    return f" (in {count:,} documents, this one first)" if count > 1 else ""


def _where(number: int, documents: Sequence[Document], paths: Sequence[str | None]) -> str:
    return paths[number] or documents[number].source or documents[number].id
