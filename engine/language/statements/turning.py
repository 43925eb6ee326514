"""A claim and a source in one voice and one order of clauses: the passive turned round, clauses exchanged."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from engine.language.statements.tokens import AGENT, BINDING, Sort, Token

# Clauses that are exchanged at most.
MOST_CLAUSES = 4


def turned(
    claim: Sequence[Token], source: Sequence[Token]
) -> Iterator[tuple[Sequence[Token], Sequence[Token], bool]]:
    """A claim and a source in other forms that say the same, and whether who does it was lost thereby."""
    ensured = _ensured(source)
    for own in (claim, *_exchanged(claim)):
        if own is not claim:
            yield own, source, False
        if ensured:
            yield own, ensured, False
        voice, other = _voice(own), _voice(source)
        if voice is not None and other is None:
            for active in _active(own, *voice):
                yield active, source, not _has_agent(own)
        if other is not None and voice is None and _has_agent(source):
            for active in _active(source, *other):
                yield own, active, False


def _ensured(source: Sequence[Token]) -> Sequence[Token]:
    """ "A must ensure that X is done" as "X is done"; nothing where it is bound to something."""
    place = next((place for place, token in enumerate(source) if token.opened == "ensure"), 0)
    first = [token for token in source[:place] if token.sentence == source[place].sentence]
    duty = any(token.sort is Sort.MODAL and token.key == "must" for token in first)
    return source[place:] if duty and not any(token.sort in BINDING for token in first) else ()


def _exchanged(tokens: Sequence[Token]) -> Iterator[Sequence[Token]]:
    """The clauses of a sentence the other way round: "if A, B" as "B if A"."""
    borders = [
        place
        for place, token in enumerate(tokens)
        if place and (token.opened == "," or token.sort in (Sort.CONDITION, Sort.EXCEPT))
    ]
    for place in borders[:MOST_CLAUSES]:
        first = replace(tokens[0], opened=tokens[0].opened or ",")
        yield [*tokens[place:], first, *tokens[1:place]]


def _voice(tokens: Sequence[Token]) -> tuple[int, int] | None:
    """Where the modal verb and the verb of a sentence in the passive stand."""
    for place, token in enumerate(tokens):
        if token.sort is Sort.CONTENT and token.passive and not token.mark:
            modal = place - 1 if place and tokens[place - 1].sort in (Sort.MODAL, Sort.NOT) else place
            return modal, place
    return None


def _has_agent(tokens: Sequence[Token]) -> bool:
    return any(token.mark == AGENT for token in tokens)


def _active(tokens: Sequence[Token], modal: int, verb: int) -> Iterator[list[Token]]:
    """ "X shall be approved by Y within Z" as "Y shall approve X within Z", for each that may be Y."""
    agents = [place for place in range(verb + 1, len(tokens)) if tokens[place].mark == AGENT]
    verbs = [replace(token, passive=False) for token in tokens[modal : verb + 1]]
    for agent in agents or [len(tokens)]:
        stop = next(
            (
                place
                for place in range(agent + 1, len(tokens))
                if tokens[place].mark
                or tokens[place].opened not in ("", "or", "and")
                or tokens[place].sort is not Sort.CONTENT
            ),
            len(tokens),
        )
        acting = [replace(token, mark="") for token in tokens[agent:stop]]
        yield [*acting, *verbs, *tokens[:modal], *tokens[verb + 1 : agent], *tokens[stop:]]
