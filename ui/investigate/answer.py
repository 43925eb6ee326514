"""Render the answer of a case as HTML: sentences with numbered chips, their quotes, conflicts, notes.

All text, from a document or a model, is escaped. The quotes are hidden in the page, each in its passage with
the quoted words marked; ``answer.js`` shows them when the pointer is over a chip.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence

import orjson

from engine.answers.change_report import KIND_WORDS, notes_of, summary_line
from engine.answers.export import (
    ALSO_TO_READ,
    MISSING,
    MOST_CHANGES,
    TO_READ,
    answer_markdown,
    answer_text,
    answer_to_json,
)
from engine.answers.record import Answer, Citation, Conflict, Link, Method, Sentence, Support
from engine.corpus.grades import words_of
from engine.investigation.strategies.citations import Amendments
from engine.language.characters import attribute, escape
from engine.model import Direction, Document, Hop, Passage, Relation, Span
from engine.records.phrases import hop_words, plural
from ui.investigate.passages import report_button
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
    body = _missing(answer) if answer.missing else _body(answer, opened)
    return (
        f'<div class="answer" data-method="{answer.method.value}" '
        f'data-corpus="{attribute(opened.corpus_name)}">'
        f"{_head(answer, offer)}{body}{_conflicts(answer.conflicts, opened)}{_notes(answer)}"
        f"{_quotes(answer.citations, opened)}{_copies(answer)}</div>"
    )


def writing_html(words: str = "") -> str:
    """Return the content of the pane while the language model writes."""
    told = f"<p>{escape(words)}</p>" if words else ""
    return (
        '<div class="answer" data-writing="true"><div class="empty">'
        f"<b>The language model is writing …</b>{told}"
        '<button type="button" data-answer="stop">Cancel</button></div></div>'
    )


def model_name(spec: str) -> str:
    """Return the name of the model in a spec."""
    return spec.partition(":")[2].partition("@http")[0].partition("?")[0] or spec


def _head(answer: Answer, offer: str) -> str:
    sources = len({place for one in answer.citations for place, _ in one.places})
    if answer.method is Method.MODEL:
        told = f"Written by {model_name(answer.model)}, held against its quotes"
    else:
        told = "The sources' own sentences"
    if answer.sentences:
        told += f" · {plural(sources, 'passage')}"
    words = "Write again" if answer.method is Method.MODEL else "Write an answer"
    cost = f'<small class="offer">{escape(offer)}</small>' if offer else ""
    return (
        f'<div class="answer-head"><span class="made">{escape(told)}</span>'
        f'<button type="button" data-answer="write" title="{escape(offer)}">{words}</button>{cost}</div>'
    )


def _missing(answer: Answer) -> str:
    return (
        f'<div class="empty absent"><b>{MISSING}</b><p dir="auto">{escape(answer.unanswered)}</p>'
        "<p>What helps: more rounds or a wider preset (on the left), other words for what you ask, or a "
        "corpus that has such sources. The passages are the closest that were found.</p></div>"
    )


def _body(answer: Answer, opened: OpenCase) -> str:
    """Return the sentences and further reading, after a note if no sentence surely answers the question."""
    told = f'<p class="unsure" dir="auto">{escape(answer.unanswered)}</p>'
    sentences = _sentences(answer, opened) if answer.sentences else ""
    path = "".join(f'<li dir="auto">{escape(line)}</li>' for line in answer.path)
    path = f'<ol class="answer-path" aria-label="How they are connected">{path}</ol>' if path else ""
    return (told if answer.unanswered else "") + path + _changed_law(answer) + sentences + _to_read(answer)


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


def _to_read(answer: Answer) -> str:
    if not answer.to_read:
        return ""
    lines = "".join(
        f'<li dir="auto">{escape(answer.citation(number).short)}{_chips((number,))}</li>'
        for number in answer.to_read
    )
    words = ALSO_TO_READ if answer.sentences else TO_READ
    return f'<div class="to-read"><p>{words}</p><ul>{lines}</ul></div>'


def _sentences(answer: Answer, opened: OpenCase) -> str:
    parts, area = [], ""
    for sentence in answer.sentences:
        if sentence.area != area and sentence.area:
            parts.append(f'<h3 dir="auto">{escape(sentence.area)}</h3>')
        area = sentence.area
        own = {place for number in sentence.citations for place, _ in answer.citation(number).places}
        parts.append(_sentence(sentence, own, opened))
    return f'<div class="says">{"".join(parts)}</div>'


def _sentence(sentence: Sentence, own: Collection[str], opened: OpenCase) -> str:
    support = _CLASSES[sentence.support]
    mark = ""
    if sentence.support is not Support.FULL:
        doubts = "; ".join(sentence.doubts)
        mark = (
            f'<span class="doubt" dir="ltr"><b>{sentence.support.value}</b>'
            f'<bdi dir="auto">{escape(doubts)}</bdi></span>'
        )
    language = escape(sentence.language)
    return (
        f'<p class="say {support}" dir="auto" lang="{language}">'
        f'<span class="words">{escape(sentence.text)}</span>'
        f"{_chips(sentence.citations)}{_tie(sentence.link, own, opened)}{mark}</p>"
    )


def _tie(link: Link | None, own: Collection[str], opened: OpenCase) -> str:
    """Return the corpus link that added a sentence to the answer, with the button that reports it as wrong.
    ``own`` are the passages that the sentence is from."""
    if link is None:
        return ""
    source, target, relation = link
    ends = (Direction.OUT, target, source) if target in own else (Direction.IN, source, target)
    direction, to, seed = ends
    hop = Hop(to, seed, Amendments.name, Relation(relation), direction, 0, 1.0)
    rejected = link in opened.rejected
    report = report_button(link, rejected=rejected) if opened.may_judge else ""
    words = hop_words(hop, opened.name)
    return (
        f'<span class="tie{" wrong" if rejected else ""}" dir="ltr">'
        f"<span><bdi>{escape(words)}</bdi></span>{report}</span>"
    )


def _chips(numbers: Sequence[int]) -> str:
    return "".join(
        f'<button type="button" class="source" data-n="{number}" aria-label="Source {number}">'
        f"{number}</button>"
        for number in numbers
    )


def _conflicts(conflicts: Sequence[Conflict], opened: OpenCase) -> str:
    if not conflicts:
        return ""
    lines = "".join(_conflict(one, opened) for one in conflicts)
    return f'<aside class="conflicts"><h3>Exceptions, replacements and conflicts</h3><ul>{lines}</ul></aside>'


def _conflict(one: Conflict, opened: OpenCase) -> str:
    """Return a sentence on two conflicting sources; a corpus link between them can be reported as wrong."""
    rejected = one.link is not None and one.link in opened.rejected
    report = ""
    if one.link is not None and opened.may_judge:
        report = report_button(one.link, rejected=rejected)
    return (
        f'<li data-kind="{one.kind.value}"{" class=wrong" if rejected else ""} tabindex="-1">'
        f'<span dir="auto">{escape(one.words)}</span>{_chips(one.citations)}{report}</li>'
    )


def shown_answer(opened: OpenCase) -> str:
    """Return the HTML of the current answer; empty if there is none."""
    return "" if opened.answer is None else answer_html(opened.answer[0], opened, opened.answer[1])


def _notes(answer: Answer) -> str:
    lines = [f"No evidence for: {gap}" for gap in answer.gaps] + list(answer.notes)
    if not lines:
        return ""
    told = "".join(f'<li dir="auto">{escape(line[:1].upper() + line[1:])}</li>' for line in lines)
    return f'<ul class="answer-notes">{told}</ul>'


def _quotes(citations: Sequence[Citation], opened: OpenCase) -> str:
    """Return the quotes, each in its passage, hidden until the reader points at them."""
    known = opened.lookup([place for one in citations for place, _ in one.places])
    shown = "".join(_quoted(one, known) for one in citations)
    return f'<div class="quoted-all" hidden>{shown}</div>'


def _quoted(citation: Citation, known: dict[str, tuple[Passage, Document]]) -> str:
    old = " old" if citation.old else ""
    seal = f'<span class="badge{old}">{escape(citation.validity)}</span>' if citation.validity else ""
    grade = f'<span class="grade">{words_of(citation.grade)}</span>'
    texts = "".join(_in_passage(known[place][0], span) for place, span in citation.places)
    return (
        f'<article class="quoted" data-n="{citation.number}" data-passage="{attribute(citation.passage_id)}" '
        f'data-quote="{attribute(citation.quote)}">'
        f'<header><b dir="auto">{escape(citation.short)}</b>{seal}{grade}</header>'
        f'{texts}<footer dir="auto">{escape(citation.cited)}</footer></article>'
    )


def _in_passage(passage: Passage, span: Span) -> str:
    """Return the quoted words, marked, with some of the text around them."""
    text = passage.text
    start, end = max(0, span.start - AROUND), min(len(text), span.end + AROUND)
    # Cut at words.
    start = text.find(" ", start, span.start) + 1 if start else 0
    cut = text.rfind(" ", span.end, end) if end < len(text) else -1
    end = cut if cut >= span.end else (end if end == len(text) else span.end)
    before, behind = ("… " if start else ""), (" …" if end < len(text) else "")
    return (
        f'<p dir="auto" lang="{escape(passage.language)}">{before}{escape(text[start : span.start])}'
        f"<mark>{escape(text[span.start : span.end])}</mark>{escape(text[span.end : end])}{behind}</p>"
    )


def _copies(answer: Answer) -> str:
    """Return the answer as text, Markdown and JSON, to copy; the plain text is that of the terminal."""
    forms = {
        "text": "\n".join(answer_text(answer)).strip() + "\n",
        "markdown": answer_markdown(answer),
        "json": orjson.dumps(answer_to_json(answer), option=orjson.OPT_INDENT_2).decode(),
    }
    buttons = "".join(
        f'<button type="button" data-copy="{form}">{words}</button>'
        for form, words in (("text", "Copy text"), ("markdown", "Copy Markdown"), ("json", "Copy JSON"))
    )
    # JSON is for programs, which count its characters: it is left as it is.
    held = "".join(
        f'<pre hidden data-form="{form}">{attribute(text) if form == "json" else escape(text)}</pre>'
        for form, text in forms.items()
    )
    return f'<footer class="answer-acts" dir="ltr">{buttons}</footer>{held}'
