"""The terms that a corpus defines, and the definition of the term that a question asks for."""

from __future__ import annotations

import re
import threading
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple
from weakref import WeakKeyDictionary, ref

import numpy as np

from engine.corpus.extracted import Judgement, concept_key, current_verdicts, load_validations
from engine.corpus.protocol import Corpus, Mask, Rows
from engine.language.analysis import analyzer
from engine.language.entities import LONGEST_TERM, Stems
from engine.language.terms import terms_of
from engine.languages import Definitions, law
from engine.model import Entity, EntityKind, NamedProvision, Naming, Passage, Relation
from engine.retrieval.planning.words import term_asked

# Defined terms, found by the words of a text
#
# They come from two sources: entities of the corpus, which name the passages that define them; and passages
# that BM25 finds for words of defining, which are read for terms in quotation marks ('(4) "controller" means
# ...', '„Vollmacht“ die ...'), because statutes define terms in lower case, which are no entities.

# Passages read for definitions in each language of the corpus.
MOST_READ = 1000
# Entities of several words whose definitions are read for a short form.
MOST_SHORTENED = 5000
LONGEST_NAME = 80
# Signs of a short form in a definition: an acronym in brackets, "yang selanjutnya disebut".
_SHORT_FORM = re.compile(r"[(\[]\s*(?:the\s+)?[\"“”‘']?[A-Z]{2}|selanjutnya")
_WORD = re.compile(r"[^\W_]+")
_OPEN, _CLOSE = "[\"“”„«‘‚']", "[\"“”»’‘']"
_TERM = rf"{_OPEN}\s?(?P<term>\w[^\"“”„«»‘’\n]{{1,{LONGEST_NAME}}}?)\s?{_CLOSE}"
# An item of a list of definitions: the term comes first, after the item's number if it has one.
_ITEM = re.compile(rf"(?m)^[ \t]*(?:[-–•]\s*|\(?\w{{1,4}}[.)]\s*)?{_TERM}")


@dataclass(frozen=True, slots=True)
class Use:
    """A use of a defined term in a text: the term's number and the characters ``[start, end)``.

    ``as_defined`` is false for a single word that the definition capitalises and the text does not.
    """

    term: int
    start: int
    end: int
    as_defined: bool


class DefinedTerms:
    """The defined terms of a corpus, by language and stems; each term of a language has its own number."""

    def __init__(self, corpus: Corpus) -> None:
        self.names: list[str] = []
        self._rows: list[set[int]] = []
        self._lower_case: set[int] = set()
        self._numbers: dict[str, dict[tuple[str, ...], int]] = {}
        self._lengths: dict[str, dict[str, list[int]]] = {}
        self._stems: dict[str, Stems] = {}
        self._lock = threading.Lock()
        self._corpus = ref(corpus)
        self._verdict_version: tuple[int, ...] = ()
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
        """Return the rows of the passages that define a term, ascending, shape (n,).

        Passages that a user rejected as its definition are left out.
        """
        rejected = self._rejected().get(term, frozenset())
        return np.array(sorted(row for row in self._rows[term] if row not in rejected), np.int32)

    def stated_in(self, term: int) -> Rows:
        """Return the rows of the passages that define a term, with rejected ones, ascending, shape (n,)."""
        return np.array(sorted(self._rows[term]), np.int32)

    def used_in(self, text: str, language: str) -> list[Use]:
        """Return the uses of defined terms in a text, in its order; the longest term at each position."""
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
                    as_name = first[0][:1].isupper() or number in self._lower_case
                    as_defined = length > 1 or as_name
                    found.append(Use(number, first.start(), last.end(), as_defined))
                    break
        return found

    def _rejected(self) -> Mapping[int, frozenset[int]]:
        """Return the rows that people rejected as definitions, by term."""
        corpus = self._corpus()
        if corpus is None or corpus.verdict_version == self._verdict_version:
            return self._rejections
        found: dict[int, set[int]] = {}
        if corpus.journals is not None and corpus.verdict_version:
            rejected = [
                verdict.proposal
                for verdict in current_verdicts(load_validations(corpus.journals)).values()
                if verdict.judgement is Judgement.REJECTED and verdict.proposal.relation is Relation.DEFINES
            ]
            terms = {concept_key(name): number for number, name in enumerate(self.names)}
            rows = corpus.rows([proposal.source_id for proposal in rejected]).tolist()
            for proposal, row in zip(rejected, rows, strict=True):
                if row >= 0 and proposal.name in terms:
                    found.setdefault(terms[proposal.name], set()).add(row)
        self._rejections = {term: frozenset(rows) for term, rows in found.items()}
        self._verdict_version = corpus.verdict_version
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
        """Add acronyms and second names that a definition gives; entities do not store them."""
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
            self._lower_case.add(number)

    def _key(self, name: str, language: str) -> tuple[str, ...]:
        words = _WORD.findall(name)
        too_short = len(words) == 1 and len(words[0]) < 3 and words[0].isascii()
        return () if len(words) > LONGEST_TERM or too_short else tuple(self._stemmed(words, language))

    def _stemmed(self, words: Sequence[str], language: str) -> list[str]:
        with self._lock:
            stems = self._stems.setdefault(language, Stems(language))
            return [stems[word] for word in words]


