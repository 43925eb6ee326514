"""Align a claim with a source word by word: voice and clauses, changed words, conditions."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from itertools import pairwise

from engine.language.analysis import analyzer
from engine.language.statements.dropping import binding
from engine.language.statements.lexicon import lexicon
from engine.language.statements.pairing import Pairs, find_implied, pair_tokens
from engine.language.statements.quantities import Kind
from engine.language.statements.sequence import AGENT, BINDING, Sort, Token

# Rephrasing: passive to active, exchanged clauses

# Maximum number of clauses to exchange.
MOST_CLAUSES = 4


def rephrase(
    claim: Sequence[Token], source: Sequence[Token]
) -> Iterator[tuple[Sequence[Token], Sequence[Token], bool]]:
    """Yield equivalent forms of a claim and a source, and whether the agent was lost by the change."""
    ensured = _ensured(source)
    for own in (claim, *_exchanged(claim), *_personal(claim)):
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
    """Reduce "A must ensure that X is done" to "X is done"; empty if it has conditions."""
    place = next((place for place, token in enumerate(source) if token.opened == "ensure"), 0)
    first = [token for token in source[:place] if token.sentence == source[place].sentence]
    duty = any(token.sort is Sort.MODAL and token.key == "must" for token in first)
    return source[place:] if duty and not any(token.sort in BINDING for token in first) else ()


def _exchanged(tokens: Sequence[Token]) -> Iterator[Sequence[Token]]:
    """Yield a sentence with its clauses exchanged: "if A, B" as "B if A"."""
    borders = [
        place
        for place, token in enumerate(tokens)
        if place and (token.opened == "," or token.sort in (Sort.CONDITION, Sort.EXCEPT))
    ]
    for place in borders[:MOST_CLAUSES]:
        first = replace(tokens[0], opened=tokens[0].opened or ",")
        yield [*tokens[place:], first, *tokens[1:place]]


def _personal(tokens: Sequence[Token]) -> Iterator[Sequence[Token]]:
    """Yield "it is prohibited for A to do" as "A must not do"."""
    if len(tokens) < 3 or tokens[0].sort is not Sort.MODAL or tokens[1].mark in ("", AGENT):
        return
    for stop in range(2, len(tokens)):
        acting = [replace(tokens[1], mark=""), *tokens[2:stop]]
        yield [*acting, tokens[0], replace(tokens[stop], mark="", joined=False), *tokens[stop + 1 :]]
        if not tokens[stop].joined:
            break


def _voice(tokens: Sequence[Token]) -> tuple[int, int] | None:
    """Return the positions of the modal verb and the verb of a passive sentence, or None."""
    for place, token in enumerate(tokens):
        if token.sort is Sort.CONTENT and token.passive and not token.mark:
            modal = place - 1 if place and tokens[place - 1].sort in (Sort.MODAL, Sort.NOT) else place
            return modal, place
    return None


def _has_agent(tokens: Sequence[Token]) -> bool:
    return any(token.mark == AGENT for token in tokens)


def _active(tokens: Sequence[Token], modal: int, verb: int) -> Iterator[list[Token]]:
    """Yield "X shall be approved by Y within Z" as "Y shall approve X within Z", for each possible Y."""
    agents = [place for place, token in enumerate(tokens) if token.mark == AGENT and place != verb]
    verbs = [replace(token, passive=False) for token in tokens[modal : verb + 1]]
    for agent in agents or [len(tokens)]:
        stop = agent + 1
        while stop < len(tokens) and _continues(tokens[stop]) and stop != verb:
            stop += 1
        acting = [replace(token, mark="") for token in tokens[agent:stop]]
        if agent > verb:
            yield [*acting, *verbs, *tokens[:modal], *tokens[verb + 1 : agent], *tokens[stop:]]
            continue
        # "X shall by Y within Z be approved", as in Dutch.
        ahead = tokens[:agent]
        modals = [token for token in ahead if token.sort in (Sort.MODAL, Sort.NOT)]
        others = [token for token in ahead if token not in modals]
        yield [*acting, *modals, *verbs[-1:], *others, *tokens[stop:verb], *tokens[verb + 1 :]]


def _continues(token: Token) -> bool:
    """Return True if a word goes on the phrase of the word before."""
    return not token.mark and token.opened in ("", "or", "and") and token.sort is Sort.CONTENT


# Differences at positions where everything else is the same: a number, a limit, a modal verb, a negation, an
# opposite


class Change(StrEnum):
    """The kind of difference at a position where everything else is the same."""

    NUMBER = "number"
    LIMIT = "limit"
    MODALITY = "modality"
    WEAKER = "weaker"
    NEGATION = "negation"
    OPPOSITE = "opposite"
    JOINT = "and for or"


@dataclass(frozen=True, slots=True)
class Changed:
    """A word of the claim and its counterpart in the source; None if missing."""

    change: Change
    claim: Token | None
    source: Token | None


def find_changes(
    claim: Sequence[Token],
    source: Sequence[Token],
    pairs: Pairs,
    lost: list[int],
    left: list[int],
    language: str,
) -> tuple[list[Changed], list[int], list[int]]:
    """Find differences between paired words; return them, and the remaining unpaired words of both texts."""
    changed: list[Changed] = []
    lost_here, left_here = set(lost), set(left)
    for own, theirs in find_gaps(len(claim), len(source), pairs, lost, left):
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
    for place in sorted(lost_here):
        # A number at another position: its only counterpart in the sentences that the claim restates.
        rivals = [p for p in left_here if _rivals(claim[place], source[p], language)]
        if claim[place].sort is Sort.NUMBER and len(rivals) == 1 and claim[place].quantity is not None:
            changed.append(Changed(_kind(claim[place], source[rivals[0]]), claim[place], source[rivals[0]]))
            lost_here.discard(place)
            left_here.discard(rivals[0])
    return changed, sorted(lost_here), sorted(left_here)


def _is_inside(theirs: Sequence[int], pairs: Pairs) -> bool:
    """Return True if a gap of the source is between words of the claim, not before or after all of them."""
    inside = pairs.of_claim.values()
    return bool(inside) and min(inside) < theirs[0] < max(inside)


def find_gaps(
    claims: int, sources: int, pairs: Pairs, lost: list[int], left: list[int]
) -> Iterator[tuple[list[int], list[int]]]:
    """Yield the unpaired words of both texts between consecutive paired words."""
    anchors = [(-1, -1)]
    anchors += sorted((own, theirs) for own, theirs in pairs.of_claim.items() if own not in pairs.moved)
    anchors.append((claims, sources))
    for (own, theirs), (own_next, theirs_next) in pairwise(anchors):
        here = [place for place in lost if own < place < own_next]
        there = [place for place in left if theirs < place < theirs_next]
        if here or there:
            yield here, there


def find_replacements(
    claim: Sequence[Token], source: Sequence[Token], pairs: Pairs, lost: list[int], left: list[int]
) -> Iterator[tuple[Token, Token]]:
    """Yield words of the claim that the source lacks, with the words at their position in the source."""
    for own, theirs in find_gaps(len(claim), len(source), pairs, lost, left):
        own_words = [claim[place] for place in own if claim[place].sort is Sort.CONTENT]
        their_words = [source[place] for place in theirs if source[place].sort is Sort.CONTENT]
        if own_words and their_words:
            yield own_words[0], their_words[0]


def _rivals(own: Token, theirs: Token, language: str) -> bool:
    """Return True if one word replaces the other."""
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
        if own.quantity is None or theirs.quantity is None:
            return Change.NUMBER
        soft = own.quantity.kind is Kind.YEAR or own.quantity.nearly(theirs.quantity)
        return Change.WEAKER if soft else Change.NUMBER
    if own.sort is Sort.LIMIT:
        return Change.LIMIT
    if own.sort is Sort.MODAL:
        return Change.MODALITY if {own.key, theirs.key} in _OPPOSITE else Change.WEAKER
    return Change.OPPOSITE


# Alignment
#
# The relevant words of both texts are paired (``pairing``), with rephrasing if that helps. A claim is
# supported only if every word is found in the same role, nothing differs, and nothing binding is omitted
# (``dropping``): a negation, a condition, an exception, a part of the subject. Shared words alone are no
# support.

# Minimum number of content words of a claim.
FEWEST_CONTENT = 2
# Maximum share of a claim's content words that are synonyms; one is always allowed.
MOST_LOOSE = 0.34
# Maximum share of a source's content words that a contradicted claim may omit.
MOST_LEFT = 0.25
# If fewer of a claim's words are found, rephrasing finds no more.
WORTH = 0.7


@dataclass(frozen=True, slots=True)
class Alignment:
    """Result of aligning a claim with a source.

    ``missing``: words of the claim that the source lacks. ``exchanged``: words with another role.
    ``dropped``: words of the source that a claim must not omit. ``changed``: differences. ``instead``: a word
    of the claim and the one at its position. ``loose``: matched by a synonym. ``numbers``: quantities of the
    source in the claim. ``own``: references in the claim that are words of the source. ``share``: share of
    the claim's content words found (0 to 1). ``left``: share of the source's content words that the claim
    omits. ``content``: number of content words in the claim.
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
        """True if the source supports the claim."""
        return (
            self.content + len(self.numbers) >= FEWEST_CONTENT
            and self.content > 0
            and not (self.missing or self.exchanged or self.dropped or self.changed)
            and self._is_close
        )

    @property
    def contrary(self) -> bool:
        """True if the source contradicts the claim, on the same subject and act; a special case is no
        contradiction."""
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
    def other_number(self) -> bool:
        """True if the source has another period or amount of the same thing, whatever else the claim omits.

        Only a cited provision without the claim's own number contradicts the claim by this alone.
        """
        return (
            self.content >= FEWEST_CONTENT
            and bool(self.changed)
            and all(one.change is Change.NUMBER for one in self.changed)
            and not any(token.sort in (Sort.CONTENT, Sort.NUMBER, *BINDING) for token in self.missing)
            and self._is_close
        )

    @property
    def _is_close(self) -> bool:
        return len(self.loose) <= max(1, MOST_LOOSE * self.content)

    @property
    def defects(self) -> int:
        """Weighted number of words against the claim."""
        return len(self.missing) + 2 * len(self.exchanged) + len(self.dropped) + len(self.changed)


