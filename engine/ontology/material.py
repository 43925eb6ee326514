"""Collect material for an ontology: headings, terms and names of a corpus, and names for groups of units.

A unit is the part of a document under one heading, without deeper headings. A section and its translations
are one unit, in several languages. Terms are stems with their language as prefix, so that languages never
mix.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cache
from math import log
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from engine.corpus.protocol import Corpus, Rows
from engine.language.addresses import number_key
from engine.language.analysis import analyzer
from engine.language.characters import visible
from engine.languages import law
from engine.model import Document, Entity, EntityKind, Section

# Maximum passages read (of a larger corpus the same share of each unit) and units.
MOST_READ = 30_000
MOST_UNITS = 3_000
# A longer heading is a sentence.
LONGEST_HEADING = 12
_NUMBERED = re.compile(r"\A[\W\d_]*(?:\d[\w.]*|[IVXLC]+\.)?[\s.:)\-–—]*")
_LETTER = re.compile(r"[^\W\d_]")


@dataclass(slots=True)
class Unit:
    """A headed part of a corpus. ``titles`` by language: its own heading, then those around it from the
    inside out. ``rows`` are its own passages."""

    titles: dict[str, tuple[str, ...]]
    rows: list[int] = field(default_factory=list)
    documents: set[int] = field(default_factory=set)


@dataclass(frozen=True, slots=True)
class Read:
    """A passage that was read: its row, language, distinct stems and unit."""

    row: int
    language: str
    stems: frozenset[str]
    unit: int


@dataclass(frozen=True, slots=True)
class Material:
    """The material of a proposal. ``forms`` are words as the corpus writes them most often, by stem with
    language; ``everywhere`` are headings that many documents have."""

    units: tuple[Unit, ...]
    passages: tuple[Read, ...]
    forms: dict[str, str]
    everywhere: frozenset[str]
    languages: tuple[str, ...]
    total: int


def gather(corpus: Corpus) -> Material:
    """Read headings and texts up to the limits; deterministic."""
    documents = corpus.documents()
    units, unit_of = _units(corpus, documents)
    everywhere = _everywhere(units, len(documents))
    chosen = _chosen(len(corpus), unit_of)
    passages, forms = _read(corpus, chosen, unit_of)
    count = Counter(passage.language for passage in passages)
    languages = tuple(language for language, _ in count.most_common())
    return Material(tuple(units), tuple(passages), forms, everywhere, languages, len(corpus))


def is_informative(heading: str, language: str) -> bool:
    """True if a heading states a subject, not only a position in the document."""
    if any(sign.isdigit() for sign in heading):
        return False
    return not set(analyzer(language).terms(heading)) <= _frame(language)


@cache
def _frame(language: str) -> frozenset[str]:
    words = law(language).frame
    return frozenset(term for word in words for term in analyzer(language).terms(word))


def clean_heading(text: str) -> str:
    """Return a heading without its number and not in capitals; empty if it is not informative."""
    shown = visible(text).replace("_", " ").strip()
    if shown.startswith("["):
        return ""
    shown = _NUMBERED.sub("", shown, count=1).strip(" .:;-–—")
    if not _LETTER.search(shown) or len(shown.split()) > LONGEST_HEADING:
        return ""
    if shown.isupper() and len(shown) > 5:
        return shown[:1] + shown[1:].lower()
    return shown


def _units(corpus: Corpus, documents: Sequence[Document]) -> tuple[list[Unit], NDArray[np.int32]]:
    """Return the units, and for each row the number of its unit."""
    sections = [
        corpus.sections(corpus.document_sections(number).tolist()) for number in range(len(documents))
    ]
    all_rows = corpus.by_document([document.id for document in documents])
    names = {document.id: document for document in documents}
    depth = _depth(sections)
    unit_of = np.zeros(len(corpus), np.int32)
    keys: dict[tuple[str, str], int] = {}
    units: list[Unit] = []
    for document, own, rows in zip(documents, sections, all_rows, strict=True):
        if not len(rows):
            continue
        first = int(rows[0])
        original = str(document.metadata.get("translation_of", document.id))
        original = original if original in names else document.id
        for key, titles, start, stop in _headed(document, own, len(rows), depth):
            number = keys.setdefault((original, key), len(units))
            if number == len(units):
                units.append(Unit({}))
            if titles:
                units[number].titles.setdefault(document.language, titles)
            unit_of[first + start : first + stop] = number
    for row, (number, document_number) in enumerate(
        zip(unit_of.tolist(), corpus.document_numbers(np.arange(len(corpus), dtype=np.int32)), strict=True)
    ):
        units[number].rows.append(row)
        units[number].documents.add(int(document_number))
    return _without_empty(units, unit_of)


def _headed(
    document: Document, sections: Sequence[Section], length: int, depth: int
) -> Iterator[tuple[str, tuple[str, ...], int, int]]:
    """Yield the headed parts of a document, outer ones first: key, headings from the inside out, first,
    stop."""
    title = clean_heading(document.title)
    yield "", (title,) if title else (), 0, length
    above: dict[str, tuple[str, ...]] = {}
    for section in sections:
        outer = above.get(section.parent_id or "", ())
        heading = clean_heading(section.title)
        if not heading or len(outer) >= depth:
            above[section.id] = outer
            continue
        above[section.id] = titles = (heading, *outer)
        yield _key(section), titles, section.first, section.stop


def _key(section: Section) -> str:
    """Return a key that a section shares with its translations: its number and version."""
    version = section.id.partition("@")[2]
    if section.number is None:
        return f"{section.first}@{section.id}"
    # A part and an article may share a number; names of their kinds differ between languages.
    level = "part" if section.parent_id is None else "provision"
    return f"{level}/{number_key(section.number)}@{version}"


def _depth(sections: Sequence[Sequence[Section]]) -> int:
    """Return the number of levels of headings within the maximum of units."""
    levels: Counter[int] = Counter()
    for own in sections:
        above: dict[str, int] = {}
        for section in own:
            outer = above.get(section.parent_id or "", 0)
            above[section.id] = outer + bool(clean_heading(section.title))
            if above[section.id] > outer:
                levels[above[section.id]] += 1
    total, depth = len(sections), 1
    for level in sorted(levels):
        total += levels[level]
        if level > 1 and total > MOST_UNITS:
            break
        depth = level
    return depth


def _without_empty(units: list[Unit], unit_of: NDArray[np.int32]) -> tuple[list[Unit], NDArray[np.int32]]:
    used = [number for number, unit in enumerate(units) if unit.rows]
    renumbered = np.zeros(len(units), np.int32)
    renumbered[used] = np.arange(len(used), dtype=np.int32)
    return [units[number] for number in used], renumbered[unit_of]


def _everywhere(units: Sequence[Unit], documents: int) -> frozenset[str]:
    """Return headings that many documents have: they state a position, not a subject."""
    seen: defaultdict[str, set[int]] = defaultdict(set)
    for unit in units:
        for titles in unit.titles.values():
            seen[titles[0].casefold()] |= unit.documents
    return frozenset(title for title, where in seen.items() if len(where) >= max(4, 0.2 * documents))


def _chosen(total: int, unit_of: NDArray[np.int32]) -> Rows:
    rows = np.arange(total, dtype=np.int32)
    if total <= MOST_READ:
        return rows
    order = np.lexsort((rows, unit_of))
    return np.sort(rows[order][:: -(-total // MOST_READ)])


def _read(corpus: Corpus, rows: Rows, unit_of: NDArray[np.int32]) -> tuple[list[Read], dict[str, str]]:
    written: defaultdict[str, Counter[str]] = defaultdict(Counter)
    found = []
    for row, passage in zip(rows.tolist(), corpus.passages(rows), strict=True):
        reading = analyzer(passage.language)
        stems = set()
        for word in set(re.findall(r"[^\W\d_]{3,}", visible(passage.text))):
            for stem in reading.terms_of_word(word):
                key = f"{passage.language}:{stem}"
                stems.add(key)
                written[key][word.lower() if passage.language != "de" else word] += 1
        found.append(Read(row, passage.language, frozenset(stems), int(unit_of[row])))
    forms = {key: max(sorted(counts), key=lambda word: counts[word]) for key, counts in written.items()}
    return found, forms


# Keywords are weighed by class-based TF-IDF (Grootendorst 2022, "BERTopic"): how often a word is in the
# group's passages, times ``log(1 + A / f)`` with ``f`` its passages in the corpus and ``A`` the mean of a
# group.
Item = TypeVar("Item", str, int)
MOST_CANDIDATES = 24
# Minimum ratio of a keyword's frequency in the group to that in the corpus.
LIFT = 3.0
# A word in a larger share of the corpus does not distinguish groups; in a small corpus, one in more passages
# than BEYOND times the group's.
MOST_SHARE, LITTLE, BEYOND = 0.1, 40, 1.2
FEWEST_PASSAGES = 2
# Extra weight of names and of words in headings.
NAMED = 1.5
LONGEST_NAME = 8
_TERMS = frozenset({EntityKind.DEFINED_TERM, EntityKind.HEADING, EntityKind.ACRONYM, EntityKind.STANDARD})


@dataclass(frozen=True, slots=True)
class Keyword:
    """A word or name, its weight in its group, and the number of the group's passages with it."""

    text: str
    language: str
    weight: float
    passages: int


