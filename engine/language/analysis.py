"""Make the index terms of texts and queries: tokens, function words, dictionary forms."""

from __future__ import annotations

import os
import re
import runpy
import unicodedata
from bisect import bisect_right
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from functools import cache
from importlib.util import cache_from_source, find_spec
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import Stemmer
from xxhash import xxh3_128

from engine.language.characters import fold_arabic, visible, western_digits, without_note_calls
from engine.language.numerals import HAN_NUMBER, han_number
from engine.languages import all_words, words

if TYPE_CHECKING:
    from simplemma import Lemmatizer


# Function words by language, excluded from indexes
#
# Lists of bm25s (Snowball style) if available; otherwise the list in the language's folder, with closed-class
# words only (articles, prepositions, pronouns, conjunctions, auxiliaries), because general lists also contain
# legal words ("act", "part", "year").


def _shipped() -> dict[str, Any]:
    """Read the lists of bm25s by name from their file: importing the package compiles numba, 0.3 s."""
    package = find_spec("bm25s")
    assert package is not None
    assert package.submodule_search_locations is not None
    return runpy.run_path(str(Path(package.submodule_search_locations[0]) / "stopwords.py"))


def _listed() -> dict[str, frozenset[str]]:
    lists = _shipped()
    ranked = sorted(all_words().items(), key=lambda item: (item[1].priority, item[0]))
    return {
        language: frozenset(lists[f"STOPWORDS_{own.stop_list}"] if own.stop_list else own.stop_words)
        for language, own in ranked
        if own.stop_list or own.stop_words
    }


# In the order of preference for texts that may be in several languages.
STOPWORDS: dict[str, frozenset[str]] = _listed()


# Dictionary forms from the lists of simplemma
#
# Loading a list takes a second and a hundred megabytes per process. It is therefore converted once per
# installation to a sorted text file next to the compiled code, if that is writable, which is read in
# hundredths of a second.

FOLDER = Path(cache_from_source(__file__)).parent
# Number of words in a binary search's last step.
_AT_ONCE = 32
_LINE, _TAB = b"\n", b"\t"


def lemma(word: str, language: str) -> str:
    """Return the dictionary form of a word, or the word if unlisted. Raises ValueError for a language
    without a list."""
    return _lemmatizer(language).lemmatize(word, lang=language).casefold()


class WordList(Mapping[str, str]):
    """Dictionary forms by word, stored as lines ``word TAB form`` in byte order."""

    def __init__(self, lines: bytes) -> None:
        """``lines``: a line feed, then the lines with their line feeds."""
        self._lines = lines
        ends = np.flatnonzero(np.frombuffer(lines, np.uint8) == _LINE[0])
        self._count = len(ends) - 1
        self._starts = ends[:-1:_AT_ONCE].tolist()
        self._firsts = [lines[start + 1 : lines.index(_TAB, start)] for start in self._starts]
        self._starts.append(len(lines) - 1)

    def get(self, word: str, default: str | None = None) -> str | None:  # type: ignore[override]
        """Return the dictionary form of a word."""
        own = word.encode("utf-8", "replace")
        place = bisect_right(self._firsts, own) - 1
        if place < 0:
            return default
        line = _LINE + own + _TAB
        # The final line feed of a line also starts the next one.
        start = self._lines.find(line, self._starts[place], self._starts[place + 1] + len(line))
        if start < 0:
            return default
        start += len(line)
        return self._lines[start : self._lines.index(_LINE, start)].decode()

    def __getitem__(self, word: str) -> str:
        found = self.get(word)
        if found is None:
            raise KeyError(word)
        return found

    def __len__(self) -> int:
        return self._count

    def __iter__(self) -> Iterator[str]:
        for line in self._lines.split(_LINE)[1:-1]:
            yield line.partition(_TAB)[0].decode()


def lines_of(forms: Mapping[str, str]) -> bytes:
    """Make the lines of a word list. Raises ValueError for a word that does not fit into a line."""
    lines = sorted((word.encode(), form.encode()) for word, form in forms.items())
    text = b"".join((_LINE, *(word + _TAB + form + _LINE for word, form in lines)))
    if text.count(_LINE) != len(lines) + 1 or text.count(_TAB) != len(lines):
        raise ValueError("a word holds a line feed or a tabulator")
    return text


@cache
def _lemmatizer(language: str) -> Lemmatizer:
    # Imported only for languages that need it.
    from simplemma import Lemmatizer
    from simplemma.strategies import DefaultStrategy

    known: dict[str, Mapping[str, str]] = {}

    class Kept:
        """Provides the list of each language, loaded on first access."""

        def get_dictionary(self, lang: str) -> Mapping[str, str]:
            """Return the list of a language."""
            found = known.get(lang)
            if found is None:
                found = known[lang] = word_list(lang)
            return found

    return Lemmatizer(lemmatization_strategy=DefaultStrategy(dictionary_factory=Kept()))


