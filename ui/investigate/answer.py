"""Render the answer of a case as HTML: sentences with numbered chips, their quotes, conflicts, notes.

All text, from a document or a model, is escaped. The quotes are hidden in the page, each in its passage with
the quoted words marked; ``answer.js`` shows them when the pointer is over a chip.
"""

from __future__ import annotations

from typing import Any

import orjson

from engine.answers.export import (
    ALSO_TO_READ,
    KIND_WORDS,
    MISSING,
    MOST_CHANGES,
    TO_READ,
    answer_markdown,
    answer_text,
    answer_to_json,
    notes_of,
    summary_line,
)
from engine.answers.record import Answer, Method, Sentence, Support
from engine.corpus.grades import words_of
from engine.investigation.strategies.citations import Amendments
from engine.model import Direction, Hop, Passage, Relation, Span
from engine.records.phrases import hop_words, plural
from ui.open_case import OpenCase
from ui.templating import rendered

# Characters of the passage shown on either side of a quote.
AROUND = 160
WAITING = (
    '<div class="empty"><b>The answer appears when the case ends.</b><p>Without a language model it is a '
    "brief of the sources' own sentences; with one you can have an answer written, and every sentence of it "
    "is held against the words that it quotes.</p></div>"
)
_CLASSES = {Support.FULL: "full", Support.PART: "part", Support.NONE: "none"}


def answer_html(answer: Answer, opened: OpenCase, offer: str = "") -> str:
    """Return the content of the pane. ``offer`` is the maximum cost of an answer by the language model."""
    known = opened.lookup([place for one in answer.citations for place, _ in one.places])
    return rendered(
        "investigate/answer.html",
        answer=answer,
        corpus=opened.corpus_name,
        judging=opened.may_judge,
        made=_made(answer),
        offer=offer,
        missing=MISSING,
        classes=_CLASSES,
        changed_law=_changed_law(answer),
        sentences=[(sentence, _tie(sentence, answer, opened)) for sentence in answer.sentences],
        to_read=ALSO_TO_READ if answer.sentences else TO_READ,
        conflicts=[(one, one.link in opened.rejected) for one in answer.conflicts],
        notes=[*(f"No evidence for: {gap}" for gap in answer.gaps), *answer.notes],
        quotes=[
            (one, [_in_passage(known[place][0], span) for place, span in one.places])
            for one in answer.citations
        ],
        grade_words=words_of,
        # The plain text is that of the terminal.
        texts={
            "text": "\n".join(answer_text(answer)).strip() + "\n",
            "markdown": answer_markdown(answer),
            "json": orjson.dumps(answer_to_json(answer), option=orjson.OPT_INDENT_2).decode(),
        },
    )


def writing_html(words: str = "") -> str:
    """Return the content of the pane while the language model writes."""
    return rendered("investigate/writing.html", words=words)


def model_name(spec: str) -> str:
    """Return the name of the model in a spec."""
    return spec.partition(":")[2].partition("@http")[0].partition("?")[0] or spec


def _made(answer: Answer) -> str:
    """Return who made an answer, and from how many passages."""
    if answer.method is Method.MODEL:
        made = f"Written by {model_name(answer.model)}, held against its quotes"
    else:
        made = "The sources' own sentences"
    if not answer.sentences:
        return made
    return (
        f"{made} · {plural(len({place for one in answer.citations for place, _ in one.places}), 'passage')}"
    )


def _changed_law(answer: Answer) -> str:
    """Return what changed, both wordings side by side, for a question for that."""
    found = answer.changes
    if found is None or not found.changes:
        return ""
    return rendered(
        "answer_changes.html",
        summary=summary_line(found),
        changes=found.changes[:MOST_CHANGES],
        more=max(0, len(found.changes) - MOST_CHANGES),
        kinds=KIND_WORDS,
        notes=notes_of,
    )


def _tie(sentence: Sentence, answer: Answer, opened: OpenCase) -> dict[str, Any] | None:
    """Return the corpus link that added a sentence to the answer, and whether it is reported as wrong."""
    if sentence.link is None:
        return None
    own = {place for number in sentence.citations for place, _ in answer.citation(number).places}
    source, target, relation = sentence.link
    ends = (Direction.OUT, target, source) if target in own else (Direction.IN, source, target)
    direction, to, seed = ends
    hop = Hop(to, seed, Amendments.name, Relation(relation), direction, 0, 1.0)
    rejected = sentence.link in opened.rejected
    return {"words": hop_words(hop, opened.name), "rejected": rejected, "link": sentence.link}


def shown_answer(opened: OpenCase) -> str:
    """Return the HTML of the current answer; empty if there is none."""
    return "" if opened.answer is None else answer_html(opened.answer[0], opened, opened.answer[1])


def _in_passage(passage: Passage, span: Span) -> tuple[str, str, str, str]:
    """Return the language, the text before quoted words, the words, and the text after them."""
    text = passage.text
    start, end = max(0, span.start - AROUND), min(len(text), span.end + AROUND)
    # Cut at words.
    start = text.find(" ", start, span.start) + 1 if start else 0
    cut = text.rfind(" ", span.end, end) if end < len(text) else -1
    end = cut if cut >= span.end else (end if end == len(text) else span.end)
    before, after = ("… " if start else "") + text[start : span.start], text[span.end : end]
    return passage.language, before, text[span.start : span.end], after + (" …" if end < len(text) else "")
