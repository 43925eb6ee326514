"""What of a passage is held against a claim: its sentences, each as a sequence of words, a head with the items
of its list, and sentences in a row.

A list of conditions counts as a whole: that one of several is met is no support where all are asked for.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from engine.answers.audit.lookalikes import lookalikes
from engine.corpus.protocol import Corpus
from engine.ingestion.sentences import sentence_starts
from engine.language.references import find_mentions
from engine.language.statements import BINDING, Alignment, Sort, Token, align, sequence, share_of
from engine.languages import law
from engine.model import Passage, Span

# Passages looked back for the head of an item, and the letters of a passage that is read as a whole.
REACH, LONGEST = 12, 6_000
# A window is aligned with a claim where it has so much of its words anywhere.
WORTH = 0.5
_HEAD = re.compile(r"[:：—–]-?\s*\Z")
_ITEM = re.compile(r"\s*(?:[-–—•▪·*]|\(?\w{1,4}[.)])\s|\s*\(\w{1,4}\)|\s*[a-zäöüàéè]")
_NUMBER = re.compile(r"^[ \t]*\(?\d{1,3}[a-z]?[.)](?=\s)", re.MULTILINE)
_LINE = re.compile(r"\n+")
_EITHER = re.compile(r"(?:\bor|\boder|\bou|\bo|\batau|\bأو|[;,]\s*or|[;,]\s*oder)\s*[;,]?\s*\Z", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Window:
    """Words of a passage that are read together. ``span`` is where they stand in it, ``pointing``: they begin
    with a pronoun."""

    tokens: tuple[Token, ...]
    keys: frozenset[str]
    span: Span
    pointing: bool


@dataclass(frozen=True, slots=True)
class Held:
    """A window and how a claim stands in it."""

    window: Window
    alignment: Alignment


def windows(passage: Passage, head: str = "") -> tuple[Window, ...]:
    """The windows of a passage. ``head`` is what an item's list begins with, where another passage has it."""
    text = passage.text[:LONGEST]
    spans = [*_pieces(text, passage.language)]
    if not spans:
        return ()
    mentions = [one.span for one in find_mentions(text, passage.language) if one.targets and not one.bare]
    mentions += lookalikes(text, passage.language, mentions)
    tokens = sequence(text, passage.language, sorted(mentions, key=lambda span: span.start))
    parts = [_part(tokens, span, number) for number, span in enumerate(spans)]
    made: list[list[int]] = [[number] for number in range(len(parts))]
    made += [[number, number + 1] for number in range(len(parts) - 1)]
    found = [_window(text, passage.language, parts, spans, chosen) for chosen in made]
    found += [_window(text, passage.language, parts, spans, chosen) for chosen in _lists(text, spans, parts)]
    if len(parts) > 2:
        found.append(_window(text, passage.language, parts, spans, list(range(len(parts)))))
    if head:
        found += _headed(head, passage.language, parts, spans)
    return tuple(window for window in found if window.tokens)


def _pieces(text: str, language: str) -> Iterator[Span]:
    """Sentences, and the lines of a list each by itself; a line that only goes on is none."""
    # Behind the number of a paragraph the library sees no sentence's end.
    plain = _NUMBER.sub(lambda match: "A" * len(match[0]), text)
    starts = {*sentence_starts(plain, language)}
    for match in _LINE.finditer(text):
        before, rest = text[: match.start()].rstrip(), text[match.end() :]
        goes_on = rest[:1].islower() and before[-1:] not in (":", ";", ".", ",")
        if not goes_on:
            starts.add(match.end())
    ordered = [*sorted(starts), len(text)]
    for start, end in zip(ordered, ordered[1:], strict=False):
        said = text[start:end]
        if said.strip():
            yield Span(start + len(said) - len(said.lstrip()), start + len(said.rstrip()))


def _part(tokens: Sequence[Token], span: Span, number: int) -> tuple[Token, ...]:
    return tuple(replace(t, sentence=number) for t in tokens if span.start <= t.span.start < span.end)


