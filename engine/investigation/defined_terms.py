"""Which terms a corpus defines and where, looked up by the words of a text.

Two witnesses. The corpus's entities name the passages that define them. And statutes define in small
letters, which are no name anywhere else ('(4) "controller" means ...', '„Vollmacht“ die ...'): what BM25
finds for the words of defining is read for terms in quotation marks.
"""

from __future__ import annotations

import re
import threading
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from weakref import WeakKeyDictionary, ref

import numpy as np

from engine.corpus.extracted.proposal import concept_key
from engine.corpus.extracted.validations import Judgement, judged, load_validations
from engine.corpus.protocol import Corpus, Rows
from engine.language.entities import LONGEST_TERM, Stems
from engine.language.terms import terms_of
from engine.languages import Definitions, law
from engine.model import Entity, EntityKind, Passage, Relation

# Passages read for definitions, of each language of the corpus.
MOST_READ = 1000
# Entities of several words whose definitions are read for a short form.
MOST_SHORTENED = 5000
LONGEST_NAME = 80
# Signs of a short form in a definition: an acronym in brackets, "yang selanjutnya disebut".
_SHORT_FORM = re.compile(r"[(\[]\s*(?:the\s+)?[\"“”‘']?[A-Z]{2}|selanjutnya")
_WORD = re.compile(r"[^\W_]+")
_OPEN, _CLOSE = "[\"“”„«‘‚']", "[\"“”»’‘']"
_TERM = rf"{_OPEN}\s?(?P<term>\w[^\"“”„«»‘’\n]{{1,{LONGEST_NAME}}}?)\s?{_CLOSE}"
# An item of a list of definitions: the term stands first, after its number if it has one.
_ITEM = re.compile(rf"(?m)^[ \t]*(?:[-–•]\s*|\(?\w{{1,4}}[.)]\s*)?{_TERM}")


@dataclass(frozen=True, slots=True)
class Use:
    """A defined term where a text uses it: its number, and the characters ``[start, end)``.

    ``as_defined`` is false for a single word that the definition writes with a capital and the text not.
    """

    term: int
    start: int
    end: int
    as_defined: bool


