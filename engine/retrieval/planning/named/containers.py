"""Helpers for named provisions: further words of a question, printed forms, containers such as a part."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence, Set
from dataclasses import dataclass
from datetime import date
from functools import cache
from itertools import islice

import numpy as np

from engine import languages
from engine.corpus.external_text import ExternalTextResolver
from engine.corpus.protocol import Corpus, Mask
from engine.ingestion.structure.headings import parse_heading
from engine.language.addresses import CONTAINERS, WORDS, Address, number_key
from engine.language.aliases import NAME_WORD, name_key
from engine.language.analysis import STOPWORDS, analyzer
from engine.language.references import Mention, Target
from engine.languages import all_words, base_of, words
from engine.model import Passage, Relation, SectionKind, Span
from engine.retrieval.planning.words import words_of


@dataclass(frozen=True, slots=True)
class Question:
    """A question, with the data to resolve its references.

    ``text`` is the normalised question, with the same length as ``written``.
    """

    corpus: Corpus
    reader: ExternalTextResolver
    written: str
    text: str
    language: str
    day: date
    mask: Mask | None


@dataclass(frozen=True, slots=True)
class Name:
    """The documents of a number, by document number; empty if the question does not name one.

    ``span`` of the name if it is outside the mention; ``note`` on how an unclear name was read.
    """

    documents: tuple[int, ...] = ()
    span: Span | None = None
    note: str = ""


def numbers_of(question: Question, document_id: str) -> tuple[int, ...]:
    """Return the numbers of the documents with an id, which versions of one act may share."""
    return tuple(n for n, document in enumerate(question.reader.documents) if document.id == document_id)


# Further words of a question

# With at most this many further words a question asks only for the provision.
FEW_WORDS = 2
# The same in letters, for scripts without blanks.
FEW_LETTERS = 8


def asks_only_for(text: str, language: str, words: Iterable[str]) -> bool:
    """Return whether a question asks only for the provisions named in these ``words``."""
    return count_further_words(text, language, words) == 0


def count_further_words(text: str, language: str, words: Iterable[str]) -> int:
    """Count the words of a question outside the names of provisions in these ``words``.

    0 if they are so few that they only ask for it.
    """
    for named in words:
        text = text.replace(named, " ")
    if languages.words(language).without_blanks:
        # A word has about two letters.
        letters = sum(letter.isalpha() for letter in text)
        return 0 if letters <= FEW_LETTERS else letters // 2
    terms = len(set(analyzer(language).terms(text)))
    return 0 if terms <= FEW_WORDS else terms


# Printed forms: numbers of a question in a language without a grammar, in the forms of headings ("§ 2", "2
# §", "art. 4"), which are known in many more languages

PRINTED = "printed"
_KINDS = (SectionKind.ARTICLE, SectionKind.SECTION, SectionKind.CHAPTER, SectionKind.ANNEX)
# Figures of a question that are looked up, and provisions of each.
MOST_FIGURES, MOST_LABELS = 12, 60
_FIGURE = re.compile(r"(?<!\d)\d{1,4}(?!\d)")
_NUMBER = r"\d{1,5}(?:\s?[a-z](?![\w]))?(?:[.:-]\d{1,4}){0,3}"
_SIGN_LAST = rf"{_NUMBER}\.?\s?(?:§|straipsn|pant|člen|cikk|modda|бап)\w{{0,4}}"
# "제5조", "第五条": words around a number.
_HAN = "一二三四五六七八九十"
_AROUND = (
    r"제\s?\d{1,4}\s?조(?:의\s?\d{1,3})?"
    rf"|第[〇零百千{_HAN}\d]{{1,8}}条(?:の[{_HAN}\d]{{1,3}})?"
)


def printed_mentions(text: str) -> Iterator[Mention]:
    """Yield the provisions that a text names in the form of a heading."""
    for match in _pattern().finditer(text):
        heading = parse_heading(match[0])
        if heading.number is None or heading.kind not in _KINDS:
            continue
        span = Span(*match.span())
        target = Target(Address(heading.kind, heading.number), span)
        yield Mention(span, match[0], PRINTED, Relation.CITES, (target,))


def labels_in(corpus: Corpus, text: str) -> Iterator[Mention]:
    """Yield the provisions that a text names by a document's label: "धारा 2"."""
    folded = text.casefold()
    if len(folded) != len(text):
        return
    for figure in islice(_FIGURE.finditer(text), MOST_FIGURES):
        rows = corpus.numbered(figure[0])[:MOST_LABELS]
        for passage in corpus.passages(rows):
            label = passage.label.casefold()
            worded = label != figure[0] and label.endswith(figure[0])
            start = folded.rfind(label, 0, figure.end()) if worded else -1
            if start >= 0 and start + len(label) == figure.end():
                span = Span(start, figure.end())
                target = Target(Address(passage.kind, passage.number), span)
                yield Mention(span, text[start : span.end], PRINTED, Relation.CITES, (target,))
                break


