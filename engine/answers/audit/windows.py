"""Windows of a passage that a claim is compared with, and words that a quotation must not omit.

"The landlord is ... permitted" omits "not". A quotation with an omission is verified only if the omitted
words contain no negation, modal verb, condition, exception, quantity or party.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

import numpy as np

from engine.answers.audit.citation_forms import lookalikes
from engine.corpus.protocol import Corpus
from engine.ingestion.structure.segmentation import ends_sentence, sentence_starts
from engine.language.references import find_mentions
from engine.language.statements import BINDING, Alignment, Sort, Token, align, part_of, sequence, share_of
from engine.language.statements.lexicon import lexicon
from engine.languages import law
from engine.model import Passage, Span

# Words that no omission may remove. At the edges of a quotation only a split verb or negation counts.
_BINDING = frozenset(
    (Sort.MODAL, Sort.NOT, Sort.EXCEPT, Sort.ONLY, Sort.CONDITION, Sort.ALL, Sort.LIMIT, Sort.NUMBER)
)
_CUT = frozenset((Sort.MODAL, Sort.NOT))
# Text between two of these signs only adds to the word before it.
_ENCLOSED = re.compile(r"\s*(?:[,،、，–—]|[(（]).*(?:[,،、，–—]|[)）])\s*", re.DOTALL)
_ENDED = re.compile(r"[.!?。！？؟;；؛](?=\W|\Z)")


def binding_omissions(
    text: str, places: Sequence[tuple[int, int]], tokens: Sequence[Token], language: str
) -> list[Token]:
    """Return the words of a source that a quotation of its words at ``places`` must not omit.

    ``tokens`` are those of the quoted sentences. If the omission changes a quoted verb ("is ... permitted"),
    the verb is among the result.
    """
    first, last = places[0][0], places[-1][1]
    within = [token for token in tokens if first <= token.span.start < last]
    quoted = sequence(" ".join(text[start:end] for start, end in places), language)
    if len(places) == 1:
        changed_verbs = _counted(quoted, _CUT) - _counted(within, _CUT)
        return [token for token in quoted if (token.sort, token.key) in changed_verbs]
    gaps = list(gaps_between(text, places))
    inside = [token for token in within if any(gap.start <= token.span.start < gap.end for gap in gaps)]
    if not _is_read(language):
        pattern = law(language).binds
        bound = not pattern or any(_binds(text, gap, pattern) for gap in gaps)
        return (inside or within[:1]) if bound else []
    one, other = _counted(within, _BINDING), _counted(quoted, _BINDING)
    changed = (one - other) + (other - one)
    if changed:
        return [token for token in within or quoted if (token.sort, token.key) in changed] or within[:1]
    return inside if any(_names_party(text, gap, within, language) for gap in gaps) else []


def is_enclosed(text: str, gap: Span, language: str) -> bool:
    """True if omitted words only add to the word before: an apposition, not an item of a list."""
    gap_text = text[gap.start : gap.end]
    if _ENCLOSED.fullmatch(gap_text) is None or _ENDED.search(gap_text):
        return False
    # "May, with consent, ...": words after the verb limit it.
    if _is_read(language) and re.search(
        rf"(?:{lexicon(language).modal.pattern})\Z", text[: gap.start], re.IGNORECASE
    ):
        return False
    return not _joins(gap_text, language) and not _joins(text[gap.end : gap.end + 20], language)


def gaps_between(text: str, places: Sequence[tuple[int, int]]) -> Iterator[Span]:
    """Yield the gaps between the pieces of a quotation, except whole sentences."""
    for (_, start), (end, _) in pairwise(places):
        left = text[start:end]
        stops = list(_ENDED.finditer(left))
        sentences_only = stops and not any(
            map(str.isalnum, left[: stops[0].start()] + left[stops[-1].end() :])
        )
        if not sentences_only:
            yield Span(start, end)


def _is_read(language: str) -> bool:
    return lexicon(language).language == language.split("-")[0].lower()


def _counted(tokens: Sequence[Token], sorts: frozenset[Sort]) -> Counter[tuple[Sort, str]]:
    return Counter((token.sort, token.key) for token in tokens if token.sort in sorts)


def _binds(text: str, gap: Span, pattern: str) -> bool:
    gap_text = text[gap.start : gap.end]
    return re.search(rf"\d|[;；]|{pattern}", gap_text, re.IGNORECASE) is not None or bool(
        _ENDED.search(gap_text)
    )


def _names_party(text: str, gap: Span, within: Sequence[Token], language: str) -> bool:
    """True if the gap may contain another party that acts: "the buyer ... delivers the goods"."""
    if is_enclosed(text, gap, language):
        return False
    gap_text = text[gap.start : gap.end]
    if _ENDED.search(gap_text):
        return True
    joints = any(lexicon(language).cues[name].search(gap_text) for name in ("and", "or"))
    governed = any(token.sort is Sort.MODAL and token.span.end <= gap.start for token in within)
    return joints and not governed


def _joins(gap_text: str, language: str) -> bool:
    words = gap_text.lstrip(" ,،、，–—")
    return _is_read(language) and any(lexicon(language).cues[name].match(words) for name in ("and", "or"))


# A window is a sentence, a list head with its items, or several sentences in a row. A list of conditions
# counts as a whole: meeting one of several is no support if all are required.

# Passages searched back for the head of an item, and the maximum letters read of a passage.
REACH, LONGEST = 12, 6_000
# Minimum letters of a verbatim copy; a Chinese character counts as three.
SHORTEST = 24
# Minimum share of a claim's words for a window to be aligned with it.
WORTH = 0.5
_ELLIPSIS = re.compile(
    r"\s*[\[(（]?\s*(?:[…⋯]+|\.{3,}|\.(?:\s\.){2,}|\bomissis\b)\s*[\])）]?\s*", re.IGNORECASE
)
_CLOSED = re.compile(r"[\"'”»“)\]]*[.!?。！？؟۔]")
_HEAD = re.compile(r"[:：—–]-?\s*\Z")
_ITEM = re.compile(r"\s*(?:[-–—•▪·*]|\(?\w{1,4}[.)])\s|\s*\(\w{1,4}\)|\s*[a-zäöüàéè]")
_NUMBER = re.compile(r"^[ \t]*\(?\d{1,3}[a-z]?[.)](?=\s)", re.MULTILINE)
_HALF = re.compile(r"[;；؛]\s+(?=\w)")
_LINE = re.compile(r"\n+")
_EITHER = re.compile(
    r"(?:\bor|\boder|\bou|\bo|\batau|\bأو|[;,]\s*or|[;,]\s*oder)\s*[;,]?\s*\Z", re.IGNORECASE
)


@dataclass(frozen=True, slots=True)
class Window:
    """Words of a passage that are read together. ``span`` is their position, ``pointing``: they begin with a
    pronoun."""

    tokens: tuple[Token, ...]
    keys: frozenset[str]
    span: Span
    pointing: bool


@dataclass(frozen=True, slots=True)
class Readable:
    """A passage prepared for comparison. ``parts`` are its sentences with their ``spans``; ``letters`` are
    its letters and digits alone, ``places`` their offsets. ``bound`` maps an item of a list of conditions to
    the binding words of the head."""

    text: str
    language: str
    windows: tuple[Window, ...]
    parts: tuple[tuple[Token, ...], ...]
    spans: tuple[Span, ...]
    letters: str
    places: tuple[int, ...]
    bound: Mapping[int, tuple[Token, ...]]


@dataclass(frozen=True, slots=True)
class WindowMatch:
    """The window of a passage that matches a claim, and the alignment. ``omits``: the claim quotes it without
    words that it must not omit."""

    span: Span
    alignment: Alignment
    omits: bool = False


def readable(passage: Passage, head: str = "") -> Readable:
    """Prepare a passage. ``head`` is the head of an item's list if another passage has it."""
    text, language = passage.text[:LONGEST], passage.language
    spans = tuple(_pieces(text, language))
    mentions = [one.span for one in find_mentions(text, language) if one.targets and not one.bare]
    mentions += lookalikes(text, language, mentions)
    tokens = sequence(text, language, sorted(mentions, key=lambda span: span.start))
    parts = tuple(_part(tokens, span, number) for number, span in enumerate(spans))
    lists = list(_lists(text, spans))
    bound = {
        item: tuple(token for token in parts[first] if token.sort in BINDING)
        for first, items in lists
        for item in items
        if _conditional(parts[first]) and not _joined_by_or(text, spans, items)
    }
    chosen = [[number] for number in range(len(parts)) if number not in bound]
    chosen += [[number, number + 1] for number in range(len(parts) - 1)]
    for first, items in lists:
        chosen += [[first, item] for item in items if item not in bound]
        chosen.append([first, *items])
    if len(parts) > 2:
        chosen.append(list(range(len(parts))))
    found = [_window(text, language, parts, spans, one) for one in chosen]
    found += _clauses(text, language, parts, spans, bound)
    if head and spans:
        found += _headed(head, language, parts, spans)
    places = tuple(index for index, letter in enumerate(text) if letter.isalnum())
    letters = "".join(text[index] for index in places).lower()
    if len(letters) != len(places):
        letters = "".join(text[index] for index in places)
    return Readable(
        text,
        language,
        tuple(window for window in found if window.tokens),
        parts,
        spans,
        letters,
        places,
        bound,
    )