def align(
    claim: Sequence[Token], source: Sequence[Token], language: str, context: frozenset[str] = frozenset()
) -> Alignment:
    """Return the best alignment, of the texts unchanged or rephrased.

    ``context``: keys of the possible antecedents of a pronoun at the start of the source; empty if there is
    none.
    """
    best = _aligned(claim, source, language, context, agentless=False)
    if best.complete or best.share < WORTH:
        return best
    for own, theirs, agentless in rephrase(claim, source):
        other = _aligned(own, theirs, language, context, agentless=agentless)
        if other.complete or other.defects < best.defects:
            best = other
        if other.complete:
            break
    return best


def part_of(source: Sequence[Token], chosen: Sequence[int], language: str) -> Alignment:
    """Align some words of a source, by position, with the source, to find words that must not be omitted."""
    words = [source[place] for place in chosen]
    pairs = Pairs(dict(enumerate(chosen)), set())
    chosen_positions = set(chosen)
    left = [place for place in range(len(source)) if place not in chosen_positions]
    dropped = tuple(binding(words, source, pairs, left, language, agentless=False))
    own = tuple(token for token in words if token.sort is Sort.REFERENCE)
    numbers = tuple(token for token in words if token.sort is Sort.NUMBER)
    content = sum(token.sort is Sort.CONTENT for token in words)
    return Alignment((), (), dropped, (), (), own, (), numbers, 1.0, 0.0, content)


