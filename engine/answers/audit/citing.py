"""The references of an audited text, resolved in the corpus it is audited against.

The text is read as a document of its own that stands beside those of the corpus, in force on the day of
the audit. A bare "Article 14(2)" means the document that the text cited last, else one of those that speak
of the claim. Each is told whether it exists, down to its paragraph; what looks like a citation and is not
understood is told as that.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date

import numpy as np

from engine.answers.audit.lookalikes import lookalikes
from engine.answers.audit.pinpoints import missing_paragraph
from engine.answers.audit.record import Citation
from engine.corpus.outside import Outside, outside
from engine.corpus.protocol import Corpus
from engine.language.references import Mention, Target, find_mentions
from engine.model import Reference, SectionKind, Status

NOT_UNDERSTOOD = "not understood"


def cited(corpus: Corpus, text: str, language: str, day: date, context: Sequence[int] = ()) -> list[Citation]:
    """The references of a text, in order. ``context`` are numbers of documents that bare ones may mean, the
    likeliest first."""
    reader = outside(corpus)
    kept = []
    for mention in find_mentions(text, language):
        one = _citation(corpus, reader, mention, text, language, day, context)
        # A number without a word is a citation where there is such a provision; words that might be an act's
        # name and lead nowhere are words of the text.
        if one.rows or (not mention.bare and (one.known or any(letter.isdigit() for letter in one.text))):
            kept.append(one)
    for span in lookalikes(text, language, [one.span for one in kept]):
        said = text[span.start : span.end]
        kept.append(
            Citation(span, said, NOT_UNDERSTOOD, told=f"“{said}” is not understood as a citation here")
        )
    return sorted(kept, key=lambda one: one.span.start)


def _citation(
    corpus: Corpus,
    reader: Outside,
    mention: Mention,
    text: str,
    language: str,
    day: date,
    context: Sequence[int],
) -> Citation:
    known = mention.document is not None and _is_known(reader, mention.document)
    found = reader.resolve(mention, text, language, day)
    if not _resolved(found) and mention.document is None:
        for number in context:
            inside = reader.within(mention, (number,), text, language, day)
            if _resolved(inside):
                found, known = inside, True
                break
    resolved = _resolved(found)
    rows = sorted({int(row) for one in resolved for row in reader.rows(one.target_kind, str(one.target_id))})
    said = mention.text.strip(" (),;")
    if resolved:
        paragraph = _paragraph(mention)
        missing = missing_paragraph(paragraph, corpus.passages(np.array(rows[:40], np.int32)))
        told = (
            f"there is no paragraph {missing[0]} there: “{said}”; the last is {missing[1]}" if missing else ""
        )
        status = Status.UNRESOLVED if missing else Status.RESOLVED
        return Citation(mention.span, mention.text, str(status), tuple(rows), True, paragraph, told)
    if mention.document is None and mention.targets and all(map(_is_relative, mention.targets)):
        # "Paragraph 2" is one of the provision that stands beside it.
        return Citation(mention.span, mention.text, str(Status.UNRESOLVED))
    unclear = any(one.status is Status.AMBIGUOUS for one in found)
    if unclear:
        told = f"which provision “{said}” means is not clear"
        return Citation(mention.span, mention.text, str(Status.AMBIGUOUS), told=told)
    told = f"there is no {said}{_nearest(reader, mention, text, language, day)}" if known else ""
    told = told or f"“{said}” is not in this corpus, or not understood"
    return Citation(mention.span, mention.text, str(Status.UNRESOLVED), known=known, told=told)


def _is_relative(target: Target) -> bool:
    return target.address.number is None or target.address.kind is SectionKind.PARAGRAPH


def _paragraph(mention: Mention) -> str:
    """What a reference to one provision names below it."""
    if len(mention.targets) != 1 or mention.targets[0].through is not None:
        return ""
    return mention.targets[0].address.paragraph or ""


def _nearest(reader: Outside, mention: Mention, text: str, language: str, day: date) -> str:
    """Which provisions of the document stand next to the one that it lacks."""
    meanings = reader.meanings([mention], text, language, day)
    documents = [one for meaning in meanings for one in meaning.documents if one is not None]
    if not documents or not mention.targets:
        return ""
    near = reader.nearest(documents[0], mention.targets[0].address, 2)
    return f"; next to it are {' and '.join(number for number, _ in near)}" if near else ""


def _resolved(found: Sequence[Reference]) -> list[Reference]:
    return [one for one in found if one.status is Status.RESOLVED]


def _is_known(reader: Outside, name: str) -> bool:
    plain = name.casefold().removeprefix("the ").strip()
    return plain in reader.names or any(
        plain.startswith(f"{known} ") for known in reader.names if len(known) > 2
    )