def match_verbatim(words: str, within: Readable, own: Sequence[Span]) -> WindowMatch | None:
    """Match words letter by letter, with the rest of their sentences. ``own`` are the claim's references that
    are words of the passage, as spans of the claim."""
    places = _found(words, within)
    if not places:
        return None
    touched = [
        n
        for n, span in enumerate(within.spans)
        if any(span.start < last and first < span.end for first, last in places)
    ]
    tokens = [token for number in touched for token in within.parts[number]]
    complete = len(places) == 1 and _is_whole(within.text, *places[0])
    lacking = [] if complete else binding_omissions(within.text, places, tokens, within.language)
    if complete:
        tokens = [token for token in tokens if places[0][0] <= token.span.start < places[0][1]]
    inside = [
        index
        for index, token in enumerate(tokens)
        if any(first <= token.span.start < last for first, last in places)
    ]
    if not inside:
        return None
    alignment = part_of(tokens, inside, within.language)
    more = [
        gap
        for gap in gaps_between(within.text, places)
        if not lacking and is_enclosed(within.text, gap, within.language)
    ]
    dropped = [t for t in alignment.dropped if not any(g.start <= t.span.start < g.end for g in more)]
    alignment = replace(alignment, dropped=tuple(dict.fromkeys((*lacking, *dropped))))
    alignment = replace(alignment, own=tuple(Token(Sort.REFERENCE, "", "", "", span) for span in own))
    bound = tuple(token for number in touched[:1] for token in within.bound.get(number, ()))
    if bound and not any(number not in within.bound for number in touched):
        alignment = replace(alignment, dropped=(*alignment.dropped, *bound))
    span = Span(within.spans[touched[0]].start, within.spans[touched[-1]].end)
    return WindowMatch(span, alignment, bool(lacking))


