"""Pair the words of a claim with those of a source, and find words of a claim that need no counterpart."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from rapidfuzz.distance import LCSseq

from engine.language.analysis import analyzer
from engine.language.statements.lexicon import lexicon
from engine.language.statements.sequence import AGENT, GENITIVE, Sort, Token

# Words are paired in order (longest common subsequence), and elsewhere if they have the same role
#
# For a noun without a marker, word order alone gives the role: the noun before the other must come first in
# both texts. Phrases with a preposition, clauses, adverbs and verbs in first or last position may move.

# A moved run of this many words is a clause and needs no marker.
CLAUSE = 4
# Maximum number of words between a noun and its genitive.
NEAR = 2
_ANYWHERE = (Sort.CONDITION, Sort.EXCEPT, Sort.LIMIT, Sort.NUMBER, Sort.REFERENCE)
# "Vom Mieter": the noun is neither plural nor feminine, so "der Mieter" is the agent.
_BY_ONE = frozenset(("vom", "von dem", "von einem", "durch den", "durch einen"))
_WHO_DOES_IT = frozenset(("der", "ein"))
# Articles of a language in which an unmarked noun may be the agent or the object.
_CASES = frozenset(("der", "die", "das", "ein", "eine"))


@dataclass(slots=True)
class Pairs:
    """Pairs of tokens: ``of_claim`` maps tokens of the claim to tokens of the source; ``moved`` are out of
    order; ``exchanged`` have another role in the source."""

    of_claim: dict[int, int]
    moved: set[int]
    exchanged: list[Token] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class _Text:
    """The tokens of a text with their clauses and markers (a compound has that of its first word).

    ``bound``: whether each token is in a condition or an exception; None if no comma shows it.
    """

    tokens: Sequence[Token]
    clauses: tuple[int, ...]
    marks: tuple[str, ...]
    bound: tuple[bool | None, ...]


def pair_tokens(claim: Sequence[Token], source: Sequence[Token]) -> Pairs:
    """Pair the words of a claim with those of a source."""
    pairs = Pairs({}, set())
    keys = [f"{t.sort} {t.key}" for t in claim], [f"{t.sort} {t.key}" for t in source]
    for block in LCSseq.opcodes(*keys):
        if block.tag == "equal":
            own, theirs = range(block.src_start, block.src_end), range(block.dest_start, block.dest_end)
            pairs.of_claim.update(zip(own, theirs, strict=True))
    pairs.exchanged += [
        claim[own] for own, theirs in pairs.of_claim.items() if _marks_differ(claim, source, own, theirs)
    ]
    own_text, their_text = _text(claim), _text(source)
    _move(own_text, their_text, pairs)
    pairs.exchanged += [
        claim[own]
        for own, theirs in pairs.of_claim.items()
        if claim[own].sort is Sort.CONTENT
        and not claim[own].free
        and {own_text.bound[own], their_text.bound[theirs]} == {True, False}
    ]
    return pairs


def _text(tokens: Sequence[Token]) -> _Text:
    clauses: list[int] = []
    marks: list[str] = []
    clause = 0
    for place, token in enumerate(tokens):
        before = tokens[place - 1] if place else None
        if before is not None and (
            token.sort in (Sort.CONDITION, Sort.EXCEPT)
            or token.opened == ","
            or token.relative
            or token.sentence != before.sentence
        ):
            clause += 1
        clauses.append(clause)
        mark = token.mark
        if not mark and before is not None and token.sort is Sort.CONTENT:
            if before.sort in (Sort.CONDITION, Sort.EXCEPT):
                mark = str(before.sort)
            elif token.joined and before.sort is Sort.CONTENT:
                mark = marks[-1]
        marks.append(mark)
    return _Text(tokens, tuple(clauses), tuple(marks), tuple(_bound(tokens)))


def _bound(tokens: Sequence[Token]) -> Iterator[bool | None]:
    """Yield whether each word is in a condition or an exception, which ends at a comma or possibly a modal
    verb."""
    inside, sentence, first, open_ended = False, -1, False, False
    for place, token in enumerate(tokens):
        if token.opened == "," or token.sort is Sort.MODAL or token.sentence != sentence:
            inside = False
        if token.sort in (Sort.CONDITION, Sort.EXCEPT):
            inside, first = True, True
            open_ended = _meets_modal(tokens, place)
        sentence = token.sentence
        yield None if inside and open_ended and not first else inside
        first = first and token.sort is not Sort.CONTENT


def _meets_modal(tokens: Sequence[Token], place: int) -> bool:
    """Return True if a modal verb comes before the next comma."""
    for token in tokens[place + 1 :]:
        if token.opened == "," or token.sentence != tokens[place].sentence:
            return False
        if token.sort is Sort.MODAL:
            return True
    return False


# Moved words


def _move(claim: _Text, source: _Text, pairs: Pairs) -> None:
    """Pair runs of words at other positions in the source, and record those with another role there."""
    used = set(pairs.of_claim.values())
    free: dict[tuple[Sort, str], list[int]] = {}
    for place, token in enumerate(source.tokens):
        if place not in used:
            free.setdefault((token.sort, token.key), []).append(place)
    runs: list[tuple[int, int, int]] = []
    place = 0
    while place < len(claim.tokens):
        token = claim.tokens[place]
        starts = [] if place in pairs.of_claim else free.get((token.sort, token.key), [])
        found = [(_run(claim, source, pairs, place, at, used), at) for at in starts if at not in used]
        # Of two positions prefer the one with the same marker, then the one nearer to the previous word.
        near = next((pairs.of_claim[p] for p in range(place - 1, -1, -1) if p in pairs.of_claim), 0)
        length, start = max(
            found,
            key=lambda one: (one[0], source.tokens[one[1]].mark == token.mark, -abs(one[1] - near)),
            default=(0, 0),
        )
        for step in range(length):
            pairs.of_claim[place + step] = start + step
            pairs.moved.add(place + step)
            used.add(start + step)
        if length:
            runs.append((place, start, length))
        place += max(length, 1)
    for run in runs:
        if not _keeps_part(claim, source, pairs, *run):
            here = claim.tokens[run[0] : run[0] + run[2]]
            pairs.exchanged += [one for one in here if one.sort is Sort.CONTENT] or [here[0]]


def _run(claim: _Text, source: _Text, pairs: Pairs, place: int, start: int, used: set[int]) -> int:
    length = 0
    own, theirs = claim.tokens, source.tokens
    while (
        place + length < len(own)
        and start + length < len(theirs)
        and place + length not in pairs.of_claim
        and start + length not in used
        and own[place + length].sort is theirs[start + length].sort
        and own[place + length].key == theirs[start + length].key
    ):
        length += 1
    return length


def _keeps_part(claim: _Text, source: _Text, pairs: Pairs, place: int, start: int, length: int) -> bool:
    """Return True if a moved run has the same role in the source."""
    first, other = claim.tokens[place], source.tokens[start]
    if first.sort is Sort.NUMBER:
        return not _has_rival(source, pairs, start)
    if first.sort in _ANYWHERE:
        return True
    if first.sort in (Sort.MODAL, Sort.NOT):
        alone = _only_one(claim, first) and _only_one(source, other)
        return alone and (first.sort is Sort.MODAL or _in_clause(claim, source, pairs, place, start))
    if first.sort is not Sort.CONTENT:
        return first.free and other.free and _only_one(claim, first) and _only_one(source, other)
    if _is_by_one(first, other, source, start) or _is_by_one(other, first, claim, place):
        return True
    if length == 1 and (
        _is_of(claim, source, pairs, place, start) or _is_done(claim, source, pairs, place, start)
    ):
        return True
    if length > 1 and (_is_clause(claim.tokens, place, length) or _is_clause(source.tokens, start, length)):
        return True
    if length >= CLAUSE and (first.opened or other.opened) and not first.passive:
        return True
    if length == 1 and (first.free or other.free) and not (_leads(claim, place) or _leads(source, start)):
        return _in_clause(claim, source, pairs, place, start)
    mark, mark_there = claim.marks[place], source.marks[start]
    if mark == GENITIVE:
        return mark == mark_there and _belongs(pairs, place, start)
    if mark or mark_there:
        return mark == mark_there and _in_turn(claim, source, pairs, place, start)
    return _in_order(claim, source, pairs, place, start)


def _has_rival(source: _Text, pairs: Pairs, place: int) -> bool:
    """Return True if the sentence has another number of the kind, so that a moved one may be of another
    thing."""
    number, used = source.tokens[place], set(pairs.of_claim.values())
    return number.quantity is not None and any(
        other.quantity is not None
        and other.sentence == number.sentence
        and position not in used
        and number.quantity.comparable(other.quantity)
        for position, other in enumerate(source.tokens)
    )


def _only_one(text: _Text, token: Token) -> bool:
    """Return True if a text has no other word of the kind, so that it cannot be confused."""
    return sum(one.sort is token.sort for one in text.tokens) == 1


def _leads(text: _Text, place: int) -> bool:
    """Return True if a word directly precedes the noun that it modifies."""
    behind = text.tokens[place + 1] if place + 1 < len(text.tokens) else None
    return behind is not None and behind.joined and not behind.free and behind.sort is Sort.CONTENT


def _in_clause(claim: _Text, source: _Text, pairs: Pairs, place: int, start: int) -> bool:
    """Return True if a word is in the same clause as the other words of its clause."""
    near = {
        source.clauses[theirs]
        for own, theirs in pairs.of_claim.items()
        if own != place
        and claim.clauses[own] == claim.clauses[place]
        and claim.tokens[own].sort is Sort.CONTENT
    }
    return not near or source.clauses[start] in near


def _in_turn(claim: _Text, source: _Text, pairs: Pairs, place: int, start: int) -> bool:
    """Return True if the phrase was not exchanged with another one of the same marker: "from A ..., from
    B"."""
    mark = claim.tokens[place].mark
    return all(
        (own < place) == (theirs < start)
        for own, theirs in pairs.of_claim.items()
        if own != place and claim.tokens[own].mark == mark and source.tokens[theirs].mark == mark
    )


