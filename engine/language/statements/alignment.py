"""Whether a text says what a claim says, word by word: voice and clauses, changed words, conditions."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from itertools import pairwise

from engine.language.analysis import analyzer
from engine.language.statements.dropping import binding
from engine.language.statements.lexicon import lexicon
from engine.language.statements.pairing import Pairs, implied, paired
from engine.language.statements.quantities import Kind
from engine.language.statements.sequence import AGENT, BINDING, Sort, Token

# A claim and a source in one voice and one order of clauses: the passive turned round, clauses
# exchanged.

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


# What a claim says otherwise at a place where all else is the same: a number, a limit, a modal
# verb, a negation, an opposite.


class Change(StrEnum):
    """What a claim says otherwise at a place where all else is the same."""

    NUMBER = "number"
    LIMIT = "limit"
    MODALITY = "modality"
    WEAKER = "weaker"
    NEGATION = "negation"
    OPPOSITE = "opposite"
    JOINT = "and for or"


@dataclass(frozen=True, slots=True)
class Changed:
    """A word of the claim and the one that the source has in its place; None where one has none."""

    change: Change
    claim: Token | None
    source: Token | None


def changes(
    claim: Sequence[Token],
    source: Sequence[Token],
    pairs: Pairs,
    lost: list[int],
    left: list[int],
    language: str,
) -> tuple[list[Changed], list[int], list[int]]:
    """What the claim has at places where the source has something else of the kind."""
    changed: list[Changed] = []
    lost_here, left_here = set(lost), set(left)
    for own, theirs in gaps(len(claim), len(source), pairs, lost, left):
        for place in own:
            partner = next(
                (p for p in theirs if p in left_here and _rivals(claim[place], source[p], language)), None
            )
            if partner is None:
                continue
            changed.append(Changed(_kind(claim[place], source[partner]), claim[place], source[partner]))
            lost_here.discard(place)
            left_here.discard(partner)
        for place in own:
            if place in lost_here and claim[place].sort is Sort.NOT:
                changed.append(Changed(Change.NEGATION, claim[place], None))
                lost_here.discard(place)
        for place in theirs:
            if place in left_here and source[place].sort is Sort.NOT and _is_inside(theirs, pairs):
                changed.append(Changed(Change.NEGATION, None, source[place]))
                left_here.discard(place)
    return changed, sorted(lost_here), sorted(left_here)


def _is_inside(theirs: Sequence[int], pairs: Pairs) -> bool:
    """Whether a gap of the source lies between words of the claim, not in front of them or behind."""
    inside = pairs.of_claim.values()
    return bool(inside) and min(inside) < theirs[0] < max(inside)


def gaps(
    claims: int, sources: int, pairs: Pairs, lost: list[int], left: list[int]
) -> Iterator[tuple[list[int], list[int]]]:
    """What is unmatched between two matched words on either side."""
    anchors = [(-1, -1)]
    anchors += sorted((own, theirs) for own, theirs in pairs.of_claim.items() if own not in pairs.moved)
    anchors.append((claims, sources))
    for (own, theirs), (own_next, theirs_next) in pairwise(anchors):
        here = [place for place in lost if own < place < own_next]
        there = [place for place in left if theirs < place < theirs_next]
        if here or there:
            yield here, there


def instead(
    claim: Sequence[Token], source: Sequence[Token], pairs: Pairs, lost: list[int], left: list[int]
) -> Iterator[tuple[Token, Token]]:
    """What the source has where the claim has words that it lacks."""
    for own, theirs in gaps(len(claim), len(source), pairs, lost, left):
        mine = [claim[place] for place in own if claim[place].sort is Sort.CONTENT]
        other = [source[place] for place in theirs if source[place].sort is Sort.CONTENT]
        if mine and other:
            yield mine[0], other[0]


def _rivals(own: Token, theirs: Token, language: str) -> bool:
    """Whether one stands in the place of the other."""
    if own.sort is not theirs.sort:
        return False
    if own.sort is Sort.NUMBER:
        if own.quantity is None or theirs.quantity is None:
            return own.quantity is theirs.quantity
        return own.quantity.comparable(theirs.quantity)
    if own.sort in (Sort.MODAL, Sort.LIMIT):
        return True
    return own.sort is Sort.CONTENT and _opposed(own, theirs, language)


def _opposed(own: Token, theirs: Token, language: str) -> bool:
    words = lexicon(language)
    if words.language != language:
        return False
    stem = analyzer(language).stem
    one = dict(words.sides.get(stem(own.word), ()))
    other = dict(words.sides.get(stem(theirs.word), ()))
    return any(pair in other and other[pair] != side for pair, side in one.items())


_OPPOSITE = (
    {"must", "must_not"},
    {"may", "must_not"},
    {"must", "need_not"},
)


def _kind(own: Token, theirs: Token) -> Change:
    if own.sort is Sort.NUMBER:
        counts = own.quantity is not None and own.quantity.kind in (Kind.COUNT, Kind.YEAR)
        return Change.WEAKER if counts and own.quantity and own.quantity.kind is Kind.YEAR else Change.NUMBER
    if own.sort is Sort.LIMIT:
        return Change.LIMIT
    if own.sort is Sort.MODAL:
        return Change.MODALITY if {own.key, theirs.key} in _OPPOSITE else Change.WEAKER
    return Change.OPPOSITE


# Does a text say what a claim says? Word by word, in the same parts, with the same conditions.
#
# The words of both that matter are paired (``pairing``), the passive turned round and clauses
# exchanged where that helps (``turning``). A claim is said only where every word of it is found
# so, nothing is otherwise (``changes``), and nothing is left out that binds (``dropping``): a
# negation, a condition, an exception, a part of the subject. So shared words are no support.

# A claim with fewer content words says too little to be held against anything.
FEWEST_CONTENT = 2
# The share of its own content words that a claim may say with a synonym; one always.
MOST_LOOSE = 0.34
# The share of a source's content words that a claim may leave out to be contradicted by it.
MOST_LEFT = 0.25
# Where fewer of a claim's words are found, turning it round finds no more.
WORTH = 0.7


@dataclass(frozen=True, slots=True)
class Alignment:
    """How the words of a claim stand in a source.

    ``missing``: words of the claim that the source has not. ``exchanged``: words that it has in another part.
    ``dropped``: words of the source that a claim must not leave out. ``changed``: what is otherwise.
    ``instead``: a word of the claim and the one in its place. ``loose``: matched by a synonym. ``numbers``:
    quantities of the source that the claim has. ``own``: references of the claim that are the source's own
    words. ``share``: of the claim's content words, how many were found (0..1);
    ``left``: of the source's, how many the claim leaves out. ``content`` is how many the claim has.
    """

    missing: tuple[Token, ...]
    exchanged: tuple[Token, ...]
    dropped: tuple[Token, ...]
    changed: tuple[Changed, ...]
    loose: tuple[Token, ...]
    own: tuple[Token, ...]
    instead: tuple[tuple[Token, Token], ...]
    numbers: tuple[Token, ...]
    share: float
    left: float
    content: int

    @property
    def complete(self) -> bool:
        """Whether the source says the claim."""
        return (
            self.content + len(self.numbers) >= FEWEST_CONTENT
            and self.content > 0
            and not (self.missing or self.exchanged or self.dropped or self.changed)
            and self._is_close
        )

    @property
    def contrary(self) -> bool:
        """Whether the source says otherwise of the same subject and act: what it says of a special case is
        none."""
        hard = (Change.NUMBER, Change.LIMIT, Change.MODALITY, Change.NEGATION, Change.OPPOSITE)
        return (
            self.content >= FEWEST_CONTENT
            and bool(self.changed)
            and self.left <= MOST_LEFT
            and all(one.change in hard for one in self.changed)
            and not (self.missing or self.exchanged or self.dropped)
            and self._is_close
        )

    @property
    def _is_close(self) -> bool:
        return len(self.loose) <= max(1, MOST_LOOSE * self.content)

    @property
    def defects(self) -> int:
        """How many words stand against it."""
        return len(self.missing) + 2 * len(self.exchanged) + len(self.dropped) + len(self.changed)


def align(
    claim: Sequence[Token], source: Sequence[Token], language: str, context: frozenset[str] = frozenset()
) -> Alignment:
    """The best of the alignments as the texts stand and with the passive or clauses turned round.

    ``context`` are the keys of what a pronoun may mean that the source begins with; empty where it begins
    with none.
    """
    best = _aligned(claim, source, language, context, agentless=False)
    if best.complete or best.share < WORTH:
        return best
    for own, theirs, agentless in turned(claim, source):
        other = _aligned(own, theirs, language, context, agentless=agentless)
        if other.complete or other.defects < best.defects:
            best = other
        if other.complete:
            break
    return best


def part_of(source: Sequence[Token], chosen: Sequence[int], language: str) -> Alignment:
    """How some words of a source stand in it, by their places: what must not be left out around them."""
    said = [source[place] for place in chosen]
    pairs = Pairs(dict(enumerate(chosen)), set())
    held = set(chosen)
    left = [place for place in range(len(source)) if place not in held]
    dropped = tuple(binding(said, source, pairs, left, language, agentless=False))
    own = tuple(token for token in said if token.sort is Sort.REFERENCE)
    numbers = tuple(token for token in said if token.sort is Sort.NUMBER)
    content = sum(token.sort is Sort.CONTENT for token in said)
    return Alignment((), (), dropped, (), (), own, (), numbers, 1.0, 0.0, content)


def share_of(claim: Sequence[Token], source: frozenset[str]) -> float:
    """The share of the claim's words that a source has anywhere: what it can reach at most."""
    keys = [token.key for token in claim if token.sort is Sort.CONTENT]
    return sum(key in source for key in keys) / len(keys) if keys else 0.0