@cache
def _pattern() -> re.Pattern[str]:
    listed = {
        word
        for own in all_words().values()
        for kinds in (own.levels, own.heading_levels)
        for kind, words in kinds.items()
        if kind in _KINDS
        for word in words
    }
    words = sorted(
        {re.escape(word) for word in (*listed, *_heading_words()) if word[:1].isalpha()},
        key=len,
        reverse=True,
    )
    word_first = rf"(?:§{{1,2}}\s?|(?<!\w)(?:{'|'.join(words)})\w{{0,4}}\.?\s){_NUMBER}"
    return re.compile(rf"(?<!\w)(?:{_SIGN_LAST}|{word_first})(?!\w)|{_AROUND}", re.IGNORECASE)


def _heading_words() -> Iterator[str]:
    return (word for word, kind in WORDS.items() if kind in _KINDS)


# Containers: "rule 2.1 of the Run-off Part"
#
# The name of a container is a heading above the provision, or in the metadata of its document. A number that
# is in many parts is looked up in the named one; the words of the name belong to the citation.

# Documents that are searched for a number, words of a container's name, letters around a citation.
MOST_DOCUMENTS, LONGEST, AROUND = 100, 10, 120
# Function words between a number and the name.
MOST_LINKS = 4
_STOP = re.compile(r"[.;:!?。；！？؟؛](?=\s|\Z)|\n")


@dataclass(frozen=True, slots=True)
class InContainer:
    """The rows of a provision in the named container, and the spans of its number and of the name."""

    rows: tuple[int, ...]
    number: Span
    name: Span


def find_in_container(
    corpus: Corpus, text: str, mention: Mention, address: Address, language: str, *, bare: bool = False
) -> InContainer | None:
    """Find an address in the container that is named in its mention or next to it; None without one.

    ``bare``: a name without a word for a container is enough ("Run-off 2.1").
    """
    if address.number is None:
        return None
    name, end = mention.name_at, mention.span.end
    end = name if mention.document is not None and name and name > mention.span.start else end
    span = Span(mention.span.start, end)
    # In "第三章第八条" the container is in the reference itself.
    within = bool(address.within)
    behind, before = _span_after(text, span.end), _span_before(text, span.start)
    before = Span(before.start, span.end) if within else before
    levels = _levels(language)
    around = name_key(f"{text[before.start : before.end]} {text[behind.start : behind.end]}", language)
    near = [word for word in dict.fromkeys(around) if word.endswith(tuple(levels))]
    if not within and not near and not bare:
        return None
    best: InContainer | None = None
    for rows, passage in _numbered(corpus, address.number, frozenset(around), language):
        for key in _keys(corpus, rows[0], passage, language, near):
            for length in range(len(key), 0 if len(key) == 1 and (bare or key[0] in near) else 1, -1):
                if not within and length < len(key) and not levels & set(key[:length]):
                    continue
                found = _find_name(text, span, (behind, before), key[:length], language)
                if found is None:
                    continue
                if best is None or _length(found) > _length(best.name):
                    best = InContainer(tuple(rows), span, found)
                elif found == best.name:
                    best = InContainer(tuple(dict.fromkeys((*best.rows, *rows))), span, found)
                break
    return best


