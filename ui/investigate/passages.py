"""Passage cards: the words of a passage, why it was found, and its actions."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import date

from engine.extraction.judging import UNWRITTEN, is_written
from engine.investigation.ranking.order import EXPERTS
from engine.language.characters import attribute, escape
from engine.language.quotes import matched_spans, question_terms
from engine.llm.suspicion import addresses_machine
from engine.model import Direction, Document, Hop, Passage, RankedPassage, Relation, ScorePart
from engine.records.context import badge, by_document, edition
from engine.records.expansion_text import came_through
from engine.records.phrases import Clause, Name, full_citation, plural, trail_clauses
from ui.palette import colour

# A passage as safe HTML, with the words of the question marked.

__all__ = ["marked", "matched_spans", "question_terms"]


def marked(text: str, language: str, question: str) -> str:
    """Return the text HTML-escaped, with the words of the question inside ``<mark>``."""
    pieces: list[str] = []
    position = 0
    for span in matched_spans(text, language, question_terms(question, language)):
        pieces += (escape(text[position : span.start]), f"<mark>{escape(text[span.start : span.end])}</mark>")
        position = span.end
    pieces.append(escape(text[position:]))
    return "".join(pieces)


# The button that reports a link as wrong where it is shown, or withdraws the report.

# The source passage, the target passage, and the relation.
Link = tuple[str, str, str]
WRONG = "Mark this link as wrong (x): it will be ignored from the next case"
UNDO = "Reported as wrong: the next case leaves it out. Take that back (x)"


def link_of(hop: Hop) -> Link | None:
    """Return the link of a corpus that a hop followed, from the passage that states it; None for none."""
    if hop.source_id is None or not is_written(hop.relation, hop.strategy):
        return None
    return link_between(hop.source_id, hop.target_id, hop.relation, hop.direction)


def link_between(source_id: str, target_id: str, relation: Relation, direction: Direction) -> Link | None:
    """Return the corpus link by which a hop led from one passage to another; None if it followed none."""
    if relation in UNWRITTEN:
        return None
    ends = (source_id, target_id)
    return (*(ends if direction is Direction.OUT else ends[::-1]), relation.value)


def report_button(link: Link, *, rejected: bool) -> str:
    """Return the button. The script of the page sends its link and its action."""
    act, sign, words = ("unreject", "undo", UNDO) if rejected else ("reject", "✕", WRONG)
    return (
        f'<button type="button" class="judge" data-act="{act}" data-link="{attribute(json.dumps(link))}" '
        f'title="{words}" aria-label="{words}">{sign}</button>'
    )


# Passage cards: the words of each passage, why it was found, and its actions.

RIGHT_TO_LEFT = frozenset({"ar", "fa", "ur", "he", "yi", "ps", "sd", "ug", "dv"})

_ACTIONS = (
    ("follow", "Search on from here"),
    ("whole", "Read the whole document"),
    ("pin", "Pin"),
    ("dismiss", "Dismiss"),
    ("copy", "Copy citation"),
    ("read", "Open in document"),
)


# Reasons for dismissing a passage, in a word.
_REASONS = (
    '<details class="reasons"><summary>Dismiss with a reason …</summary><span>'
    + "".join(
        f'<button type="button" data-act="dismiss" data-reason="{words}">{words}</button>'
        for words in ("not on the question", "not in force", "says the same", "another matter")
    )
    + "</span></details>"
)


@dataclass(frozen=True, slots=True)
class Reading:
    """The context of cards: the question, names for trails, the day of the case.

    ``best`` is the score that fills a score bar. ``rejected`` are the links reported as wrong on this page;
    if ``judging``, the viewer may report one. ``came_through`` has the number of passages reached through
    each passage, by its id.
    """

    question: str
    name: Name
    day: date
    best: float = 1.0
    rejected: frozenset[Link] = frozenset()
    judging: bool = False
    came_through: Mapping[str, int] = field(default_factory=dict)


def ranked_cards(ranking: Sequence[RankedPassage], reading: Reading) -> str:
    """Return all cards of a ranking, best first."""
    best = max((_length(found.breakdown) for found in ranking), default=0.0) or 1.0
    scaled = replace(reading, best=best)
    places = {found.rank: place for place, found in enumerate(by_document(ranking))}
    return "".join(ranked_card(found, scaled, places[found.rank]) for found in ranking)


def ranked_card(found: RankedPassage, reading: Reading, place: int = 0) -> str:
    """Return one full card; ``place`` is its rank in the order of the documents.

    All text from a document is escaped.
    """
    passage, document = found.passage, found.document
    language = passage.language
    body = marked(found.text, language, reading.question)
    return (
        _opening(passage, document, "card", found.assembled_ids, {"data-place": str(place)})
        + _cite(passage, document, reading.day, str(found.rank))
        + f'<p class="text" dir="auto" lang="{escape(language)}">{body}</p>'
        + _relations(found, reading.name)
        + _why(found.trails, reading)
        + _came(passage.id, reading)
        + _score(found, reading)
        + _actions(pinned=found.pinned)
        + "</article>"
    )


def compact_card(
    passage: Passage, document: Document, trails: Sequence[Sequence[Hop]], reading: Reading
) -> str:
    """Return a card of two lines for a passage of the pool outside the ranking."""
    body = marked(passage.text, passage.language, reading.question)
    return (
        _opening(passage, document, "card compact", (passage.id,))
        + _cite(passage, document, reading.day, "·")
        + f'<p class="text" dir="auto" lang="{escape(passage.language)}">{body}</p>'
        + _why(trails[:1], reading)
        + _came(passage.id, reading)
        + _actions(pinned=False)
        + "</article>"
    )


def nothing_found(question: str, reason: str = "") -> str:
    """Return the message for a question without results; ``reason`` is why there was nothing to search."""
    if reason:
        return (
            '<div class="empty"><b>The constraints of this question leave nothing to search.</b>'
            f'<p dir="auto">{escape(reason[:1].upper() + reason[1:])}.</p></div>'
        )
    return (
        '<div class="empty"><b>Nothing in this corpus answers to these words.</b>'
        f"<p>No passage passed the thresholds of the scan for “{escape(question)}”. Try the words that the "
        "texts themselves would use, a more general term, or lower thresholds under “More”.</p></div>"
    )


MACHINE = (
    "This text addresses a machine, not a reader. It is not shown to a language model; where it stands is "
    "not changed by that."
)
WAITING = (
    '<div class="empty"><b>Ask a question.</b><p>A first search finds likely passages; each round then '
    "follows their references, terms and exceptions. Every passage shows how it was found.</p></div>"
)


def more_button(remaining: int) -> str:
    """Return the control that fetches the next part of the pool; empty if nothing remains."""
    if remaining <= 0:
        return ""
    words = f"Show more passages ({remaining:,})"
    return f'<button type="button" class="more-pool" data-act="more">{words}</button>'


def _opening(
    passage: Passage,
    document: Document,
    classes: str,
    members: Sequence[str],
    more: Mapping[str, str] | None = None,
) -> str:
    right = passage.language.split("-")[0] in RIGHT_TO_LEFT
    attributes = {
        "class": classes,
        "data-id": passage.id,
        "data-members": "\n".join(members or (passage.id,)),
        "data-document": document.title or document.id,
        "data-citation": full_citation(passage, document),
        "dir": "rtl" if right else "ltr",
        "tabindex": "0",
        **(more or {}),
    }
    return "<article " + " ".join(f'{key}="{escape(value)}"' for key, value in attributes.items()) + ">"


def _cite(passage: Passage, document: Document, day: date, rank: str) -> str:
    page = f"p. {passage.page}" if passage.page is not None else ""
    where = ", ".join(part for part in (passage.label, page) if part)
    path = " › ".join(passage.headings)
    seal = badge(passage, document, day)
    sealed = f'<span class="badge{" old" if seal.old else ""}">{escape(seal.words)}</span>' if seal else ""
    if (one_of := edition(document)) and not (seal and seal.old):
        sealed += f'<span class="badge">{escape(one_of)}</span>'
    return (
        f'<header class="cite" title="{escape(path)}"><span class="n">{rank}</span>'
        f'<b dir="auto">{escape(document.title or document.id)}</b>'
        f'<span class="where" dir="auto">{escape(where)}</span>{sealed}{_machine(passage)}</header>'
    )


def _machine(passage: Passage) -> str:
    """Return a note for a passage that is not sent to language models."""
    if not addresses_machine(passage.text):
        return ""
    return f'<span class="badge old" title="{MACHINE}">addresses a machine</span>'


def _relations(found: RankedPassage, name: Name) -> str:
    """Return the passages that were joined to this one, and those with the same text."""
    own = found.passage.id
    groups = (
        ("Read together with", [one for one in found.assembled_ids if one != own]),
        ("The same words as", list(found.same_words)),
    )
    lines = "".join(
        f"<div>{words} {', '.join(f'<bdi>{escape(name(one))}</bdi>' for one in ids)}</div>"
        for words, ids in groups
        if ids
    )
    return f'<div class="beside" dir="ltr">{lines}</div>' if lines else ""


def _why(trails: Sequence[Sequence[Hop]], reading: Reading) -> str:
    """Return the first trail, with the first chain of hops if only the scan found the passage; the other
    trails are folded."""
    shown = list(trails[:1])
    if shown and len(shown[0]) == 1:
        shown += [trail for trail in trails[1:] if len(trail) > 1][:1]
    others = [trail for trail in trails if trail not in shown]
    lines = "".join(
        f'<div class="why" dir="ltr">{_trail(trail_clauses(trail, reading.name), reading)}</div>'
        for trail in shown
    )
    if not others:
        return lines
    folded = "".join(
        f'<li class="why" dir="ltr">{_trail(trail_clauses(trail, reading.name), reading)}</li>'
        for trail in others
    )
    summary = f"<summary>{plural(len(others), 'more trail')}</summary>"
    return f'{lines}<details class="trails" dir="ltr">{summary}<ul>{folded}</ul></details>'


def _came(passage_id: str, reading: Reading) -> str:
    """Return the number of passages reached through this one; the page shows them in the tree."""
    count = reading.came_through.get(passage_id, 0)
    if not count:
        return ""
    words = escape(came_through(count))
    return f'<div class="came" dir="ltr"><button type="button" data-act="tree">{words}</button></div>'


def _trail(clauses: Sequence[Clause], reading: Reading) -> str:
    hops = []
    for index, clause in enumerate(clauses):
        words = clause.words[:1].upper() + clause.words[1:] if index == 0 else "which " + clause.words
        words_quoted = escape(clause.quote.strip("“”"))
        colon = ":" if clause.asks else ""
        quote = f'{colon} <q dir="auto">{words_quoted}</q>' if words_quoted else ""
        comma = "," if index < len(clauses) - 1 else "."
        detail = f' title="{escape(clause.hop.detail)}"' if clause.hop.detail else ""
        link = link_of(clause.hop)
        struck = " wrong" if link in reading.rejected else ""
        hops.append(
            f'<span class="hop{struck}" style="--c:{colour(clause.hop.strategy)}"{detail}><i></i>'
            f"<span><bdi>{escape(words)}</bdi>{quote}{comma}</span>{_report(link, reading)}</span>"
        )
    return " ".join(hops)


def _report(link: Link | None, reading: Reading) -> str:
    """Return the button that reports a link as wrong, or that withdraws the report."""
    if link is None or not reading.judging:
        return ""
    return report_button(link, rejected=link in reading.rejected)


def _length(parts: Sequence[ScorePart]) -> float:
    return sum(part.value for part in parts if _has_length(part))


def _has_length(part: ScorePart) -> bool:
    # A pin outweighs every score: drawn to scale it would hide all other parts.
    return part.value > 0 and part.name != "pinned"


def _score(found: RankedPassage, reading: Reading) -> str:
    # Values that round to 0 are left out.
    shown = [part for part in found.breakdown if round(part.value, 3)]
    if not shown:
        return ""
    total = found.score
    bar = "".join(
        f'<u style="--v:{100 * part.value / reading.best:.1f}%;--c:{_part_colour(part)}" '
        f'title="{escape(part.name)} {part.value:+.3f}"></u>'
        for part in shown
        if _has_length(part)
    )
    rows = "".join(
        f'<tr><td><i style="--c:{_part_colour(part)}"></i>{escape(part.name)}</td>'
        f"<td>{part.value:+.3f}</td><td>{escape(_part_detail(part, found, reading.name))}</td></tr>"
        for part in shown
    )
    return (
        f'<details class="score" dir="ltr"><summary title="Score {total:.3f}: open for its parts">'
        f"<span>{bar}</span></summary>"
        f"<table>{rows}<tr><td>score</td><td>{total:.3f}</td><td></td></tr></table></details>"
    )


# Parts of a score that no strategy contributes: the question itself, and neighbouring passages.
_PART_TOKENS = {
    "question": "scan",
    "scan": "scan",
    "neighbours": "meta",
    "pinned": "person",
    "linked": "cite",
    EXPERTS: "person",
    "reranker": "spare-a",
}


def _part_colour(part: ScorePart) -> str:
    token = _PART_TOKENS.get(part.name)
    return f"var(--{token})" if token else colour(part.name)


def _part_detail(part: ScorePart, found: RankedPassage, name: Name) -> str:
    """Return the detail of a part; the short citation if it is a passage id."""
    if part.name == EXPERTS:
        of = "this passage" if part.detail == found.passage.id else name(part.detail)
        return f"from what was said of {of}" if part.detail else "by what verdicts taught of passages like it"
    return name(part.detail) if part.detail else ""


def _actions(*, pinned: bool) -> str:
    labels = {"pin": "Pinned"} if pinned else {}
    buttons = "".join(
        f'<button type="button" data-act="{key}"{" class=on" if key == "pin" and pinned else ""}>'
        f"{labels.get(key, words)}</button>"
        for key, words in _ACTIONS
    )
    return f'<footer class="acts" dir="ltr">{buttons}{_REASONS}</footer>'
