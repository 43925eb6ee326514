"""Convert a text to the sequence of its relevant words in canonical form."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from functools import lru_cache
from itertools import pairwise

from engine.language.analysis import analyzer
from engine.language.characters import fold_arabic, without_note_calls
from engine.language.designations import Occupied
from engine.language.statements.lexicon import Lexicon, group_of, lexemes, lexicon
from engine.language.statements.quantities import Quantity, quantities_in
from engine.model import Span

# Relevant words with their role in the sentence and their key


class Sort(StrEnum):
    """The role of a word in a sentence."""

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


# Markers of the agent and of the genitive.
AGENT, GENITIVE = "agent", "of"
# Words that change the meaning if omitted or added.
BINDING = frozenset((Sort.NOT, Sort.CONDITION, Sort.EXCEPT, Sort.ONLY))


@dataclass(frozen=True, slots=True)
class Token:
    """A relevant word.

    ``key``: for comparison; ``own``: the same without synonyms. ``mark``: the preceding word that gives its
    role. ``passive``: it follows a verb in the passive. ``sentence``: number of the sentence. ``opened``:
    start of the run whose first word it is: ",", "and", "or", "(" or "". ``joined``: nothing is between it
    and the previous word. ``aside``: not restrictive ("in particular ..."). ``article``: the preceding
    article. ``free``: an adverb, or in German a word that is not a noun. ``quantity``: set for numbers.
    """

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
    aside: bool = False
    article: str = ""
    free: bool = False
    quantity: Quantity | None = None


# Canonical forms: consecutive modal verbs, limits before or after their numbers, "may only if" and "may not
# unless"

# Number of characters after a number in which a verb of measure is searched ("may be 30 days at most").
BEHIND = 24

# "Must not ... more than" is "may ... at most".
_REVERSED = {"over": ("may", "upper"), "under": ("must", "lower")}
_MERGED = {
    ("must", "may"): "may",
    ("must", "must"): "must",
    ("may", "may"): "may",
    ("must_not", "must"): "need_not",
    ("must_not", "may"): "must_not",
    ("must", "must_not"): "must_not",
    ("must", "need_not"): "need_not",
}


def canonical(tokens: Iterable[Token], text: str, words: Lexicon) -> tuple[Token, ...]:
    """Convert tokens to canonical forms."""
    found = list(_merge_modals(tokens))
    found = _limits_ahead(found)
    found = _measured(found, text, words)
    return tuple(_bound(found))


def _merge_modals(tokens: Iterable[Token]) -> Iterator[Token]:
    """Merge consecutive modal verbs: "shall have the right to", "shall not be required to"."""
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
        elif held.sort is Sort.EXCEPT and token.sort is Sort.CONDITION and not token.opened:
            # "Except where" means "unless".
            held = replace(held, word=f"{held.word} {token.word}")
        else:
            yield held
            held = token
    if held is not None:
        yield held


def _limits_ahead(tokens: Sequence[Token]) -> list[Token]:
    """Move limits before their numbers: "10 % or more", "acht Stunden nicht überschreiten"."""
    found = list(tokens)
    for place, token in enumerate(tokens):
        behind = tokens[place + 1] if place + 1 < len(tokens) else None
        if token.sort is not Sort.LIMIT or (behind is not None and behind.sort is Sort.NUMBER):
            continue
        before = tokens[place - 1] if place else None
        if before is None or before.sort is not Sort.NUMBER or before.sentence != token.sentence:
            continue
        limited = place > 1 and tokens[place - 2].sort is Sort.LIMIT
        if not limited:
            found[place - 1 : place + 1] = [
                replace(token, mark=before.mark, opened=before.opened),
                replace(before, mark="", opened=""),
            ]
    return found


def _measured(tokens: Sequence[Token], text: str, words: Lexicon) -> list[Token]:
    """Unify "may be at most 30", "must not exceed 30" and "is 30 at most"; "must not hold more than 30" and
    "may hold at most 30"."""
    found = list(tokens)
    for place, (limit, number) in enumerate(pairwise(tokens)):
        if limit.key not in _REVERSED or limit.sort is not Sort.LIMIT or number.sort is not Sort.NUMBER:
            continue
        verbs = [p for p in range(place) if tokens[p].sort in (Sort.MODAL, Sort.NOT)]
        verb = tokens[verbs[-1]] if verbs else None
        if verb is not None and verb.key == "must_not" and verb.sentence == limit.sentence:
            modal, bound = _REVERSED[limit.key]
            found[verbs[-1]] = replace(verb, key=modal, own=modal)
            found[place] = replace(limit, key=bound, own=bound)
    for place, token in enumerate(tokens[:-2]):
        limit, number = tokens[place + 1], tokens[place + 2]
        if token.sort is not Sort.MODAL or limit.sort is not Sort.LIMIT or number.sort is not Sort.NUMBER:
            continue
        if token.key not in ("may", "must"):
            continue
        measure = words.cues["measure"]
        end = max(number.span.end, limit.span.end) + BEHIND
        if measure.search(text, token.span.start, limit.span.end) or (
            words.capital_nouns and measure.search(text, number.span.start, end)
        ):
            found[place] = replace(token, key="must", own="must")
    return found


def _bound(tokens: Sequence[Token]) -> Iterator[Token]:
    """Convert "may only if" to "must not unless"; "may only within 14 days" is no duty and is unchanged."""
    modal: int | None = None
    found = list(tokens)
    dropped: set[int] = set()
    for place, token in enumerate(tokens):
        if token.sort is Sort.MODAL:
            modal = place
        behind = tokens[place + 1] if place + 1 < len(tokens) else None
        if token.sort is not Sort.ONLY or behind is None or modal is None:
            continue
        verb = found[modal]
        if verb.key != "may" or verb.sentence != token.sentence:
            continue
        if behind.sort is Sort.CONDITION:
            found[modal] = replace(verb, key="must_not", own="must_not")
            found[place + 1] = replace(behind, sort=Sort.EXCEPT, key="except", own="except")
            dropped.add(place)
    yield from (token for place, token in enumerate(found) if place not in dropped)


# The sequence of a text: content words, modal verbs, negations, quantifiers, conditions, limits, quantities
# and references, each with its key and the marker of its role ("by the ...", "dem ..."). Function words are
# not part of the sequence; those that give roles are the markers of the next word.

_WORD = re.compile(r"[^\W_]+(?:['’][^\W\d_]+)?")
_HAN = re.compile(r"[\u3400-\u9fff]")
_CHARACTER = re.compile(rf"{_HAN.pattern}|[^\W_\u3400-\u9fff]+")
# The label of an item or footnote is not one of its words; nor is a repeated number in brackets.
_LABEL = re.compile(
    r"(?:^|(?<=[\s:;,]))(?:\((?:\d{1,3}[a-z]?|[a-z]{1,2}|[ivx]{1,5}|[A-Z])\)|\[\d{1,3}\])(?=\s|$)"
    r"|^\s*(?:\d{1,3}[a-z]?|[a-z]|[ivx]{1,5})[.)](?=\s)|(?<=\n)\s*(?:\d{1,3}[a-z]?|[a-z]|[ivx]{1,5})[.)](?=\s)"
)
_BRACKET = re.compile(r"\([^()\n]{3,}\)")
_CLAUSE = re.compile(r"[^,;.:()\n]+")
_ENDED = re.compile(r"[.!?。！？؟;；؛](?=\s|$|[\"'”»)])|。|；|\n+")


def sequence(text: str, language: str, references: Iterable[Span] | None = None) -> tuple[Token, ...]:
    """Return the sequence of a text. ``references``: spans of its references, each of which becomes one
    word."""
    return _sequence(text, language.split("-")[0].lower(), tuple(references or ()))


@lru_cache(maxsize=8192)
def _sequence(text: str, language: str, references: tuple[Span, ...]) -> tuple[Token, ...]:
    words, text = lexicon(language), without_note_calls(text)
    labels = [Span(*match.span()) for match in _LABEL.finditer(text)]
    labels += [Span(*match.span()) for match in words.cues["citing"].finditer(text)]
    for name in ("agents", "genitives", "roles"):
        # "In respect of" is one preposition.
        labels += [Span(*match.span()) for match in words.cues[name].finditer(text) if " " in match[0]]
    if words.language == language:
        labels += [Span(*match.span()) for match in words.cues["idle"].finditer(text) if " " in match[0]]
    taken = Occupied((span.start, span.end) for span in (*references, *labels))
    found = [_reference(text, span) for span in references]
    if words.language == language:
        found += _phrases(text, words, taken)
        found += _special(text, language, words, taken, references)
    else:
        found += _numbers(text, language, taken, references)
    found += _content(text, language, words, taken)
    found.sort(key=lambda token: token.span.start)
    return canonical(_placed(text, words, found), text, words)


def _reference(text: str, span: Span) -> Token:
    words = text[span.start : span.end]
    key = "".join(letter for letter in words.casefold() if letter.isalnum())
    return Token(Sort.REFERENCE, key, key, words, span)


def _phrases(text: str, words: Lexicon, taken: Occupied) -> Iterator[Token]:
    """Yield phrases that are one adverb: "without undue delay"."""
    for meaning, pattern in words.phrases.items():
        for match in pattern.finditer(text):
            if not taken.overlaps(*match.span()):
                taken.add(*match.span())
                yield Token(Sort.CONTENT, meaning, meaning, match[0], Span(*match.span()), free=True)


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
    (Sort.CONDITION, "provided"),
    (Sort.EXCEPT, "except"),
    (Sort.CONDITION, "condition"),
    (Sort.ONLY, "only"),
    (Sort.ALL, "always"),
    (Sort.ALL, "all"),
    (Sort.ALL, "some"),
    (Sort.NOT, "not"),
)


_KEYS = {"provided": "condition"}


def _special(
    text: str, language: str, words: Lexicon, taken: Occupied, references: tuple[Span, ...]
) -> list[Token]:
    """Yield limits, quantities, modal verbs and binding cues; the longer of two overlapping ones."""
    limits = [
        _token(Sort.LIMIT, group_of(match), text, Span(*match.span()))
        for match in words.bound.finditer(text)
        if not taken.overlaps(*match.span())
    ]
    found = _numbers(text, language, taken, references)
    held = Occupied((token.span.start, token.span.end) for token in found)
    for token in limits:
        # "Binnen sechs Wochen": the limit is not part of the quantity.
        if not held.overlaps(token.span.start, token.span.end):
            taken.add(token.span.start, token.span.end)
            found.append(token)
    offered: list[tuple[int, Token]] = []
    for match in words.modal.finditer(text):
        token = _token(Sort.MODAL, group_of(match), text, Span(*match.span()))
        offered.append((-1 if match.lastgroup in words.parted else 0, token))
    for rank, (sort, name) in enumerate(_CUES, 1):
        for match in words.cues[name].finditer(text):
            key = _quantifier(match[0], language) if sort is Sort.ALL else _KEYS.get(name, name)
            offered.append((rank, _token(sort, key, text, Span(*match.span()))))
    for rank, token in sorted(offered, key=lambda one: (max(one[0], 0), one[1].span.start)):
        span = token.span
        ends = _ends(text, span, words) if rank < 0 else [span]
        if any(taken.overlaps(end.start, end.end) for end in ends):
            # "Darf ... nicht überschreiten": the negation belongs to the limit, the verb is kept.
            word = _WORD.match(text, span.start)
            alone = words.modal.fullmatch(text, *word.span()) if word and token.sort is Sort.MODAL else None
            if alone is None or taken.overlaps(*alone.span()):
                continue
            ends = [Span(*alone.span())]
            token = _token(Sort.MODAL, group_of(alone), text, ends[0])
        for end in ends:
            taken.add(end.start, end.end)
        found.append(replace(token, span=ends[0]))
    return found


def _ends(text: str, span: Span, words: Lexicon) -> list[Span]:
    """Return the first and the last word of a cue, and "berechtigt" in "ist berechtigt, ... zu"; words
    between them are read separately."""
    inside = list(_WORD.finditer(text, span.start, span.end))
    if len(inside) < 3:
        return [span]
    carriers = [word for word in inside[1:-1] if words.cues["carriers"].fullmatch(word[0])]
    return [Span(*word.span()) for word in (inside[0], *carriers, inside[-1])]


def _quantifier(phrase: str, language: str) -> str:
    """Return the key of a quantifier: "jeder" and "jedes" are equal, "any" and "all" are not."""
    return " ".join(analyzer(language).stem(word) for word in phrase.casefold().split())


def _token(sort: Sort, name: str, text: str, span: Span) -> Token:
    return Token(sort, name, name, text[span.start : span.end], span)


def _content(text: str, language: str, words: Lexicon, taken: Occupied) -> Iterator[Token]:
    known = words.language == language
    for match in _words_of(text, words, taken) if known and _HAN.search(text) else _WORD.finditer(text):
        span = Span(*match.span())
        if taken.overlaps(span.start, span.end) or words.cues["relative"].fullmatch(match[0]):
            continue
        if match[0].isdecimal():
            yield Token(Sort.NUMBER, f"digits {int(match[0])}", match[0], match[0], span)
            continue
        if known and any(words.cues[name].fullmatch(match[0]) for name in ("measure", "idle")):
            continue
        free = known and (
            words.cues["adverbs"].fullmatch(match[0]) is not None
            or (words.capital_nouns and match[0][0].islower())
        )
        for lexeme in lexemes(match[0], language):
            yield Token(Sort.CONTENT, lexeme.meaning, lexeme.own, match[0], span, free=free)


def _words_of(text: str, words: Lexicon, taken: Occupied) -> Iterator[re.Match[str]]:
    """Yield the words of a text in a script without spaces: single characters, and words of other scripts."""
    for name in ("idle", "roles", "agents", "and", "or"):
        for match in words.cues[name].finditer(text):
            taken.add(*match.span())
    for match in _CHARACTER.finditer(text):
        if not taken.overlaps(*match.span()):
            yield match


def _placed(text: str, words: Lexicon, tokens: list[Token]) -> Iterator[Token]:
    """Yield tokens with their markers, sentences and brackets."""
    stops = [match.start() for match in _ENDED.finditer(text)]
    brackets = [match.span() for match in _BRACKET.finditer(text)]
    asides = list(_asides(text, words))
    before, begun, sentence = 0, 0, 0
    for token in tokens:
        start = token.span.start
        while stops and stops[0] < start:
            stops.pop(0)
            sentence += 1
        gap = text[before:start] if before <= start else ""
        mark = "" if token.free and words.capital_nouns else _mark(gap, words)
        yield replace(
            token,
            mark=mark,
            passive=_is_passive(token, gap, words) or (mark == AGENT and _is_agent(text, start, words)),
            bracket=any(first < start < last for first, last in brackets),
            aside=any(span.start <= start < span.end for span in asides),
            article=next((match[0].casefold().strip() for match in words.cues["articles"].finditer(gap)), ""),
            sentence=sentence,
            opened="ensure" if words.cues["ensure"].search(text, begun, start) else _opened(gap, words),
            joined=before > 0 and not gap.strip(" \n\t-"),
            relative=_is_relative(gap, words),
        )
        before, begun = max(before, token.span.end), start


def _asides(text: str, words: Lexicon) -> Iterator[Span]:
    """Yield spans of non-restrictive text, from its cue to the next comma: "in particular where he lives"."""
    for match in words.cues["aside"].finditer(text):
        clause = _CLAUSE.match(text, match.start())
        if clause is not None:
            binding = [
                cue
                for name in ("condition", "provided", "except")
                if (cue := words.cues[name].search(text, match.end(), clause.end()))
            ]
            yield Span(match.start(), min((cue.start() for cue in binding), default=clause.end()))


def _is_agent(text: str, place: int, words: Lexicon) -> bool:
    """Return True if "vom Mieter" is the agent: the sentence is passive and its verb does not take an
    origin."""
    if not words.capital_nouns:
        return False
    clause = _CLAUSE.match(text, place)
    end = clause.end() if clause is not None else len(text)
    start = max((match.end() for match in _ENDED.finditer(text, 0, place)), default=0)
    done = words.cues["passive"].search(text, start, end)
    return done is not None and words.cues["from_whom"].search(text, start, end) is None


def _is_relative(gap: str, words: Lexicon) -> bool:
    """Return True if a relative clause begins; in languages with articles as relative pronouns, after a
    comma."""
    found = words.cues["relative"].search(gap)
    return found is not None and (not words.capital_nouns or "," in gap)


def _is_passive(token: Token, gap: str, words: Lexicon) -> bool:
    """Return True for a participle after a verb in the passive; not for "is due"."""
    if words.participle.fullmatch(token.word) is None:
        return False
    return words.cues["passive"].search(re.split(r"[,;:]", gap)[-1]) is not None


def _mark(gap: str, words: Lexicon) -> str:
    """Return the last marker in a gap: in "made by it against" the agent is "it"."""
    clause = re.split(r"[,;:.()]", gap)[-1]
    roles = list(words.cues["roles"].finditer(clause))
    for name, mark in (("agents", AGENT), ("genitives", GENITIVE)):
        found = next(words.cues[name].finditer(clause), None)
        if found is not None and not any(
            role.start() >= found.end() and words.cues["articles"].fullmatch(role[0]) is None
            for role in roles
        ):
            return mark
    folded = roles[-1][0].casefold().split() if roles else []
    return fold_arabic(folded[0]) if folded else ""


def _opened(gap: str, words: Lexicon) -> str:
    if words.cues["or"].search(gap):
        return "or"
    if words.cues["and"].search(gap):
        return "and"
    if "(" in gap:
        return "("
    return "," if re.search(r"[,،、;:–—\n]", gap) else ""
