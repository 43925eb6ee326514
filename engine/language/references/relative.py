"""Finds what a text points at by where it stands: "the preceding Article", "the provisions of this Part"."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterator, Sequence

from engine.language.addresses import Address
from engine.language.occupied import Occupied
from engine.language.references.grammar import Grammar, Mention, Relative, Target
from engine.model import Relation, Span

# How far around its sign a reference is looked for, in characters.
REACH = 100

# The relation of the words from one place of a text to another.
RelationAt = Callable[[str, int, int], Relation]


class RelativeReader:
    """Compiled patterns of a grammar's ``relative`` references."""

    def __init__(self, grammar: Grammar) -> None:
        self._name = grammar.name
        self._patterns = [(one, re.compile(one.pattern, re.IGNORECASE)) for one in grammar.relative]
        self._signs = tuple(dict.fromkeys(sign for one in grammar.relative for sign in one.signs))

    def find(self, text: str, taken: Sequence[Mention], relation: RelationAt) -> list[Mention]:
        """Mentions outside of those that are ``taken``, in no order; none overlaps another."""
        # Many patterns share their signs, and most texts have none of them.
        present = {sign for sign in self._signs if sign in text}
        if not present:
            return []
        found: list[Mention] = []
        occupied = Occupied((mention.span.start, mention.span.end) for mention in taken)
        for one, start, end in self._matches(text, present):
            if occupied.overlaps(start, end):
                continue
            occupied.add(start, end)
            span = Span(start, end)
            target = Target(Address(one.kind, None), span, step=one.step, count=one.count)
            found.append(Mention(span, text[start:end], self._name, relation(text, start, end), (target,)))
        return found

    def _matches(self, text: str, present: Collection[str]) -> Iterator[tuple[Relative, int, int]]:
        for one, pattern in self._patterns:
            for sign in one.signs:
                if sign not in present:
                    continue
                place = text.find(sign)
                while place >= 0:
                    end = place + max(1, len(sign))
                    match = pattern.search(text, max(0, place - REACH), end + REACH)
                    if match and match.start() < end and match.end() > place:
                        yield one, match.start(), match.end()
                        end = max(end, match.end())
                    place = text.find(sign, end)
