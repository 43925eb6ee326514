"""What a question names: the words besides it, containers such as a part or a rulebook, printed forms."""

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

# A question whose provisions are looked for, and the documents that a number of it is of.


@dataclass(frozen=True, slots=True)
class Question:
    """A question and what is needed to resolve its references. ``text`` is what is read, letter for letter
    as long as what is ``written``."""

    corpus: Corpus
    reader: ExternalTextResolver
    written: str
    text: str
    language: str
    day: date
    mask: Mask | None


@dataclass(frozen=True, slots=True)
class Name:
    """The documents that a number is of, by their numbers, none where the question does not tell; where
    their name stands, if not in the mention itself, and how it was read where that was not plain."""

    documents: tuple[int, ...] = ()
    span: Span | None = None
    note: str = ""


def numbers_of(asked: Question, document_id: str) -> tuple[int, ...]:
    """The numbers of the documents that have an id: the versions of one act may share it."""
    return tuple(n for n, document in enumerate(asked.reader.documents) if document.id == document_id)


# What a question asks besides what it names.

# A number alone is all that a question asks for where it has no more other words than this.
FEW_WORDS = 2
# The same in letters, for languages that write no blanks.
FEW_LETTERS = 8


def asks_for_nothing_else(text: str, language: str, words: Iterable[str]) -> bool:
    """Whether a question asks for what it names in these ``words`` and for nothing besides."""
    return asked_besides(text, language, words) == 0


def asked_besides(text: str, language: str, words: Iterable[str]) -> int:
    """How much a question asks besides what it names in these ``words``: the number of its other words, 0
    where they are so few that they only ask for it."""
    for one in words:
        text = text.replace(one, " ")
    if languages.words(language).without_blanks:
        # Two letters are a word, about.
        letters = sum(letter.isalpha() for letter in text)
        return 0 if letters <= FEW_LETTERS else letters // 2
    terms = len(set(analyzer(language).terms(text)))
    return 0 if terms <= FEW_WORDS else terms


# Numbers of a question in a language without a grammar, read as headings print them: "§ 2", "2
# §", "art. 4".
#
# Headings are known in many more languages than texts are: what would be one on a line of its own
# names a provision in a question.

PRINTED = "printed"
_KINDS = (SectionKind.ARTICLE, SectionKind.SECTION, SectionKind.CHAPTER, SectionKind.ANNEX)
# So many figures of a question are looked up, and so many provisions of each.
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
    """The provisions that a text names by a number as a heading has it."""
    for match in _pattern().finditer(text):
        heading = parse_heading(match[0])
        if heading.number is None or heading.kind not in _KINDS:
            continue
        span = Span(*match.span())
        target = Target(Address(heading.kind, heading.number), span)
        yield Mention(span, match[0], PRINTED, Relation.CITES, (target,))


def labels_in(corpus: Corpus, text: str) -> Iterator[Mention]:
    """The provisions that a text names by a label that a document has: "धारा 2"."""
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
        {re.escape(word) for word in (*listed, *_known()) if word[:1].isalpha()}, key=len, reverse=True
    )
    word_first = rf"(?:§{{1,2}}\s?|(?<!\w)(?:{'|'.join(words)})\w{{0,4}}\.?\s){_NUMBER}"
    return re.compile(rf"(?<!\w)(?:{_SIGN_LAST}|{word_first})(?!\w)|{_AROUND}", re.IGNORECASE)


def _known() -> Iterator[str]:
    return (word for word, kind in WORDS.items() if kind in _KINDS)


# The container that a citation names beside its number: "rule 2.1 of the Run-off Part".
#
# Its name is a heading above the provision, or what the metadata of its document hold. A number
# that many parts have is found in the one that is named; the words of the name belong to the
# citation.

# Documents that are looked into for a number, words of a container's name, letters around a citation.
MOST_DOCUMENTS, LONGEST, AROUND = 100, 10, 120
# Function words that may stand between a number and the name.
MOST_LINKS = 4
_STOP = re.compile(r"[.;:!?。；！？؟؛](?=\s|\Z)|\n")


@dataclass(frozen=True, slots=True)
class Placed:
    """The rows of a provision in the container that is named, and where its number and the name stand in the
    text."""

    rows: tuple[int, ...]
    number: Span
    name: Span


