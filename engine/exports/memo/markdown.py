"""A memo as Markdown, and phrases shared by all forms."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence

from engine.answers.audit.claims import NOTES
from engine.exports.memo.content import OWN, Check, Finding, Listed, Memo, Note, Words
from engine.language.characters import attribute, markdown, pieces, right_to_left, shortened
from engine.records.phrases import plural

# Phrases of both forms.

APPENDIX = "Ranked passages"
# Most characters of a quote in a footnote.
LONGEST_QUOTED = 400


def note_words(note: Note) -> Iterator[tuple[Words, bool]]:
    """Yield the sentences of a footnote after its citation, each with whether it is a warning."""
    if note.old:
        yield Words(f"Not in force: {note.validity}."), True
    if note.quote:
        yield Words(f"“{one_line(note.quote)}”", note.language), False
    yield Words(note.check.value), note.check not in (Check.SAME, Check.NOW, Check.UNCHECKED)
    if note.now:
        yield Words("The corpus now:"), False
        yield Words(f"“{one_line(note.now)}”", note.language), False


def above_words(note: Note) -> str:
    """Return the reference to the full citation after a short one."""
    return "" if note.above is None else f"(in full in footnote {note.above})"


def more_words(count: int) -> str:
    """Return how many items are not shown."""
    return f"and {count:,} more"


def rest_words(memo: Memo) -> str:
    """Return how many passages are missing from the table; empty if none are."""
    parts = []
    if memo.more_rows:
        parts.append(f"{plural(memo.more_rows, 'further ranked passage')} not in this table")
    if memo.unranked > 0:
        parts.append(f"{plural(memo.unranked, 'passage')} of the pool not ranked")
    return f"{' and '.join(parts)}: they are in the record of the case." if parts else ""


def settings_line(memo: Memo) -> str:
    """Return the preset, and whether it was changed."""
    named = f"Preset “{memo.preset}”"
    return f"{named}; changed:" if memo.settings else f"{named}, nothing changed."


def one_line(text: str, most: int = LONGEST_QUOTED) -> str:
    """Return a text in one line, cut after a word if it is long."""
    return shortened(" ".join(text.split()), most)


# Markdown: headings, quotes, footnotes and tables; texts of sources are escaped.

# Further markup of some renderers: addresses, superscripts, highlights, mentions.
_MORE = re.compile(r"(?<=:)//|(?<=\bwww)\.|[@^=]", re.IGNORECASE)


def literal(text: str) -> str:
    """Return a text on one line, escaped so that every renderer shows it literally."""
    return _MORE.sub(lambda match: "\\" + match[0], markdown(text))


def memo_markdown(memo: Memo) -> str:
    """Return the memo, ending with a newline."""
    return "\n".join(_lines(memo)) + "\n"


def _lines(memo: Memo) -> Iterator[str]:
    yield from (f"# {_set(Words(memo.title, memo.question.language))}", "")
    yield from (f"> **{literal(warning)}**\n" for warning in memo.warnings)
    yield from ("## Question", "", *_block(memo.question), "")
    yield from (f"## Evidence: {literal(memo.status)}", "")
    yield from (f"{literal(sentence)}\n" for sentence in memo.evidence)
    yield from _findings(memo)
    if memo.remarks:
        yield from (f"## {NOTES}", "", *_block(Words(memo.remarks, "und")), "")
    if memo.sources:
        yield from ("## How the sources were found", "")
        for source in memo.sources:
            yield f"- **{_set(source.name)}**"
            yield from (f"  - {_set(Words(sentence))}" for sentence in source.trails)
        yield ""
    yield from ("## What was not found", "")
    for found in memo.lacking:
        yield from _listed(found, "###")
    if not memo.lacking:
        yield from ("Nothing is known to be missing.", "")
    yield from _coverage(memo)
    yield from _passages(memo)
    yield from _log(memo)
    yield from _settings(memo)
    yield from (_note(note) for note in memo.findings.notes)


def _findings(memo: Memo) -> Iterator[str]:
    found = memo.findings
    yield from ("## Findings", "")
    yield from (f"*{literal(sentence)}*\n" for sentence in found.lead)
    area = ""
    for finding in found.findings:
        if finding.area and finding.area != area:
            yield from (f"### {literal(finding.area)}", "")
        area = finding.area
        yield from (*_finding(finding), "")
    for title, others in (("Limits and contradictions", found.limits), ("To read", found.to_read)):
        if others:
            yield from (f"### {title}", "")
            for finding in others:
                yield from (*_finding(finding), "")


def _finding(finding: Finding) -> Iterator[str]:
    behind = "".join(f"[^{number}]" for number in finding.notes)
    if finding.doubts:
        behind += f" ({literal('; '.join(finding.doubts))})"
    if not finding.own:
        yield f"- {_set(finding.words)}{behind}"
        return
    yield from _block(finding.words, behind, quoted=True)


def _block(words: Words, behind: str = "", *, quoted: bool = False) -> Iterator[str]:
    """Yield the lines of a source in their direction."""
    lines = [literal(line) for line in words.text.splitlines() if line.strip()] or [""]
    lines[-1] += behind
    sign = "> " if quoted else ""
    turned = right_to_left(words.text)
    if turned:
        yield from (f'<div dir="rtl"{_lang(words.language)}>', "")
    yield from (f"{sign}{line}\\" for line in lines[:-1])
    yield f"{sign}{lines[-1]}"
    if turned:
        yield from ("", "</div>")


def _set(words: Words) -> str:
    """Return words on a line in their direction; in the memo's own sentences each piece has its own."""
    if words.language != OWN and right_to_left(words.text):
        return _turned(words.text, words.language)
    parts = list(pieces(" ".join(words.text.split())))
    if not any(turned for _, turned in parts):
        return literal(words.text)
    return "".join(_turned(part, "und") if turned else _between(part) for part, turned in parts)