def word_list(language: str) -> Mapping[str, str]:
    """Return the list of a language, stored if possible. Raises ValueError if there is none."""
    import simplemma
    from simplemma.strategies import DefaultDictionaryFactory

    path = FOLDER / f"{language}-{simplemma.__version__}.words"
    with suppress(OSError):
        held = path.read_bytes()
        if held[:16] == xxh3_128(held[16:]).digest():
            return WordList(held[16:])
    forms: Mapping[str, str] = DefaultDictionaryFactory().get_dictionary(language)
    lines = lines_of(forms)
    waiting = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        FOLDER.mkdir(parents=True, exist_ok=True)
        waiting.write_bytes(xxh3_128(lines).digest() + lines)
        waiting.replace(path)
    except OSError:
        with suppress(OSError):
            waiting.unlink(missing_ok=True)
    return WordList(lines)


# Index terms: a single analysis for index and queries
#
# A term is a case-folded, stemmed word. Legal numbers are indexed complete in addition to their parts: "Rule
# 4.3.2" gives ``4.3.2`` and 4, 3, 2; "§ 433" gives ``§433`` and 433, so that an exact citation in a question
# matches that citation in a text; "第十二条" and "第12条" both give ``第12条``, "article L. 110-1" and
# "L110-1" both ``l110-1``. Chinese, Japanese, Korean and Thai are split into character bigrams. Stemmers:
# Snowball (https://snowballstem.org) through PyStemmer; in some languages words are lemmatised first, by the
# lists of simplemma.

STEMMERS = {language: own.stemmer for language, own in all_words().items() if own.stemmer}
# A longer word is a hash, a table row or a line without spaces: its beginning is indexed.
LONGEST_WORD = 64

_WORD = re.compile(r"[^\W_]+")
_LETTERS_WITHOUT_SPACES = "\u0e00-\u0e7f\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af"
_UNSPACED = re.compile(f"[{_LETTERS_WITHOUT_SPACES}]+|[^{_LETTERS_WITHOUT_SPACES}]+")
_IS_UNSPACED = re.compile(f"[{_LETTERS_WITHOUT_SPACES}]")
_ARABIC_WRITTEN = frozenset({"ar", "fa", "ur"})
# "and/by/as/so the ..." is attached to its noun; the stemmer keeps the first letter.
_ARABIC_PREFIX = re.compile("[وبكف](?=ال\\w{3})|لل(?=\\w{3})")
_DIGIT = re.compile(r"\d")
# Complete numbers, in the order of the alternatives: section signs before a number; standards (ISO 14001);
# units before a number (Article 6(1)); dotted or bracketed numbers.
_WHOLE = re.compile(
    r"(?P<sign>§{1,2})\s*(?P<signed>\d+[a-z]?)\b"
    r"|\b(?P<body>iso|iec|din|gri|ifrs|ias|nist|sasb|esrs|ieee)[ -]?(?P<standard>\d+[\w.-]*)"
    r"|\b(?P<unit>art(?:icle|ikel|icolo|ículo)?|rule|section|sec|clause|pasal|المادة|مادة|المواد)\.?\s*\(?"
    r"(?P<number>[a-z]?\d+[a-z]?(?:\.\d+[a-z]?)*)"
    r"|\b(?P<dotted>[a-z]?\d+[a-z]?(?:[.,]\d+[a-z]?)+)"
    r"|\b(?P<plain>\d+[a-z]?)(?=\()"
)
# Possible text before the first digit of such a number, and its maximum length.
_LEAD = re.compile(
    r"(?:§{1,2}\s*|\b(?:iso|iec|din|gri|ifrs|ias|nist|sasb|esrs|ieee)[ -]?"
    r"|\b(?:art(?:icle|ikel|icolo|ículo)?|rule|section|sec|clause|pasal|المادة|مادة|المواد)\.?\s*\(?[a-z]?"
    r"|\b[a-z])\Z"
)
# Ends of such text, without blanks, brackets and dots: a cheap test before the pattern.
_LEAD_ENDS = (
    *("iso", "iec", "din", "gri", "ifrs", "ias", "nist", "sasb", "esrs", "ieee"),
    *("art", "article", "artikel", "articolo", "artículo", "rule", "section", "sec", "clause", "pasal"),
    *("مادة", "المادة", "المواد"),
)
# ``open``: the number may continue after its first digits, or has brackets.
_DIGITS = re.compile(r"\d+(?=(?P<open>[a-z]?(?:[.,]\d|\())?)")
LONGEST_LEAD = 40
_BRACKETS = re.compile(r"(?:\s?\([0-9a-z]{1,4}\))+")
_UNITS = {
    "article": "art",
    "artikel": "art",
    "articolo": "art",
    "artículo": "art",
    "sec": "section",
    "المادة": "مادة",
    "المواد": "مادة",
}