def _ends_a_name(text: str, words: Sequence[re.Match[str]], place: int) -> bool:
    """Return whether a capitalised word continues a name: "Code" in "the Agency Code" is no term."""
    if not place or not words[place][0][:1].isupper():
        return False
    before = words[place - 1]
    is_adjacent = text[before.end() : words[place].start()] == " "
    return is_adjacent and place > 1 and before[0][:1].isupper() and len(before[0]) > 1


def defined_in(passage: Passage, wording: Definitions) -> Iterator[str]:
    """Yield the terms in quotation marks that a passage defines.

    Anywhere before a verb of defining; below a heading for definitions also at the beginning of an item.
    """
    verbs = "|".join(re.escape(verb).replace(r"\ ", r"\s+") for verb in wording.verbs)
    if verbs:
        joined = re.compile(rf"{_TERM}\s*,?\s*(?:{verbs})\b")
        yield from (match["term"].strip() for match in joined.finditer(passage.text))
    above = " ".join((*passage.headings[-1:], passage.label)).casefold()
    if any(heading.casefold() in above for heading in wording.headings):
        yield from (match["term"].strip() for match in _ITEM.finditer(passage.text))


_BY_CORPUS: WeakKeyDictionary[Corpus, DefinedTerms] = WeakKeyDictionary()
_BUILDING = threading.Lock()


def defined_terms(corpus: Corpus) -> DefinedTerms:
    """Return the defined terms of a corpus; found once and cached while the corpus is open."""
    with _BUILDING:
        known = _BY_CORPUS.get(corpus)
        if known is None:
            known = _BY_CORPUS[corpus] = DefinedTerms(corpus)
        return known


# The definition of the term whose meaning a question asks for
#
# Passages with the term are read for the forms in which laws define: in quotation marks before a verb of
# defining, at the beginning of an item or a sentence, in brackets after its meaning ("ohne schuldhaftes
# Zögern (unverzüglich)"), before a colon or a dash, and in the first column of a table. Entities of the
# corpus name further definitions.

# Passages with the term that are read for its definition, and definitions that are returned.
READ, MOST = 300, 6
# Letters by which the ending of a term may differ from the question ("unverzüglichen", "terms").
ENDING = 3
# The form of a definition that only an entity of the corpus names, after the forms found in texts.
FROM_ENTITIES = 6
_MEANINGS_OPEN, _MEANINGS_CLOSE = "[\"“”„«‘‚'「《]", "[\"“”»’‘'」》]"
_BEGINS = r"(?:^|[.;:：。；\n]\s*)(?:[-–•*]\s*|\(?\w{1,4}[.)）]\s*|[（(]\w{1,3}[）)]\s*|\d+[.、]\s*)?"
_ARTICLE = (
    r"(?:(?:an?|the|eine?[mnr]?|die|der|das|dem|une?|le|la|les|el|los|las|il|lo|een|de|het)\s|l['’]|ال)?"
)
# A colon or a dash, and the other words of an item before it.
_POINTED, _REST = r"\s*(?:[:：]|\s[–—-])\s", r"[\w'’ ()“”«»-]{2,40}?"
_HEAD = r"(?:(?:\S+\s+)?\S*[\dIVX一二三四五六七八九十]\S*\s+)?"


@dataclass(frozen=True, slots=True)
class Definition:
    """A passage that defines a term; the lower the ``form``, the more certain."""

    row: int
    form: int
    passage: Passage


def find_definition(
    corpus: Corpus, text: str, language: str, mask: Mask | None, documents: Iterable[str] = ()
) -> NamedProvision | None:
    """Return the definitions of the term that a question asks for, as a named provision.

    None if it asks for something else or the corpus does not define the term. Definitions in the
    ``documents`` that the question names come first.
    """
    term = term_asked(text, language)
    if not term:
        return None
    preferred = set(documents)
    found = sorted(
        find_definitions(corpus, term, language, mask),
        key=lambda definition: (definition.passage.document_id not in preferred, definition.form),
    )[:MOST]
    if not found:
        return None
    ids = tuple(definition.passage.id for definition in found)
    note = _note_differences(corpus, found)
    return NamedProvision(term, Naming.FOUND, ids, (), True, note, Relation.DEFINES)


