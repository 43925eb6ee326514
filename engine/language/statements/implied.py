"""What a claim may say without a word of the source for it: references, who a pronoun means, "must" for a
plain statement of law, a verb that only carries its noun."""

from __future__ import annotations

from collections.abc import Sequence

from engine.language.analyzer import analyzer
from engine.language.statements.lexicon import lexicon
from engine.language.statements.pairing import Pairs
from engine.language.statements.tokens import Sort, Token

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