def _aligned(
    claim: Sequence[Token],
    source: Sequence[Token],
    language: str,
    context: frozenset[str],
    *,
    agentless: bool,
) -> Alignment:
    pairs = paired(claim, source)
    used = set(pairs.of_claim.values())
    lost = [place for place in range(len(claim)) if place not in pairs.of_claim]
    left = [place for place in range(len(source)) if place not in used]
    changed, lost, left = changes(claim, source, pairs, lost, left, language)
    changed += _joints(claim, source, pairs)
    need_not = implied(claim, source, pairs, lost, left, language, context)
    content = [place for place, token in enumerate(claim) if token.sort is Sort.CONTENT]
    found = [place for place in content if place in pairs.of_claim]
    return Alignment(
        tuple(claim[place] for place in lost if place not in need_not),
        tuple(pairs.exchanged),
        tuple(binding(claim, source, pairs, left, language, agentless=agentless)),
        tuple(changed),
        tuple(claim[place] for place in found if claim[place].own != source[pairs.of_claim[place]].own),
        tuple(claim[place] for place in pairs.of_claim if claim[place].sort is Sort.REFERENCE),
        tuple(instead(claim, source, pairs, lost, left)),
        tuple(source[place] for place in sorted(used) if source[place].sort is Sort.NUMBER),
        len(found) / len(content) if content else 0.0,
        _left(source, used, left),
        len(content),
    )


def _joints(claim: Sequence[Token], source: Sequence[Token], pairs: Pairs) -> list[Changed]:
    """ "A or B" for "A and B"."""
    return [
        Changed(Change.JOINT, claim[place], source[other])
        for place, other in pairs.of_claim.items()
        if place not in pairs.moved and {claim[place].opened, source[other].opened} == {"and", "or"}
    ]


def _left(source: Sequence[Token], used: set[int], left: Sequence[int]) -> float:
    """The share of the content words of a source's sentences that is left out, brackets aside."""
    sentences = {source[place].sentence for place in used}
    every = [token for token in source if token.sort is Sort.CONTENT and token.sentence in sentences]
    dropped = [
        source[place]
        for place in left
        if source[place].sort is Sort.CONTENT
        and source[place].sentence in sentences
        and not source[place].bracket
    ]
    return len(dropped) / len(every) if every else 0.0