class Analyzer:
    """Converts texts of one language to index terms. Get instances from ``analyzer``: they have a cache."""

    def __init__(self, language: str) -> None:
        self.language = language
        algorithm = STEMMERS.get(language)
        self._stem = Stemmer.Stemmer(algorithm, 0).stemWord if algorithm else None
        self._lemmas = words(language).lemmas
        self._stopwords = frozenset(_folded(word, language) for word in STOPWORDS.get(language, frozenset()))
        self._terms = _TermCache(self)
        self._printed = _PRINTED.get(words(language).article_numbers)

    def prepare(self) -> None:
        """Load the data needed for the first word."""
        self._stemmed("a")

    def terms(self, text: str) -> list[str]:
        """Return the index terms of a text; complete legal numbers follow the words."""
        folded = _folded(text, self.language)
        found = list(chain.from_iterable(map(self._terms.__getitem__, _WORD.findall(folded))))
        found.extend(self._complete_numbers(folded))
        return found

    def query_words(self, text: str) -> list[str]:
        """Split a text into words as separate queries, without duplicates; in scripts without spaces, into
        bigrams."""
        return list(dict.fromkeys(piece for word in _WORD.findall(text) for piece in _word_or_bigrams(word)))

    def is_wordwise(self, text: str) -> bool:
        """Return True if ``terms`` of a text equals ``terms_of_word`` of its words and its ``numbers``.

        It does not if folding moves word boundaries: marks between letters, "TM" in one sign.
        """
        if text.isascii():
            return True
        # The only mark that casefolding makes a letter.
        is_stable = unicodedata.is_normalized("NFKC", text) and "\u0345" not in text
        return is_stable and self.language not in _ARABIC_WRITTEN

    def terms_of_word(self, word: str) -> tuple[str, ...]:
        """Return the index terms of a word as written."""
        words = _WORD.findall(_folded(word, self.language))
        return tuple(chain.from_iterable(map(self._terms.__getitem__, words)))

    def numbers(self, text: str) -> list[str]:
        """Return the terms of a text that are not terms of its words: complete legal numbers."""
        if not self._printed and not _DIGIT.search(text):
            return []
        return self._complete_numbers(_folded(text, self.language))

    def _complete_numbers(self, folded: str) -> list[str]:
        found = find_numbers(folded) if _DIGIT.search(folded) else []
        if self._printed:
            found.extend(self._printed(folded))
        return found

    def batch(self, texts: Sequence[str]) -> list[list[str]]:
        """Return ``terms`` of each text."""
        return [self.terms(text) for text in texts]

    def word_terms(self, word: str) -> tuple[str, ...]:
        """Return the terms of a folded word: none for a stop word, bigrams in scripts without spaces."""
        if word in self._stopwords:
            return ()
        if _IS_UNSPACED.search(word):
            return tuple(chain.from_iterable(self._piece(piece) for piece in _UNSPACED.findall(word)))
        return (self._stemmed(word),)

    def stem(self, word: str) -> str:
        """Return the stem of a word, also of a function word; used to compare names."""
        return self._stemmed(_folded(word, self.language))

    def _piece(self, piece: str) -> tuple[str, ...]:
        if not _IS_UNSPACED.match(piece):
            return (self._stemmed(piece),)
        return _pairs(piece)

    def _stemmed(self, word: str) -> str:
        word = word[:LONGEST_WORD]
        if self.language in _ARABIC_WRITTEN:
            word = _ARABIC_PREFIX.sub("", word, count=1) if _ARABIC_PREFIX.match(word) else word
        if self._stem is None or not word.isalpha():
            return _plain(word)
        if self._lemmas:
            word = lemma(word, self.language)
        return _plain(self._stem(word)) or word


def _pairs(piece: str) -> tuple[str, ...]:
    """Return the bigrams of a piece; a single character is returned unchanged."""
    return tuple(piece[start : start + 2] for start in range(len(piece) - 1)) or (piece,)


def _word_or_bigrams(word: str) -> tuple[str, ...]:
    """Return a word, or the bigrams of its parts in scripts without spaces."""
    if word.isascii() or not _IS_UNSPACED.search(word):
        return (word,)
    pieces = _UNSPACED.findall(word)
    return tuple(chain.from_iterable(_pairs(one) if _IS_UNSPACED.match(one) else (one,) for one in pieces))


