"""The documents of a question's numbers, and numbers in a rulebook's own form."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from weakref import WeakKeyDictionary

from rapidfuzz import fuzz, process

from engine.corpus.protocol import Corpus
from engine.language.aliases import NAME_WORD
from engine.language.characters import western_digits
from engine.language.designations import forms_of, splits
from engine.language.references import Mention, Target
from engine.language.references.definitions import Meaning, years_in
from engine.language.references.readings import find_designations, statement_reader
from engine.model import NamedProvision, Naming, Span
from engine.retrieval.planning.named.containers import Name, Question, numbers_of
from engine.retrieval.planning.named.provisions import in_any, in_documents
from engine.retrieval.planning.prose import documents_at

# The documents of a number: by the grammar, by a document named next to it, or by a misspelled name

# Similarity from which two names differ only by a typing error, 0..100; shorter names are not compared.
ALIKE, SHORTEST_ALIKE = 86.0, 8
# Most words of a name next to a number.
LONGEST_NAME = 10
_DIGITS = re.compile(r"\d+")


def documents_of(question: Question, mention: Mention, meaning: Meaning) -> Name:
    """Return the documents of a mention's numbers; ``meaning`` is how the corpus reads its name."""
    if meaning.denied:
        return Name(
            (), *question.reader.explain_denied(mention, meaning, question.written, question.language)
        )
    over = _overlapping_name(question, mention)
    if over is not None:
        return over
    known = tuple(number for number in meaning.documents if number is not None)
    titles = {question.reader.documents[number].title for number in known}
    if len(titles) > 1 and (similar := _similar_name(question, mention)).documents:
        # "Code du doamine" is no abbreviation of all titles that begin with "Code du".
        return similar
    if known:
        # In a list each number has its own words.
        whole = Span(mention.span.start, max(meaning.name_end or 0, mention.span.end))
        return Name(known, whole if len(mention.targets) == 1 else None)
    return (not meaning.named and _nearest_name(question, mention)) or _similar_name(question, mention)


def _overlapping_name(question: Question, mention: Mention) -> Name | None:
    """Return the document whose name begins before the mention and ends in it.

    In a script without blanks the grammar may take the first words of a name as text before it.
    """
    for document_id, span in documents_at(question.corpus, question.text, question.language):
        if span.start < mention.span.start < span.end < mention.span.end:
            return Name(numbers_of(question, document_id), Span(span.start, mention.span.end))
    return None


def _nearest_name(question: Question, mention: Mention) -> Name | None:
    """Return the document that the question names nearest to a number."""
    named = documents_at(question.corpus, question.text, question.language, near=mention.span)
    if not named:
        return None
    distances = [max(span.start - mention.span.end, mention.span.start - span.end) for _, span in named]
    document_id, span = named[distances.index(min(distances))]
    return Name(numbers_of(question, document_id), span)


def _similar_name(question: Question, mention: Mention) -> Name:
    """Return the documents whose name is most similar to the words next to a number."""
    names, reader = _names(question.corpus), statement_reader(question.language)
    best: tuple[float, int, str, Span] | None = None
    every = list(names)
    for span in _runs(question.text, mention):
        written = _plain(question.text[span.start : span.end])
        if len(written) < SHORTEST_ALIKE:
            continue
        stated = reader.read(question.text, span.start, span.end)
        if years := years_in(question.text[mention.span.end : span.start]):
            stated = stated._replace(year=years[-1])
        for name, score, _ in process.extract(written, every, scorer=fuzz.ratio, score_cutoff=ALIKE, limit=3):
            better = best is None or (score, len(written)) > best[:2]
            same = _DIGITS.findall(name) == _DIGITS.findall(written)
            if better and same and all(stated.fits(question.reader.documents[one]) for one in names[name]):
                best = (score, len(written), name, span)
    if best is None:
        return Name()
    _, _, name, span = best
    run, documents = question.written[span.start : span.end], tuple(names[name])
    plain = _plain(run) == name
    note = "" if plain else f"“{run}” is read as “{question.reader.documents[documents[0]].title}”"
    return Name(documents, span, note)


