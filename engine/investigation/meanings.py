"""Where the corpus defines the term whose meaning a question asks for.

Definitions are told by the entities of the corpus, and by the forms in which laws define, read in the
passages that have the term: in quotation marks before a verb of defining, at the beginning of an item or a
sentence, in brackets behind what it means ("ohne schuldhaftes Zögern (unverzüglich)"), before a colon or a
dash, and in the first column of a table.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple

from engine.corpus.protocol import Corpus, Mask
from engine.investigation.defined_terms import defined_terms
from engine.language.analyzer import analyzer
from engine.languages import Definitions, law
from engine.model import NamedProvision, Naming, Passage, Relation
from engine.retrieval.planning.meaning import term_asked

# Passages with the term that are read for its definition, and definitions that stand first.
READ, MOST = 300, 6
# Letters by which a term may end otherwise than in the question ("unverzüglichen", "terms").
ENDING = 3
# The form of a definition that only the entities of the corpus tell of, behind those of texts.
TOLD = 6
_OPEN, _CLOSE = "[\"“”„«‘‚'「《]", "[\"“”»’‘'」》]"
_BEGINS = r"(?:^|[.;:：。；\n]\s*)(?:[-–•*]\s*|\(?\w{1,4}[.)）]\s*|[（(]\w{1,3}[）)]\s*|\d+[.、]\s*)?"
_ARTICLE = (
    r"(?:(?:an?|the|eine?[mnr]?|die|der|das|dem|une?|le|la|les|el|los|las|il|lo|een|de|het)\s|l['’]|ال)?"
)
# A colon or a dash, and the other words of an item in front of it.
_POINTED, _REST = r"\s*(?:[:：]|\s[–—-])\s", r"[\w'’ ()“”«»-]{2,40}?"
_HEAD = r"(?:(?:\S+\s+)?\S*[\dIVX一二三四五六七八九十]\S*\s+)?"


@dataclass(frozen=True, slots=True)
class Definition:
    """A passage that defines a term; the lower the ``form``, the surer it does."""

    row: int
    form: int
    passage: Passage


def meaning_named(
    corpus: Corpus, text: str, language: str, mask: Mask | None, documents: Iterable[str] = ()
) -> NamedProvision | None:
    """The definitions of the term that a question asks for, as something it names; None where it asks for
    something else or the corpus defines no such term. Those in the ``documents`` it names come first."""
    term = term_asked(text, language)
    if not term:
        return None
    wanted = set(documents)
    found = sorted(
        definitions_of(corpus, term, language, mask),
        key=lambda one: (one.passage.document_id not in wanted, one.form),
    )[:MOST]
    if not found:
        return None
    ids = tuple(one.passage.id for one in found)
    return NamedProvision(term, Naming.FOUND, ids, (), True, _differing(corpus, found), Relation.DEFINES)


def definitions_of(corpus: Corpus, term: str, language: str, mask: Mask | None = None) -> list[Definition]:
    """The passages that define a term, the surest form first, then as the words of the term find them."""
    (hits,) = corpus.search_lexical([term], language, READ, mask=mask)
    rows = hits.rows.tolist()
    told = _told(corpus, term, language)
    found: list[Definition] = []
    for row, passage in zip(rows, corpus.passages(hits.rows), strict=True):
        form = _form(passage, term)
        if form is None and row in told:
            form = TOLD
        if form is not None:
            found.append(Definition(row, form, passage))
    return sorted(found, key=lambda one: one.form)


def _told(corpus: Corpus, term: str, language: str) -> set[int]:
    """The passages that define a term by what is known of the corpus."""
    known = defined_terms(corpus)
    used = [use for use in known.used_in(term, language) if use.end - use.start >= len(term.strip()) - 1]
    return {row for use in used for row in known.definitions(use.term).tolist()}


def _form(passage: Passage, term: str) -> int | None:
    """In which form a passage defines a term; None where in none."""
    language = passage.language.split("-")[0]
    patterns = _patterns(term, language)
    # Every form has the term in it, and few passages define: most are done with by the look for it alone.
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
    """Whether a table whose head says that it has definitions has a term in its first column."""
    found, wording = patterns.tabled.search(text), law(language).definitions
    if found is None or wording is None:
        return False
    heads = {cell.strip().casefold() for cell in text[: found.start()].replace("\n", "|").split("|")}
    return any(word.casefold() in heads for word in (*wording.terms, *wording.headings))


class _Patterns(NamedTuple):
    """A term; the forms in which it is defined anywhere, None for one that its language has not; and how it
    stands in a list and in a table of definitions."""

    term: re.Pattern[str]
    forms: tuple[re.Pattern[str] | None, ...]
    listed: re.Pattern[str]
    tabled: re.Pattern[str]


@lru_cache(maxsize=64)
def _patterns(term: str, language: str) -> _Patterns | None:
    """The patterns of a term in a language; None where nobody said how that defines."""
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
    """A word up to where its endings begin, as it is written."""
    stem = analyzer(language).stem(word.casefold())
    return word[: len(stem)] if word.casefold().startswith(stem) else word


def _verbs(wording: Definitions) -> str:
    return "|".join(re.escape(verb).replace(r"\ ", r"\s+(?:\w+\s+)?") for verb in wording.verbs)


def _called(wording: Definitions) -> str:
    """What may stand before a term and says that it is one: "the term"."""
    return rf"(?:{_ARTICLE}(?:{'|'.join(map(re.escape, wording.called))})\s*)?" if wording.called else ""


def _quoted(words: str, wording: Definitions) -> str:
    """ "Client" means ..., „Vollmacht“ ist ..., «consommateur»: ..., 本法所称"用人单位"，是指."""
    others = rf"(?:\s*[,、/]?\s*(?:\w{{1,4}}\s*)?{_OPEN}[^\n.;]{{1,60}}?{_CLOSE})*"
    term = rf"{_OPEN}\s?{_ARTICLE}{words}\s?{_CLOSE}{others}"
    verb = rf"(?:\s*,[^.;\n“”\"]{{1,80}},)?\s*[,，:：]?\s*(?:\w+\s+){{0,2}}?(?:{_verbs(wording)})"
    first = rf"{_BEGINS}{_called(wording)}(?:{_OPEN}[^\n.;]{{1,60}}?\s(?:\w{{1,4}}\s)?)?{term}{_POINTED}"
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
    """ "On entend par bac ...", "Als Lotse gilt ...": what defines stands around the term."""
    term, forms = rf"\s*:?\s*{_OPEN}?\s?{_ARTICLE}{words}(?!\w)\s?{_CLOSE}?", []
    for frame in wording.around:
        left, right = (re.escape(part.strip()).replace(r"\ ", r"\s+") for part in frame.split("..."))
        # "Was als Lotse gilt" in the middle of a sentence defines nothing.
        forms.append(rf"{_BEGINS}{left}{term}\s*{right}(?!\w)" if right else rf"(?<!\w){left}{term}")
    return "|".join(forms) or None


def _bracketed(words: str, wording: Definitions) -> str | None:
    """ "... ohne schuldhaftes Zögern (unverzüglich) ...": what it means stands before it."""
    return rf"\w\s*\(\s*{words}\s*\)" if wording.in_brackets else None


def _listed(words: str, wording: Definitions) -> str:
    """The term at the beginning of an item below a heading of definitions, or another term's behind or before
    it up to a colon."""
    joined = rf"(?:\s(?:{'|'.join(wording.joins) or '(?!)'})\s|,\s)"
    first = rf"{_OPEN}?\s?{words}\s?{_CLOSE}?\s*[:–—-]?\s"
    several = rf"(?:{_REST}{joined})?{_OPEN}?{words}{_CLOSE}?(?:{joined}{_REST})?{_POINTED}"
    return rf"{_BEGINS}(?:{first}|{several})"


def _is_below_definitions(passage: Passage, language: str) -> bool:
    """Whether a heading above a passage says that definitions follow."""
    wording = law(language).definitions
    if wording is None:
        return False
    above = " ".join((*passage.headings[-2:], passage.label)).casefold()
    terms = re.compile(rf"{_HEAD}(?:{'|'.join(map(re.escape, wording.terms))})\W*", re.IGNORECASE)
    named = bool(wording.terms) and any(map(terms.fullmatch, passage.headings[-2:]))
    return named or any(heading.casefold() in above for heading in wording.headings)


def _differing(corpus: Corpus, found: list[Definition]) -> str:
    """Which documents define a term each in its own words; empty where one alone does."""
    texts: dict[str, set[str]] = {}
    for one in found:
        texts.setdefault(one.passage.document_id, set()).add(" ".join(one.passage.text.split()).casefold())
    if len(texts) < 2 or len(set(map(frozenset, texts.values()))) < 2:
        return ""
    titles = {document.id: document.title or document.id for document in corpus.documents()}
    return f"defined in {len(texts)} documents: {'; '.join(_titles(texts, titles))}"


def _titles(documents: Iterable[str], titles: dict[str, str]) -> Iterator[str]:
    yield from (titles[document] for document in documents)