def placed(
    corpus: Corpus, text: str, mention: Mention, address: Address, language: str, *, bare: bool = False
) -> Placed | None:
    """The provisions of an address in the container that is named beside its mention or in it; None if none
    is. ``bare``: a name alone is enough, without a word for a container ("Run-off 2.1")."""
    if address.number is None:
        return None
    name, end = mention.name_at, mention.span.end
    end = name if mention.document is not None and name and name > mention.span.start else end
    span = Span(mention.span.start, end)
    # In "第三章第八条" the container stands in the reference itself.
    within = bool(address.within)
    behind, before = _behind(text, span.end), _before(text, span.start)
    before = Span(before.start, span.end) if within else before
    levels = _levels(language)
    around = name_key(f"{text[before.start : before.end]} {text[behind.start : behind.end]}", language)
    near = [word for word in dict.fromkeys(around) if word.endswith(tuple(levels))]
    if not within and not near and not bare:
        return None
    best: Placed | None = None
    for rows, passage in _numbered(corpus, address.number, frozenset(around), language):
        for key in _keys(corpus, rows[0], passage, language, near):
            for length in range(len(key), 0 if len(key) == 1 and (bare or key[0] in near) else 1, -1):
                if not within and length < len(key) and not levels & set(key[:length]):
                    continue
                found = _found(text, span, (behind, before), key[:length], language)
                if found is None:
                    continue
                if best is None or _length(found) > _length(best.name):
                    best = Placed(tuple(rows), span, found)
                elif found == best.name:
                    best = Placed(tuple(dict.fromkeys((*best.rows, *rows))), span, found)
                break
    return best


def _levels(language: str) -> frozenset[str]:
    """The stems of the words for a container."""
    own = words(language)
    listed = (
        word for kind in CONTAINERS for word in (*own.levels.get(kind, ()), *own.heading_levels.get(kind, ()))
    )
    codes = words_of(language).types.get("code", ())
    return frozenset(stem for word in (*listed, *codes) for stem in name_key(word, language))


def _numbered(
    corpus: Corpus, number: str, around: Set[str], language: str
) -> Iterator[tuple[list[int], Passage]]:
    """The provisions of a number, each with its rows and its first passage; of many documents those whose
    titles share most words with what is ``around`` it."""
    key = number_key(number)
    documents = np.unique(corpus.document_numbers(corpus.numbered(number))).tolist()
    if len(documents) > MOST_DOCUMENTS:
        titles = {one: name_key(corpus.documents()[one].title, language) for one in documents}
        documents.sort(key=lambda one: -len(around & set(titles[one])))
    for document in documents[:MOST_DOCUMENTS]:
        rows, sections = (corpus.printed_numbers(document) or {}).get(key, ((), ()))
        (own,) = corpus.by_document([corpus.documents()[document].id])
        extents: list[list[int]] = [
            own[one.first : one.stop].tolist() for one in corpus.sections(list(sections))
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
    """The stems of the names of the containers around a passage, also with a word for a container that a text
    has ``near`` a citation: "Run-off" is called "the Run-off Part"."""
    document = corpus.documents()[int(corpus.document_numbers(np.array([row], np.int32))[0])]
    for name in (*passage.headings, document.title, *document.metadata.values()):
        key = name_key(name, language)[:LONGEST] if isinstance(name, str) else ()
        if key:
            yield key
            yield from (named for word in near if word not in key for named in ((*key, word), (word, *key)))


def _found(
    text: str, span: Span, around: tuple[Span, Span], key: tuple[str, ...], language: str
) -> Span | None:
    """Where words that are equal to others by their stems stand beside a citation: behind it with a few
    function words between, or right in front of it."""
    behind, before = around
    for match in list(NAME_WORD.finditer(text, behind.start, behind.end))[: MOST_LINKS + 1]:
        end = _matched(text, match.start(), behind.end, key, language)
        if end is not None:
            return Span(match.start(), end)
        if not _is_function(match[0], language):
            break
    for match in list(NAME_WORD.finditer(text, before.start, before.end))[-LONGEST:]:
        end = _matched(text, match.start(), before.end, key, language)
        if end is not None and not text[end : span.start].strip(" ,،、(（"):
            return Span(match.start(), end)
    return None


def _matched(text: str, start: int, stop: int, key: tuple[str, ...], language: str) -> int | None:
    """Where words that begin at a place and are equal to others by their stems end."""
    found = 0
    for match in NAME_WORD.finditer(text, start, stop):
        stems = name_key(match[0], language)
        if stems and stems[0] != key[found]:
            return None
        found += len(stems)
        if found == len(key):
            return match.end()
    return None


def _behind(text: str, place: int) -> Span:
    """The rest of the sentence behind a citation, as far as it is looked at."""
    stop = _STOP.search(text, place, place + AROUND)
    return Span(place, stop.start() if stop else min(len(text), place + AROUND))


def _before(text: str, place: int) -> Span:
    start = max(0, place - AROUND)
    return Span(max((match.end() for match in _STOP.finditer(text, start, place)), default=start), place)


def _is_function(word: str, language: str) -> bool:
    return word.islower() and word in STOPWORDS.get(base_of(language), ())


def _length(span: Span) -> int:
    return span.end - span.start
