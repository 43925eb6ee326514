"""The names of a corpus, and the grades of its documents."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from pydantic import Field

from engine.access.users import Action
from engine.corpus.grades import (
    NO_GRADE,
    NO_KIND,
    Basis,
    GradeLine,
    Grades,
    KindRow,
    Subject,
    grade_from,
    grades_of,
    kind_rows,
    meanings,
    set_grade,
    ungraded,
    withdraw_grade,
    words_of,
)
from engine.corpus.related import EntityGraph, entity_graph
from engine.errors import InputError
from engine.model import Document, Entity, EntityKind, Grade, Passage
from engine.records.phrases import plural, short_citation
from ui.calls import Answer, Call
from ui.corpus.access import CorpusAccess, CorpusForm
from ui.corpus.browser import Browser, in_context
from ui.templating import direction, rendered

# The names of a corpus: organisations, parties, standards, documents, defined terms.
#
# Each name has its relations to others, with the passages that state them.

NAMES_SHOWN = 100
PASSAGES_SHOWN = 20
RELATED_SHOWN = 30
KIND_WORDS: dict[EntityKind, str] = {
    EntityKind.DEFINED_TERM: "defined term",
    EntityKind.NAME: "name",
    EntityKind.ACRONYM: "acronym",
    EntityKind.ORGANISATION: "organisation",
    EntityKind.STANDARD: "standard",
    EntityKind.HEADING: "heading",
    EntityKind.TITLE: "document",
}


class NamesForm(CorpusForm):
    """A filter of names: words, one kind (empty for any), from the ``first`` on."""

    words: str = Field(default="", max_length=500)
    kind: str = Field(default="", max_length=200)
    first: int = Field(default=0, ge=0)


class NameForm(CorpusForm):
    """The id of a name."""

    name: str = Field(default="", max_length=500)


def names(access: CorpusAccess, form: NamesForm) -> Answer:
    """Return names that contain all the words, of one kind (empty for any), the most mentioned first, from
    ``first`` on; ``kinds`` are those in the corpus."""
    graph = entity_graph(access.browser().corpus)
    wanted = form.words.casefold().split()
    chosen = [
        number
        for number, entity in enumerate(graph.entities)
        if form.kind in ("", entity.kind.value) and _holds(entity, wanted)
    ]
    chosen.sort(key=lambda number: (-graph.mentioned(number), graph.entity(number).name.casefold()))
    shown = chosen[form.first : form.first + NAMES_SHOWN]
    rest = len(chosen) - form.first - len(shown)
    lines = [(graph.entity(number), _facts(graph, number)) for number in shown]
    counted = Counter(entity.kind for entity in graph.entities)
    return {
        "html": rendered("corpus/names.html", lines=lines, rest=rest, next=form.first + len(shown)),
        "total": len(chosen),
        "kinds": [[kind.value, KIND_WORDS[kind]] for kind in EntityKind if counted[kind]],
    }


def name(access: CorpusAccess, form: NameForm) -> Answer:
    """Return all data on one name, by its id. Raises InputError for an unknown id."""
    browser = access.browser()
    graph = entity_graph(browser.corpus)
    number = next((at for at, entity in enumerate(graph.entities) if entity.id == form.name), None)
    if number is None:
        raise InputError("this corpus has no such name (any more)")
    return {"html": _entity_html(browser, graph, number)}


def _holds(entity: Entity, wanted: Sequence[str]) -> bool:
    every = " ".join((entity.name, *entity.aliases)).casefold()
    return all(word in every for word in wanted)


def _facts(graph: EntityGraph, number: int) -> str:
    return f"{KIND_WORDS[graph.entity(number).kind]} · {plural(graph.mentioned(number), 'passage')}"


@dataclass(frozen=True, slots=True)
class Place:
    """A passage that states something about a name; ``quote`` are its words before, of and after the name."""

    document: int
    position: int
    cited: str
    language: str
    quote: tuple[str, str, str] | None = None

    @property
    def direction(self) -> str:
        """The direction of the text."""
        return direction(self.language)


def _entity_html(browser: Browser, graph: EntityGraph, number: int) -> str:
    entity, rows = graph.entity(number), np.sort(graph.passages(number))
    rest = len(rows) - PASSAGES_SHOWN
    return rendered(
        "corpus/name.html",
        entity=entity,
        facts=f"{_facts(graph, number)} · score {entity.score:.2f}",
        roles=[(role.name, _places(browser, _passages(browser, (role.source_id,)))) for role in entity.roles],
        defined=_places(browser, _passages(browser, entity.definitions), entity),
        related=[
            (one, _places(browser, _passages(browser, one.passages)))
            for one in graph.related(number, RELATED_SHOWN)
        ],
        mentions=_places(browser, browser.corpus.passages(rows[:PASSAGES_SHOWN]), entity),
        more=plural(rest, "more passage") if rest > 0 else "",
    )


def _places(browser: Browser, passages: Sequence[Passage], entity: Entity | None = None) -> list[Place]:
    places = []
    for passage in passages:
        document = browser.number(passage.document_id) or 0
        cited = short_citation(passage, browser.document(document))
        quote = None if entity is None else _quote(passage, entity)
        places.append(Place(document, passage.position, cited, passage.language, quote))
    return places


def _passages(browser: Browser, ids: Sequence[str]) -> list[Passage]:
    rows = browser.corpus.rows(ids)
    return browser.corpus.passages(rows[rows >= 0])


def _quote(passage: Passage, entity: Entity) -> tuple[str, str, str] | None:
    """Return the words around the first occurrence of an entity in a passage, whole words before parts of
    words; None if the passage has it in another form."""
    every = "|".join(
        re.escape(each) for each in sorted((entity.name, *entity.aliases), key=len, reverse=True)
    )
    forms = (rf"(?<!\w)(?:{every})(?!\w)", every)
    found = next((one for form in forms if (one := re.search(form, passage.text, re.IGNORECASE))), None)
    if found is None:
        return None
    return in_context(passage.text, *found.span())


# The grades of a corpus's documents as an editable table, and the grade of one document.

MOST_ROWS, MOST_NAMED = 200, 400
# The choice that withdraws a person's grade.
_AS_TABLE = "table"


class GradeForm(CorpusForm):
    """The grade of a kind of documents, or of the document with the id ``target``; ``name`` is that of the
    reviewer if login is off."""

    grade: str = Field(default="", max_length=20)
    kind: str = Field(default="", max_length=200)
    target: str | None = Field(default=None, max_length=1000)
    name: str = Field(default="", max_length=500)


def grades(access: CorpusAccess, form: CorpusForm) -> Answer:
    """Return the table."""
    shelved = access.entry
    writable = access.may(shelved, Action.JUDGE)
    return {"html": table_html(access, writable=writable), "writable": writable}


def grade(access: CorpusAccess, form: GradeForm) -> Answer:
    """Set or withdraw the grade of a kind or a document; returns the table, and the line of the document.
    Raises InputError for an invalid grade."""
    shelved = access.entry
    corpus = access.desk.books.open(shelved)
    of: Subject = "kind" if form.target is None else "document"
    name = form.kind if form.target is None else form.target
    reviewer = {"reviewer": access.caller.person.name or form.name}
    if form.grade == _AS_TABLE:
        withdraw_grade(corpus, of, name, **reviewer)
    else:
        set_grade(corpus, of, name, grade_from(form.grade), **reviewer)
    answer = {"html": table_html(access, writable=True), "writable": True}
    if of == "kind":
        return answer
    found = next((one for one in corpus.documents() if one.id == name), None)
    line = document_html(grades_of(corpus), found, writable=True) if found else ""
    return answer | {"line": line}


@dataclass(frozen=True, slots=True)
class Choice:
    """A list of the grades with the current one, ``held``, selected; that of the table, ``usual``, comes
    first, and is selected unless a person ``is_said`` to have graded the subject ``name``."""

    label: str
    of: Subject
    name: str
    held: str
    is_said: bool
    usual: str
    table: str = _AS_TABLE
    grades: tuple[tuple[str, str], ...] = (*((one.value, one.value) for one in Grade), (NO_GRADE, "no grade"))


def _choice(
    label: str, of: Subject, name: str, grade: Grade | None, *, is_said: bool, usual: Grade | None
) -> Choice:
    whose = "by its kind" if of == "document" else "default"
    held, usually = NO_GRADE if grade is None else grade.value, "no grade" if usual is None else usual.value
    return Choice(label, of, name, held, is_said, f"{usually}, {whose}")


def document_html(found: Grades, document: Document, *, writable: bool) -> str:
    """Return the grade of one document: in words, or as a list to choose from."""
    grade, basis = found.explain(document)
    usual, choice = Grades(found.kinds).of(document), None
    if writable:
        is_said, label = basis is Basis.HAND, "Grade of this document"
        choice = _choice(label, "document", document.id, grade, is_said=is_said, usual=usual)
    words = words_of(grade).capitalize()
    return rendered("corpus/grade.html", document=document, choice=choice, words=words, basis=basis)


def table_html(access: CorpusAccess, *, writable: bool) -> str:
    """Return the table of kinds, the documents graded by hand, and those without a grade."""
    browser = access.browser()
    documents, found = browser.documents, grades_of(browser.corpus)
    rows = kind_rows(found, documents)
    without = ungraded(found, documents)
    note = f"{plural(len(without), 'document')} of {len(documents):,} without a grade."
    return rendered(
        "corpus/grades.html",
        document=None,
        note=note if without else "Every document has a grade.",
        rows=[(row, _kind_choice(row) if writable else None) for row in rows[:MOST_ROWS]],
        no_kind=NO_KIND,
        spare=len(rows) - MOST_ROWS,
        by_hand=list(_by_hand(found, documents, writable=writable)),
        meanings=meanings(),
        writable=writable,
    )


def _kind_choice(row: KindRow) -> Choice:
    label = f"Grade of the kind {row.shown or NO_KIND}"
    return _choice(label, "kind", row.kind, row.grade, is_said=row.decision is not None, usual=row.usual)


def _by_hand(
    found: Grades, documents: Iterable[Document], *, writable: bool
) -> Iterator[tuple[str, GradeLine, Choice | None]]:
    """Yield the documents that a person graded, each with a control to withdraw the grade."""
    known = {one.id: one for one in documents}
    for name, line in list(found.documents.items())[:MOST_NAMED]:
        document = known.get(name)
        title = document.title or name if document else f"{name}, not in the corpus now"
        usual = Grades(found.kinds).of(document) if document else None
        choice = _choice(f"Grade of {title}", "document", name, line.grade, is_said=True, usual=usual)
        yield title, line, choice if writable else None


CALLS = (
    Call("names", NamesForm, names),
    Call("name", NameForm, name),
    Call("grades", CorpusForm, grades),
    Call("grade", GradeForm, grade, audit="grade", needs=Action.JUDGE),
)