def _found(words: str, within: Readable) -> list[tuple[int, int]]:
    """Return the offsets of each piece of some words, in order; empty if one is missing. An ellipsis
    separates pieces."""
    found: list[tuple[int, int]] = []
    begin = 0
    for piece in _ELLIPSIS.split(words):
        letters = alphanumerics(piece.lower())
        if not letters:
            continue
        start = within.letters.find(letters, begin)
        if start < 0 or (not found and _letters(words) < SHORTEST):
            return []
        begin = start + len(letters)
        found.append((within.places[start], within.places[begin - 1] + 1))
    return found


def _letters(words: str) -> int:
    letters = alphanumerics(words)
    return len(letters) + 2 * sum("\u3400" <= letter <= "\u9fff" for letter in letters)


def alphanumerics(text: str) -> str:
    """Return the letters and digits of a text."""
    return "".join(letter for letter in text if letter.isalnum())


def _is_whole(text: str, first: int, last: int) -> bool:
    """True if words begin after the end of a sentence and end with one."""
    stop = _CLOSED.match(text, last)
    before = text[:first].rstrip(" \t\u00a0(\"'„“«")
    begins = not before or before.endswith("\n") or ends_sentence(before, len(before))
    return begins and stop is not None and ends_sentence(text, stop.end())


def _pieces(text: str, language: str) -> Iterator[Span]:
    """Yield sentences, and each line of a list by itself; a continuation line belongs to the one before."""
    # The library finds no sentence end after a paragraph number.
    plain = _NUMBER.sub(lambda match: "A" * len(match[0]), text)
    starts = {*sentence_starts(plain, language)}
    for match in _LINE.finditer(text):
        before, rest = text[: match.start()].rstrip(), text[match.end() :]
        goes_on = rest[:1].islower() and before[-1:] not in (":", ";", ".", ",")
        if not goes_on:
            starts.add(match.end())
    ordered = [*sorted(starts), len(text)]
    for start, end in pairwise(ordered):
        part = text[start:end]
        if part.strip():
            yield Span(start + len(part) - len(part.lstrip()), start + len(part.rstrip()))


