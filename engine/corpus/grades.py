"""The grades A to E of a corpus's documents.

Users' decisions are in the corpus's journal ``grades.jsonl``, which is append-only; the last line on a kind
or document counts. The journal belongs to the corpus, not to a state of its data, so that an ingestion keeps
it. The grade of a document is, in this order: its own by a user, that of its kind by a user, its source's,
that of its kind in ``grades.yaml``, else none.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from functools import cache
from pathlib import Path
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field

from engine import bounded
from engine.corpus.embedded.publication import GRADES_NAME
from engine.corpus.journal import (
    LONGEST_NAME,
    LONGEST_NOTE,
    Journals,
    add_line,
    load_lines,
    signed_line,
    signed_name,
)
from engine.corpus.protocol import Corpus
from engine.errors import CorpusError, InputError
from engine.model import Document, Grade

# The text for "no grade".
NO_GRADE = "none"
# The name for documents without a kind.
NO_KIND = "no kind"
LONGEST_KIND, LONGEST_DOCUMENT = 200, 1000
Subject = Literal["kind", "document"]
# Sources give a quality from 0 to 1: one fifth per letter.
_FROM_QUALITY = ((0.8, Grade.A), (0.6, Grade.B), (0.4, Grade.C), (0.2, Grade.D), (0.0, Grade.E))


class Basis(StrEnum):
    """The origin of a document's grade."""

    HAND = "by hand"
    CORPUS = "the corpus's table"
    SOURCE = "its source"
    DEFAULT = "the default table"
    NOTHING = ""