def _belongs(pairs: Pairs, place: int, start: int) -> bool:
    """Return True if a genitive follows the same word in both texts."""
    there = pairs.of_claim.get(place - 1)
    return there is not None and 0 < start - there <= NEAR


def _in_order(claim: _Text, source: _Text, pairs: Pairs, place: int, start: int) -> bool:
    """Return True if an unmarked noun is before and after the same nouns of its clause in both texts."""
    if not _in_clause(claim, source, pairs, place, start):
        return False
    return all(
        (own < place) == (theirs < start)
        for own, theirs in pairs.of_claim.items()
        if own != place and _ranks(claim, own) and _ranks(source, theirs)
    )


def _ranks(text: _Text, place: int) -> bool:
    """Return True if word order alone gives the role of a word."""
    token = text.tokens[place]
    return token.sort is Sort.CONTENT and not text.marks[place] and (not token.free or _leads(text, place))


def _is_by_one(one: Token, other: Token, text: _Text, place: int) -> bool:
    """Return True if "vom Mieter" corresponds to "der Mieter" of an active sentence."""
    if one.mark != AGENT or not one.passive or one.article not in _BY_ONE:
        return False
    if other.mark or other.article not in _WHO_DOES_IT:
        return False
    before = text.tokens[place - 1] if place else None
    return before is None or before.free or before.sort is not Sort.CONTENT or bool(other.opened)