def _runs(text: str, mention: Mention) -> Iterator[Span]:
    """Yield spans that may be a document's name: the grammar's, and the words after and before a number."""
    if mention.document and mention.name_at is not None:
        yield Span(mention.name_at, mention.name_at + len(mention.document))
        for word in list(NAME_WORD.finditer(text, mention.name_at))[:LONGEST_NAME]:
            yield Span(mention.name_at, word.end())
    after = list(NAME_WORD.finditer(text, mention.leads_at or mention.span.end))[: LONGEST_NAME + 2]
    for first in range(min(3, len(after))):
        for last in range(first, len(after)):
            yield Span(after[first].start(), after[last].end())
    before = list(NAME_WORD.finditer(text, 0, mention.span.start))[-LONGEST_NAME:]
    for word in before:
        yield Span(word.start(), before[-1].end())


_NAMES: WeakKeyDictionary[Corpus, dict[str, list[int]]] = WeakKeyDictionary()


def _names(corpus: Corpus) -> dict[str, list[int]]:
    """Return the documents of each name in lower case; read once for an open corpus."""
    names = _NAMES.get(corpus)
    if names is None:
        names = _NAMES[corpus] = {}
        for number, document in enumerate(corpus.documents()):
            for name in {_plain(name) for name in (document.title, *document.aliases)}:
                if len(name) >= SHORTEST_ALIKE:
                    names.setdefault(name, []).append(number)
    return names


def _plain(name: str) -> str:
    return " ".join(western_digits(name).casefold().removeprefix("the ").split())


# Numbers in a rulebook's own form: "FC-1.1.1", "Guideline 12"

# Provisions of a number whose labels are read.
MOST_LABELS = 40
_THERE = frozenset((Naming.FOUND, Naming.SEVERAL))


def designations(
    question: Question, code: str, found: Sequence[Mention], most: int
) -> Iterator[tuple[Mention, Target, NamedProvision]]:
    """Yield up to ``most`` provisions that a question names in such a form.

    ``found`` are the mentions of the grammar of the language ``code``. A number that the corpus does not have
    is reported only if its letters are those of a document.
    """
    for mention in find_designations(question.text, code, found)[:most]:
        (meaning,) = question.reader.meanings([mention], question.text, code, question.day)
        for target in mention.targets[:most]:
            span = Span(target.span.start, meaning.name_end or target.span.end)
            known = tuple(document for document in meaning.documents if document is not None)
            name = Name(known, span) if known else None
            named = _named(question, replace(mention, targets=(target,)), code, name)
            if named is not None:
                yield mention, target, named


def _named(question: Question, mention: Mention, code: str, name: Name | None) -> NamedProvision | None:
    """Resolve one number; None if the corpus does not have it."""
    (target,) = mention.targets
    number = target.address.number or ""
    for form in forms_of(number):
        one = _with_number(mention, form)
        if name is not None:
            named = in_documents(question, one, code, name, _words(question, name.span or target.span, form))
        elif len(question.corpus.numbered(form)) or _is_label(question, form):
            if not len(question.corpus.numbered(form)):
                one = _with_number(mention, form.rpartition(" ")[2])
            named = in_any(question, one, code, _words(question, target.span, form))
        else:
            continue
        if named.status in _THERE:
            return named
    return None if name is not None else _by_letters(question, mention, code)


def _is_label(question: Question, form: str) -> bool:
    """Return whether a word and a number are the label of a provision, such as "Disclosure 306-3"."""
    word, _, number = form.rpartition(" ")
    if not word:
        return False
    rows = question.corpus.numbered(number)
    labels = (passage.label.casefold() for passage in question.corpus.passages(rows[:MOST_LABELS]))
    return any(label.startswith(form.casefold()) for label in labels)


def _by_letters(question: Question, mention: Mention, code: str) -> NamedProvision | None:
    """Resolve a number in the documents whose name it begins with."""
    (target,) = mention.targets
    number = target.address.number or ""
    for name, rest in splits(number):
        documents = question.reader.called(name, code)
        if not documents:
            continue
        words = _words(question, target.span, name)
        every = [
            in_documents(question, _with_number(mention, form), code, Name(documents), words)
            for form in (number, rest)
        ]
        found = next((named for named in every if named.status in _THERE), None)
        if found is not None or name.isupper():
            return found or every[0]
    return None


def _with_number(mention: Mention, number: str) -> Mention:
    (target,) = mention.targets
    return replace(mention, targets=(replace(target, address=replace(target.address, number=number)),))


def _words(question: Question, span: Span, form: str) -> str:
    """Return the words of a number as written, from its own first word on."""
    start = question.text.find(form.split()[0], span.start, span.end)
    return " ".join(question.written[max(span.start, start) : span.end].split())
