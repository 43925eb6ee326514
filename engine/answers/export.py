"""Export an answer as plain values, as Markdown with footnotes, and as text for a terminal."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator
from typing import Any

from engine.answers.change_report import change_line, changes_to_json, summary_line, wording_lines
from engine.answers.record import Answer, Citation, Sentence, Support
from engine.language.characters import markdown
from engine.records.conversion import part_to_json, usage_to_json
from engine.records.phrases import part_sentences

WIDTH = 100
# Changes that an answer lists.
MOST_CHANGES = 40
MISSING = "The pool does not contain an answer to this question."
TO_READ, ALSO_TO_READ = "Passages to read:", "Also read:"
WHAT_TO_TRY = (
    "Try more rounds or a wider preset, other words for what you ask, or a corpus that has such sources."
)


def answer_to_json(answer: Answer) -> dict[str, Any]:
    """Return an answer as plain values. Spans are half-open character ranges in the text of their passage."""
    changes = {} if answer.changes is None else {"changes": changes_to_json(answer.changes, MOST_CHANGES)}
    return {
        **changes,
        **({"path": list(answer.path)} if answer.path else {}),
        "question": answer.question,
        "language": answer.language,
        "method": answer.method.value,
        "model": answer.model,
        "missing": answer.missing,
        "unanswered": answer.unanswered,
        "to_read": list(answer.to_read),
        "sentences": [
            {
                "text": one.text,
                "citations": list(one.citations),
                "support": one.support.value,
                "doubts": list(one.doubts),
                "area": one.area,
                "language": one.language,
                "link": None if one.link is None else list(one.link),
            }
            for one in answer.sentences
        ],
        "citations": [_citation_to_json(one) for one in answer.citations],
        "conflicts": [
            {
                "kind": one.kind.value,
                "words": one.words,
                "citations": list(one.citations),
                "link": None if one.link is None else list(one.link),
            }
            for one in answer.conflicts
        ],
        "parts": [part_to_json(part) for part in answer.parts],
        "gaps": list(answer.gaps),
        "notes": list(answer.notes),
        "usage": usage_to_json(answer.usage),
        "milliseconds": round(answer.milliseconds, 2),
    }


def _citation_to_json(citation: Citation) -> dict[str, Any]:
    return {
        "number": citation.number,
        "key": citation.key,
        "passage": citation.passage_id,
        "quote": citation.quote,
        "spans": [
            {"passage": passage, "start": span.start, "end": span.end} for passage, span in citation.places
        ],
        "citation": citation.cited,
        "language": citation.language,
        "validity": citation.validity,
        "in_force": not citation.old,
        "grade": citation.grade,
    }


def answer_markdown(answer: Answer) -> str:
    """Return an answer as Markdown: sentences with numbered footnotes of quotes and full citations."""
    lines = [f"# {markdown(answer.question)}", ""]
    lines += [_line(*one) for one in _elements(answer)]
    if _used(answer) and not answer.missing:
        lines += ["", "## Sources", ""]
    for citation in _used(answer):
        force = f" **{markdown(citation.validity)}**" if citation.old else ""
        lines.append(f"[^{citation.number}]: {markdown(citation.cited)}.{force} “{markdown(citation.quote)}”")
    return "\n".join(lines) + "\n"


def answer_text(answer: Answer) -> Iterator[str]:
    """Yield the lines of an answer for a terminal: sentences with numbers, then the quotes by number."""
    for kind, words, numbers, note in _elements(answer):
        if kind == "area":
            yield f"\n{words}"
            continue
        if kind == "change":
            indent = "   " if words.startswith(" ") else ""
            yield textwrap.fill(words.strip(), WIDTH, initial_indent=indent, subsequent_indent="     ")
            continue
        line = words + "".join(f" [{number}]" for number in numbers) + note
        yield textwrap.fill(line, WIDTH, initial_indent=_INDENT[kind], subsequent_indent="   ")
    used = _used(answer)
    if used:
        yield ""
    for citation in used:
        force = f"  *** {citation.validity.upper()} ***" if citation.old else ""
        yield f"[{citation.number}] {citation.cited}{force}"
        quote = " ".join(citation.quote.split())
        yield textwrap.fill(f"“{quote}”", WIDTH, initial_indent="    ", subsequent_indent="    ")


_INDENT = {"change": "", "part": " * ", "sentence": " - ", "conflict": " ! ", "note": "Note: ", "missing": ""}


def _elements(answer: Answer) -> Iterator[tuple[str, str, tuple[int, ...], str]]:
    """Yield (kind, text, citation numbers, note) for each element of an answer, in order."""
    if answer.missing:
        words = " ".join(part for part in (MISSING, answer.unanswered, WHAT_TO_TRY) if part)
        yield "missing", words, (), ""
    elif answer.unanswered:
        yield "missing", answer.unanswered, (), ""
    for words in answer.path:
        yield "part", words, (), ""
    for words in _change_lines(answer):
        yield "change", words, (), ""
    for part_words in part_sentences(answer.parts):
        yield "part", part_words, (), ""
    area = ""
    for sentence in answer.sentences:
        if sentence.area != area and sentence.area:
            yield "area", sentence.area, (), ""
        area = sentence.area
        yield "sentence", sentence.text, sentence.citations, _doubts(sentence)
    if answer.to_read:
        yield "missing", ALSO_TO_READ if answer.sentences else TO_READ, (), ""
    for number in answer.to_read:
        yield "sentence", answer.citation(number).cited, (number,), ""
    for conflict in answer.conflicts:
        yield "conflict", conflict.words, conflict.citations, ""
    for gap in answer.gaps:
        yield "note", f"no evidence was found for: {gap}", (), ""
    for note in answer.notes:
        yield "note", note, (), ""


def _change_lines(answer: Answer) -> Iterator[str]:
    """Yield what changed, for a question for that: a line for each change, with both wordings."""
    found = answer.changes
    if found is None or not found.changes:
        return
    yield f"{summary_line(found)}."
    for change in found.changes[:MOST_CHANGES]:
        yield change_line(change)
        yield from (f"    {words}" for words in wording_lines(change))
    if len(found.changes) > MOST_CHANGES:
        yield f"{len(found.changes) - MOST_CHANGES:,} more: see Changes, or run the command changes."


def _doubts(sentence: Sentence) -> str:
    if sentence.support is Support.FULL:
        return ""
    return f" ({sentence.support.value}: {'; '.join(sentence.doubts)})"


def _used(answer: Answer) -> list[Citation]:
    numbers = {number for sentence in answer.sentences for number in sentence.citations}
    numbers.update(answer.to_read)
    numbers.update(number for conflict in answer.conflicts for number in conflict.citations)
    return [citation for citation in answer.citations if citation.number in numbers]


def _line(kind: str, words: str, numbers: tuple[int, ...], note: str) -> str:
    """Return one line of Markdown; the numbers are footnotes."""
    if kind == "area":
        return f"\n## {markdown(words)}\n"
    line = markdown(words) + "".join(f"[^{number}]" for number in numbers) + _behind(note)
    return {"conflict": f"> {line}", "note": f"*Note: {line}*", "missing": line}.get(kind, f"- {line}")


def _behind(text: str) -> str:
    return f" {markdown(text)}" if text else ""
