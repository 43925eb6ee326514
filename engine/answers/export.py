"""Answers, changes and references to outdated law as plain values and as text."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator
from typing import Any

from engine.answers.outdated_references import OutdatedKind, OutdatedReference, OutdatedReferences
from engine.answers.record import (
    Amender,
    Answer,
    Change,
    ChangeKind,
    Changes,
    Citation,
    Part,
    Sentence,
    Support,
)
from engine.language.characters import markdown
from engine.language.word_diff import marked_words
from engine.records.conversion import part_to_json, usage_to_json
from engine.records.phrases import part_sentences, plural

# Changes of a corpus, and references to outdated law, as plain values and as lines for a
# terminal.

WIDTH = 100
# How a change begins in a list.
KIND_WORDS = {
    ChangeKind.CHANGED: "changed",
    ChangeKind.NEW: "new",
    ChangeKind.REMOVED: "no longer in force",
    ChangeKind.RENUMBERED: "renumbered",
    ChangeKind.AMENDED: "amended: read both",
}
READ_BOTH = "The new wording is not certain: read the provision and the amending text."
DERIVED = "No source prints the new wording: it follows from the amendment."
NO_ACT = "The amending text is not in this corpus."


def changes_to_json(found: Changes, limit: int | None = None) -> dict[str, Any]:
    """Return changes as plain values, at most ``limit`` of ``total``.

    Keys: corpus, from, to, total, others, undated, changes (kind, document, title, provision, was, days,
    derived, unchanged, size, passages, parts, by). A part has the ids and labels of a paragraph before and
    after, its old and new words, and ``runs`` of [kind, words], kind same, old or new. ``by`` are the
    amending passages: id, citation, words of the reference, text, relation, since.
    """
    return {
        "corpus": found.corpus,
        "from": found.first.isoformat(),
        "to": found.last.isoformat(),
        "total": len(found.changes),
        "others": found.others,
        "undated": found.undated,
        "changes": [_change_to_json(one) for one in found.changes[:limit]],
    }


def _change_to_json(change: Change) -> dict[str, Any]:
    return {
        "kind": change.kind.value,
        "document": change.document,
        "title": change.title,
        "provision": change.provision,
        "was": change.was,
        "language": change.language,
        "days": [day.isoformat() for day in change.days],
        "derived": change.derived,
        "unchanged": change.unchanged,
        "size": change.size,
        "passages": list(change.passages),
        "parts": [_part_to_json(part) for part in change.parts],
        "by": [_amender_to_json(one) for one in change.by],
    }


def _part_to_json(part: Part) -> dict[str, Any]:
    return {
        "old_id": part.old_id,
        "new_id": part.new_id,
        "old_label": part.old_label,
        "new_label": part.new_label,
        "old": part.old,
        "new": part.new,
        "runs": [[run.kind, run.text] for run in part.runs],
    }


def _amender_to_json(one: Amender) -> dict[str, Any]:
    return {
        "passage": one.passage_id,
        "citation": one.citation,
        "words": one.words,
        "text": one.text,
        "relation": one.relation.value,
        "since": None if one.since is None else one.since.isoformat(),
    }


def change_line(change: Change) -> str:
    """Return a change in one line: "Agency Code, Article 22: changed on 2024-01-01 by ..."."""
    name = ", ".join(filter(None, (change.title, change.provision)))
    words = KIND_WORDS[change.kind]
    if change.was:
        words += f" (was {change.was})"
    if not change.provision and change.size:
        words = f"the document is {words} ({plural(change.size, 'provision')})"
    on = f" on {', '.join(day.isoformat() for day in change.days)}" if change.days else ""
    by = f", by {'; '.join(one.citation for one in change.by)}" if change.by else ""
    return f"{name}: {words}{on}{by}"


def summary_line(found: Changes) -> str:
    """Return the number of changes between the two days in one line."""
    provisions = sum(bool(one.provision) for one in found.changes)
    documents = len(found.changes) - provisions
    parts = [plural(provisions, "provision differs", "provisions differ")]
    if documents:
        parts.append(plural(documents, "document is new or removed", "documents are new or removed"))
    return f"From {found.first} to {found.last}: {', '.join(parts)}"


def changes_lines(found: Changes, limit: int | None = None) -> Iterator[str]:
    """Yield changes for a terminal: of each provision the old words in [-...-], the new ones in {+...+}."""
    yield f"{summary_line(found)}."
    for change in found.changes[:limit]:
        yield ""
        yield change_line(change)
        for words in wording_lines(change):
            yield textwrap.fill(words, WIDTH, **_INDENTED)
        if change.unchanged:
            yield f"  {plural(change.unchanged, 'paragraph is', 'paragraphs are')} unchanged"
        yield from (f"  {note}" for note in notes_of(change))
        if change.kind is ChangeKind.AMENDED:
            for one in change.by:
                text = f"{one.citation}: {' '.join(one.text.split())}"
                yield textwrap.fill(text, WIDTH, **_INDENTED)
    if limit is not None and len(found.changes) > limit:
        yield ""
        yield f"{len(found.changes) - limit:,} more: raise --limit, or choose one --document"
    if found.others:
        yield f"{plural(found.others, 'other change')} that the question is not about"
    if found.undated:
        undated = plural(found.undated, "document states", "documents state")
        yield f"{undated} no day: nothing is known of their changes"


def wording_lines(change: Change) -> Iterator[str]:
    """Yield the paragraphs that differ, each in one line: old words in [-...-], new ones in {+...+}."""
    for part in change.parts:
        label = " -> ".join(dict.fromkeys(filter(None, (part.old_label, part.new_label))))
        yield f"{label}: {marked_words(part.runs)}"


def notes_of(change: Change) -> Iterator[str]:
    """Yield what a reader has to know of a change."""
    if change.kind is ChangeKind.AMENDED:
        yield READ_BOTH
    if change.derived:
        yield DERIVED
    if change.provision and not change.by:
        yield NO_ACT


_INDENTED: dict[str, Any] = {"initial_indent": "  ", "subsequent_indent": "    "}


def outdated_to_json(found: OutdatedReferences, limit: int | None = None) -> dict[str, Any]:
    """Return references to outdated law as plain values, at most ``limit`` of ``total``.

    Keys: corpus, day, total, unread, references (kind, passage, citation, start, end, words, text, target,
    target_id, since, successor, successor_id, by).
    """
    return {
        "corpus": found.corpus,
        "day": found.day.isoformat(),
        "total": len(found.references),
        "unread": found.unread,
        "references": [_outdated_to_json(one) for one in found.references[:limit]],
    }


def _outdated_to_json(one: OutdatedReference) -> dict[str, Any]:
    return {
        "kind": one.kind.value,
        "passage": one.passage_id,
        "citation": one.citation,
        "start": one.span.start,
        "end": one.span.end,
        "words": one.words,
        "text": one.text,
        "language": one.language,
        "target": one.target,
        "target_id": one.target_id,
        "since": None if one.since is None else one.since.isoformat(),
        "successor": one.successor,
        "successor_id": one.successor_id,
        "by": [_amender_to_json(other) for other in one.by],
    }


def outdated_lines(found: OutdatedReferences, limit: int | None = None) -> Iterator[str]:
    """Yield references to outdated law for a terminal."""
    yield f"{plural(len(found.references), 'reference')} to outdated law on {found.day}"
    for one in found.references[:limit]:
        yield textwrap.fill(outdated_line(one), WIDTH, initial_indent=" - ", subsequent_indent="   ")
    if limit is not None and len(found.references) > limit:
        yield f"{len(found.references) - limit:,} more: raise --limit"
    if found.unread:
        yield f"{plural(found.unread, 'reference')} without a target not looked into"


def outdated_line(one: OutdatedReference) -> str:
    """Return a reference to outdated law in one line, with the successor if it is known."""
    if one.kind is OutdatedKind.MISSING:
        near = f"; the nearest is {one.successor}" if one.successor else ""
        return f"{one.citation}: “{' '.join(one.words.split())}”: {one.target} has no such provision{near}"
    since = f" on {one.since}" if one.since else ""
    by = f" by {'; '.join(other.citation for other in one.by)}" if one.by else ""
    now = f"; now {one.successor}" if one.successor else ""
    return (
        f"{one.citation}: “{' '.join(one.words.split())}”: {one.target} {_OUTDATED[one.kind]}{since}{by}{now}"
    )


_OUTDATED = {
    "repealed": "was repealed",
    "replaced": "was replaced",
    "renumbered": "was renumbered",
    "moved": "was moved",
    "expired": "expired",
}


# Export an answer as plain values, as Markdown with footnotes, and as text for a terminal.

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