def _levels(language: str) -> frozenset[str]:
    """Return the stems of words for a container."""
    own = words(language)
    listed = (
        word for kind in CONTAINERS for word in (*own.levels.get(kind, ()), *own.heading_levels.get(kind, ()))
    )
    codes = words_of(language).types.get("code", ())
    return frozenset(stem for word in (*listed, *codes) for stem in name_key(word, language))


def _numbered(
    corpus: Corpus, number: str, around: Set[str], language: str
) -> Iterator[tuple[list[int], Passage]]:
    """Yield the provisions with a number, with rows and first passage.

    If many documents have the number, those whose titles share the most words with the text ``around`` it.
    """
    key = number_key(number)
    documents = np.unique(corpus.document_numbers(corpus.numbered(number))).tolist()
    if len(documents) > MOST_DOCUMENTS:
        titles = {number: name_key(corpus.documents()[number].title, language) for number in documents}
        documents.sort(key=lambda number: -len(around & set(titles[number])))
    for document in documents[:MOST_DOCUMENTS]:
        rows, sections = (corpus.printed_numbers(document) or {}).get(key, ((), ()))
        (own,) = corpus.by_document([corpus.documents()[document].id])
        extents: list[list[int]] = [
            own[section.first : section.stop].tolist() for section in corpus.sections(list(sections))
        ]
        inside = {row for extent in extents for row in extent}
        extents += [[row] for row in rows if row not in inside]
        for extent in extents:
            if extent:
                (passage,) = corpus.passages(np.array(extent[:1], np.int32))
                if passage.number is None or number_key(passage.number) == key:
                    yield extent, passage


def _keys(
    corpus: Corpus, row: int, passage: Passage, language: str, near: Sequence[str]
) -> Iterator[tuple[str, ...]]:
    """Yield the stems of the names of containers around a passage.

    Also with a word for a container that is ``near`` the citation: "Run-off" as "the Run-off Part".
    """
    document = corpus.documents()[int(corpus.document_numbers(np.array([row], np.int32))[0])]
    for name in (*passage.headings, document.title, *document.metadata.values()):
        key = name_key(name, language)[:LONGEST] if isinstance(name, str) else ()
        if key:
            yield key
            yield from (named for word in near if word not in key for named in ((*key, word), (word, *key)))


def _find_name(
    text: str, span: Span, around: tuple[Span, Span], key: tuple[str, ...], language: str
) -> Span | None:
    """Find the words with the stems ``key`` right before a citation, or after it and a few function words."""
    after, before = around
    for match in list(NAME_WORD.finditer(text, after.start, after.end))[: MOST_LINKS + 1]:
        end = _match_end(text, match.start(), after.end, key, language)
        if end is not None:
            return Span(match.start(), end)
        if not _is_function(match[0], language):
            break
    for match in list(NAME_WORD.finditer(text, before.start, before.end))[-LONGEST:]:
        end = _match_end(text, match.start(), before.end, key, language)
        if end is not None and not text[end : span.start].strip(" ,،、(（"):
            return Span(match.start(), end)
    return None


def _match_end(text: str, start: int, stop: int, key: tuple[str, ...], language: str) -> int | None:
    """Return the end of words from ``start`` with the stems ``key``; None if they differ."""
    found = 0
    for match in NAME_WORD.finditer(text, start, stop):
        stems = name_key(match[0], language)
        if stems and stems[0] != key[found]:
            return None
        found += len(stems)
        if found == len(key):
            return match.end()
    return None


def _span_after(text: str, position: int) -> Span:
    """Return the rest of the sentence after a position, at most AROUND letters."""
    stop = _STOP.search(text, position, position + AROUND)
    return Span(position, stop.start() if stop else min(len(text), position + AROUND))


def _span_before(text: str, position: int) -> Span:
    start = max(0, position - AROUND)
    return Span(
        max((match.end() for match in _STOP.finditer(text, start, position)), default=start), position
    )


def _is_function(word: str, language: str) -> bool:
    return word.islower() and word in STOPWORDS.get(base_of(language), ())


def _length(span: Span) -> int:
    return span.end - span.start