def find_definitions(corpus: Corpus, term: str, language: str, mask: Mask | None = None) -> list[Definition]:
    """Return the passages that define a term, by form, then in the order of a lexical search for the term."""
    (hits,) = corpus.search_lexical([term], language, READ, mask=mask)
    rows = hits.rows.tolist()
    known_rows = _defining_rows(corpus, term, language)
    found: list[Definition] = []
    for row, passage in zip(rows, corpus.passages(hits.rows), strict=True):
        form = _form(passage, term)
        if form is None and row in known_rows:
            form = FROM_ENTITIES
        if form is not None:
            found.append(Definition(row, form, passage))
    return sorted(found, key=lambda definition: definition.form)


def _defining_rows(corpus: Corpus, term: str, language: str) -> set[int]:
    """Return the rows that define a term according to the corpus's defined terms."""
    known = defined_terms(corpus)
    used = [use for use in known.used_in(term, language) if use.end - use.start >= len(term.strip()) - 1]
    return {row for use in used for row in known.definitions(use.term).tolist()}


def _form(passage: Passage, term: str) -> int | None:
    """Return the form in which a passage defines a term; None if it does not."""
    language = passage.language.split("-")[0]
    patterns = _patterns(term, language)
    # Every form contains the term: this search alone rules most passages out.
    if patterns is None or not patterns.term.search(passage.text):
        return None
    for number, pattern in enumerate(patterns.forms):
        if pattern is not None and pattern.search(passage.text):
            return number
    if _is_below_definitions(passage, language):
        listed = patterns.listed.search(passage.text) or patterns.tabled.search(passage.text)
        return len(patterns.forms) if listed else None
    return len(patterns.forms) if _is_in_table(passage.text, patterns, language) else None


def _is_in_table(text: str, patterns: _Patterns, language: str) -> bool:
    """Return whether a term is in the first column of a table whose header names definitions."""
    found, wording = patterns.tabled.search(text), law(language).definitions
    if found is None or wording is None:
        return False
    heads = {cell.strip().casefold() for cell in text[: found.start()].replace("\n", "|").split("|")}
    return any(word.casefold() in heads for word in (*wording.terms, *wording.headings))


class _Patterns(NamedTuple):
    """Patterns of a term: the term alone, its definition in a list and in a table of definitions.

    ``forms`` match a definition anywhere; None for a form that the language does not have.
    """

    term: re.Pattern[str]
    forms: tuple[re.Pattern[str] | None, ...]
    listed: re.Pattern[str]
    tabled: re.Pattern[str]


@lru_cache(maxsize=64)
def _patterns(term: str, language: str) -> _Patterns | None:
    """Compile the patterns of a term; None for a language without a table of defining words."""
    wording = law(language).definitions
    if wording is None:
        return None
    words = r"\s+".join(rf"{re.escape(_stem(word, language))}\w{{0,{ENDING}}}" for word in term.split())
    forms = (form(words, wording) for form in (_quoted, _begins, _around, _bracketed))
    return _Patterns(
        _compiled(words),
        tuple(None if form is None else _compiled(form) for form in forms),
        _compiled(_listed(words, wording)),
        _compiled(rf"^\|?(?!-)[^|\n]{{0,60}}?(?<!\w){words}(?!\w)[^|\n]{{0,60}}\|\s*\w"),
    )


def _compiled(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern, re.IGNORECASE | re.MULTILINE)


def _stem(word: str, language: str) -> str:
    """Return a word without its endings, as written."""
    stem = analyzer(language).stem(word.casefold())
    return word[: len(stem)] if word.casefold().startswith(stem) else word


def _verbs(wording: Definitions) -> str:
    return "|".join(re.escape(verb).replace(r"\ ", r"\s+(?:\w+\s+)?") for verb in wording.verbs)


def _called(wording: Definitions) -> str:
    """Return a pattern for words before a term that announce it: "the term"."""
    return rf"(?:{_ARTICLE}(?:{'|'.join(map(re.escape, wording.called))})\s*)?" if wording.called else ""


