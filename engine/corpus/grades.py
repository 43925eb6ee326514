"""The grades A to E of a corpus's documents: by hand, by the corpus's own table, by a default table.

What people say stands in the corpus's journal ``grades.jsonl``, one line each, only ever added to; the last
line on a kind or a document counts. It belongs to the corpus and not to one state of its data, so that an
ingestion keeps it. A document has, in this order: the grade that a person gave it, the grade that a person
gave its kind in this corpus, the one that its source came with, the one of its kind in ``grades.yaml``. Where
there is none of these it has no grade.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from enum import StrEnum
from functools import cache
from pathlib import Path
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from engine import bounded_yaml
from engine.corpus.embedded.publication import GRADES_NAME
from engine.corpus.journal import LONGEST_NAME, LONGEST_NOTE, Journals, journals_at, signed_line, signed_name
from engine.corpus.protocol import Corpus
from engine.errors import CorpusError, InputError
from engine.model import Document, Grade

# What people write for a grade that there is none of.
NO_GRADE = "none"
# How documents are called whose source does not say of what kind they are.
NO_KIND = "no kind"
LONGEST_KIND, LONGEST_DOCUMENT = 200, 1000
Subject = Literal["kind", "document"]
# Grades that sources come with go from 0 to 1: a fifth of that for each letter.
_FROM_QUALITY = ((0.8, Grade.A), (0.6, Grade.B), (0.4, Grade.C), (0.2, Grade.D), (0.0, Grade.E))


class Basis(StrEnum):
    """Why a document has its grade."""

    HAND = "by hand"
    CORPUS = "the corpus's table"
    SOURCE = "its source"
    DEFAULT = "the default table"
    NOTHING = ""


class GradeLine(BaseModel):
    """What a person said of a kind of document (``name`` in small letters; empty: of those without a kind) or
    of one document (``name`` is its id).

    ``grade`` None says that it has none, whatever a table says. ``withdrawn`` takes back what was said
    before. ``when`` is ISO 8601.
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
    """The grades that hold in one corpus. ``version`` counts the lines of its journal:
    another number, another table. ``kinds`` and ``documents`` are what people said, by name."""

    kinds: Mapping[str, GradeLine] = field(default_factory=dict)
    documents: Mapping[str, GradeLine] = field(default_factory=dict)
    version: int = 0

    def of(self, document: Document) -> Grade | None:
        """The grade of a document, None where it has none."""
        return self.told(document)[0]

    def told(self, document: Document) -> tuple[Grade | None, Basis]:
        """The grade of a document and why."""
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
    """A kind of the table of a corpus: how its documents write it, how many there are, its grade, why, and
    what a person said where one has. ``usual`` is the grade of the default table."""

    kind: str
    shown: str
    documents: int
    grade: Grade | None
    basis: Basis
    usual: Grade | None
    said: GradeLine | None


def grade_from(text: str) -> Grade | None:
    """A grade as people write it, None for "none". Raises InputError for anything else."""
    if text.strip().lower() == NO_GRADE:
        return None
    try:
        return Grade(text.strip().upper())
    except ValueError:
        shown = text[:20] + ("…" if len(text) > 20 else "")
        raise InputError(f"grade: {shown!r} is none; write A, B, C, D or E, or {NO_GRADE}") from None


def minimum_from(text: str | None) -> Grade | None:
    """The lowest grade that is asked for, None where none is. Raises InputError for what is no grade."""
    if text is None or not text.strip():
        return None
    found = grade_from(text)
    if found is None:
        raise InputError("the lowest grade is A, B, C, D or E; leave it out for any")
    return found


def words_of(grade: Grade | None) -> str:
    """A grade as it is told: "grade B", "no grade"."""
    return "no grade" if grade is None else f"grade {grade.value}"


def kind_of(document: Document) -> str:
    """The kind of a document as tables compare it: small letters, single blanks; empty where it has none."""
    return _folded(document.type or "")


def _folded(kind: str) -> str:
    return " ".join(kind.casefold().replace("_", " ").split())


@cache
def _defaults() -> tuple[Mapping[str, Grade], Mapping[Grade, str]]:
    content: Any = bounded_yaml.load((Path(__file__).with_name("grades.yaml")).read_bytes())
    kinds = {_folded(kind): Grade(grade) for grade, named in content["kinds"].items() for kind in named}
    return kinds, {Grade(grade): words for grade, words in content["meanings"].items()}


def meanings() -> Mapping[Grade, str]:
    """What each grade means, in words."""
    return _defaults()[1]


def default_grade(kind: str) -> Grade | None:
    """The grade of a kind of document in the default table; None where it is not listed. A kind with a part
    in brackets, "UU (Undang-Undang)", is looked up whole, without it, and by it."""
    table = _defaults()[0]
    inside = re.findall(r"[(（]([^()（）]*)[)）]", kind)
    for form in (kind, re.sub(r"[(（][^()（）]*[)）]", " ", kind), *inside):
        if _folded(form) in table:
            return table[_folded(form)]
    return None


