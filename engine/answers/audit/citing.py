"""The references of an audited text, resolved in the corpus it is audited against.

The text is read as a document of its own that stands beside those of the corpus, in force on the day of
the audit. A bare "Article 14(2)" means the document that the text cited last, else one of those that speak
of the claim.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date

from engine.answers.audit.record import Citation
from engine.corpus.outside import Outside, outside
from engine.corpus.protocol import Corpus
from engine.language.references import Mention, find_mentions
from engine.model import Reference, Status


def cited(corpus: Corpus, text: str, language: str, day: date, context: Sequence[int] = ()) -> list[Citation]:
    """The references of a text, in order. ``context`` are numbers of documents that bare ones may mean, the
    likeliest first."""
    reader = outside(corpus)
    mentions = [mention for mention in find_mentions(text, language) if not mention.bare]
    return [_citation(reader, mention, text, language, day, context) for mention in mentions]


def _citation(
    reader: Outside, mention: Mention, text: str, language: str, day: date, context: Sequence[int]
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
    if resolved:
        return Citation(mention.span, mention.text, str(Status.RESOLVED), tuple(rows), True)
    unclear = any(one.status is Status.AMBIGUOUS for one in found)
    status = Status.AMBIGUOUS if unclear else Status.UNRESOLVED
    return Citation(mention.span, mention.text, str(status), (), known)


def _resolved(found: Sequence[Reference]) -> list[Reference]:
    return [one for one in found if one.status is Status.RESOLVED]


def _is_known(reader: Outside, name: str) -> bool:
    plain = name.casefold().removeprefix("the ").strip()
    return plain in reader.names or any(
        plain.startswith(known) or known.startswith(plain) for known in reader.names if len(plain) > 2
    )