def share_of(claim: Sequence[Token], source: frozenset[str]) -> float:
    """Return the share of the claim's words anywhere in a source: an upper bound for its alignment."""
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
    pairs = pair_tokens(claim, source)
    used = set(pairs.of_claim.values())
    lost = [place for place in range(len(claim)) if place not in pairs.of_claim]
    left = [place for place in range(len(source)) if place not in used]
    changed, lost, left = find_changes(claim, source, pairs, lost, left, language)
    changed += _joints(claim, source, pairs)
    need_not = find_implied(claim, source, pairs, lost, left, language, context)
    content = [place for place, token in enumerate(claim) if token.sort is Sort.CONTENT]
    found = [place for place in content if place in pairs.of_claim]
    return Alignment(
        tuple(claim[place] for place in lost if place not in need_not),
        tuple(pairs.exchanged),
        tuple(binding(claim, source, pairs, left, language, agentless=agentless)),
        tuple(changed),
        tuple(claim[place] for place in found if claim[place].own != source[pairs.of_claim[place]].own),
        tuple(claim[place] for place in pairs.of_claim if claim[place].sort is Sort.REFERENCE),
        tuple(find_replacements(claim, source, pairs, lost, left)),
        tuple(source[place] for place in sorted(used) if source[place].sort is Sort.NUMBER),
        len(found) / len(content) if content else 0.0,
        _left(source, used, left),
        len(content),
    )


def _joints(claim: Sequence[Token], source: Sequence[Token], pairs: Pairs) -> list[Changed]:
    """Return "A or B" for "A and B" and the reverse."""
    return [
        Changed(Change.JOINT, claim[place], source[other])
        for place, other in pairs.of_claim.items()
        if place not in pairs.moved and {claim[place].opened, source[other].opened} == {"and", "or"}
    ]


def _left(source: Sequence[Token], used: set[int], left: Sequence[int]) -> float:
    """Return the share of content words omitted from the source's sentences, except words in brackets."""
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
