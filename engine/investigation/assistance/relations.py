"""What stands in front of the passages that a language model is given: how the things that a question names
relate to each other and to provisions, in words. It is no source, and nothing is to be quoted from it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from engine.corpus.protocol import Corpus
from engine.investigation.graph import anchors_in, subgraph, to_words
from engine.llm.estimating import most_tokens
from engine.llm.suspicion import addresses_machine

LONGEST_LINE = 200
# Tokens at most, and as a share of what there is room for.
MOST_TOKENS, SHARE = 240, 0.1


def relations(corpus: Corpus, question: str, language: str, room: int) -> tuple[str, ...]:
    """Sentences on the twenty nodes around what a question names, two hops in depth, best first: as many as
    fit a tenth of ``room`` tokens; none where it names nothing."""
    anchors = anchors_in(corpus, question, language)
    if not anchors:
        return ()
    found = to_words(corpus, subgraph(corpus, anchors))
    return tuple(within(found, min(MOST_TOKENS, int(SHARE * room))))


def within(lines: Iterable[str], most: int) -> Iterator[str]:
    """Lines that fit so many tokens, each once, without those that speak to a machine."""
    left = most
    for line in dict.fromkeys(map(line_of, lines)):
        if addresses_machine(line):
            continue
        left -= most_tokens(line) + 1
        if left < 0:
            return
        yield line


def line_of(words: str) -> str:
    """Words in one line of usual length."""
    return " ".join(words.split())[:LONGEST_LINE]