class _TermCache(dict[str, tuple[str, ...]]):
    """Terms by word, computed on first access: a corpus has far fewer words than tokens."""

    # Limits the memory for numbers and misprints of a very large corpus.
    LIMIT = 2_000_000

    def __init__(self, owner: Analyzer) -> None:
        super().__init__()
        self._owner = owner

    def __missing__(self, word: str) -> tuple[str, ...]:
        terms = self._owner.word_terms(word)
        if len(self) < self.LIMIT:
            self[word] = terms
        return terms


@cache
def analyzer(language: str) -> Analyzer:
    """Return the analyzer of a language (ISO 639-1, region ignored); unknown codes have no stemming."""
    base = language.split("-")[0].lower()
    return Analyzer(base) if base == language else analyzer(base)


def find_numbers(folded: str) -> list[str]:
    """Return citations and complete numbers of a folded text: ``4.3.2(1)``, ``§433``, ``iso14001``."""
    found: list[str] = []
    for match in _number_matches(folded):
        kind = match.lastgroup
        if kind == "signed":
            found.append("§" + match["signed"])
        elif kind == "standard":
            found.append(match["body"] + match["standard"].rstrip(".-"))
        elif kind == "number":
            unit, number = match["unit"], match["number"]
            found.append(_UNITS.get(unit, unit) + number)
            if "." in number:
                found.append(number)
            found.extend(_with_brackets(folded, match.end(), number))
        else:
            number = match["dotted"] or match["plain"]
            if kind == "dotted":
                found.append(number)
            found.extend(_with_brackets(folded, match.end(), number))
    return found


def _number_matches(folded: str) -> Iterator[re.Match[str]]:
    """Yield the matches of ``_WHOLE`` in order; only digits are examined, because most text has none."""
    end = 0
    for digits in _DIGITS.finditer(folded):
        first = digits.start()
        if first < end:
            continue
        start, match = max(end, first - LONGEST_LEAD), None
        lead = folded[start:first]
        bare = lead.rstrip()
        if bare.endswith("§"):
            match = _WHOLE.match(folded, start + len(bare) - (2 if bare.endswith("§§") else 1))
        elif "a" <= lead[-1:] <= "z" or bare.rstrip("(-").rstrip().rstrip(".").endswith(_LEAD_ENDS):
            match = _match_with_lead(folded, start, first)
        if match is None and digits["open"]:
            match = _WHOLE.match(folded, first)
        if match:
            end = match.end()
            yield match


def _match_with_lead(folded: str, start: int, first: int) -> re.Match[str] | None:
    """Return a match of ``_WHOLE`` that begins between ``start`` and the digit at ``first``."""
    while lead := _LEAD.search(folded, start, first):
        if match := _WHOLE.match(folded, lead.start()):
            return match
        start = lead.start() + 1
    return None


def _chinese_articles(folded: str) -> Iterator[str]:
    """Yield numbers of articles in Chinese numerals or digits, in one form: ``第12条``."""
    for match in _CHINESE_ARTICLE.finditer(folded):
        value = int(match[1]) if match[1].isdigit() else han_number(match[1])
        if value is not None:
            yield f"第{value}条"


def _french_articles(folded: str) -> Iterator[str]:
    """Yield numbers of articles in a series of a French code, in one form: ``l110-1``."""
    for match in _FRENCH_ARTICLE.finditer(folded):
        yield match["series"].replace(".", "").replace(" ", "") + match["number"]


_CHINESE_ARTICLE = re.compile(rf"第({HAN_NUMBER}|\d{{1,4}})条")
_FRENCH_ARTICLE = re.compile(r"\b(?P<series>l\.?\s?o|[lrda])\.?\s?\*?\s?(?P<number>\d{2,4}(?:-\d{1,4})+)\b")
_PRINTED = {"han": _chinese_articles, "french": _french_articles}


def _with_brackets(folded: str, position: int, number: str) -> tuple[str, ...]:
    brackets = _BRACKETS.match(folded, position)
    return (number + brackets[0].replace(" ", ""),) if brackets else ()


def _folded(text: str, language: str) -> str:
    if text.isascii():
        return text.lower()
    folded = visible(unicodedata.normalize("NFKC", without_note_calls(text))).casefold()
    return fold_arabic(western_digits(folded)) if language in _ARABIC_WRITTEN else folded


def _plain(word: str) -> str:
    """Remove accents from Latin letters of a stem, so that "café" and "cafe" are equal."""
    if word.isascii() or not any("\u00c0" <= letter <= "\u024f" for letter in word):
        return word
    split = unicodedata.normalize("NFD", word)
    return unicodedata.normalize(
        "NFC", "".join(letter for letter in split if not unicodedata.combining(letter))
    )