def _part(tokens: Sequence[Token], span: Span, number: int) -> tuple[Token, ...]:
    return tuple(replace(t, sentence=number) for t in tokens if span.start <= t.span.start < span.end)


def _lists(text: str, spans: Sequence[Span]) -> Iterator[tuple[int, list[int]]]:
    """Yield each list head with its items, as indexes."""
    for number, span in enumerate(spans):
        if not _HEAD.search(text[span.start : span.end]):
            continue
        items = []
        for later in range(number + 1, len(spans)):
            if not _ITEM.match(text[spans[later].start : spans[later].end]):
                break
            items.append(later)
        if items:
            yield number, items


def _clauses(
    text: str,
    language: str,
    parts: Sequence[tuple[Token, ...]],
    spans: Sequence[Span],
    bound: Mapping[int, tuple[Token, ...]],
) -> Iterator[Window]:
    """Yield the clauses of sentences with semicolons, unless a later one is a condition of the first."""
    for number, span in enumerate(spans):
        ends = [match.end() for match in _HALF.finditer(text, span.start, span.end)]
        if number in bound or not ends:
            continue
        borders = [span.start, *ends, span.end]
        halves = [
            tuple(token for token in parts[number] if start <= token.span.start < end)
            for start, end in pairwise(borders)
        ]
        if any(not half or half[0].sort in (Sort.EXCEPT, Sort.ONLY) for half in halves):
            continue
        for half, (start, end) in zip(halves, pairwise(borders), strict=True):
            keys = frozenset(token.key for token in half)
            yield Window(half, keys, Span(start, end), _points(text[start:end].lstrip(), language))


def _conditional(head: Sequence[Token]) -> bool:
    """True if the items of a list are conditions of its head."""
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
    return Window(
        tokens, frozenset(token.key for token in tokens), span, _points(text[span.start :], language)
    )


def _points(text: str, language: str) -> bool:
    pattern = law(language).points_back
    return (
        bool(pattern) and re.match(rf"\W*(?:\(?\d+[a-z]?[.)]\s+)?{pattern}", text, re.IGNORECASE) is not None
    )


def _headed(
    head: str, language: str, parts: Sequence[tuple[Token, ...]], spans: Sequence[Span]
) -> Iterator[Window]:
    """Yield the first sentence, and all of them, after the list head of another passage."""
    before = tuple(replace(token, sentence=-1, span=Span(0, 0)) for token in sequence(head, language))
    if _conditional(before):
        return
    for chosen in (parts[:1], parts):
        tokens = (*before, *(token for part in chosen for token in part))
        span = Span(spans[0].start, spans[len(chosen) - 1].end)
        yield Window(tokens, frozenset(token.key for token in tokens), span, False)


def head_of(corpus: Corpus, row: int, passage: Passage) -> str:
    """Return the head of the list that a passage is an item of, from earlier passages of its section."""
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


def best_window(
    claim: Sequence[Token], within: Readable, context: Callable[[], frozenset[str]]
) -> WindowMatch | None:
    """Return the best window for a claim: complete match first, then contradiction, then the largest share
    with the fewest defects."""
    best: tuple[tuple[bool, bool, float, int, int], WindowMatch] | None = None
    for window in within.windows:
        if share_of(claim, window.keys) < WORTH:
            continue
        around = context() if window.pointing else frozenset()
        found = _unbound(align(claim, window.tokens, within.language, around), claim, window, within)
        order = (not found.complete, not found.contrary, -found.share, found.defects, len(window.tokens))
        if best is None or order < best[0]:
            best = order, WindowMatch(window.span, found)
        if found.complete:
            break
    return None if best is None else best[1]


def _unbound(found: Alignment, claim: Sequence[Token], window: Window, within: Readable) -> Alignment:
    """Add the binding words to an alignment with a window of a list's items, which the claim omits."""
    items = [token for token in window.tokens if token.sentence in within.bound]
    if not items or not (found.complete or found.contrary):
        return found
    alone = align(claim, items, within.language)
    if not (alone.complete or alone.contrary):
        return found
    return replace(found, dropped=(*found.dropped, *within.bound[items[0].sentence]))
