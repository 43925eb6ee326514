"""Does a text say what a claim says? Word by word, in the same parts, with the same conditions.

The words of both that matter are aligned in their order (longest common subsequence). What stands elsewhere
in the source counts where its mark tells the same part ("to the Regulator", "dem Käufer"); a sentence in the
passive is first turned round. A claim is said only where every word of it is found so, and nothing is left
out that binds: a negation, a condition, an exception, a part of the subject. So shared words are no support.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from itertools import pairwise

from rapidfuzz.distance import LCSseq

from engine.language.analyzer import analyzer
from engine.language.statements.lexicon import lexicon
from engine.language.statements.quantities import Kind
from engine.language.statements.sequence import AGENT, BINDING, GENITIVE, Sort, Token

# A claim with fewer content words says too little to be held against anything.
FEWEST_CONTENT = 2
# The share of a sentence's content words that a claim may leave out behind the modal verb, and of its own
# that it may say with a synonym.
MOST_DROPPED, MOST_LOOSE = 0.6, 0.34
# The share of a source's content words that a claim may leave out to be contradicted by it.
MOST_LEFT = 0.25
# Words that a pronoun stands for.
MOST_MEANT = 4
# A run of so many words that stands elsewhere is a clause, and needs no mark.
CLAUSE = 4


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
            self.content >= FEWEST_CONTENT
            and not (self.missing or self.exchanged or self.dropped or self.changed)
            and len(self.loose) <= MOST_LOOSE * self.content
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
            and len(self.loose) <= MOST_LOOSE * self.content
        )

    @property
    def defects(self) -> int:
        """How many words stand against it."""
        return len(self.missing) + 2 * len(self.exchanged) + len(self.dropped) + len(self.changed)


def align(
    claim: Sequence[Token], source: Sequence[Token], language: str, context: frozenset[str] = frozenset()
) -> Alignment:
    """The better of the alignments as the texts stand and with the passive turned round.

    ``context`` are the keys of what a pronoun may mean that the source begins with; empty where it begins
    with none.
    """
    plain = _aligned(claim, source, language, context, agentless=False)
    if plain.complete:
        return plain
    best = plain
    for own, theirs, agentless in _turned(claim, source):
        other = _aligned(own, theirs, language, context, agentless=agentless)
        if other.complete or other.defects < best.defects:
            best = other
    return best


def part_of(source: Sequence[Token], chosen: Sequence[int], language: str) -> Alignment:
    """How some words of a source stand in it, by their places: what must not be left out around them."""
    said = [source[place] for place in chosen]
    pairs = _Pairs(dict(enumerate(chosen)), set())
    held = set(chosen)
    left = [place for place in range(len(source)) if place not in held]
    dropped = tuple(_binding(said, source, pairs, left, language, agentless=False))
    own = tuple(token for token in said if token.sort is Sort.REFERENCE)
    numbers = tuple(token for token in said if token.sort is Sort.NUMBER)
    content = sum(token.sort is Sort.CONTENT for token in said)
    return Alignment((), (), dropped, (), (), own, (), numbers, 1.0, 0.0, content)


def share_of(claim: Sequence[Token], source: frozenset[str]) -> float:
    """The share of the claim's words that a source has anywhere: what it can reach at most."""
    keys = [token.key for token in claim if token.sort is Sort.CONTENT]
    return sum(key in source for key in keys) / len(keys) if keys else 0.0


# ---------- the passive ----------


def _turned(
    claim: Sequence[Token], source: Sequence[Token]
) -> Iterator[tuple[Sequence[Token], Sequence[Token], bool]]:
    """Both with the one of them in the active that is in the passive alone."""
    own, theirs = _voice(claim), _voice(source)
    if own is not None and theirs is None:
        yield _active(claim, *own), source, not _has_agent(claim)
    if theirs is not None and own is None and _has_agent(source):
        yield claim, _active(source, *theirs), False


def _voice(tokens: Sequence[Token]) -> tuple[int, int] | None:
    """Where the modal verb and the verb of a sentence in the passive stand."""
    for place, token in enumerate(tokens):
        if token.sort is Sort.CONTENT and token.passive:
            modal = place - 1 if place and tokens[place - 1].sort in (Sort.MODAL, Sort.NOT) else place
            return modal, place
    return None


def _has_agent(tokens: Sequence[Token]) -> bool:
    return any(token.mark == AGENT for token in tokens)