def _quoted(words: str, wording: Definitions) -> str:
    """ "Client" means ..., „Vollmacht“ ist ..., «consommateur»: ..., 本法所称"用人单位"，是指."""
    others = rf"(?:\s*[,、/]?\s*(?:\w{{1,4}}\s*)?{_MEANINGS_OPEN}[^\n.;]{{1,60}}?{_MEANINGS_CLOSE})*"
    term = rf"{_MEANINGS_OPEN}\s?{_ARTICLE}{words}\s?{_MEANINGS_CLOSE}{others}"
    verb = rf"(?:\s*,[^.;\n“”\"]{{1,80}},)?\s*[,，:：]?\s*(?:\w+\s+){{0,2}}?(?:{_verbs(wording)})"
    first = (
        rf"{_BEGINS}{_called(wording)}(?:{_MEANINGS_OPEN}[^\n.;]{{1,60}}?\s(?:\w{{1,4}}\s)?)?{term}{_POINTED}"
    )
    return rf"{term}{verb}|{first}"


def _begins(words: str, wording: Definitions) -> str:
    """Client means ..., Wajib Pajak adalah ..., at the beginning of an item or a sentence."""
    if wording.by_colon:
        return rf"(?:^|\n)\s*(?:\d+\s*[-.]\s*)?{words}\s*:"
    between = r"(?:\s*[,(（][^.;。；\n]{0,80}?)?\s*[,，)）]?\s*"
    # "Lighter and barge mean ...", "Lighter or barge means ...".
    joins = "|".join(wording.joins) or "(?!)"
    other = rf"(?:\s(?:{joins})\s[\w-]{{2,30}}(?:\s[\w-]{{2,30}})?)?"
    begins = rf"{_BEGINS}(?:本\w{{1,4}}所称的?|所称的?)?{_called(wording)}{_ARTICLE}"
    first = rf"(?:[\w-]{{2,30}}(?:\s[\w-]{{2,30}})?\s(?:{joins})\s)?"
    return rf"{begins}{first}{words}{other}{between}(?:{_verbs(wording)})(?!\w)"


def _around(words: str, wording: Definitions) -> str | None:
    """ "On entend par bac ...", "Als Lotse gilt ...": the defining words enclose the term."""
    term, forms = rf"\s*:?\s*{_MEANINGS_OPEN}?\s?{_ARTICLE}{words}(?!\w)\s?{_MEANINGS_CLOSE}?", []
    for frame in wording.around:
        left, right = (re.escape(part.strip()).replace(r"\ ", r"\s+") for part in frame.split("..."))
        # "Was als Lotse gilt" in the middle of a sentence defines nothing.
        forms.append(rf"{_BEGINS}{left}{term}\s*{right}(?!\w)" if right else rf"(?<!\w){left}{term}")
    return "|".join(forms) or None


def _bracketed(words: str, wording: Definitions) -> str | None:
    """ "... ohne schuldhaftes Zögern (unverzüglich) ...": the term follows its meaning."""
    return rf"\w\s*\(\s*{words}\s*\)" if wording.in_brackets else None


def _listed(words: str, wording: Definitions) -> str:
    """Return the term that begins an item of a list of definitions, alone or joined with another term."""
    joined = rf"(?:\s(?:{'|'.join(wording.joins) or '(?!)'})\s|,\s)"
    first = rf"{_MEANINGS_OPEN}?\s?{words}\s?{_MEANINGS_CLOSE}?\s*[:–—-]?\s"
    several = rf"(?:{_REST}{joined})?{_MEANINGS_OPEN}?{words}{_MEANINGS_CLOSE}?(?:{joined}{_REST})?{_POINTED}"
    return rf"{_BEGINS}(?:{first}|{several})"


def _is_below_definitions(passage: Passage, language: str) -> bool:
    """Return whether a heading above a passage announces definitions."""
    wording = law(language).definitions
    if wording is None:
        return False
    above = " ".join((*passage.headings[-2:], passage.label)).casefold()
    terms = re.compile(rf"{_HEAD}(?:{'|'.join(map(re.escape, wording.terms))})\W*", re.IGNORECASE)
    named = bool(wording.terms) and any(map(terms.fullmatch, passage.headings[-2:]))
    return named or any(heading.casefold() in above for heading in wording.headings)


def _note_differences(corpus: Corpus, found: list[Definition]) -> str:
    """Name the documents that define a term in different words; empty without a difference."""
    texts: dict[str, set[str]] = {}
    for definition in found:
        words = " ".join(definition.passage.text.split()).casefold()
        texts.setdefault(definition.passage.document_id, set()).add(words)
    if len(texts) < 2 or len(set(map(frozenset, texts.values()))) < 2:
        return ""
    titles = {document.id: document.title or document.id for document in corpus.documents()}
    return f"defined in {len(texts)} documents: {'; '.join(titles[document] for document in texts)}"