@dataclass(frozen=True, slots=True)
class Heading:
    """A heading, its score for a group, and the number of the group's passages below it."""

    text: str
    language: str
    score: float
    passages: int


class Names:
    """Weighs the words and headings of all groups against each other."""

    def __init__(self, material: Material, corpus: Corpus, labels: NDArray[np.int32]) -> None:
        self._material, self._labels = material, labels
        self._groups = int(labels.max()) + 1 if len(labels) else 0
        read = material.passages
        self._group_of = [int(labels[passage.unit]) for passage in read]
        self._entities, mentioned = _entities(corpus, read)
        self._sizes = Counter(zip(self._group_of, (p.language for p in read), strict=True))
        self._total = Counter(passage.language for passage in read)
        self._stems = _counted(self._group_of, (passage.stems for passage in read))
        self._named = _counted(self._group_of, mentioned)
        self._headed = _headed_naming(material)
        self._stem_totals, self._named_totals = _totals(self._stems), _totals(self._named)

    def keywords(self, group: int, language: str) -> list[Keyword]:
        """Return the most characteristic words and names of a group in a language, the best first."""
        found = [
            self._weighed(group, language, self._material.forms[stem], times, self._stem_totals[stem], weight)
            for stem, times in self._stems[group].items()
            if stem.startswith(f"{language}:")
            for weight in (NAMED if stem in self._headed else 1.0,)
        ]
        found += [
            self._weighed(group, language, entity.name, times, self._named_totals[number], NAMED)
            for number, times in self._named[group].items()
            if (entity := self._entities[number]).language == language
            and entity.kind in _TERMS
            and len(entity.name.split()) <= LONGEST_NAME
        ]
        ordered = sorted((word for word in found if word), key=lambda word: (-word.weight, word.text))
        return _different(ordered, language)[:MOST_CANDIDATES]

    def _weighed(
        self, group: int, language: str, text: str, times: int, total: int, factor: float
    ) -> Keyword | None:
        size, total_passages = self._sizes[group, language], self._total[language]
        lift = min(LIFT, total_passages / size / 1.2)
        if times < min(FEWEST_PASSAGES, size) or times / size < lift * total / total_passages:
            return None
        if total > most_passages(total_passages, size):
            return None
        mean = total_passages / max(self._groups, 1)
        return Keyword(text, language, factor * times / size * log(1.0 + mean / total), times)

    def size(self, group: int, language: str) -> int:
        """Return the number of a group's passages in a language."""
        return self._sizes[group, language]

    def headings(self, group: int, language: str) -> list[Heading]:
        """Return the headings of a group in a language, the most representative first.

        The score is F1 between the passages below a heading and those of the group, plus the cosine of the
        heading's words to the group's keywords: a heading over all of it, or one that states its subject.
        """
        below: Counter[str] = Counter()
        inside: Counter[str] = Counter()
        for unit, label in zip(self._material.units, self._labels.tolist(), strict=True):
            for title in unit.titles.get(language, ()):
                if title.casefold() not in self._material.everywhere and is_informative(title, language):
                    below[title] += len(unit.rows)
                    inside[title] += len(unit.rows) if label == group else 0
        size = sum(
            len(unit.rows)
            for unit, label in zip(self._material.units, self._labels.tolist(), strict=True)
            if label == group and language in unit.titles
        )
        weights = self._profile(group, language)
        length = sum(weight * weight for weight in weights.values()) ** 0.5 or 1.0
        found = []
        for title, times in inside.items():
            words = set(analyzer(language).terms(title))
            if not times or not words or len(title.split()) > LONGEST_NAME:
                continue
            f1 = 2 * times / (below[title] + size)
            similarity = (
                sum(weights.get(f"{language}:{word}", 0.0) for word in words) / len(words) ** 0.5 / length
            )
            found.append(Heading(title, language, f1 + similarity, times))
        return sorted(found, key=lambda heading: (-heading.score, heading.text))

    def _profile(self, group: int, language: str) -> dict[str, float]:
        mean = self._total[language] / max(self._groups, 1)
        return {
            stem: times / self._sizes[group, language] * log(1.0 + mean / self._stem_totals[stem])
            for stem, times in self._stems[group].items()
            if stem.startswith(f"{language}:")
        }