def _active(tokens: Sequence[Token], modal: int, verb: int) -> list[Token]:
    """ "X shall be approved by Y within Z" as "Y shall approve X within Z"."""
    agent = next((place for place in range(verb + 1, len(tokens)) if tokens[place].mark == AGENT), None)
    end = agent if agent is not None else len(tokens)
    stop = end
    if agent is not None:
        stop = next(
            (
                place
                for place in range(agent + 1, len(tokens))
                if tokens[place].mark or tokens[place].opened or tokens[place].sort is not Sort.CONTENT
            ),
            len(tokens),
        )
    acting = [replace(token, mark="") for token in tokens[end:stop]]
    verbs = [replace(token, passive=False) for token in tokens[modal : verb + 1]]
    return [*acting, *verbs, *tokens[:modal], *tokens[verb + 1 : end], *tokens[stop:]]


# ---------- the alignment ----------


@dataclass(slots=True)
class _Pairs:
    """Which token of the source each token of a claim is, and whether it was moved."""

    of_claim: dict[int, int]
    moved: set[int]


def _aligned(
    claim: Sequence[Token],
    source: Sequence[Token],
    language: str,
    context: frozenset[str],
    *,
    agentless: bool,
) -> Alignment:
    pairs = _Pairs({}, set())
    keys = [f"{t.sort} {t.key}" for t in claim], [f"{t.sort} {t.key}" for t in source]
    for block in LCSseq.opcodes(*keys):
        if block.tag == "equal":
            pairs.of_claim.update(
                zip(
                    range(block.src_start, block.src_end),
                    range(block.dest_start, block.dest_end),
                    strict=True,
                )
            )
    exchanged = [
        claim[own] for own, theirs in pairs.of_claim.items() if _marks_differ(claim[own], source[theirs])
    ]
    exchanged += _move(claim, source, pairs)
    lost = [place for place in range(len(claim)) if place not in pairs.of_claim]
    used = set(pairs.of_claim.values())
    left = [place for place in range(len(source)) if place not in used]
    changed, lost, left = _changes(claim, source, pairs, lost, left, language)
    changed += [
        Changed(Change.JOINT, claim[place], source[other])
        for place, other in pairs.of_claim.items()
        if place not in pairs.moved and {claim[place].opened, source[other].opened} == {"and", "or"}
    ]
    own = tuple(claim[place] for place in pairs.of_claim if claim[place].sort is Sort.REFERENCE)
    meant = _meant(claim, pairs, context) if context else frozenset()
    meant |= _pointed(claim, lost)
    missing = tuple(
        claim[place] for place in lost if claim[place].sort is not Sort.REFERENCE and place not in meant
    )
    dropped = tuple(_binding(claim, source, pairs, left, language, agentless=agentless))
    content = [place for place, token in enumerate(claim) if token.sort is Sort.CONTENT]
    found = [place for place in content if place in pairs.of_claim]
    loose = tuple(claim[place] for place in found if claim[place].own != source[pairs.of_claim[place]].own)
    numbers = tuple(source[place] for place in sorted(used) if source[place].sort is Sort.NUMBER)
    return Alignment(
        missing,
        tuple(exchanged),
        dropped,
        tuple(changed),
        loose,
        own,
        tuple(_instead(claim, source, pairs, lost, left)),
        numbers,
        len(found) / len(content) if content else 0.0,
        _left(source, used, left),
        len(content),
    )


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


def _meant(claim: Sequence[Token], pairs: _Pairs, context: frozenset[str]) -> frozenset[int]:
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


def _marks_differ(one: Token, other: Token) -> bool:
    """Whether a word has another part: an agent's for one that is none, "from" for "to", done for doing."""
    if one.sort is not Sort.CONTENT:
        return False
    if AGENT in (one.mark, other.mark):
        return one.mark != other.mark and GENITIVE not in (one.mark, other.mark)
    if GENITIVE in (one.mark, other.mark):
        return False
    if one.passive != other.passive and not (one.mark or other.mark):
        return True
    return bool(one.mark and other.mark and one.mark != other.mark)


