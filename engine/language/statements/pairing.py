"""Which word of a source each word of a claim is, and what a claim may say without a word for it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from rapidfuzz.distance import LCSseq

from engine.language.analysis import analyzer
from engine.language.statements.lexicon import lexicon
from engine.language.statements.sequence import AGENT, GENITIVE, Sort, Token

# Which word of a source each word of a claim is: aligned in their order (longest common
# subsequence), and elsewhere where it plays the same part.
#
# Order tells the part of a noun without a mark alone: whoever stands before another does so in
# both. A phrase behind a preposition, a clause, an adverb, a verb that a language puts first or
# last may stand anywhere.

# A run of so many words that stands elsewhere is a clause, and needs no mark.
CLAUSE = 4
# Words between a noun and the genitive that belongs to it.
NEAR = 2
_ANYWHERE = (Sort.CONDITION, Sort.EXCEPT, Sort.LIMIT, Sort.NUMBER, Sort.REFERENCE)
# "Vom Mieter": a noun behind these is no plural and no feminine, so "der Mieter" is who does it.
_BY_ONE = frozenset(("vom", "von dem", "von einem", "durch den", "durch einen"))
_WHO_DOES_IT = frozenset(("der", "ein"))
# Articles of a language where whoever has no mark does it or suffers it.
_CASES = frozenset(("der", "die", "das", "ein", "eine"))


@dataclass(slots=True)
class Pairs:
    """Which token of the source each token of a claim is, whether it was moved, and which of those have
    another part there."""

    of_claim: dict[int, int]
    moved: set[int]
    exchanged: list[Token] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class _Text:
    """The tokens of a text with the clause and the mark of each, a compound that of its first word, and
    whether each stands in a condition or an exception; None where no comma tells."""

    tokens: Sequence[Token]
    clauses: tuple[int, ...]
    marks: tuple[str, ...]
    bound: tuple[bool | None, ...]


def paired(claim: Sequence[Token], source: Sequence[Token]) -> Pairs:
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
    """Whether each word stands in a condition or an exception: up to a comma, maybe to a modal verb."""
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
    """Whether a modal verb comes before a comma does."""
    for token in tokens[place + 1 :]:
        if token.opened == "," or token.sentence != tokens[place].sentence:
            return False
        if token.sort is Sort.MODAL:
            return True
    return False


# ---------- words that stand elsewhere ----------


def _move(claim: _Text, source: _Text, pairs: Pairs) -> None:
    """Pair runs of words that stand elsewhere in the source; those with another part there are told."""
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
        # Of two places the one where the word has the same mark, then the one nearer to the word before.
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
    """Whether a run that stands elsewhere plays the same part there."""
    first, other = claim.tokens[place], source.tokens[start]
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


def _only_one(text: _Text, token: Token) -> bool:
    """Whether a text has no other word of the kind: then none can be taken for it."""
    return sum(one.sort is token.sort for one in text.tokens) == 1


def _leads(text: _Text, place: int) -> bool:
    """Whether a word stands right in front of the noun that it tells about."""
    behind = text.tokens[place + 1] if place + 1 < len(text.tokens) else None
    return behind is not None and behind.joined and not behind.free and behind.sort is Sort.CONTENT


def _in_clause(claim: _Text, source: _Text, pairs: Pairs, place: int, start: int) -> bool:
    """Whether a word stands in the clause where the others of its clause stand."""
    near = {
        source.clauses[theirs]
        for own, theirs in pairs.of_claim.items()
        if own != place
        and claim.clauses[own] == claim.clauses[place]
        and claim.tokens[own].sort is Sort.CONTENT
    }
    return not near or source.clauses[start] in near


def _in_turn(claim: _Text, source: _Text, pairs: Pairs, place: int, start: int) -> bool:
    """Whether no other phrase of the same mark was exchanged with it: "from A ..., from B"."""
    mark = claim.tokens[place].mark
    return all(
        (own < place) == (theirs < start)
        for own, theirs in pairs.of_claim.items()
        if own != place and claim.tokens[own].mark == mark and source.tokens[theirs].mark == mark
    )


def _belongs(pairs: Pairs, place: int, start: int) -> bool:
    """Whether the word that it stands behind is the same."""
    there = pairs.of_claim.get(place - 1)
    return there is not None and 0 < start - there <= NEAR


def _in_order(claim: _Text, source: _Text, pairs: Pairs, place: int, start: int) -> bool:
    """Whether a noun without a mark stands before and behind the same nouns of its clause."""
    if not _in_clause(claim, source, pairs, place, start):
        return False
    return all(
        (own < place) == (theirs < start)
        for own, theirs in pairs.of_claim.items()
        if own != place and _ranks(claim, own) and _ranks(source, theirs)
    )


def _ranks(text: _Text, place: int) -> bool:
    """Whether order alone tells the part of a word."""
    token = text.tokens[place]
    return token.sort is Sort.CONTENT and not text.marks[place] and (not token.free or _leads(text, place))


def _is_by_one(one: Token, other: Token, text: _Text, place: int) -> bool:
    """Whether "vom Mieter" is "der Mieter" of a sentence in the active."""
    if one.mark != AGENT or not one.passive or one.article not in _BY_ONE:
        return False
    if other.mark or other.article not in _WHO_DOES_IT:
        return False
    before = text.tokens[place - 1] if place else None
    return before is None or before.free or before.sort is not Sort.CONTENT or bool(other.opened)


def _is_done(claim: _Text, source: _Text, pairs: Pairs, place: int, start: int) -> bool:
    """Whether "[after] the notice was delivered" is "[after] delivery of the notice"."""
    behind = source.tokens[start + 1] if start + 1 < len(source.tokens) else None
    if behind is None or behind.mark != GENITIVE or not claim.tokens[place].passive:
        return False
    return any(pairs.of_claim.get(place - step) == start + 1 for step in range(1, NEAR + 1))


def _is_of(claim: _Text, source: _Text, pairs: Pairs, place: int, start: int) -> bool:
    """The same, where "notice" is the word that was moved."""
    verb = pairs.of_claim.get(place + 1)
    if verb is None or source.tokens[start].mark != GENITIVE or not claim.tokens[place + 1].passive:
        return False
    return 0 < start - verb <= NEAR


def _is_clause(tokens: Sequence[Token], start: int, length: int) -> bool:
    """Whether a run is all that stands between a comma and the next, or the end of the sentence."""
    stop = start + length
    ends = (
        stop == len(tokens) or tokens[stop].opened == "," or tokens[stop].sentence != tokens[start].sentence
    )
    return tokens[start].opened == "," and ends


def _marks_differ(claim: Sequence[Token], source: Sequence[Token], own: int, theirs: int) -> bool:
    """Whether a word has another part: an agent's for one that is none, "from" for "to", done for doing."""
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


