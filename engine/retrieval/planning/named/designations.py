"""Numbers of a question in a form that a rulebook of the corpus has: "FC-1.1.1", "Guideline 12"."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from engine.language.designations import forms_of, splits
from engine.language.references import Mention, Target
from engine.language.references.readings import find_designations
from engine.model import NamedProvision, Naming, Span
from engine.retrieval.planning.named.provisions import in_any, in_documents
from engine.retrieval.planning.named.question import Name, Question

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