def _lists(text: str, spans: Sequence[Span], parts: Sequence[tuple[Token, ...]]) -> Iterator[list[int]]:
    """A head with each of its items, and with all of them."""
    for number, span in enumerate(spans):
        if not _HEAD.search(text[span.start : span.end]):
            continue
        items = []
        for later in range(number + 1, len(spans)):
            if not _ITEM.match(text[spans[later].start : spans[later].end]):
                break
            items.append(later)
        whole = text[span.start : spans[items[-1]].end] if items else ""
        if items and (not _conditional(parts[number]) or _joined_by_or(text, spans, items)):
            yield from ([number, item] for item in items)
        if len(items) > 1 and whole:
            yield [number, *items]


def _conditional(head: Sequence[Token]) -> bool:
    """Whether the items of a list are conditions of what its head says."""
    return any(token.sort in BINDING and token.sort is not Sort.NOT for token in head)


def _joined_by_or(text: str, spans: Sequence[Span], items: Sequence[int]) -> bool:
    return any(_EITHER.search(text[spans[item].start : spans[item].end]) for item in items)


def _window(
    text: str, language: str, parts: Sequence[tuple[Token, ...]], spans: Sequence[Span], chosen: list[int]
) -> Window:
    tokens = tuple(token for number in chosen for token in parts[number])
    span = Span(spans[chosen[0]].start, spans[chosen[-1]].end)
    if len(chosen) == 2 and chosen[1] > chosen[0] + 1:
        span = spans[chosen[1]]
    return Window(tokens, frozenset(token.key for token in tokens), span, _points(text[span.start :], language))


def _points(text: str, language: str) -> bool:
    pattern = law(language).points_back
    return bool(pattern) and re.match(rf"\W*(?:\(?\d+[a-z]?[.)]\s+)?{pattern}", text, re.IGNORECASE) is not None


def _headed(
    head: str, language: str, parts: Sequence[tuple[Token, ...]], spans: Sequence[Span]
) -> Iterator[Window]:
    """The first sentence of an item behind the head that another passage has."""
    before = tuple(replace(token, sentence=-1, span=Span(0, 0)) for token in sequence(head, language))
    if _conditional(before):
        return
    for chosen in (parts[:1], parts):
        tokens = (*before, *(token for part in chosen for token in part))
        span = Span(spans[0].start, spans[len(chosen) - 1].end)
        yield Window(tokens, frozenset(token.key for token in tokens), span, False)


def head_of(corpus: Corpus, row: int, passage: Passage) -> str:
    """The head of the list whose item a passage is, out of the passages before it in its section."""
    if not _ITEM.match(passage.text):
        return ""
    first = max(0, row - REACH)
    rows = np.arange(first, row, dtype=np.int32)[::-1]
    if not len(rows):
        return ""
    own = np.array([row], np.int32)
    section = int(corpus.section_numbers(own)[0])
    near = (corpus.section_numbers(rows) == section) & (
        corpus.document_numbers(rows) == int(corpus.document_numbers(own)[0])
    )
    if section < 0:
        return ""
    for other in corpus.passages(rows[near]):
        line = other.text.rstrip().rsplit("\n", 1)[-1]
        if _HEAD.search(line):
            return line
        if not _ITEM.match(other.text):
            return ""
    return ""


def best_held(
    claim: Sequence[Token], within: Sequence[Window], language: str, context: Callable[[], frozenset[str]]
) -> Held | None:
    """The window that a claim stands in best: said, else said otherwise, else with the fewest words against
    it."""
    best: Held | None = None
    for window in within:
        if share_of(claim, window.keys) < WORTH:
            continue
        around = context() if window.pointing else frozenset()
        held = Held(window, align(claim, window.tokens, language, around))
        if best is None or _order(held) < _order(best):
            best = held
        if held.alignment.complete:
            break
    return best


def _order(held: Held) -> tuple[bool, bool, float, int, int]:
    found = held.alignment
    return (not found.complete, not found.contrary, -found.share, found.defects, len(held.window.tokens))
