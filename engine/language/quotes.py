"""Locate quotations in a text to the character, and find the words of a passage that a question asks for."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from enum import StrEnum
from functools import lru_cache
from typing import NamedTuple

from engine.language.analysis import Analyzer, analyzer
from engine.llm.prompt import INVISIBLE
from engine.model import Span

# Verbatim quotes: a quote is located by its characters, and rejected if it is not in the text word for word
#
# Quote and text are split into words, white space and single signs, and the quote's sequence is searched in
# the text's (Knuth, Morris and Pratt 1977: linear time). Signs that differ only typographically are equal:
#
# - Any run of white space (including no-break spaces and line breaks) is one blank; between two Han or kana
#   letters it is ignored.
# - Invisible characters are ignored: soft hyphens, zero-width spaces and joiners, the word joiner, direction
#   marks, control characters.
# - Latin and Armenian ligatures, Hebrew and Arabic presentation forms equal their letters (NFKC of these
#   blocks only: "²" is not "2", "½" is not "1/2", a full-width "１" is not "1", "…" is not "...").
# - Typographic quotation marks equal straight ones, single and double separately; hyphen, dashes and minus
#   are equal.
# - Canonically equivalent characters are equal (NFC).
#
# Case, vowel signs, digits, punctuation and word order must match. A quote begins and ends at the boundary of
# a word or number: neither "compliant" in "non-compliant" nor "1" in "1.5" is a quote. An ellipsis matches
# only an ellipsis.

# Quotes with fewer words occur by chance, unless they are a complete sentence or line.
FEWEST_WORDS = 3
# In scripts without spaces, two letters count as one word.
LETTERS_A_WORD = 2

# Prompts omit these characters (see ``engine.llm.prompt``), so quotes of a model lack them.
_INVISIBLE = re.compile(f"(?:{INVISIBLE.pattern}|[\u200c\u200d])+")
_LIGATURE = re.compile("[\u0132\u0133\ufb00-\ufb06\ufb13-\ufb17\ufb1d-\ufb4f\ufb50-\ufdff\ufe70-\ufefc]")
_HAN_AND_KANA = "\u3005\u3041-\u3096\u30a1-\u30fa\u30fc\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff"
_UNSPACED = _HAN_AND_KANA + "\u0e01-\u0e2e\u0e30\u0e32\u0e33\u0e40-\u0e46\u0e80-\u0eb0\u0ec0-\u0ec6"
_MARKS = "".join(chr(code) for code in range(0x300, 0x10000) if unicodedata.category(chr(code))[0] == "M")
_HAN = re.compile(f"[{_HAN_AND_KANA}]")
_HYPHENS, _DASHES, _APOSTROPHES = "-‐‑", "‒–—―−", "'’ʼ"
# A number with the signs between its digits is one word: "4.3.2", "10,000", "3'500", "١٫٥".
_TOKEN = re.compile(
    r"(?P<blank>\s+)"
    rf"|(?P<number>[A-Za-z]*\d+(?:[.,\u066b\u066c{_APOSTROPHES}]\d+[A-Za-z]*)+)"
    rf"|(?P<letter>[{_UNSPACED}][{_MARKS}]*)"
    rf"|(?P<word>(?:(?![{_UNSPACED}])[\w{_MARKS}])+)"
    rf"|(?P<hyphen>[{_HYPHENS}])|(?P<dash>[{_DASHES}])|(?P<apostrophe>[{_APOSTROPHES}])|(?P<sign>.)",
    re.DOTALL,
)
_FOLDED = (
    dict.fromkeys("‘’‚‛ʼ‹›", "'") | dict.fromkeys("“”„‟«»", '"') | dict.fromkeys(_HYPHENS + _DASHES, "-")
)
_WORDS = frozenset(("word", "number"))
# "l'article", "dell'articolo": the article is a separate word; "n'est" begins with a negation.
_ELIDED = frozenset(("l", "d", "qu", "un", "all", "dall", "dell", "nell", "sull"))
_SENTENCE_ENDS = frozenset(".!?;:。！？；：؟؛।")


class Refusal(StrEnum):
    """Why a quote is rejected, as a message for a user or a model."""

    EMPTY = "the quote is empty"
    SHORT = "the quote is so short that it may match by chance"
    ABSENT = "the words are not in the passage exactly as quoted"
    BROKEN = "the quote begins or ends inside a word"


class _Token(NamedTuple):
    """``folded`` is compared; ``[start, end)`` are the characters in the text."""

    folded: str
    kind: str
    start: int
    end: int


def locate(quote: str, text: str, *, fewest_words: int = FEWEST_WORDS) -> Span | None:
    """Return the first verbatim position of a quote in a text, or None; ``find_quote`` gives the reason."""
    found = find_quote(quote, text, fewest_words=fewest_words)
    return found if isinstance(found, Span) else None


def find_quote(quote: str, text: str, *, fewest_words: int = FEWEST_WORDS) -> Span | Refusal:
    """Return the first position of a quote in a text, as characters of the text, or the reason for rejecting
    it.

    A quote of fewer than ``fewest_words`` words must be a complete sentence or line of the text. Surrounding
    blanks are ignored. Time is linear in both lengths.
    """
    quoted = _strip_blanks(_tokens(quote))
    if all(token.kind not in ("word", "number", "letter") for token in quoted):
        return Refusal.EMPTY
    tokens = _tokens(text)
    short = _words(quoted) < fewest_words
    refusal = Refusal.ABSENT
    for first in _occurrences([token.folded for token in quoted], [token.folded for token in tokens]):
        last = first + len(quoted) - 1
        if _inside_word(tokens, first) or _inside_word(tokens, last + 1):
            refusal = Refusal.BROKEN
        elif short and not _is_whole(tokens, first, last, text):
            refusal = Refusal.SHORT
        else:
            return Span(tokens[first].start, tokens[last].end)
    return refusal


@lru_cache(maxsize=128)
def _tokens(text: str) -> tuple[_Token, ...]:
    """Tokenise a text without invisible characters."""
    places: Sequence[int] = range(len(text))
    visible_text = text
    if _INVISIBLE.search(text):
        places = [place for place, sign in enumerate(text) if not _INVISIBLE.match(sign)]
        visible_text = "".join(text[place] for place in places)
    found = [
        _Token(
            _folded(match[0]), match.lastgroup or "sign", places[match.start()], places[match.end() - 1] + 1
        )
        for match in _TOKEN.finditer(visible_text)
    ]
    if not _HAN.search(visible_text):
        return tuple(found)
    return tuple(token for place, token in enumerate(found) if not _is_line_break(found, place))


def _folded(token: str) -> str:
    """Normalise a token for comparison."""
    if token.isspace():
        return " "
    if token.isascii():
        return token
    if len(token) == 1 and token in _FOLDED:
        return _FOLDED[token]
    # The isolated form of a vowel sign consists of a blank and the sign.
    letters = _LIGATURE.sub(lambda match: unicodedata.normalize("NFKC", match[0]).strip(), token)
    return unicodedata.normalize("NFC", letters).replace("’", "'")


def _is_line_break(tokens: Sequence[_Token], place: int) -> bool:
    """Return True for a blank between two Han or kana letters."""
    if tokens[place].kind != "blank" or not 0 < place < len(tokens) - 1:
        return False
    return bool(_HAN.match(tokens[place - 1].folded) and _HAN.match(tokens[place + 1].folded))


def _strip_blanks(tokens: Sequence[_Token]) -> Sequence[_Token]:
    """Remove blanks at both ends."""
    first = next((place for place, token in enumerate(tokens) if token.kind != "blank"), len(tokens))
    last = len(tokens)
    while last > first and tokens[last - 1].kind == "blank":
        last -= 1
    return tokens[first:last]


def _words(tokens: Sequence[_Token]) -> int:
    letters = sum(token.kind == "letter" for token in tokens)
    return sum(token.kind in _WORDS for token in tokens) + letters // LETTERS_A_WORD


def _occurrences(pattern: Sequence[str], tokens: Sequence[str]) -> list[int]:
    """Return the positions of a sequence in another, including overlaps (Knuth, Morris and Pratt 1977)."""
    borders, length = [0], 0
    for token in pattern[1:]:
        while length and token != pattern[length]:
            length = borders[length - 1]
        length += token == pattern[length]
        borders.append(length)
    found, length = [], 0
    for index, token in enumerate(tokens):
        while length and token != pattern[length]:
            length = borders[length - 1]
        length += token == pattern[length]
        if length == len(pattern):
            found.append(index - length + 1)
            length = borders[length - 1]
    return found


def _inside_word(tokens: Sequence[_Token], place: int) -> bool:
    """Return True if a cut before a token would divide a word or a number."""
    if not 0 < place < len(tokens):
        return False
    before, after = tokens[place - 1], tokens[place]
    if before.kind in _WORDS and after.kind in _WORDS:
        return True
    if before.kind in _WORDS:
        return place + 1 < len(tokens) and _is_joint(before, after, tokens[place + 1])
    if after.kind in _WORDS:
        elided = before.kind == "apostrophe" and place > 1 and tokens[place - 2].folded.lower() in _ELIDED
        return place > 1 and not elided and _is_joint(tokens[place - 2], before, after)
    return False


def _is_joint(before: _Token, sign: _Token, after: _Token) -> bool:
    """Return True if a sign joins its neighbours into one word or number."""
    if before.kind not in _WORDS or after.kind not in _WORDS:
        return False
    if sign.kind == "dash":
        # "5–10", but not "the agent—the principal".
        return before.folded[-1].isdigit() and after.folded[0].isdigit()
    return sign.kind in ("hyphen", "apostrophe")


def _is_whole(tokens: Sequence[_Token], first: int, last: int, text: str) -> bool:
    """Return True if tokens are a complete sentence or line, bounded by sentence ends, line breaks or the
    text's ends."""
    return _ends_before(tokens, first, text) and (
        tokens[last].folded in _SENTENCE_ENDS or _ends_before(tokens, last + 1, text)
    )