# What a claim may say without a word of the source for it: references, who a pronoun means,
# "must" for a plain statement of law, a verb that only carries its noun.

# Words that a pronoun stands for.
MOST_MEANT = 4


def implied(
    claim: Sequence[Token],
    source: Sequence[Token],
    pairs: Pairs,
    lost: Sequence[int],
    left: Sequence[int],
    language: str,
    context: frozenset[str],
) -> frozenset[int]:
    """The places of a claim's words that need none of the source."""
    found = {place for place in lost if claim[place].sort is Sort.REFERENCE}
    found |= _pointed(claim, lost)
    if context:
        found |= _meant(claim, pairs, context)
    if not _has_modal(source, pairs):
        # The law says "the board manages": so it must.
        found |= {place for place in lost if claim[place].sort is Sort.MODAL and claim[place].key == "must"}
    words = lexicon(language)
    if words.language == language:
        light = {p for p in lost if is_light(claim[p], language) and _is_next_to_found(p, pairs)}
        found |= light
        if any(source[place].sort is Sort.REFERENCE for place in left):
            found |= {place for place in lost if words.cues["self"].fullmatch(claim[place].word)}
    return frozenset(found)


def is_light(token: Token, language: str) -> bool:
    """Whether a word is a verb that only carries a noun ("submit a notification")."""
    words = lexicon(language)
    if token.sort is not Sort.CONTENT or words.language != language:
        return False
    return token.own in words.light or analyzer(language).stem(token.word) in words.light


def _is_next_to_found(place: int, pairs: Pairs) -> bool:
    return place - 1 in pairs.of_claim or place + 1 in pairs.of_claim


def _has_modal(source: Sequence[Token], pairs: Pairs) -> bool:
    sentences = {source[place].sentence for place in pairs.of_claim.values()}
    return any(token.sort is Sort.MODAL and token.sentence in sentences for token in source)


def _meant(claim: Sequence[Token], pairs: Pairs, context: frozenset[str]) -> frozenset[int]:
    """The words in front of all others that a pronoun of the source stands for."""
    first = min(pairs.of_claim, default=0)
    ahead = [place for place in range(first) if claim[place].sort is Sort.CONTENT]
    known = len(ahead) <= MOST_MEANT and all(claim[place].key in context for place in ahead)
    return frozenset(ahead) if known else frozenset()


def _pointed(claim: Sequence[Token], lost: Sequence[int]) -> frozenset[int]:
    """The words of "save in the cases of paragraph 2": an exception that only points at the law."""
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
