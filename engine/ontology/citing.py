"""The provisions that a rule cites: ids of the corpus, or citations in words that its grammars resolve."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date

import numpy as np

from engine.corpus.outside import outside
from engine.corpus.protocol import Corpus, Rows
from engine.language.references import find_mentions
from engine.model import Status, TargetKind

# Of a longer provision its first passages are shown; the whole is a click away.
MOST_SHOWN = 8
_DIGIT = re.compile(r"\d")


@dataclass(frozen=True, slots=True)
class CitedText:
    """A passage of a cited provision, verbatim. ``validity`` is empty where it is in force on the day, or
    nothing is known of it; else "no longer in force" or "not yet in force"."""

    passage_id: str
    label: str
    document: str
    text: str
    language: str
    validity: str


@dataclass(frozen=True, slots=True)
class Citation:
    """What a rule cites. ``problem`` says in words why it leads nowhere; ``more`` counts the passages of the
    provision that are not among ``texts``."""

    said: str
    texts: tuple[CitedText, ...] = ()
    more: int = 0
    problem: str = ""

    @property
    def lapsed(self) -> str:
        """What is wrong with its validity, where that is so of all that is shown; else empty."""
        found = {text.validity for text in self.texts}
        return found.pop() if len(found) == 1 else ""


@dataclass(frozen=True, slots=True)
class Provision:
    """Where a citation leads: its rows, shape (n,), empty where ``problem`` says in words why nowhere."""

    rows: Rows
    problem: str = ""


def provision(corpus: Corpus, said: str, languages: Sequence[str] = ("en",)) -> Provision:
    """The provision that an id or a citation in words names, of a whole document its first passage, as the
    law stands today: whoever writes an ontology means the text that they see."""
    said = said.strip()
    rows = _by_id(corpus, said)
    if len(rows):
        return Provision(rows)
    problem = "it names no provision"
    for language in dict.fromkeys((*languages, *corpus.info().languages)):
        for mention in find_mentions(said, language):
            for reference in outside(corpus).resolve(mention, said, language, date.today()):
                if reference.status is Status.RESOLVED and reference.target_id is not None:
                    found = outside(corpus).rows(reference.target_kind, reference.target_id)
                    if reference.target_kind is not TargetKind.DOCUMENT:
                        return Provision(found)
                    if not _DIGIT.search(said.replace(reference.text, "")):
                        return Provision(found[:1])
                    problem = "its document is known, its number is not understood: give the provision's id"
                elif reference.status is Status.AMBIGUOUS:
                    problem = f"it may mean {', '.join(reference.candidates[:4])}"
                else:
                    problem = "this corpus has no such provision"
    return Provision(np.empty(0, np.int32), problem)


def cited(corpus: Corpus, said: str, day: date, languages: Sequence[str] = ("en",)) -> Citation:
    """The provision that an id or a citation in words names, word for word, and its validity on a day."""
    found = provision(corpus, said, languages)
    shown = found.rows[:MOST_SHOWN]
    if not len(shown):
        return Citation(said, problem=found.problem)
    documents, numbers = corpus.documents(), corpus.document_numbers(shown).tolist()
    gone, valid = corpus.out_of_force(day)[shown], corpus.in_force(day)[shown]
    texts = []
    for place, passage in enumerate(corpus.passages(shown)):
        document = documents[numbers[place]]
        validity = "no longer in force" if gone[place] else "" if valid[place] else "not yet in force"
        name, title = passage.label or passage.id, document.title or document.id
        texts.append(CitedText(passage.id, name, title, passage.text, passage.language, validity))
    return Citation(said, tuple(texts), max(0, len(found.rows) - MOST_SHOWN))


def _by_id(corpus: Corpus, name: str) -> Rows:
    """The rows of a passage or a section, the first of a document; none for what is no id."""
    rows = corpus.rows([name])
    if rows[0] >= 0:
        return rows
    # The id of a section begins with that of its document.
    for number, document in enumerate(corpus.documents()):
        if name == document.id:
            return corpus.by_document([name])[0][:1]
        if name.startswith(document.id):
            for section in corpus.sections(corpus.document_sections(number).tolist()):
                if section.id == name:
                    return corpus.by_document([document.id])[0][section.first : section.stop]
    return np.empty(0, np.int32)
