"""A text as the sequence of what matters in it: content words, modal verbs, negations, quantifiers,
conditions, limits, quantities and references, each with the key by which it is compared and the mark of its
part in the sentence ("by the ...", "dem ...").

Function words stand in no sequence: those that tell who does what to whom are the marks of the next word.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from enum import StrEnum
from functools import lru_cache

from engine.language.analyzer import analyzer
from engine.language.occupied import Occupied
from engine.language.script import fold_arabic
from engine.language.statements.lexicon import Lexicon, group_of, lexicon
from engine.language.statements.quantities import Quantity, quantities_in
from engine.model import Span

_WORD = re.compile(r"[^\W_]+(?:['’][^\W\d_]+)?")
# The label of an item or of a footnote is none of its words; neither is what a number stands in brackets for.
_LABEL = re.compile(
    r"(?:^|(?<=[\s:;,]))(?:\((?:\d{1,3}[a-z]?|[a-z]{1,2}|[ivx]{1,5}|[A-Z])\)|\[\d{1,3}\])(?=\s|$)"
    r"|^\s*(?:\d{1,3}[a-z]?|[a-z]|[ivx]{1,5})[.)](?=\s)|(?<=\n)\s*(?:\d{1,3}[a-z]?|[a-z]|[ivx]{1,5})[.)](?=\s)"
)
_BRACKET = re.compile(r"\([^()\n]{3,}\)")
_ENDED = re.compile(r"[.!?。！？؟;；؛](?=\s|$|[\"'”»)])|。|；|\n+")


class Sort(StrEnum):
    """What a word is to a sentence."""

    CONTENT = "word"
    MODAL = "modal verb"
    NOT = "negation"
    ALL = "quantifier"
    CONDITION = "condition"
    EXCEPT = "exception"
    ONLY = "only"
    LIMIT = "limit"
    NUMBER = "number"
    REFERENCE = "reference"


# The marks of who does it, and of whose it is.
AGENT, GENITIVE = "agent", "of"
# What may not be left out of a sentence, and not be added to it, without another meaning.
BINDING = frozenset((Sort.NOT, Sort.CONDITION, Sort.EXCEPT, Sort.ONLY))


@dataclass(frozen=True, slots=True)
class Token:
    """A word that matters. ``key`` is what it is compared by, ``own`` the same without synonyms; ``mark`` the
    word in front that tells its part, ``passive``: it stands behind a verb of the passive. ``sentence``
    counts the sentences of the text, ``opened`` is how the run of words begins that it is the
    first of: "," "and", "or", "(" or ""; ``joined``: nothing stands between it and the one before.
    ``quantity`` is set for numbers."""

    sort: Sort
    key: str
    own: str
    word: str
    span: Span
    mark: str = ""
    passive: bool = False
    bracket: bool = False
    sentence: int = 0
    opened: str = ""
    joined: bool = False
    relative: bool = False
    quantity: Quantity | None = None


def sequence(text: str, language: str, references: Iterable[Span] | None = None) -> tuple[Token, ...]:
    """The sequence of a text. ``references`` are the spans of the references in it, which are one word
    each."""
    return _sequence(text, language.split("-")[0].lower(), tuple(references or ()))


@lru_cache(maxsize=8192)
def _sequence(text: str, language: str, references: tuple[Span, ...]) -> tuple[Token, ...]:
    words = lexicon(language)
    labels = [Span(*match.span()) for match in _LABEL.finditer(text)]
    labels += [Span(*match.span()) for match in words.cues["citing"].finditer(text)]
    for name in ("agents", "genitives", "roles"):
        # "In respect of" is one preposition.
        labels += [Span(*match.span()) for match in words.cues[name].finditer(text) if " " in match[0]]
    taken = Occupied((span.start, span.end) for span in (*references, *labels))
    found = [_reference(text, span) for span in references]
    if words.language == language:
        found += _special(text, language, words, taken, references)
    else:
        found += _numbers(text, language, taken, references)
    found += _content(text, language, words, taken)
    found.sort(key=lambda token: token.span.start)
    return tuple(_joined(_placed(text, words, found)))


def _reference(text: str, span: Span) -> Token:
    said = text[span.start : span.end]
    key = "".join(letter for letter in said.casefold() if letter.isalnum())
    return Token(Sort.REFERENCE, key, key, said, span)


def _numbers(text: str, language: str, taken: Occupied, references: tuple[Span, ...]) -> list[Token]:
    found = []
    for quantity in quantities_in(text, language, references):
        span = quantity.span
        if taken.overlaps(span.start, span.end):
            continue
        taken.add(span.start, span.end)
        key = f"{quantity.kind} {quantity.value:.6g} {quantity.unit}"
        found.append(Token(Sort.NUMBER, key, key, quantity.text, span, quantity=quantity))
    return found


_CUES = (
    (Sort.EXCEPT, "except"),
    (Sort.CONDITION, "condition"),
    (Sort.ONLY, "only"),
    (Sort.ALL, "always"),
    (Sort.ALL, "all"),
    (Sort.ALL, "some"),
    (Sort.NOT, "not"),
)


def _special(
    text: str, language: str, words: Lexicon, taken: Occupied, references: tuple[Span, ...]
) -> list[Token]:
    """Limits, quantities, modal verbs, and the cues of what binds; the longer of two that overlap."""
    limits = [
        _token(Sort.LIMIT, group_of(match), text, Span(*match.span()))
        for match in words.bound.finditer(text)
        if not taken.overlaps(*match.span())
    ]
    found = _numbers(text, language, taken, references)
    held = Occupied((token.span.start, token.span.end) for token in found)
    for token in limits:
        # "Binnen sechs Wochen": the limit is no part of the quantity.
        if not held.overlaps(token.span.start, token.span.end):
            taken.add(token.span.start, token.span.end)
            found.append(token)
    offered: list[tuple[int, Token]] = []
    for match in words.modal.finditer(text):
        token = _token(Sort.MODAL, group_of(match), text, Span(*match.span()))
        offered.append((-1 if match.lastgroup in words.parted else 0, token))
    for rank, (sort, name) in enumerate(_CUES, 1):
        for match in words.cues[name].finditer(text):
            key = _quantifier(match[0], language) if sort is Sort.ALL else name
            offered.append((rank, _token(sort, key, text, Span(*match.span()))))
    for rank, token in sorted(offered, key=lambda one: (max(one[0], 0), one[1].span.start)):
        span = token.span
        ends = _ends(text, span) if rank < 0 else [span]
        if any(taken.overlaps(end.start, end.end) for end in ends):
            continue
        for end in ends:
            taken.add(end.start, end.end)
        found.append(replace(token, span=ends[0]))
    return found


def _ends(text: str, span: Span) -> list[Span]:
    """The first and the last word of a cue: what stands between ("hat ... zu") is read by itself."""
    inside = list(_WORD.finditer(text, span.start, span.end))
    if len(inside) < 3:
        return [span]
    return [Span(*inside[0].span()), Span(*inside[-1].span())]


def _quantifier(said: str, language: str) -> str:
    """ "Jeder" and "jedes" are one quantifier; "any" and "all" are two."""
    return " ".join(analyzer(language).stem(word) for word in said.casefold().split())


def _token(sort: Sort, name: str, text: str, span: Span) -> Token:
    return Token(sort, name, name, text[span.start : span.end], span)


def _content(text: str, language: str, words: Lexicon, taken: Occupied) -> Iterator[Token]:
    reader = analyzer(language)
    known = words.language == language
    for match in _WORD.finditer(text):
        span = Span(*match.span())
        if taken.overlaps(span.start, span.end) or words.cues["relative"].fullmatch(match[0]):
            continue
        if match[0].isdigit():
            yield Token(Sort.NUMBER, f"digits {int(match[0])}", match[0], match[0], span)
            continue
        plain = re.sub(r"['’]s\Z", "", match[0])
        if known and (verb := words.parted_verb.fullmatch(plain)):
            plain = f"{verb[1]}{verb[2]}en"
        terms = reader.terms_of_word(plain)
        if not known and not terms:
            # Without words of its language nobody tells which small word denies: each of them counts.
            terms = (match[0].casefold(),)
        for stem in terms:
            meaning = words.meanings.get(stem, stem) if known else stem
            yield Token(Sort.CONTENT, meaning, stem, match[0], span)


def _placed(text: str, words: Lexicon, tokens: list[Token]) -> Iterator[Token]:
    """Tokens with their marks, sentences and brackets."""
    stops = [match.start() for match in _ENDED.finditer(text)]
    brackets = [match.span() for match in _BRACKET.finditer(text)]
    before, begun, sentence = 0, 0, 0
    for token in tokens:
        start = token.span.start
        while stops and stops[0] < start:
            stops.pop(0)
            sentence += 1
        gap = text[before:start] if before <= start else ""
        yield replace(
            token,
            mark=_mark(gap, words),
            passive=bool(words.cues["passive"].search(gap)),
            bracket=any(first < start < last for first, last in brackets),
            sentence=sentence,
            opened="ensure" if words.cues["ensure"].search(text, begun, start) else _opened(gap, words),
            joined=before > 0 and not gap.strip(" \n\t-"),
            relative=bool(words.cues["relative"].search(gap)),
        )
        before, begun = max(before, token.span.end), start


def _mark(gap: str, words: Lexicon) -> str:
    """The last word of a gap that tells a part, with that of the agent before all others."""
    said = re.split(r"[,;:.()]", gap)[-1]
    if words.cues["agents"].search(said):
        return AGENT
    if words.cues["genitives"].search(said):
        return GENITIVE
    found = [match[0].casefold() for match in words.cues["roles"].finditer(said)]
    folded = found[-1].split() if found else []
    return fold_arabic(folded[0]) if folded else ""


def _opened(gap: str, words: Lexicon) -> str:
    if words.cues["or"].search(gap):
        return "or"
    if words.cues["and"].search(gap):
        return "and"
    if "(" in gap:
        return "("
    return "," if re.search(r"[,،、;:–—\n]", gap) else ""


_MERGED = {
    ("must", "may"): "may",
    ("must", "must"): "must",
    ("may", "may"): "may",
    ("must_not", "must"): "need_not",
    ("must_not", "may"): "must_not",
    ("must", "must_not"): "must_not",
    ("must", "need_not"): "need_not",
}


def _joined(tokens: Iterable[Token]) -> Iterator[Token]:
    """Modal verbs in a row as one: "shall have the right to", "shall not be required to"."""
    held: Token | None = None
    for token in tokens:
        if held is None:
            held = token
        elif held.sort is Sort.MODAL and token.sort is Sort.MODAL:
            key = _MERGED.get((held.key, token.key))
            if key is None or token.opened:
                yield held
                held = token
            else:
                word = f"{held.word} {token.word}"
                held = replace(held, key=key, own=key, word=word, passive=False)
        else:
            yield held
            held = token
    if held is not None:
        yield held
