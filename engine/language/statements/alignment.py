"""Does a text say what a claim says? Word by word, in the same parts, with the same conditions.

The words of both that matter are paired (``pairing``), the passive turned round and clauses exchanged where
that helps (``turning``). A claim is said only where every word of it is found so, nothing is otherwise
(``changes``), and nothing is left out that binds (``dropping``): a negation, a condition, an exception, a
part of the subject. So shared words are no support.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from engine.language.statements.changes import Change, Changed, changes, instead
from engine.language.statements.dropping import binding
from engine.language.statements.implied import implied
from engine.language.statements.pairing import Pairs, paired
from engine.language.statements.tokens import Sort, Token
from engine.language.statements.turning import turned

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
