"""Dates, documents, standards and relations that a question names in its prose."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from itertools import chain
from weakref import WeakKeyDictionary

from engine.corpus.protocol import Corpus
from engine.language.aliases import NAME_WORD, name_key
from engine.language.analysis import analyzer
from engine.language.characters import western_digits
from engine.language.dates import DATE, MONTH_OF_YEAR, dates_in, parse_period
from engine.language.designations import Occupied
from engine.language.numerals import roman_number
from engine.language.references.instruments import FORM, Standards
from engine.language.references.readings import statement_reader
from engine.model import Document, QueryPlan, Span, Suggestion
from engine.retrieval.planning.words import DateWords, words_of

# Questions for what changed ("What changed since 2022?"), and for how two provisions are related.

_YEAR = re.compile(r"(?<![\w.,/-])(?:1[89]|20|21)\d\d(?![\w/-]|[.,]\d)")
_ENDS = " \t?!.؟？。"


@dataclass(frozen=True, slots=True)
class ChangesAsked:
    """Two days whose law a question compares, and the words for what it is about; "" for everything."""

    first: date
    last: date
    topic: str


def asks_for_relation(text: str, language: str) -> bool:
    """Return whether a question asks how two things relate to each other."""
    return any(pattern.search(text) for pattern in words_of(language).relates)


def changes_asked(text: str, language: str, today: date) -> ChangesAsked | None:
    """Return the days and the topic of a question for what changed; None for another question.

    A question with one day asks for the time since then. A year begins on its first day, and as the second
    one ends on its last.
    """
    question = western_digits(" ".join(text.split())).strip(_ENDS)
    words = words_of(language)
    match = next((found for one in words.changes if (found := one.fullmatch(question))), None)
    if match is None:
        return None
    rest = " ".join(filter(None, match.groups()))
    days: list[tuple[int, date, date]] = []
    for written in reversed(list(dates_in(rest, language))):
        days.append((written.span.start, written.day, written.day))
        blank = " " * (written.span.end - written.span.start)
        rest = f"{rest[: written.span.start]}{blank}{rest[written.span.end :]}"
    for year in _YEAR.finditer(rest):
        number = int(year[0])
        days.append((year.start(), date(number, 1, 1), date(number, 12, 31)))
    days.sort()
    if not days:
        return None
    first = days[0][1]
    last = min(days[-1][2], today) if len(days) > 1 else today
    if first >= last:
        return None
    around = (*words.dates.since, *words.dates.until, *words.dates.between, *words.dates.through)
    plain = _YEAR.sub(" ", rest)
    for one in sorted((*around, *words.dates.since_behind), key=len, reverse=True):
        plain = re.sub(rf"(?<!\w)(?:{one})(?!\w)", " ", plain, flags=re.IGNORECASE)
    topic = " ".join(plain.split()).strip(_ENDS + ",;:")
    return ChangesAsked(first, last, topic if analyzer(language).query_words(topic) else "")


# Dates, document types, documents and standards that a question names in its prose.

# Standards, by designation: the edition that the question names, or else the latest

_FORM = re.compile(FORM)
_BY_CORPUS: WeakKeyDictionary[Corpus, Standards] = WeakKeyDictionary()


def standards_of(corpus: Corpus) -> Standards:
    """Return the editions of standards that a corpus has; read once for an open corpus."""
    known = _BY_CORPUS.get(corpus)
    if known is None:
        known = _BY_CORPUS[corpus] = Standards(corpus.documents())
    return known


def standards_at(corpus: Corpus, text: str) -> list[tuple[tuple[str, ...], Span]]:
    """Return the document ids and spans of the designations in a text that the corpus has."""
    known, documents = standards_of(corpus), corpus.documents()
    found = []
    for match in _FORM.finditer(text):
        numbers = known.find(match[0])
        if numbers is not None:
            found.append((tuple(documents[number].id for number in numbers), Span(*match.span())))
    return found


# Dates, types of documents, and documents
#
# "since 2015" may mean documents of 2015 and later, or only that something is true since then. So it becomes
# a suggestion that a user can apply. Only the day of a question about the past is applied automatically
# (``day_asked``). Documents and their types are looked up in the corpus.

# Maximum words of a name; maximum letters in a script without blanks.
LONGEST_NAME, LONGEST_UNSPACED = 16, 48
HAN_FIRST, HAN_LAST = "\u3400", "\u9fff"
MOST_DOCUMENTS = 8
# A name this near to a number, in characters, and this long is accepted in any case.
ADJACENT, SHORTEST_ADJACENT = 12, 3
_WHEN = rf"(?:{DATE}|{MONTH_OF_YEAR}|(?:1[5-9]|20|21)\d\d(?!\d|[-/.]\d))"
_MONTH = re.compile(MONTH_OF_YEAR, re.IGNORECASE)
_LETTERS = re.compile(r"[^\W\d_]")
Key = tuple[str, ...]


def dates_in_prose(text: str, language: str, names: Sequence[Span] = ()) -> tuple[Suggestion, ...]:
    """Suggest filters for the dates and years of a question: since, until, between, as of.

    A day without such words, and a year in which something happened, may be the date of the law. ``names``
    are the spans of provisions and acts, whose dates are part of their names.
    """
    words, plain = words_of(language).dates, western_digits(text)
    found: dict[str, Suggestion] = {}

    def suggest(kind: str, when: str, matched: str) -> None:
        value = _value(kind, when, language)
        if value:
            found.setdefault(kind, Suggestion(kind, value, " ".join(matched.split())))

    ranges = [rf"(?<![\w-])({_WHEN})(?:\s*[–—]\s*|\s-\s)({_WHEN})"]
    if words.between and words.through:
        both = rf"({_WHEN})\s*(?:{_any(words.through)})\s*({_WHEN})"
        ranges.append(rf"(?<!\w)(?:{_any(words.between)})\s*{both}")
    for spans in ranges:
        for match in re.finditer(spans, plain, re.IGNORECASE):
            suggest("year_from", match[1], match[0])
            suggest("year_to", match[2], match[0])
            suggest("as_of", match[2], match[0])
    if found:
        return tuple(found.values())
    for kind, before, behind in (
        ("as_of", words.as_of, ()),
        ("year_from", words.since, words.since_behind),
        ("year_to", words.until, words.until_behind),
    ):
        patterns = [rf"(?<!\w)(?:{_any(before)})\s*({_WHEN})"] if before else []
        patterns += [rf"({_WHEN})\s*(?:{_any(behind)})"] if behind else []
        for pattern in patterns:
            for match in re.finditer(pattern, plain, re.IGNORECASE):
                suggest(kind, match[1], match[0])
    if "as_of" not in found and "year_from" not in found:
        day = _day_meant(plain, language, names)
        if day is not None:
            found["as_of"] = day
    return tuple(found.values())


def _day_meant(text: str, language: str, names: Sequence[Span]) -> Suggestion | None:
    """Return the day whose law a question may ask for.

    This is the day before a day that it names ("before 1 January 2024"), the last day of a year or month ("in
    2015", "June 2023"), or a day that it names.
    """
    words = words_of(language).dates
    taken = Occupied((name.start, name.end) for name in names)
    # "Musste man 2018 zahlen?": a year without a preposition, which may also be part of a name.
    bare = [word for word in words.bare if word or _is_past(text, words)]
    for before, behind, is_before, is_sure in (
        (words.before, words.before_behind, True, True),
        (words.within, words.within_behind, False, bool(words.within)),
        (bare, (), False, False),
        ((), (), False, False),
    ):
        patterns = [rf"(?<!\w)(?:{_any(before)})\s*({_WHEN})"] if before else []
        patterns += [rf"({_WHEN})\s*(?:{_any(behind)})"] if behind else []
        if not patterns and before is not bare:
            patterns = [rf"(?<![\w/-])({DATE}|{MONTH_OF_YEAR})"]
        for pattern in patterns:
            for match in re.finditer(pattern, text, re.IGNORECASE):
                period = parse_period(match[1], language)
                # Laws are named by a year or a day, never by a month.
                is_free = is_sure or _MONTH.fullmatch(match[1]) or not taken.overlaps(*match.span(1))
                if period is not None and is_free:
                    day = period[0] - timedelta(days=1) if is_before else period[1]
                    return Suggestion("as_of", day.isoformat(), " ".join(match[0].split()))
    return None


def day_asked(text: str, language: str, suggestions: Sequence[Suggestion], today: date) -> Suggestion | None:
    """Return the suggestion of a day other than ``today`` whose law a text is about, if there is one.

    A date that only describes the facts ("a lease that was signed in 2019") does not count, unless the text
    is a question in the past tense.
    """
    words, text = words_of(language).dates, " ".join(western_digits(text).split())
    for found in suggestions:
        if found.kind == "as_of":
            day = date.fromisoformat(found.value)
            front, _, behind = text.partition(found.words)
            of_facts = any(re.search(rf"(?:{one})\s*\Z", front, re.IGNORECASE) for one in words.facts) or any(
                re.match(one, behind, re.IGNORECASE) for one in words.facts_behind
            )
            is_other = day < today or day.year > today.year
            return found if is_other and (_is_past(text, words) or not of_facts) else None
    return None


def asks_for_past(plan: QueryPlan) -> bool:
    """Return whether a question is in the past tense or has a word like "formerly"."""
    return _is_past(plan.question, words_of(plan.language).dates)


def _is_past(text: str, words: DateWords) -> bool:
    return any(re.search(one, text, re.IGNORECASE) for one in words.past)


def _any(words: Sequence[str]) -> str:
    return "|".join(sorted(words, key=len, reverse=True))


def _value(kind: str, when: str, language: str) -> str | None:
    """Return a year for the limits on years, or a day for the date of validity."""
    period = parse_period(when, language)
    if period is None:
        return None
    return period[1].isoformat() if kind == "as_of" else str(period[0].year)


def types_in_prose(corpus: Corpus, text: str, language: str) -> tuple[str, ...]:
    """Return the types of the corpus's documents that a question names ("in which regulations")."""
    types = dict.fromkeys(document.type for document in corpus.documents() if document.type)
    if not types:
        return ()
    stem = analyzer(language).stem
    stems = {stem(word) for word in NAME_WORD.findall(text.casefold())}
    synonyms = words_of(language).types
    named = {
        kind
        for kind, words in synonyms.items()
        if any(_has_word(stem(word), word, stems, text) for word in words)
    }
    return tuple(
        kind
        for kind in types
        if kind.casefold() in named
        or _has_word(stem(kind), kind, stems, text)
        or any(kind.casefold() in (word.casefold() for word in synonyms[name]) for name in named)
    )


def _has_word(stemmed: str, word: str, stems: set[str], text: str) -> bool:
    """Return whether a question has a word by its stem, or several words verbatim."""
    return stemmed in stems or (" " in word and word.casefold() in text.casefold())


def documents_in_prose(corpus: Corpus, text: str, language: str) -> tuple[str, ...]:
    """Return the ids of the documents that a question names by title, id or short name.

    A name of one word must have the document's spelling ("FEES" is not "fees"). A name within a longer one is
    ignored, and so is a name of several documents.
    """
    found = dict.fromkeys(document for document, _ in documents_at(corpus, text, language))
    return tuple(found)[:MOST_DOCUMENTS]


def documents_focused_on(corpus: Corpus, text: str, language: str) -> tuple[str, ...]:
    """Return the ids of documents whose text a question asks for: "what does the Code say on notice?"."""
    named = documents_at(corpus, text, language)
    ids = (document_id for document_id, span in named if asks_for_text_of(text, language, span))
    return tuple(dict.fromkeys(ids))


def asks_for_text_of(text: str, language: str, span: Span) -> bool:
    """Return whether a question asks for text of the document named at a span: "what does X say on fees?"."""
    words, front, behind = words_of(language), text[: span.start], text[span.end :]
    before = any(pattern.search(front) for pattern in words.asks_of_before)
    return before or any(pattern.match(behind) for pattern in words.asks_of_behind)


def documents_at(
    corpus: Corpus, text: str, language: str, near: Span | None = None
) -> list[tuple[str, Span]]:
    """Return ids and spans of the documents that a text names, as in ``documents_in_prose``.

    Next to the span ``near`` a name of one word may be in lower case.
    """
    names = _names(corpus, language)
    text = western_digits(text)
    words = list(NAME_WORD.finditer(text))
    keys = [name_key(word[0], language) for word in words]
    # A standard is identified by its designation alone, whatever the names of its editions.
    standards = standards_at(corpus, text)
    found = [(ids[0], span) for ids, span in standards if len(ids) == 1]
    taken = Occupied((span.start, span.end) for _, span in standards)
    at = 0
    while at < len(words):
        if taken.overlaps(words[at].start(), words[at].end()):
            at += 1
            continue
        for size in range(min(names.longest.get(keys[at], 0), len(words) - at), 0, -1):
            span = Span(words[at].start(), words[at + size - 1].end())
            run = text[span.start : span.end]
            is_adjacent = near is not None and (
                0 <= span.start - near.end <= ADJACENT or 0 <= near.start - span.end <= ADJACENT
            )
            key = tuple(chain.from_iterable(keys[at : at + size]))
            if size > 1 and names.is_shared(key):
                # "SGB 3" of two documents is no "SGB".
                at += size - 1
                break
            document = names.document(key, run, is_adjacent)
            stated = statement_reader(language).read(text, span.start, span.end)
            if document is not None and not stated.fits(names.documents[document]):
                # "Ports Act 1980" is no "Ports Act 2010".
                at += size - 1
                break
            if document is not None:
                found.append((document, span))
                at += size - 1
                break
        at += 1
    return found


@dataclass(frozen=True, slots=True)
class _Names:
    """Names of documents.

    ``ids``: by the stems of a name, its spellings with the document's id; ``documents`` by id; ``longest``:
    the most words of a name that begins with a stem, with articles.
    """

    ids: dict[Key, dict[str, str]]
    documents: dict[str, Document]
    longest: dict[Key, int]

    def is_shared(self, key: Key) -> bool:
        """Return whether several documents have a name."""
        return len(set(self.ids.get(key, {}).values())) > 1

    def document(self, key: Key, run: str, in_any_case: bool) -> str | None:
        """Return the id of the document with a name, if only one has it.

        ``run`` is its spelling in a text.
        """
        ids = self.ids.get(key)
        if not ids or len(set(ids.values())) > 1:
            return None
        is_certain = len(key) > 1 or run in ids or (in_any_case and len(run) >= SHORTEST_ADJACENT)
        return next(iter(ids.values())) if is_certain else None


_NAMES: WeakKeyDictionary[Corpus, dict[str, _Names]] = WeakKeyDictionary()


def _names(corpus: Corpus, language: str) -> _Names:
    """Return the names of a corpus's documents, stemmed in a language; read once for an open corpus."""
    by_language = _NAMES.setdefault(corpus, {})
    if language not in by_language:
        names = _Names({}, {document.id: document for document in corpus.documents()}, {})
        for document in corpus.documents():
            for name in _spellings((document.title, document.id, *document.aliases)):
                key = name_key(name, language)
                if key and len(key) <= (
                    LONGEST_UNSPACED if HAN_FIRST <= key[0] <= HAN_LAST else LONGEST_NAME
                ):
                    names.ids.setdefault(key, {})[name] = document.id
                    # A question may have an article or two that the key leaves out.
                    names.longest[key[:1]] = max(names.longest.get(key[:1], 0), len(key) + 2)
        by_language[language] = names
    return by_language[language]


def _spellings(names: Sequence[str]) -> Iterator[str]:
    """Yield names of at least two letters; with an Arabic number for a final Roman one ("SGB 5")."""
    for name in names:
        if len(_LETTERS.findall(name)) >= 2:
            yield name
            front, _, last = name.rpartition(" ")
            value = roman_number(last) if last.isupper() else None
            if value is not None and _LETTERS.search(front):
                yield f"{front} {value}"
