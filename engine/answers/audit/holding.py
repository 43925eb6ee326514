"""A claim held against the words of a passage: the one comparison, whoever wrote the claim.

What a person pastes, what a language model writes and what it proposes as a second reading all come here.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from engine.answers.audit.windows import Held, Readable, best_held, copied
from engine.language.statements import Token, sequence
from engine.language.statements.lexicon import lexicon
from engine.model import Span

MOST_REFERENCES = 12


@dataclass(frozen=True, slots=True)
class Asked:
    """A claim as it is compared: its words, and its text with some of its references left out, each with the
    spans of those that it keeps."""

    tokens: tuple[Token, ...]
    language: str
    texts: tuple[tuple[str, tuple[Span, ...]], ...]


def asked_of(text: str, language: str, references: Sequence[Span]) -> Asked:
    """A claim with its references, ready to be held against passages."""
    tokens = sequence(text, language, references)
    return Asked(tokens, language, tuple(_texts(text, references, language)))


def hold(asked: Asked, read: Readable, context: Callable[[], frozenset[str]]) -> Held | None:
    """The words of a passage that a claim stands in: a copy before all that is only alike."""
    best: Held | None = None
    for text, own in asked.texts:
        held = copied(text, read, own)
        if held is not None and (best is None or held.alignment.complete):
            best = held
        if held is not None and held.alignment.complete:
            return held
    alike = best_held(asked.tokens, read, context)
    if best is not None and best.omits and (alike is None or not alike.alignment.contrary):
        return best
    return best if alike is None or (best is not None and not alike.alignment.complete) else alike


def sentences_around(span: Span, read: Readable) -> Span:
    """The whole sentences that a span touches."""
    touched = [one for one in read.spans if one.start < span.end and span.start < one.end]
    return Span(touched[0].start, touched[-1].end) if touched else span


def _texts(text: str, references: Sequence[Span], language: str) -> Iterator[tuple[str, tuple[Span, ...]]]:
    """A claim as it stands, and without references in front or behind that its source need not have: not of
    one that is a list of references, which has too many ways to leave some out."""
    yield text, tuple(references)
    if len(references) > MOST_REFERENCES:
        return
    cues = lexicon(language).cues
    frame = rf"(?:\W*(?:{cues['citing'].pattern}|{cues['framing'].pattern}))"
    front = re.compile(rf"\A{frame}+\W*", re.IGNORECASE)
    back = re.compile(rf"{frame}+\W*\Z", re.IGNORECASE)
    nothing = re.compile(rf"{frame}*\W*", re.IGNORECASE)
    for kept in range(len(references) - 1, -1, -1):
        for ahead in range(len(references) - kept + 1):
            inner, behind = references[ahead : ahead + kept], references[ahead + kept :]
            start = references[ahead - 1].end if ahead else 0
            end = behind[0].start if behind else len(text)
            between = [*_between(text, 0, references[:ahead]), *_between(text, end, behind, len(text))]
            if not all(nothing.fullmatch(part) for part in between):
                continue
            cut = text[start:end]
            yield cut, tuple(inner)
            cut = front.sub("", cut) if ahead else cut
            yield (back.sub("", cut) if behind else cut), tuple(inner)


def _between(text: str, start: int, spans: Sequence[Span], end: int = -1) -> Iterator[str]:
    """What stands around spans, from a place to the last of them, or to another place."""
    for span in spans:
        yield text[start : span.start]
        start = span.end
    if end >= 0:
        yield text[start:end]
