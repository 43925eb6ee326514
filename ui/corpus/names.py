"""The names of a corpus, and the grades of its documents."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence

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
from engine.corpus.related import EntityGraph, RelatedEntity, entity_graph
from engine.errors import InputError
from engine.language.characters import attribute, escape
from engine.model import Document, Entity, EntityKind, Grade, Passage
from engine.records.phrases import plural, short_citation
from ui.calls import Answer, Call
from ui.corpus.access import CorpusAccess, CorpusForm
from ui.corpus.browser import Browser, direction

# The names of a corpus: organisations, parties, standards, documents, defined terms.
#
# Each name has its relations to others, with the passages that state them.

NAMES_SHOWN = 100
PASSAGES_SHOWN = 20
RELATED_SHOWN = 30
AROUND = 110
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
    more = (
        f'<li><button type="button" class="line more-lines" data-first="{form.first + len(shown)}">'
        f"{rest:,} more</button></li>"
        if rest > 0
        else ""
    )
    counted = Counter(entity.kind for entity in graph.entities)
    return {
        "html": "".join(_line(graph, number) for number in shown) + more,
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


def _line(graph: EntityGraph, number: int) -> str:
    entity = graph.entity(number)
    facts = f"{KIND_WORDS[entity.kind]} · {plural(graph.mentioned(number), 'passage')}"
    return (
        f'<li><button type="button" class="line" data-name="{attribute(entity.id)}">'
        f'<span class="words"><b dir="auto">{escape(entity.name)}</b><small>{facts}</small></span>'
        "</button></li>"
    )


def _entity_html(browser: Browser, graph: EntityGraph, number: int) -> str:
    entity = graph.entity(number)
    facts = (
        KIND_WORDS[entity.kind],
        plural(graph.mentioned(number), "passage"),
        f"score {entity.score:.2f}",
    )
    also = (
        f'<p class="facts" dir="auto">also {escape(", ".join(entity.aliases))}</p>' if entity.aliases else ""
    )
    blocks = (
        f'<div class="title-line"><h2 dir="auto">{escape(entity.name)}</h2></div>'
        f'<p class="facts">{" · ".join(facts)}</p>{also}',
        _block("Roles", (_role(browser, role.name, role.source_id) for role in entity.roles)),
        _block("Defined in", _defined(browser, entity)),
        _block("Related to", (_related(browser, one) for one in graph.related(number, RELATED_SHOWN))),
        _block("Mentioned in", _mentions(browser, graph, number)),
    )
    return "".join(blocks)


def _block(title: str, lines: Iterator[str]) -> str:
    body = "".join(lines)
    return f'<h3>{title}</h3><ul class="named">{body}</ul>' if body else ""


def _role(browser: Browser, role: str, passage_id: str) -> str:
    return f'<li><b dir="auto">{escape(role)}</b> {_places(browser, (passage_id,))}</li>'


def _defined(browser: Browser, entity: Entity) -> Iterator[str]:
    for passage in _passages(browser, entity.definitions):
        yield f"<li>{_place(browser, passage)}{_quote(passage, entity)}</li>"


def _related(browser: Browser, one: RelatedEntity) -> str:
    detail = f' <span dir="auto">as {escape(one.detail)}</span>' if one.detail else ""
    # Relations that the texts state are certain; those from mere co-occurrence have a confidence.
    sure = f" <small>{one.confidence:.2f}</small>" if one.confidence < 1 else ""
    return (
        f'<li class="related"><span class="how">{one.relation.value}{sure}</span><span class="who">'
        f'<button type="button" class="link" data-name="{attribute(one.entity.id)}" dir="auto">'
        f"{escape(one.entity.name)}</button>{detail}</span>"
        f'<span class="where">{_places(browser, one.passages)}</span></li>'
    )


def _mentions(browser: Browser, graph: EntityGraph, number: int) -> Iterator[str]:
    rows = np.sort(graph.passages(number))
    for passage in browser.corpus.passages(rows[:PASSAGES_SHOWN]):
        yield f"<li>{_place(browser, passage)}{_quote(passage, graph.entity(number))}</li>"
    if len(rows) > PASSAGES_SHOWN:
        yield f'<li class="hint">and {plural(len(rows) - PASSAGES_SHOWN, "more passage")}</li>'


def _places(browser: Browser, ids: Sequence[str]) -> str:
    return " ".join(_place(browser, passage) for passage in _passages(browser, ids))


def _passages(browser: Browser, ids: Sequence[str]) -> list[Passage]:
    rows = browser.corpus.rows(ids)
    return browser.corpus.passages(rows[rows >= 0])


def _place(browser: Browser, passage: Passage) -> str:
    document = browser.number(passage.document_id) or 0
    cited = short_citation(passage, browser.document(document))
    return (
        f'<a class="go" href="#" data-document="{document}" data-at="{passage.position}" dir="auto">'
        f"{escape(cited)}</a>"
    )


def _quote(passage: Passage, entity: Entity) -> str:
    """Return the words around the first occurrence of an entity in a passage, whole words before parts of
    words; empty if the passage has it in another form."""
    every = "|".join(
        re.escape(each) for each in sorted((entity.name, *entity.aliases), key=len, reverse=True)
    )
    forms = (rf"(?<!\w)(?:{every})(?!\w)", every)
    found = next((one for form in forms if (one := re.search(form, passage.text, re.IGNORECASE))), None)
    if found is None:
        return ""
    start, stop = found.span()
    left, right = max(0, start - AROUND), stop + AROUND
    before = passage.text[left:start]
    after = passage.text[stop:right]
    before = "… " + before.partition(" ")[2] if left else before
    after = after.rpartition(" ")[0] + " …" if right < len(passage.text) else after
    return (
        f'<q dir="{direction(passage.language)}" lang="{escape(passage.language)}">{escape(before)}'
        f"<mark>{escape(passage.text[start:stop])}</mark>{escape(after)}</q>"
    )


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


def document_html(found: Grades, document: Document, *, writable: bool) -> str:
    """Return the grade of one document: in words, or as a list to choose from."""
    grade, basis = found.explain(document)
    why = f"<small>{escape(basis.value)}</small>" if basis else ""
    if not writable:
        return f'<p class="doc-grade">{escape(words_of(grade)).capitalize()} {why}</p>'
    usual = Grades(found.kinds).of(document)
    choice = _choice("Grade of this document", {"document": document.id}, grade, basis is Basis.HAND, usual)
    return f'<p class="doc-grade"><span>Grade</span>{choice}{why}</p>'


def table_html(access: CorpusAccess, *, writable: bool) -> str:
    """Return the table of kinds, the documents graded by hand, and those without a grade."""
    browser = access.browser()
    documents, found = browser.documents, grades_of(browser.corpus)
    rows = kind_rows(found, documents)
    without = ungraded(found, documents)
    body = "".join(_row(row, writable=writable) for row in rows[:MOST_ROWS])
    spare = len(rows) - MOST_ROWS
    more = f'<p class="hint">and {spare:,} more kinds, on the command line</p>' if spare > 0 else ""
    note = f"{plural(len(without), 'document')} of {len(documents):,} without a grade."
    if not without:
        note = "Every document has a grade."
    return (
        f'<p class="hint">{note} A check that asks for a lowest grade never counts a source without one.</p>'
        '<table class="grade-table"><thead><tr><th scope="col">Kind of document</th>'
        '<th scope="col" class="number">Documents</th><th scope="col">Grade</th>'
        f'<th scope="col">By</th></tr></thead><tbody>{body}</tbody></table>{more}'
        f"{_by_hand(found, documents, writable=writable)}{_meaning()}{_signature(writable)}"
    )


def _row(row: KindRow, *, writable: bool) -> str:
    shown = f'<span dir="auto">{escape(row.shown)}</span>' if row.shown else f"<i>{NO_KIND}</i>"
    named = f"Grade of the kind {row.shown or NO_KIND}"
    grade = (
        _choice(named, {"kind": row.kind}, row.grade, row.decision is not None, row.usual)
        if writable
        else _plain(row.grade)
    )
    return (
        f'<tr{"" if row.grade else " class=without"}><th scope="row">{shown}</th>'
        f'<td class="number">{row.documents:,}</td><td>{grade}</td>'
        f"<td>{_why(row.basis, row.decision, writable=writable)}</td></tr>"
    )


def _by_hand(found: Grades, documents: Iterable[Document], *, writable: bool) -> str:
    """Return the documents that a person graded, each with a control to withdraw the grade."""
    if not found.documents:
        return '<p class="hint">One document is graded apart from its kind where it is read.</p>'
    known = {one.id: one for one in documents}
    rows = []
    for name, line in list(found.documents.items())[:MOST_NAMED]:
        document = known.get(name)
        title = document.title or name if document else f"{name}, not in the corpus now"
        usual = Grades(found.kinds).of(document) if document else None
        choice = _plain(line.grade)
        if writable:
            choice = _choice(f"Grade of {title}", {"document": name}, line.grade, True, usual)
        rows.append(
            f'<tr><th scope="row" dir="auto">{escape(title)}</th><td>{choice}</td>'
            f"<td>{_why(Basis.HAND, line, writable=writable)}</td></tr>"
        )
    return (
        '<table class="grade-table"><thead><tr><th scope="col">Document, by hand</th>'
        '<th scope="col">Grade</th><th scope="col">By</th></tr></thead>'
        f"<tbody>{''.join(rows)}</tbody></table>"
    )


def _choice(
    label: str, subject: Mapping[str, str], grade: Grade | None, is_said: bool, usual: Grade | None
) -> str:
    """Return a list of the grades with the current one selected; that of the table comes first."""
    held = NO_GRADE if grade is None else grade.value
    table = "" if is_said else " selected"
    whose = "by its kind" if "document" in subject else "default"
    usually = "no grade" if usual is None else usual.value
    options = [f'<option value="{_AS_TABLE}"{table}>{usually}, {whose}</option>']
    for value in (*(one.value for one in Grade), NO_GRADE):
        chosen = " selected" if is_said and value == held else ""
        words = "no grade" if value == NO_GRADE else value
        options.append(f'<option value="{value}"{chosen}>{words}</option>')
    data = " ".join(f'data-grade-{name}="{attribute(value)}"' for name, value in subject.items())
    return f'<select {data} aria-label="{escape(label)}">{"".join(options)}</select>'


def _plain(grade: Grade | None) -> str:
    return f"<b>{grade.value}</b>" if grade else "no grade"


def _why(basis: Basis, line: GradeLine | None, *, writable: bool) -> str:
    """Return who gave a grade; the name is shown only to users who may give grades."""
    if line is None:
        return escape(basis.value)
    who = line.reviewer if writable and line.reviewer else "a reviewer"
    return f'<span dir="auto">{escape(who)}</span>, {escape(line.when[:10])}'


def _meaning() -> str:
    rows = "".join(f"<dt>{grade.value}</dt><dd>{escape(words)}</dd>" for grade, words in meanings().items())
    return f'<dl class="grade-meanings" aria-label="What the grades mean">{rows}</dl>'


def _signature(writable: bool) -> str:
    if not writable:
        return '<p class="hint">Grades of this corpus are given by its reviewers; in your own you can.</p>'
    return (
        '<input type="text" class="grade-name" data-lib="grade-name" maxlength="100" '
        'placeholder="Your name (optional)" aria-label="Your name (optional)" autocomplete="off" dir="auto">'
    )


CALLS = (
    Call("names", NamesForm, names),
    Call("name", NameForm, name),
    Call("grades", CorpusForm, grades),
    Call("grade", GradeForm, grade, audit="grade", needs=Action.JUDGE),
)
