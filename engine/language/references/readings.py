"""What the text of one passage says by itself: the references it makes and the names it gives to acts.

No other passage is needed for it, so it can be read in any process, kept as plain lists (``packed``),
and resolved again whenever the corpus around it changes.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from typing import Any, Protocol

from engine.language.addresses import Address
from engine.language.references.definitions import DefinedName
from engine.language.references.grammar import Mention, Target
from engine.language.references.registry import defined_names, find_designations, find_mentions
from engine.model import Passage, Relation, SectionKind, Span

# Passages whose mentions are kept while a resolver looks around: a text and the ones before it.
_KEPT = 256

# Looked up, not called: a corpus has a hundred thousand mentions.
_KINDS = {str(kind): kind for kind in SectionKind}
_RELATIONS = {str(relation): relation for relation in Relation}


class Readings(Protocol):
    """Where a resolver takes the mentions and names of a corpus from, by position of the passage."""

    def mentions(self, row: int) -> Sequence[Mention]:
        """The references a passage makes, in the order of its text."""
        ...

    def names(self) -> Iterable[tuple[int, str, DefinedName]]:
        """The names that passages give to documents, in order: row and language of the passage, name."""
        ...


class TextReadings:
    """Reads each passage's text when it is asked for."""

    def __init__(self, passages: Sequence[Passage]) -> None:
        self._passages = passages
        self.mentions = lru_cache(_KEPT)(self._mentions)

    def _mentions(self, row: int) -> list[Mention]:
        passage = self._passages[row]
        return read_mentions(passage.text, passage.language)

    def names(self) -> Iterator[tuple[int, str, DefinedName]]:
        """The names that passages give to documents: row and language of the passage, name."""
        for row, passage in enumerate(self._passages):
            for name in defined_names(passage.text, passage.language):
                yield row, passage.language, name


def read_mentions(text: str, language: str) -> list[Mention]:
    """What a text of a corpus may cite: what the grammar of its language reads, then the candidates for
    numbers in a form of the corpus's own."""
    found = find_mentions(text, language)
    return [*found, *find_designations(text, language, found)]


def packed(mentions: Iterable[Mention]) -> list[list[Any]]:
    """Mentions as lists of numbers, strings and lists, fit for JSON."""
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
    """The mentions that ``packed`` made the lists of."""
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
    """An address without containers: a corpus has few of them, many times each."""
    return Address(_KINDS[kind], number, paragraph)


def _unpacked_address(row: Sequence[Any]) -> Address:
    kind, number, paragraph, within = row
    inside = tuple((_KINDS[outer], count) for outer, count in within)
    return Address(_KINDS[kind], number, paragraph, inside)