def _move(claim: Sequence[Token], source: Sequence[Token], pairs: _Pairs) -> list[Token]:
    """Pair runs of words that stand elsewhere in the source; those without a mark of their part are told."""
    used = set(pairs.of_claim.values())
    free: dict[tuple[Sort, str], list[int]] = {}
    for place, token in enumerate(source):
        if place not in used:
            free.setdefault((token.sort, token.key), []).append(place)
    exchanged: list[Token] = []
    place = 0
    while place < len(claim):
        token = claim[place]
        starts = [] if place in pairs.of_claim else free.get((token.sort, token.key), [])
        runs = [_run(claim, source, pairs, place, start, used) for start in starts if start not in used]
        length = max(runs, default=0)
        if not length:
            place += 1
            continue
        start = next(
            s for s, run in zip((s for s in starts if s not in used), runs, strict=True) if run == length
        )
        for step in range(length):
            pairs.of_claim[place + step] = start + step
            pairs.moved.add(place + step)
            used.add(start + step)
        again = length == 1 and any(claim[own].key == token.key for own in pairs.of_claim if own != place)
        whole = length > 1 and (_is_clause(claim, place, length) or _is_clause(source, start, length))
        kept = again or whole or _keeps_part(claim[place : place + length], source[start : start + length])
        if not kept:
            exchanged += [one for one in claim[place : place + length] if one.sort is Sort.CONTENT] or [token]
        place += length
    return exchanged


def _is_clause(tokens: Sequence[Token], start: int, length: int) -> bool:
    """Whether a run is all that stands between a comma and the next, or the end of the sentence."""
    stop = start + length
    ends = (
        stop == len(tokens) or tokens[stop].opened == "," or tokens[stop].sentence != tokens[start].sentence
    )
    return tokens[start].opened == "," and ends


def _run(
    claim: Sequence[Token], source: Sequence[Token], pairs: _Pairs, place: int, start: int, used: set[int]
) -> int:
    length = 0
    while (
        place + length < len(claim)
        and start + length < len(source)
        and place + length not in pairs.of_claim
        and start + length not in used
        and claim[place + length].sort is source[start + length].sort
        and claim[place + length].key == source[start + length].key
    ):
        length += 1
    return length


def _keeps_part(own: Sequence[Token], theirs: Sequence[Token]) -> bool:
    """Whether a run that stands elsewhere has the same part there: its mark says so, or it is a clause."""
    first, other = own[0], theirs[0]
    if first.sort in (Sort.CONDITION, Sort.EXCEPT, Sort.LIMIT, Sort.NUMBER, Sort.REFERENCE):
        return True
    if first.sort is Sort.CONTENT and first.mark and first.mark == other.mark:
        return True
    return len(own) >= CLAUSE and bool(first.opened or other.opened) and not first.passive


# ---------- what is otherwise ----------


def _changes(
    claim: Sequence[Token],
    source: Sequence[Token],
    pairs: _Pairs,
    lost: list[int],
    left: list[int],
    language: str,
) -> tuple[list[Changed], list[int], list[int]]:
    """What the claim has at places where the source has something else of the kind."""
    changed: list[Changed] = []
    lost_here, left_here = set(lost), set(left)
    for own, theirs in _gaps(len(claim), len(source), pairs, lost, left):
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


def _is_inside(theirs: Sequence[int], pairs: _Pairs) -> bool:
    """Whether a gap of the source lies between words of the claim, not in front of them or behind."""
    inside = pairs.of_claim.values()
    return bool(inside) and min(inside) < theirs[0] < max(inside)


