"""The documents that a number of a question is of: by the grammar, by what is named beside it, or by
a name that is all but one of the corpus.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from weakref import WeakKeyDictionary

from rapidfuzz import fuzz, process

from engine.corpus.protocol import Corpus
from engine.language.aliases import NAME_WORD
from engine.language.characters import western_digits
from engine.language.references import Mention
from engine.language.references.definitions import Meaning, years_in
from engine.language.references.readings import statement_reader
from engine.model import Span
from engine.retrieval.planning.named.question import Name, Question, numbers_of
from engine.retrieval.planning.prose import documents_at

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
