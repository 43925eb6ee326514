"""Documents that a question names, and numbers in a form of the rulebook's own."""

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

# The documents that a number of a question is of: by the grammar, by what is named beside it, or
# by a name that is all but one of the corpus.

# Names are the same but for a slip of the pen from here on (0..100); short ones are not compared so.
ALIKE, SHORTEST_ALIKE = 86.0, 8
# A name begins so near behind a number, and has at most so many words.
LONGEST_NAME = 10
_DIGITS = re.compile(r"\d+")


def documents_of(asked: Question, mention: Mention, meaning: Meaning) -> Name:
    """The documents that the numbers of a mention are of; ``meaning`` is how the corpus reads its name."""
    if meaning.denied:
        return Name((), *asked.reader.explain_denied(mention, meaning, asked.written, asked.language))
    over = _over(asked, mention)
    if over is not None:
        return over
    known = tuple(number for number in meaning.documents if number is not None)
    if known:
        # Of a list each number is told by itself.
        whole = Span(mention.span.start, max(meaning.name_end or 0, mention.span.end))
        return Name(known, whole if len(mention.targets) == 1 else None)
    return (not meaning.named and _beside(asked, mention)) or _all_but(asked, mention)


def _over(asked: Question, mention: Mention) -> Name | None:
    """The document whose name runs into a number farther in front than the grammar saw it begin: without
    blanks the words before a name may seem part of it, and its own first words not."""
    for document_id, span in documents_at(asked.corpus, asked.text, asked.language):
        if span.start < mention.span.start < span.end < mention.span.end:
            return Name(numbers_of(asked, document_id), Span(span.start, mention.span.end))
    return None


def _beside(asked: Question, mention: Mention) -> Name | None:
    """The document that the question names nearest to a number, anywhere in its words."""
    named = documents_at(asked.corpus, asked.text, asked.language, near=mention.span)
    if not named:
        return None
    distances = [max(span.start - mention.span.end, mention.span.start - span.end) for _, span in named]
    document_id, span = named[distances.index(min(distances))]
    return Name(numbers_of(asked, document_id), span)


def _all_but(asked: Question, mention: Mention) -> Name:
    """The documents of the name that is all but the one beside a number."""
    names, reader = _names(asked.corpus), statement_reader(asked.language)
    best: tuple[float, int, str, Span] | None = None
    every = list(names)
    for span in _runs(asked.text, mention):
        written = _plain(asked.text[span.start : span.end])
        if len(written) < SHORTEST_ALIKE:
            continue
        stated = reader.read(asked.text, span.start, span.end)
        if years := years_in(asked.text[mention.span.end : span.start]):
            stated = stated._replace(year=years[-1])
        for name, score, _ in process.extract(written, every, scorer=fuzz.ratio, score_cutoff=ALIKE, limit=3):
            better = best is None or (score, len(written)) > best[:2]
            same = _DIGITS.findall(name) == _DIGITS.findall(written)
            if better and same and all(stated.fits(asked.reader.documents[one]) for one in names[name]):
                best = (score, len(written), name, span)
    if best is None:
        return Name()
    _, _, name, span = best
    run, documents = asked.written[span.start : span.end], tuple(names[name])
    plain = _plain(run) == name
    note = "" if plain else f"“{run}” is read as “{asked.reader.documents[documents[0]].title}”"
    return Name(documents, span, note)


def _runs(text: str, mention: Mention) -> Iterator[Span]:
    """Where a document's name may stand: what the grammar took for one, the words behind a number, and
    those in front of it."""
    if mention.document and mention.name_at is not None:
        yield Span(mention.name_at, mention.name_at + len(mention.document))
        for word in list(NAME_WORD.finditer(text, mention.name_at))[:LONGEST_NAME]:
            yield Span(mention.name_at, word.end())
    behind = list(NAME_WORD.finditer(text, mention.leads_at or mention.span.end))[: LONGEST_NAME + 2]
    for first in range(min(3, len(behind))):
        for last in range(first, len(behind)):
            yield Span(behind[first].start(), behind[last].end())
    before = list(NAME_WORD.finditer(text, 0, mention.span.start))[-LONGEST_NAME:]
    for one in before:
        yield Span(one.start(), before[-1].end())


_NAMES: WeakKeyDictionary[Corpus, dict[str, list[int]]] = WeakKeyDictionary()


def _names(corpus: Corpus) -> dict[str, list[int]]:
    """The documents of each name, in small letters; read once for an open corpus."""
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


# Numbers of a question in a form that a rulebook of the corpus has: "FC-1.1.1", "Guideline 12".

# So many provisions of a number are asked for their labels.
MOST_LABELS = 40
_THERE = frozenset((Naming.FOUND, Naming.SEVERAL))


def designations(
    asked: Question, code: str, found: Sequence[Mention], most: int
) -> Iterator[tuple[Mention, Target, NamedProvision]]:
    """What a question names so, ``most`` of it, beside the mentions that the grammar of the language ``code``
    ``found``; what the corpus has not is told only where its letters are those of a document."""
    for mention in find_designations(asked.text, code, found)[:most]:
        (meaning,) = asked.reader.meanings([mention], asked.text, code, asked.day)
        for target in mention.targets[:most]:
            behind = Span(target.span.start, meaning.name_end or target.span.end)
            known = tuple(document for document in meaning.documents if document is not None)
            name = Name(known, behind) if known else None
            named = _named(asked, replace(mention, targets=(target,)), code, name)
            if named is not None:
                yield mention, target, named


def _named(asked: Question, mention: Mention, code: str, name: Name | None) -> NamedProvision | None:
    """What one number names; None where it is none that the corpus knows."""
    (target,) = mention.targets
    number = target.address.number or ""
    for form in forms_of(number):
        one = _with(mention, form)
        if name is not None:
            named = in_documents(asked, one, code, name, _words(asked, name.span or target.span, form))
        elif len(asked.corpus.numbered(form)) or _is_label(asked, form):
            if not len(asked.corpus.numbered(form)):
                one = _with(mention, form.rpartition(" ")[2])
            named = in_any(asked, one, code, _words(asked, target.span, form))
        else:
            continue
        if named.status in _THERE:
            return named
    return None if name is not None else _by_letters(asked, mention, code)


def _is_label(asked: Question, form: str) -> bool:
    """Whether a word and a number are the label of a provision whose number alone is known: "Disclosure
    306-3"."""
    word, _, number = form.rpartition(" ")
    if not word:
        return False
    rows = asked.corpus.numbered(number)
    labels = (passage.label.casefold() for passage in asked.corpus.passages(rows[:MOST_LABELS]))
    return any(label.startswith(form.casefold()) for label in labels)


def _by_letters(asked: Question, mention: Mention, code: str) -> NamedProvision | None:
    """What a number names in the documents whose name it begins with."""
    (target,) = mention.targets
    number = target.address.number or ""
    for name, rest in splits(number):
        documents = asked.reader.called(name, code)
        if not documents:
            continue
        words = _words(asked, target.span, name)
        every = [
            in_documents(asked, _with(mention, form), code, Name(documents), words) for form in (number, rest)
        ]
        there = next((one for one in every if one.status in _THERE), None)
        if there is not None or name.isupper():
            return there or every[0]
    return None


def _with(mention: Mention, number: str) -> Mention:
    (target,) = mention.targets
    return replace(mention, targets=(replace(target, address=replace(target.address, number=number)),))


def _words(asked: Question, span: Span, form: str) -> str:
    """The words of a number as they are written, from its own first word on."""
    start = asked.text.find(form.split()[0], span.start, span.end)
    return " ".join(asked.written[max(span.start, start) : span.end].split())