def _ends_before(tokens: Sequence[_Token], place: int, text: str) -> bool:
    """Return True if a sentence or line ends before a token."""
    before = place - 1
    broken = False
    for blank in (before, place):
        if 0 <= blank < len(tokens) and tokens[blank].kind == "blank":
            broken = broken or "\n" in text[tokens[blank].start : tokens[blank].end]
    while before >= 0 and tokens[before].kind == "blank":
        before -= 1
    return broken or before < 0 or place >= len(tokens) or tokens[before].folded in _SENTENCE_ENDS


# Words of a passage that occur in the question

# A word with combining marks (Latin accents, Arabic vowels, tatweel), which are not word characters.
_WORD = re.compile("[^\\W_][\\w\u0300-\u036f\u0640\u064b-\u065f\u0670]*")
_ASKED_WORDS_UNSPACED = re.compile("[\u0e00-\u0e7f\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af]")


@lru_cache(maxsize=256)
def question_terms(question: str, language: str) -> frozenset[str]:
    """Return the index terms of a question, from the analyzer of the passage's language."""
    return frozenset(analyzer(language).terms(question))


def matched_spans(text: str, language: str, terms: frozenset[str]) -> list[Span]:
    """Return words of ``text`` that share a term with the question, in order, without overlaps.

    In scripts without spaces, matching pairs of characters instead of whole runs.
    """
    if not terms:
        return []
    words = analyzer(language)
    spans: list[Span] = []
    for match in _WORD.finditer(text):
        if _ASKED_WORDS_UNSPACED.search(match[0]):
            spans += _pairs(match[0], match.start(), terms)
        elif _matches(words, match[0], terms):
            spans.append(Span(match.start(), match.end()))
    return spans


def _matches(words: Analyzer, word: str, terms: frozenset[str]) -> bool:
    return not terms.isdisjoint(words.terms(word))


def _pairs(run: str, offset: int, terms: frozenset[str]) -> list[Span]:
    spans: list[Span] = []
    for index in range(len(run) - 1):
        if run[index : index + 2] not in terms:
            continue
        start, end = offset + index, offset + index + 2
        if spans and spans[-1].end >= start:
            spans[-1] = Span(spans[-1].start, end)
        else:
            spans.append(Span(start, end))
    return spans
