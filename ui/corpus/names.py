"""The names of a corpus: organisations, parties, standards, documents, defined terms.

Each name has its relations to others, with the passages that state them.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence

import numpy as np
from pydantic import Field

from engine.corpus.related import EntityGraph, RelatedEntity, entity_graph
from engine.errors import InputError
from engine.language.characters import attribute, escape
from engine.model import Entity, EntityKind, Passage
from engine.records.phrases import plural, short_citation
from ui.calls import Answer, Call
from ui.corpus.access import CorpusAccess, CorpusForm
from ui.corpus.browser import Browser
from ui.corpus.phrases import direction

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


CALLS = (
    Call("names", NamesForm, names),
    Call("name", NameForm, name),
)