class DefinedTerms:
    """The terms of a corpus by language and stems; a term of each language has its own number."""

    def __init__(self, corpus: Corpus) -> None:
        self.names: list[str] = []
        self._rows: list[set[int]] = []
        self._small: set[int] = set()
        self._numbers: dict[str, dict[tuple[str, ...], int]] = {}
        self._lengths: dict[str, dict[str, list[int]]] = {}
        self._stems: dict[str, Stems] = {}
        self._lock = threading.Lock()
        self._corpus = ref(corpus)
        self._judged: tuple[int, ...] = ()
        self._rejections: Mapping[int, frozenset[int]] = {}
        self._from_entities(corpus)
        for language in corpus.info().languages:
            self._from_texts(corpus, language)
        for language, numbers in self._numbers.items():
            lengths: dict[str, set[int]] = {}
            for key in numbers:
                lengths.setdefault(key[0], set()).add(len(key))
            self._lengths[language] = {first: sorted(all_, reverse=True) for first, all_ in lengths.items()}

    def __len__(self) -> int:
        return len(self.names)

    def definitions(self, term: int) -> Rows:
        """Rows of the passages that define a term, in the order of the corpus, shape (n,); without those of
        which a person said that they do not."""
        rejected = self._rejected().get(term, frozenset())
        return np.array(sorted(row for row in self._rows[term] if row not in rejected), np.int32)

    def stated_in(self, term: int) -> Rows:
        """Rows of the passages that define a term, whatever a person has said of them, shape (n,)."""
        return np.array(sorted(self._rows[term]), np.int32)

    def used_in(self, text: str, language: str) -> list[Use]:
        """The defined terms that a text uses, in its order; the longest at each place."""
        lengths = self._lengths.get(language)
        if not lengths:
            return []
        numbers, words = self._numbers[language], list(_WORD.finditer(text))
        stems = self._stemmed([word[0] for word in words], language)
        found, end = [], 0
        rejected = self._rejected()
        undefined = {term for term, rows in rejected.items() if not set(self._rows[term]) - rows}
        for place, stem in enumerate(stems):
            for length in lengths.get(stem, ()) if place >= end else ():
                key = tuple(stems[place : place + length])
                number = numbers.get(key) if len(key) == length else None
                if number is not None and number in undefined:
                    continue
                if number is not None and not (length == 1 and _ends_a_name(text, words, place)):
                    first, last, end = words[place], words[place + length - 1], place + length
                    as_name = first[0][:1].isupper() or number in self._small
                    as_defined = length > 1 or as_name
                    found.append(Use(number, first.start(), last.end(), as_defined))
                    break
        return found

    def _rejected(self) -> Mapping[int, frozenset[int]]:
        """The rows that people rejected as definitions, by term."""
        corpus = self._corpus()
        if corpus is None or corpus.judged == self._judged:
            return self._rejections
        found: dict[int, set[int]] = {}
        if corpus.journals is not None and corpus.judged:
            said = [
                one.proposal
                for one in judged(load_validations(corpus.journals)).values()
                if one.judgement is Judgement.REJECTED and one.proposal.relation is Relation.DEFINES
            ]
            named = {concept_key(name): number for number, name in enumerate(self.names)}
            rows = corpus.rows([one.source_id for one in said]).tolist()
            for one, row in zip(said, rows, strict=True):
                if row >= 0 and one.name in named:
                    found.setdefault(named[one.name], set()).add(row)
        self._rejections = {term: frozenset(rows) for term, rows in found.items()}
        self._judged = corpus.judged
        return self._rejections

    def _from_entities(self, corpus: Corpus) -> None:
        entities = [
            one
            for one in corpus.entities(range(corpus.info().entities))
            if one.definitions and one.kind is not EntityKind.TITLE
        ]
        rows = corpus.rows([passage for entity in entities for passage in entity.definitions]).tolist()
        place = 0
        short: list[tuple[Entity, int]] = []
        for entity in entities:
            own = [row for row in rows[place : place + len(entity.definitions)] if row >= 0]
            place += len(entity.definitions)
            # The id keeps the longest form, the name is the usual one.
            longest = tuple(entity.id.partition(":")[2].split("-"))
            self._add(entity.name, entity.language, own, longest)
            if own and len(longest) > 1 and len(short) < MOST_SHORTENED:
                short.append((entity, own[0]))
        self._add_short_forms(corpus, short)

    def _add_short_forms(self, corpus: Corpus, defined: Sequence[tuple[Entity, int]]) -> None:
        """Acronyms and second names, which a definition gives and an entity does not keep."""
        passages = corpus.passages(np.array([row for _, row in defined], np.int32)) if defined else []
        for (entity, row), passage in zip(defined, passages, strict=True):
            if not _SHORT_FORM.search(passage.text):
                continue
            own = self._key(entity.name, entity.language)
            for found in terms_of(passage.text, entity.language):
                pair = (found.name, found.other)
                if found.other and own in [self._key(name, entity.language) for name in pair if name]:
                    for name in pair:
                        self._add(name or "", entity.language, [row])

    def _from_texts(self, corpus: Corpus, language: str) -> None:
        wording = law(language).definitions
        if wording is None:
            return
        queries = [" ".join(wording.headings), " ".join(wording.verbs)]
        hits = corpus.search_lexical([query for query in queries if query], language, MOST_READ)
        rows = np.unique(np.concatenate([one.rows[:MOST_READ] for one in hits])).astype(np.int32)
        for row, passage in zip(rows.tolist(), corpus.passages(rows), strict=True):
            if passage.language == language:
                for name in defined_in(passage, wording):
                    self._add(name, language, [row])

    def _add(self, name: str, language: str, rows: Sequence[int], key: tuple[str, ...] = ()) -> None:
        keys = [one for one in (self._key(name, language), key) if one and all(one)]
        if not keys or not rows:
            return
        numbers = self._numbers.setdefault(language, {})
        number = next((numbers[one] for one in keys if one in numbers), None)
        if number is None:
            number = len(self.names)
            self.names.append(" ".join(name.split()))
            self._rows.append(set())
        for one in keys:
            numbers.setdefault(one, number)
        self._rows[number].update(rows)
        if not name[:1].isupper():
            self._small.add(number)

    def _key(self, name: str, language: str) -> tuple[str, ...]:
        words = _WORD.findall(name)
        too_short = len(words) == 1 and len(words[0]) < 3 and words[0].isascii()
        return () if len(words) > LONGEST_TERM or too_short else tuple(self._stemmed(words, language))

    def _stemmed(self, words: Sequence[str], language: str) -> list[str]:
        with self._lock:
            stems = self._stems.setdefault(language, Stems(language))
            return [stems[word] for word in words]


def _ends_a_name(text: str, words: Sequence[re.Match[str]], place: int) -> bool:
    """Whether a word with a capital goes on from another one: "Code" in "the Agency Code" is no term."""
    if not place or not words[place][0][:1].isupper():
        return False
    before = words[place - 1]
    goes_on = text[before.end() : words[place].start()] == " "
    return goes_on and place > 1 and before[0][:1].isupper() and len(before[0]) > 1


def defined_in(passage: Passage, wording: Definitions) -> Iterator[str]:
    """The terms in quotation marks that a passage defines: before a verb of defining anywhere, and below
    a heading of definitions at the beginning of an item."""
    verbs = "|".join(re.escape(verb).replace(r"\ ", r"\s+") for verb in wording.verbs)
    if verbs:
        joined = re.compile(rf"{_TERM}\s*,?\s*(?:{verbs})\b")
        yield from (match["term"].strip() for match in joined.finditer(passage.text))
    above = " ".join((*passage.headings[-1:], passage.label)).casefold()
    if any(heading.casefold() in above for heading in wording.headings):
        yield from (match["term"].strip() for match in _ITEM.finditer(passage.text))


_KNOWN: WeakKeyDictionary[Corpus, DefinedTerms] = WeakKeyDictionary()
_BUILDING = threading.Lock()


def defined_terms(corpus: Corpus) -> DefinedTerms:
    """The defined terms of a corpus, looked for once and kept as long as the corpus is open."""
    with _BUILDING:
        known = _KNOWN.get(corpus)
        if known is None:
            known = _KNOWN[corpus] = DefinedTerms(corpus)
        return known