def _is_done(claim: _Text, source: _Text, pairs: Pairs, place: int, start: int) -> bool:
    """Return True if "[after] the notice was delivered" corresponds to "[after] delivery of the notice"."""
    behind = source.tokens[start + 1] if start + 1 < len(source.tokens) else None
    if behind is None or behind.mark != GENITIVE or not claim.tokens[place].passive:
        return False
    return any(pairs.of_claim.get(place - step) == start + 1 for step in range(1, NEAR + 1))


def _is_of(claim: _Text, source: _Text, pairs: Pairs, place: int, start: int) -> bool:
    """Return the same for the moved word "notice"."""
    verb = pairs.of_claim.get(place + 1)
    if verb is None or source.tokens[start].mark != GENITIVE or not claim.tokens[place + 1].passive:
        return False
    return 0 < start - verb <= NEAR


def _is_clause(tokens: Sequence[Token], start: int, length: int) -> bool:
    """Return True if a run is everything from a comma to the next one or to the end of the sentence."""
    stop = start + length
    ends = (
        stop == len(tokens) or tokens[stop].opened == "," or tokens[stop].sentence != tokens[start].sentence
    )
    return tokens[start].opened == "," and ends


def _marks_differ(claim: Sequence[Token], source: Sequence[Token], own: int, theirs: int) -> bool:
    """Return True if a word has another role: agent or not, "from" for "to", passive for active."""
    one, other = claim[own], source[theirs]
    if one.sort is not Sort.CONTENT:
        return False
    if AGENT in (one.mark, other.mark):
        if _is_by_one(one, other, _text(source), theirs) or _is_by_one(other, one, _text(claim), own):
            return False
        return one.mark != other.mark and GENITIVE not in (one.mark, other.mark)
    if GENITIVE in (one.mark, other.mark):
        return False
    if one.passive != other.passive and not (one.mark or other.mark):
        return True
    if one.mark and other.mark:
        return one.mark != other.mark
    bare = other if one.mark else one
    return one.mark != other.mark and bare.article in _CASES