def load_grades(place: Path | str | Journals) -> list[GradeLine]:
    """All that was said of grades, in order; nothing where nobody has said anything.

    Raises CorpusError, naming the line, for what is no grade.
    """
    journals, found = journals_at(place), []
    for number, line in enumerate(journals.lines(GRADES_NAME), start=1):
        try:
            found.append(GradeLine.model_validate_json(line))
        except ValidationError as error:
            reason = error.errors()[0]["msg"]
            where = f"{journals.named(GRADES_NAME)}:{number}"
            raise CorpusError(f"{where}: not a grade ({reason}); mend or remove the line") from error
    return found


def grades_of(corpus: Corpus) -> Grades:
    """The grades that hold in a corpus now. Raises CorpusError for a journal that cannot be read."""
    return Grades() if corpus.journals is None else standing_grades(load_grades(corpus.journals))


def standing_grades(lines: Sequence[GradeLine]) -> Grades:
    """The grades by what was said, the last word on each subject."""
    last = {(line.of, line.name): line for line in lines}
    holds = [line for line in last.values() if not line.withdrawn]
    return Grades(
        {line.name: line for line in holds if line.of == "kind"},
        {line.name: line for line in holds if line.of == "document"},
        len(lines),
    )


def kind_rows(grades: Grades, documents: Iterable[Document]) -> list[KindRow]:
    """The table of a corpus: its kinds, the most frequent first; kinds that a person graded and no document
    has any more come last."""
    written: dict[str, Counter[str]] = {}
    for document in documents:
        written.setdefault(kind_of(document), Counter())[document.type or ""] += 1
    rows = []
    for kind in [*written, *(kind for kind in grades.kinds if kind not in written)]:
        forms = written.get(kind, Counter())
        shown = forms.most_common(1)[0][0] if forms else kind
        said, usual = grades.kinds.get(kind), default_grade(shown)
        basis = Basis.CORPUS if said else Basis.NOTHING if usual is None else Basis.DEFAULT
        grade = said.grade if said else usual
        rows.append(KindRow(kind, shown, forms.total(), grade, basis, usual, said))
    return sorted(rows, key=lambda row: (-row.documents, row.shown.casefold()))


def ungraded(grades: Grades, documents: Iterable[Document]) -> list[Document]:
    """The documents that have no grade."""
    return [one for one in documents if grades.of(one) is None]


def grades_to_json(grades: Grades, corpus: Corpus, *, names: bool = True) -> dict[str, Any]:
    """The grades of a corpus as plain values; without ``names`` nobody learns who said what."""

    def said(line: GradeLine | None) -> dict[str, Any] | None:
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
                "said": said(row.said),
            }
            for row in kind_rows(grades, documents)
        ],
        "documents": [
            {"id": name, "there": name in known, **(said(line) or {})}
            for name, line in grades.documents.items()
        ],
        "without_grade": [one.id for one in ungraded(grades, documents)],
    }


def set_grade(
    corpus: Corpus, of: Subject, name: str, grade: Grade | None, *, note: str = "", reviewer: str = ""
) -> GradeLine:
    """Give a grade to a kind of document, or to one document by its id; durable once this returns.

    Raises InputError where the corpus has no such kind or document, CorpusError where nothing can be kept.
    """
    journals, name = _journals(corpus), _named(of, name)
    if of == "document" and all(one.id != name for one in corpus.documents()):
        raise InputError(f"{_short(name)} is no document of {corpus.name!r}")
    if of == "kind" and all(kind_of(one) != name for one in corpus.documents()):
        raise InputError(f"no document of {corpus.name!r} is of the kind {_short(name)}")
    return _add(journals, GradeLine(of=of, name=name, grade=grade), note, reviewer)


def unset_grade(corpus: Corpus, of: Subject, name: str, *, note: str = "", reviewer: str = "") -> GradeLine:
    """Take back what was said of a kind or a document, so that the table counts again.

    Raises InputError where nothing was said, CorpusError.
    """
    journals, name = _journals(corpus), _named(of, name)
    grades = standing_grades(load_grades(journals))
    said = (grades.kinds if of == "kind" else grades.documents).get(name)
    if said is None:
        raise InputError(f"nobody has graded the {of} {_short(name)}")
    return _add(journals, said.model_copy(update={"withdrawn": True}), note, reviewer)


def _add(journals: Journals, line: GradeLine, note: str, reviewer: str) -> GradeLine:
    dated = line.model_copy(
        update={
            "note": signed_line(note, LONGEST_NOTE, "note"),
            "reviewer": signed_name(reviewer),
            "when": datetime.now(UTC).isoformat(timespec="seconds"),
        }
    )
    journals.add(GRADES_NAME, dated.model_dump_json().encode())
    return dated


def _journals(corpus: Corpus) -> Journals:
    if corpus.journals is None:
        raise CorpusError(f"{corpus.name!r} has no journals: there is no place for grades")
    return corpus.journals


def _named(of: Subject, name: str) -> str:
    most = LONGEST_DOCUMENT if of == "document" else LONGEST_KIND
    if len(name) > most:
        raise InputError(f"{of}: longer than the {most:,} characters taken here")
    if of == "kind":
        return _folded(name)
    if not name:
        raise InputError("which document is meant was not said: give its id")
    return name


def _short(name: str) -> str:
    return repr(name if len(name) <= 60 else name[:60] + "…") if name else "“none”"