def _turned(text: str, language: str) -> str:
    return f'<span dir="rtl"{_lang(language)}>{literal(text)}</span>'


def _between(text: str) -> str:
    """Return a piece of a line with the blanks around it."""
    return " " * text.startswith(" ") + literal(text) + " " * (text.endswith(" ") and bool(text.strip()))


def _lang(language: str) -> str:
    return "" if language == "und" else f' lang="{attribute(language)}"'


def _listed(found: Listed, level: str) -> Iterator[str]:
    yield from (f"{level} {literal(found.title)}", "")
    yield from (f"- {_set(Words(line))}" for line in found.lines)
    if found.more:
        yield f"- {more_words(found.more)}"
    yield ""


def _coverage(memo: Memo) -> Iterator[str]:
    if memo.areas:
        yield from ("## Coverage", "")
        rows = [(_set(Words(one.name, "und")), one.state, literal(one.words)) for one in memo.areas]
        yield from _table(("Area", "State", "Evidence"), rows)


def _passages(memo: Memo) -> Iterator[str]:
    if not memo.rows:
        return
    yield from (f"## {APPENDIX}", "")
    rows = [
        (
            str(row.rank),
            " ".join(filter(None, (_set(row.title), literal(row.where)))),
            f"**{literal(row.validity)}**" if row.old else literal(row.validity),
            _set(Words(row.trail)),
            ", ".join(map(str, row.notes)),
        )
        for row in memo.rows
    ]
    yield from _table(("Rank", "Passage", "Force", "How it was found", "Note"), rows)
    if rest := rest_words(memo):
        yield from (literal(rest), "")


def _log(memo: Memo) -> Iterator[str]:
    yield from ("## Verification log", "", "### What the engine checked", "")
    yield from (f"- {literal(check)}" for check in memo.checks)
    yield ""
    if memo.steps:
        yield from ("### What users and the engine did", "")
        rows = [(one.at, literal(one.who), _set(Words(one.words))) for one in memo.steps]
        yield from _table(("UTC", "Who", "What"), rows)
        if memo.more_steps:
            yield from (more_words(memo.more_steps), "")
    yield from ("### Seals", "")
    yield from (f"- {literal(name)}: {literal(value)}" for name, value in memo.seals)
    yield ""


def _settings(memo: Memo) -> Iterator[str]:
    yield from ("## Settings and origin", "", literal(settings_line(memo)), "")
    if memo.settings:
        rows = [tuple(map(literal, row)) for row in memo.settings]
        yield from _table(("Setting", "Here", "In the preset"), rows)
    yield from _table(("What", "Value"), [(literal(name), literal(value)) for name, value in memo.facts])
    yield from (f"*{literal(claim)}*\n" for claim in memo.claims)


def _table(heads: Sequence[str], rows: Iterable[Sequence[str]]) -> Iterator[str]:
    yield f"| {' | '.join(heads)} |"
    yield f"|{' --- |' * len(heads)}"
    yield from (f"| {' | '.join(row)} |" for row in rows)
    yield ""


def _note(note: Note) -> str:
    above = f" {literal(above_words(note))}" if note.above is not None else ""
    parts = [f"{_set(Words(note.cited, note.language))}{above}."]
    parts += [f"**{literal(words.text)}**" if strong else _set(words) for words, strong in note_words(note)]
    return f"[^{note.number}]: {' '.join(parts)}"