# Words of a claim that need no word of the source: references, the antecedent of a pronoun, "must" for a
# plain statement of law, a light verb

# Maximum number of words that a pronoun replaces.
MOST_MEANT = 4


def find_implied(
    claim: Sequence[Token],
    source: Sequence[Token],
    pairs: Pairs,
    lost: Sequence[int],
    left: Sequence[int],
    language: str,
    context: frozenset[str],
) -> frozenset[int]:
    """Return the positions of a claim's words that need no counterpart in the source."""
    found = {place for place in lost if claim[place].sort is Sort.REFERENCE}
    found |= _exception_reference(claim, lost)
    if context:
        found |= _pronoun_words(claim, pairs, context)
    if not _has_modal(source, pairs):
        # The law states "the board manages": therefore it must.
        found |= {place for place in lost if claim[place].sort is Sort.MODAL and claim[place].key == "must"}
    words = lexicon(language)
    if words.language == language:
        light = {p for p in lost if is_light(claim[p], language) and _is_next_to_found(p, pairs)}
        found |= light
        if any(source[place].sort is Sort.REFERENCE for place in left):
            found |= {place for place in lost if words.cues["self"].fullmatch(claim[place].word)}
    return frozenset(found)


def is_light(token: Token, language: str) -> bool:
    """Return True for a light verb, which only carries a noun ("submit a notification")."""
    words = lexicon(language)
    if token.sort is not Sort.CONTENT or words.language != language:
        return False
    return token.own in words.light or analyzer(language).stem(token.word) in words.light


def _is_next_to_found(place: int, pairs: Pairs) -> bool:
    return place - 1 in pairs.of_claim or place + 1 in pairs.of_claim


def _has_modal(source: Sequence[Token], pairs: Pairs) -> bool:
    sentences = {source[place].sentence for place in pairs.of_claim.values()}
    return any(token.sort is Sort.MODAL and token.sentence in sentences for token in source)


def _pronoun_words(claim: Sequence[Token], pairs: Pairs, context: frozenset[str]) -> frozenset[int]:
    """Return the words before all paired ones if a pronoun of the source replaces them."""
    first = min(pairs.of_claim, default=0)
    ahead = [place for place in range(first) if claim[place].sort is Sort.CONTENT]
    is_antecedent = len(ahead) <= MOST_MEANT and all(claim[place].key in context for place in ahead)
    return frozenset(ahead) if is_antecedent else frozenset()


def _exception_reference(claim: Sequence[Token], lost: Sequence[int]) -> frozenset[int]:
    """Return the words of "save in the cases of paragraph 2": an exception that only refers to the law."""
    places = set(lost)
    for place in lost:
        if claim[place].sort is not Sort.EXCEPT:
            continue
        stop = place + 1
        while stop < len(claim) and stop in places and claim[stop].sort is Sort.CONTENT and stop - place < 2:
            stop += 1
        if stop < len(claim) and claim[stop].sort is Sort.REFERENCE:
            return frozenset(range(place, stop))
    return frozenset()
