"""What became of the provisions that a question names, where a person has to know or to choose."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from datetime import date

from engine.investigation.facets import NONE
from engine.language.characters import attribute, escape
from engine.model import (
    NOTHING,
    Choice,
    DepthKind,
    NamedProvision,
    Naming,
    QueryPlan,
    Suggestion,
    Transaction,
)
from engine.records.presets import day_words


def named_html(plan: QueryPlan, day: date, titles: Mapping[str, str] = NOTHING) -> str:
    """A line for each provision that is not plainly there, with what to ask instead, one for a day that the
    question may mean, and one for a document that comes first. ``day`` is the one whose law the case looks
    at, ``titles`` are those of documents by id."""
    lines = [_line(plan.question, named) for named in plan.named if named.note]
    days = [found for found in plan.suggestions if found.kind == "as_of" and found.value != day.isoformat()]
    if plan.constraints.as_of is None:
        lines += [_day_line(plan.question, found, day) for found in days]
    if not plan.constraints.documents:
        lines += [_focus_line(plan.question, document, titles) for document in plan.focus]
    return "".join(lines)


def transaction_html(question: str, found: Transaction | None, kinds: Mapping[str, str]) -> str:
    """That a question was taken for one about a type of transaction, with what to take instead."""
    if found is None or found.id is None or not found.proposed:
        return ""
    plain = _without(question, "transaction")
    others = [NONE, *(kind for kind in kinds if kind != found.id)]
    offered = "".join(
        f'<button type="button" class="chip" dir="auto" '
        f'data-question="{attribute(f"{plain} transaction:{kind}")}">'
        f"{escape('None of them' if kind == NONE else kinds[kind])}</button>"
        for kind in others
    )
    words = (
        f"Taken for a question about “{kinds.get(found.id, found.id)}”: the areas that it needs are required."
    )
    return (
        f'<div class="told-first" data-status="transaction"><span dir="auto">{escape(words)}</span>'
        f"<details><summary>Change</summary>{offered}</details></div>"
    )


def depth_html(plan: QueryPlan) -> str:
    """Why a question goes less deep than the settings allow, or as deep; nothing where it goes as usual."""
    depth = plan.depth
    if depth is None or depth.kind is DepthKind.USUAL:
        return ""
    words, other, offer = {
        DepthKind.LOOK_UP: ("Looked up, no more", DepthKind.DEEP, "Go deep"),
        DepthKind.DEEP: ("Goes deep", DepthKind.USUAL, "Less deep"),
    }[depth.kind]
    asked = attribute(f"{_without(plan.question, 'depth')} depth:{other.value}")
    return (
        f'<div class="told-first" data-status="depth"><span dir="auto">'
        f"{escape(f'{words}: {depth.reason}.')}</span>"
        f'<button type="button" class="chip" data-question="{asked}">{offer}</button></div>'
    )


def _without(question: str, sign: str) -> str:
    """A question without a sign that says a value."""
    kept = [word for word in question.split() if not word.casefold().startswith(f"{sign}:")]
    return " ".join(kept)


def _focus_line(question: str, document: str, titles: Mapping[str, str]) -> str:
    title = titles.get(document, document)
    asked = attribute(f'{" ".join(question.split())} document:"{document}"')
    words = f"What “{title}” says comes first, as the question asks for it."
    return (
        f'<div class="told-first" data-status="focus"><span dir="auto">{escape(words)}</span>'
        f'<button type="button" class="chip" data-question="{asked}">Search nothing else</button></div>'
    )


def _day_line(question: str, found: Suggestion, day: date) -> str:
    asked = attribute(f"{' '.join(question.split())} as_of:{found.value}")
    words = f"The question says “{found.words}”; this case looks at the law of {day_words(day)}."
    return (
        f'<div class="told-first" data-status="day"><span dir="auto">{escape(words)}</span>'
        f'<button type="button" class="chip" data-question="{asked}">'
        f"Look at the law of {day_words(date.fromisoformat(found.value))}</button></div>"
    )


def _line(question: str, named: NamedProvision) -> str:
    words = f"“{named.words}” may be one of several" if named.status is Naming.SEVERAL else named.note
    note = words[:1].upper() + words[1:]
    offered = "".join(_offers(question, named))
    return (
        f'<div class="told-first" data-status="{named.status.value}">'
        f'<span dir="auto">{escape(note)}.</span>{offered}</div>'
    )


def _offers(question: str, named: NamedProvision) -> Iterator[str]:
    for choice in named.choices:
        asked = attribute(_asked_of(question, named, choice))
        yield (
            f'<button type="button" class="chip" data-question="{asked}" dir="auto">'
            f"{escape(choice.label)}</button>"
        )


def _asked_of(question: str, named: NamedProvision, choice: Choice) -> str:
    """The question with a provision that is there in the place of the one that it names."""
    written = " ".join(question.split())
    return written.replace(named.words, choice.label, 1) if named.words in written else choice.label