class GradeLine(BaseModel):
    """A user's decision on a kind of document or a single document.

    ``name`` is the kind in lower case (empty: documents without a kind) or the document's id. ``grade`` None
    means no grade, whatever the tables contain. ``withdrawn`` withdraws the previous decision. ``when`` is
    ISO 8601.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    of: Subject
    name: str = Field(max_length=LONGEST_DOCUMENT)
    grade: Grade | None
    note: str = Field(default="", max_length=LONGEST_NOTE)
    reviewer: str = Field(default="", max_length=LONGEST_NAME)
    when: str = ""
    withdrawn: bool = False


@dataclass(frozen=True, slots=True)
class Grades:
    """The grades in force in a corpus.

    ``kinds`` and ``documents`` are users' decisions by name. ``version`` is the number of lines in the
    journal.
    """

    kinds: Mapping[str, GradeLine] = field(default_factory=dict)
    documents: Mapping[str, GradeLine] = field(default_factory=dict)
    version: int = 0

    def of(self, document: Document) -> Grade | None:
        """Return the grade of a document, None for none."""
        return self.explain(document)[0]

    def explain(self, document: Document) -> tuple[Grade | None, Basis]:
        """Return the grade of a document with its origin."""
        by_hand = self.documents.get(document.id)
        if by_hand is not None:
            return by_hand.grade, Basis.HAND
        of_kind = self.kinds.get(kind_of(document))
        if of_kind is not None:
            return of_kind.grade, Basis.CORPUS
        if document.quality is not None:
            return next(grade for least, grade in _FROM_QUALITY if document.quality >= least), Basis.SOURCE
        usual = default_grade(document.type or "")
        return usual, Basis.NOTHING if usual is None else Basis.DEFAULT


@dataclass(frozen=True, slots=True)
class KindRow:
    """A kind of document in a corpus: its spelling, number of documents, grade with origin, and the user's
    decision.

    ``usual`` is the grade in the default table.
    """

    kind: str
    shown: str
    documents: int
    grade: Grade | None
    basis: Basis
    usual: Grade | None
    decision: GradeLine | None


def grade_from(text: str) -> Grade | None:
    """Parse a grade; "none" gives None. Raises InputError for any other text."""
    if text.strip().lower() == NO_GRADE:
        return None
    try:
        return Grade(text.strip().upper())
    except ValueError:
        shown = text[:20] + ("…" if len(text) > 20 else "")
        raise InputError(f"grade: {shown!r} is not a grade; use A, B, C, D or E, or {NO_GRADE}") from None


def words_of(grade: Grade | None) -> str:
    """Return a grade as words: "grade B", "no grade"."""
    return "no grade" if grade is None else f"grade {grade.value}"


def kind_of(document: Document) -> str:
    """Return the kind of a document in normalised form (lower case, single blanks); empty for none."""
    return _folded(document.type or "")


def _folded(kind: str) -> str:
    return " ".join(kind.casefold().replace("_", " ").split())


@cache
def _defaults() -> tuple[Mapping[str, Grade], Mapping[Grade, str]]:
    content: Any = bounded.load_yaml((Path(__file__).with_name("grades.yaml")).read_bytes())
    kinds = {_folded(kind): Grade(grade) for grade, named in content["kinds"].items() for kind in named}
    return kinds, {Grade(grade): words for grade, words in content["meanings"].items()}


def meanings() -> Mapping[Grade, str]:
    """Return the meaning of each grade."""
    return _defaults()[1]


def default_grade(kind: str) -> Grade | None:
    """Return the grade of a kind in the default table, None if it is not listed.

    A kind with a part in brackets, "UU (Undang-Undang)", is looked up in full, without that part, and by that
    part.
    """
    table = _defaults()[0]
    inside = re.findall(r"[(（]([^()（）]*)[)）]", kind)
    for form in (kind, re.sub(r"[(（][^()（）]*[)）]", " ", kind), *inside):
        if _folded(form) in table:
            return table[_folded(form)]
    return None


def load_grades(place: Path | str | Journals) -> list[GradeLine]:
    """Return all decisions on grades in order. Raises as ``load_lines``."""
    return load_lines(place, GRADES_NAME, GradeLine.model_validate_json, "a grade")


def grades_of(corpus: Corpus) -> Grades:
    """Return the grades in force in a corpus. Raises CorpusError for an unreadable journal."""
    return Grades() if corpus.journals is None else current_grades(load_grades(corpus.journals))


def current_grades(lines: Sequence[GradeLine]) -> Grades:
    """Return the grades that follow from some decisions."""
    last = {(line.of, line.name): line for line in lines}
    holds = [line for line in last.values() if not line.withdrawn]
    return Grades(
        {line.name: line for line in holds if line.of == "kind"},
        {line.name: line for line in holds if line.of == "document"},
        len(lines),
    )


def kind_rows(grades: Grades, documents: Iterable[Document]) -> list[KindRow]:
    """Return the kinds of a corpus, most frequent first; graded kinds without documents come last."""
    written: dict[str, Counter[str]] = {}
    for document in documents:
        written.setdefault(kind_of(document), Counter())[document.type or ""] += 1
    rows = []
    for kind in [*written, *(kind for kind in grades.kinds if kind not in written)]:
        forms = written.get(kind, Counter())
        shown = forms.most_common(1)[0][0] if forms else kind
        decision, usual = grades.kinds.get(kind), default_grade(shown)
        basis = Basis.CORPUS if decision else Basis.NOTHING if usual is None else Basis.DEFAULT
        grade = decision.grade if decision else usual
        rows.append(KindRow(kind, shown, forms.total(), grade, basis, usual, decision))
    return sorted(rows, key=lambda row: (-row.documents, row.shown.casefold()))


def ungraded(grades: Grades, documents: Iterable[Document]) -> list[Document]:
    """Return the documents without a grade."""
    return [one for one in documents if grades.of(one) is None]


def grades_to_json(grades: Grades, corpus: Corpus, *, names: bool = True) -> dict[str, Any]:
    """Return the grades of a corpus as plain values, without reviewers unless ``names``."""

    def decision_values(line: GradeLine | None) -> dict[str, Any] | None:
        if line is None:
            return None
        who = {"reviewer": line.reviewer, "note": line.note} if names else {}
        return {"grade": line.grade, "when": line.when, **who}

    documents = corpus.documents()
    known = {one.id for one in documents}
    return {
        "corpus": corpus.name,
        "version": grades.version,
        "meanings": {grade.value: words for grade, words in meanings().items()},
        "kinds": [
            {
                "kind": row.shown,
                "documents": row.documents,
                "grade": row.grade,
                "why": row.basis.value,
                "default": row.usual,
                "said": decision_values(row.decision),
            }
            for row in kind_rows(grades, documents)
        ],
        "documents": [
            {"id": name, "there": name in known, **(decision_values(line) or {})}
            for name, line in grades.documents.items()
        ],
        "without_grade": [one.id for one in ungraded(grades, documents)],
    }


def set_grade(
    corpus: Corpus, of: Subject, name: str, grade: Grade | None, *, note: str = "", reviewer: str = ""
) -> GradeLine:
    """Grade a kind of document, or a document by its id; durable on return.

    Raises InputError for an unknown kind or document, CorpusError if the corpus has no journals.
    """
    journals, name = _journals(corpus), _named(of, name)
    if of == "document" and all(one.id != name for one in corpus.documents()):
        raise InputError(f"{_short(name)} is not a document of {corpus.name!r}")
    if of == "kind" and all(kind_of(one) != name for one in corpus.documents()):
        raise InputError(f"no document of {corpus.name!r} is of the kind {_short(name)}")
    return _add(journals, GradeLine(of=of, name=name, grade=grade), note, reviewer)


def withdraw_grade(
    corpus: Corpus, of: Subject, name: str, *, note: str = "", reviewer: str = ""
) -> GradeLine:
    """Withdraw the decision on a kind or document; the tables apply again.

    Raises InputError if there is no decision, CorpusError.
    """
    journals, name = _journals(corpus), _named(of, name)
    grades = current_grades(load_grades(journals))
    decision = (grades.kinds if of == "kind" else grades.documents).get(name)
    if decision is None:
        raise InputError(f"the {of} {_short(name)} has not been graded")
    return _add(journals, decision.model_copy(update={"withdrawn": True}), note, reviewer)


def _add(journals: Journals, line: GradeLine, note: str, reviewer: str) -> GradeLine:
    signed = {"note": signed_line(note, LONGEST_NOTE, "note"), "reviewer": signed_name(reviewer)}
    return add_line(journals, GRADES_NAME, line.model_copy(update=signed))


def _journals(corpus: Corpus) -> Journals:
    if corpus.journals is None:
        raise CorpusError(f"{corpus.name!r} has no journals, so grades cannot be stored")
    return corpus.journals


def _named(of: Subject, name: str) -> str:
    most = LONGEST_DOCUMENT if of == "document" else LONGEST_KIND
    if len(name) > most:
        raise InputError(f"{of}: longer than {most:,} characters")
    if of == "kind":
        return _folded(name)
    if not name:
        raise InputError("give the id of a document")
    return name


def _short(name: str) -> str:
    return repr(name if len(name) <= 60 else name[:60] + "…") if name else "“none”"