def most_passages(everyone: int, size: int) -> float:
    """Return the maximum passages of a language with a keyword of a group that has ``size`` of them."""
    return max(MOST_SHARE * everyone, min(BEYOND * size, LITTLE))


def _headed_naming(material: Material) -> frozenset[str]:
    """Return the stems of all informative headings: they name things."""
    return frozenset(
        f"{language}:{term}"
        for unit in material.units
        for language, titles in unit.titles.items()
        if titles and is_informative(titles[0], language)
        for term in analyzer(language).terms(titles[0])
    )


def _entities(corpus: Corpus, read: Sequence[Read]) -> tuple[dict[int, Entity], list[set[int]]]:
    rows = np.asarray([passage.row for passage in read], np.int32)
    mentioned = [set(numbers) for numbers in corpus.entities_of(rows)]
    numbers = sorted({number for own in mentioned for number in own})
    return dict(zip(numbers, corpus.entities(numbers), strict=True)), mentioned


def _counted(groups: Sequence[int], sets: Iterable[Iterable[Item]]) -> dict[int, Counter[Item]]:
    found: dict[int, Counter[Item]] = {group: Counter() for group in sorted(set(groups))}
    for group, items in zip(groups, sets, strict=True):
        found[group].update(items)
    return found


def _totals(counts: dict[int, Counter[Item]]) -> Counter[Item]:
    total: Counter[Item] = Counter()
    for own in counts.values():
        total.update(own)
    return total


def _different(keywords: Sequence[Keyword], language: str) -> list[Keyword]:
    """Drop keywords that a stronger one covers: the same words, or part of a name."""
    kept: list[Keyword] = []
    covered: list[frozenset[str]] = []
    for keyword in keywords:
        words = frozenset(analyzer(language).terms(keyword.text))
        if words and not any(words <= other for other in covered):
            kept.append(keyword)
            covered.append(words)
    return kept