def _gaps(
    claims: int, sources: int, pairs: _Pairs, lost: list[int], left: list[int]
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


def _instead(
    claim: Sequence[Token], source: Sequence[Token], pairs: _Pairs, lost: list[int], left: list[int]
) -> Iterator[tuple[Token, Token]]:
    """What the source has where the claim has words that it lacks."""
    for own, theirs in _gaps(len(claim), len(source), pairs, lost, left):
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


# ---------- what must not be left out ----------


def _binding(
    claim: Sequence[Token],
    source: Sequence[Token],
    pairs: _Pairs,
    left: list[int],
    language: str,
    *,
    agentless: bool,
) -> Iterator[Token]:
    """The words of the source that the claim leaves out and must not."""
    if not pairs.of_claim:
        return
    used = set(pairs.of_claim.values())
    first, last = min(used), max(used)
    sentences = {source[place].sentence for place in used}
    modal = next((p for p in sorted(used) if source[p].sort is Sort.MODAL), None)
    if modal is None:
        modal = next((p for p in left if first < p < last and source[p].sort is Sort.MODAL), None)
    content = sum(token.sort is Sort.CONTENT and token.sentence in sentences for token in source)
    dropped = 0
    for run in _runs(left):
        tokens = [source[place] for place in run if source[place].sentence in sentences]
        if not tokens or all(token.bracket or token.sort is Sort.REFERENCE for token in tokens):
            continue
        behind = source[run[-1] + 1] if run[-1] + 1 < len(source) else None
        if run[-1] < first and _ensured(tokens, source, first):
            continue
        if _shortened(source, run, used) or _carried(claim, source, run, pairs, language):
            continue
        subject = modal is not None and run[0] < modal
        if _coordinated(tokens, behind, subject, source, modal, run):
            continue
        bound = [token for token in tokens if token.sort in BINDING]
        if bound:
            yield from bound
            continue
        if agentless and subject:
            continue
        plain = [token for token in tokens if token.sort is Sort.CONTENT]
        numbers = [token for token in tokens if token.sort in (Sort.NUMBER, Sort.LIMIT)]
        plainly = bool(tokens[0].mark or tokens[0].opened) or _modifies(tokens, behind, run, used)
        may_drop = modal is not None and not subject and source[modal].key == "must" and plainly
        if not may_drop and (plain or numbers):
            yield from plain or numbers
            continue
        if any(token.sort is Sort.MODAL for token in tokens) and plain:
            continue
        dropped += len(plain)
    if content and dropped > MOST_DROPPED * content:
        yield from (source[place] for place in left if source[place].sort is Sort.CONTENT)


def _runs(places: Sequence[int]) -> Iterator[list[int]]:
    run: list[int] = []
    for place in places:
        if run and place != run[-1] + 1:
            yield run
            run = []
        run.append(place)
    if run:
        yield run


def _ensured(tokens: Sequence[Token], source: Sequence[Token], first: int) -> bool:
    """Whether what is left out in front is "A shall ensure that"."""
    return source[first].opened == "ensure" and all(token.sort is not Sort.NOT for token in tokens)


def _modifies(tokens: Sequence[Token], behind: Token | None, run: list[int], used: set[int]) -> bool:
    """Whether what is left out are adjectives right in front of a noun that the claim has."""
    return not tokens[0].joined and behind is not None and behind.joined and run[-1] + 1 in used


def _carried(
    claim: Sequence[Token], source: Sequence[Token], run: list[int], pairs: _Pairs, language: str
) -> bool:
    """Whether one word only carries the next: "submitting a notification", "approval granted by"."""
    if len(run) != 1 or source[run[0]].sort is not Sort.CONTENT:
        return False
    behind = next((own for own, theirs in pairs.of_claim.items() if theirs == run[0] + 1), None)
    if behind is None:
        return False
    if source[run[0] + 1].mark == AGENT and claim[behind].mark == GENITIVE:
        return True
    light = analyzer(language).stem(source[run[0]].word) in lexicon(language).light
    return light and claim[behind].word.casefold() != source[run[0] + 1].word.casefold()


def _shortened(source: Sequence[Token], run: list[int], used: set[int]) -> bool:
    """Whether the words are said again: "the officer" for "the data protection officer" named before."""
    if run[-1] + 1 not in used:
        return False
    keys = [source[place].key for place in (*run, run[-1] + 1)]
    return any(
        [token.key for token in source[start : start + len(keys)]] == keys
        and all(place in used for place in range(start, start + len(keys)))
        for start in range(run[0])
    )


def _coordinated(
    tokens: Sequence[Token],
    behind: Token | None,
    subject: bool,
    source: Sequence[Token],
    modal: int | None,
    run: list[int],
) -> bool:
    """Whether a run is one member of a list of which the claim has another, and the claim needs but one."""
    if tokens[0].relative or not all(_belongs(token) for token in tokens):
        return False
    ends = {tokens[0].opened, behind.opened if behind is not None else ""} - {"", "(", "ensure"}
    if not ends:
        return False
    joint = ends | {token.opened for token in tokens if token.opened in ("and", "or")}
    either = "or" in joint or (joint == {","} and _list_joint(source, run) == "or")
    both = "and" in joint or (joint == {","} and _list_joint(source, run) == "and")
    if subject:
        return either or both
    forbidding = modal is not None and source[modal].key in ("may", "must_not")
    return both or (either and forbidding)


def _belongs(token: Token) -> bool:
    """Whether a word is one of a member of a list alone: "data for the purpose of identifying persons"."""
    if token.sort is Sort.CONDITION:
        return not token.opened
    return token.sort in (Sort.CONTENT, Sort.REFERENCE, Sort.ALL)


def _list_joint(source: Sequence[Token], run: list[int]) -> str:
    """The conjunction with which a list of commas ends."""
    for token in source[run[-1] + 1 : run[-1] + 12]:
        if token.opened in ("and", "or"):
            return token.opened
        if token.sort is Sort.MODAL:
            break
    return ""
