"""Find the claims of a text with their spans.

Headings, captions and questions state nothing; in the memo of a case only its findings are claims. A sentence
is split at semicolons, and before a conjunction only if the rest has its own subject and verb. Claims keep
the text's characters.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise

from engine.ingestion.structure.segmentation import sentence_starts
from engine.language.detection import detect
from engine.language.statements import read
from engine.model import Span

# The sentence at the end of every memo.
MEMO_NOTICE = "This memo holds what was found in one corpus, by one question, on one day."
NOTES = "Notes to the case"
_LINE = re.compile(r"[^\n]+")
# A finding is a line with footnotes; in Markdown it is a quotation, whose first lines may have none.
_NOTE = r"(?:\[\^?\d{1,4}\]|[⁰¹²³⁴-⁹]{1,4})"
_FINDING = re.compile(
    rf"(?!\s*(?:[-*•|#]|{_NOTE}))(?:>\s(?!\*\*).*|.*{_NOTE}(?:,?\s*{_NOTE})*(?:\s\(.*\))?\s*)\Z"
)
_HEADING = re.compile(r"#{1,6}\s+(?P<title>.*?)\s*\Z")


def keep_claims(text: str) -> str:
    """Blank out everything in a memo of a case that makes no claim; return any other text unchanged."""
    if MEMO_NOTICE not in text:
        return text
    letters = [sign if sign == "\n" else " " for sign in text]
    in_notes = False
    for match in _LINE.finditer(text):
        heading = _HEADING.match(match[0])
        in_notes = heading["title"] == NOTES if heading is not None else in_notes
        if (in_notes and heading is None) or _FINDING.match(match[0]):
            letters[match.start() : match.end()] = match[0]
    return "".join(letters)


# Limits in characters and claims; a longer text is cut, and the audit reports it.
LONGEST_TEXT = 60_000
MOST_CLAIMS = 200
# Minimum content words of a clause that can be looked up.
FEWEST_WORDS = 2
# Minimum content words on each side of a split.
FEWEST_IN_CLAUSE = 3
# A line up to this length without a full stop is a heading.
HEADING_WORDS, HEADING_LETTERS = 12, 160
LONGEST_CLAIM = 1_200

# "M." before a name is no mark of a list.
_MARK = re.compile(r"\s*(?:#{1,6}\s+|>+\s*|[-*•–▪·]\s+|\(?(?:\d{1,3}|[a-zA-H]|[ivxIVX]{1,5})[.)]\s+|\|\s*)*")
_CLAIMS_HEADING = re.compile(r"\s*(?:#{1,6}\s|={3,}|-{3,}\s*\Z)")
_CAPTION = re.compile(
    r"\s*(?:figure|fig\.|table|chart|source|note|abbildung|tabelle|quelle|gambar|tabel|sumber|tableau|شكل|جدول)"
    r"\s*(?:\d+\s*)?[:.–-]",
    re.IGNORECASE,
)
_FOOTNOTE = re.compile(r"(?:(?<=\S)\[\^?\d{1,3}\],?|\s+)+\Z")
_QUESTION = re.compile(r"[?？؟]\s*[\"'”»)]*\s*\Z")
# A sign that ends a sentence, with quotation marks and numbers of footnotes behind it.
_ENDED = re.compile(r"[.!;:。！؛…]\s*[\"'”»)]*(?:\[\^?\d+\]|[¹²³⁰⁴-⁹])*\s*\Z")
_CUT = re.compile(
    r";\s+|؛\s+|；|"
    r",\s+(?=(?:and|but|while|whereas|however|und|aber|während|dan|tetapi|sedangkan|et|mais|tandis)\s)"
)
_JOINT = re.compile(
    r"(?:and|but|while|whereas|however|und|aber|während|dan|tetapi|sedangkan|et|mais)\s+", re.IGNORECASE
)
_VERB = re.compile(
    r"(?<!\w)(?:is|are|was|were|has|have|had|does|do|ends?|begins?|runs?|falls?|applies|apply|counts?|takes?|needs?"
    r"|ist|sind|hat|haben|gilt|gelten|wird|werden|beträgt|adalah|berlaku|est|sont|a|ont)(?!\w)",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class StatedSentence:
    """A sentence that states something, and its clauses that do so alone, in order."""

    span: Span
    clauses: tuple[Span, ...]
    language: str


def find_statements(text: str, languages: tuple[str, ...]) -> Iterator[StatedSentence]:
    """Yield the sentences of a text that make claims, in order, each in one of the ``languages``."""
    text = keep_claims(text)
    for block in _blocks(text):
        language = detect(text[block.start : block.end], languages)
        for sentence in _sentences(text, block, language):
            if _QUESTION.search(text[sentence.start : sentence.end]):
                continue
            clauses = tuple(
                clause
                for clause in _clauses(text, sentence, language)
                if _states(text[clause.start : clause.end], language)
            )
            if clauses:
                yield StatedSentence(sentence, clauses, language)


def _blocks(text: str) -> Iterator[Span]:
    """Yield runs of lines that belong together: a paragraph, or a list item with its wrapped lines."""
    start = end = -1
    for match in _LINE.finditer(text):
        line = match[0]
        mark = _MARK.match(line)
        begins = mark is not None and mark.end() > len(line) - len(line.lstrip())
        separated = end >= 0 and text[end : match.start()].count("\n") > 1
        broken = end >= 0 and _ENDED.search(text[start:end]) and line[:1].isspace() is False and begins
        if not line.strip() or _not_stated(line) or begins or separated or broken:
            if start >= 0:
                yield Span(start, end)
            start = end = -1
        if not line.strip() or _not_stated(line):
            continue
        if start < 0:
            start = match.start() + (mark.end() if mark is not None else 0)
        end = match.end()
    if start >= 0 and start < end:
        yield Span(start, end)


def _not_stated(line: str) -> bool:
    """True for headings and captions, and short lines without sentence end, verb and number."""
    if _CLAIMS_HEADING.match(line) or _CAPTION.match(line):
        return True
    if len(line) > HEADING_LETTERS or _ENDED.search(line) or len(line.split()) > HEADING_WORDS:
        return False
    statement = read(line, "en", ())
    return not statement.modals and not statement.quantities and not _VERB.search(line)


def _sentences(text: str, block: Span, language: str) -> Iterator[Span]:
    block_text = text[block.start : block.end]
    starts = [*sentence_starts(block_text, language), len(block_text)]
    for start, end in pairwise(starts):
        span = _trimmed(text, block.start + start, block.start + end)
        if span is not None:
            yield span


def _clauses(text: str, sentence: Span, language: str) -> Iterator[Span]:
    """Yield the parts of a sentence, split where both sides state something alone."""
    start = sentence.start
    for match in _CUT.finditer(text, sentence.start, sentence.end):
        left, right = text[start : match.start()], text[match.end() : sentence.end]
        joined = _JOINT.match(right)
        own = right[joined.end() :] if joined else right
        if _is_complete(left, language) and _is_clause(own, language):
            span = _trimmed(text, start, match.start())
            if span is not None:
                yield span
            start = match.end() + (joined.end() if joined else 0)
    span = _trimmed(text, start, sentence.end)
    if span is not None:
        yield span


def _is_complete(clause: str, language: str) -> bool:
    """True if the beginning of a sentence is a clause or gives a quantity of something."""
    if _is_clause(clause, language):
        return True
    statement = read(clause, language)
    return bool(statement.quantities) and len(statement.terms) >= FEWEST_WORDS


def _is_clause(clause: str, language: str) -> bool:
    """True if a clause has a subject before a verb, and enough content words."""
    statement = read(clause, language, ())
    if len(statement.terms) < FEWEST_IN_CLAUSE:
        return False
    verbs = [modal.start for modal in statement.modals] + [m.start() for m in _VERB.finditer(clause)]
    return any(term.span.end <= min(verbs, default=-1) for term in statement.terms)


def _states(clause: str, language: str) -> bool:
    statement = read(clause, language)
    return len(statement.terms) + len(statement.quantities) + len(statement.modals) >= FEWEST_WORDS


def _trimmed(text: str, start: int, end: int) -> Span | None:
    end = min(end, start + LONGEST_CLAIM)
    while start < end and text[start].isspace():
        start += 1
    # A footnote mark is not part of the words.
    end = start + len(_FOOTNOTE.sub("", text[start:end]))
    return Span(start, end) if start < end else None
