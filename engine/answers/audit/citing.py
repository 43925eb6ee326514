"""Resolve the references of an audited text in the corpus it is audited against.

The text is read as a separate document next to those of the corpus, in force on the day of the audit. A bare
"Article 14(2)" means the document cited last, else one of those on the claim's subject. Each reference is
checked for existence, down to its paragraph; text that looks like a citation but is not understood is
reported as such.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import date

import numpy as np

from engine.answers.audit.citation_forms import (
    Form,
    find_form,
    find_labelled,
    find_name_after,
    lookalikes,
    missing_paragraph,
)
from engine.answers.audit.record import Citation
from engine.corpus.external_text import ExternalTextResolver, external_resolver
from engine.corpus.protocol import Corpus
from engine.language.references import Mention, Target, find_mentions
from engine.model import Passage, Reference, SectionKind, Span, Status
from engine.retrieval.planning.named.containers import find_in_container

NOT_UNDERSTOOD = "not understood"


def find_citations(
    corpus: Corpus, text: str, language: str, day: date, context: Sequence[int] = ()
) -> list[Citation]:
    """Return the references of a text, in order. ``context`` are numbers of documents that bare references
    may mean, the likeliest first."""
    reader = external_resolver(corpus)
    resolver = _CitingText(corpus, reader, text, language, day, context)
    found = [resolver.citation(mention) for mention in _joined(find_mentions(text, language), text)]
    found += [
        Citation(one.span, text[one.span.start : one.span.end], str(Status.RESOLVED), one.rows, True)
        for one in find_labelled(text, reader)
    ]
    chosen: list[Citation] = []
    # Of two readings of the same words, the longer one.
    for one in sorted((one for one in found if one is not None), key=_length, reverse=True):
        if not any(one.span.overlaps(other.span) for other in chosen):
            chosen.append(one)
    for span in lookalikes(text, language, [one.span for one in chosen]):
        quoted = text[span.start : span.end]
        chosen.append(
            Citation(span, quoted, NOT_UNDERSTOOD, problem=f"“{quoted}” is not understood as a citation here")
        )
    return sorted(chosen, key=lambda one: one.span.start)


@dataclass(frozen=True, slots=True)
class _CitingText:
    """Resolves the references of one text."""

    corpus: Corpus
    reader: ExternalTextResolver
    text: str
    language: str
    day: date
    context: Sequence[int]

    def citation(self, mention: Mention) -> Citation | None:
        """Return the citation of a mention; None if it is not one.

        That is a possible act's name without a target, or a number without a level word that no provision
        has.
        """
        (meaning,) = self.reader.meanings([mention], self.text, self.language, self.day)
        if meaning.denied:
            span, problem = self.reader.explain_denied(mention, meaning, self.text, self.language)
            quoted = self.text[span.start : span.end]
            return Citation(span, quoted, str(Status.UNRESOLVED), known=True, problem=problem)
        contained = self._contained(mention)
        if contained is not None:
            return contained
        form = find_form(self.text, mention, self.reader, self.language)
        found, known, reading = self._found(mention, form)
        resolved = [one for one in found if one.status is Status.RESOLVED]
        span = Span(min(mention.span.start, form.span.start), max(mention.span.end, form.span.end))
        quoted = self.text[span.start : span.end].strip(" (),;")
        quoted += ")" * (quoted.count("(") - quoted.count(")"))
        if resolved:
            return self._resolved(resolved, reading, form, span, quoted)
        if mention.bare or not (known or form.name or any(letter.isdigit() for letter in mention.text)):
            return None
        relative = mention.document is None and mention.targets and all(map(_is_relative, mention.targets))
        if relative and not form.name:
            # "Paragraph 2" belongs to the provision next to it.
            return Citation(mention.span, mention.text, str(Status.UNRESOLVED))
        if any(one.status is Status.AMBIGUOUS for one in found):
            problem = f"it is not clear which provision “{quoted}” means"
            return Citation(span, quoted, str(Status.AMBIGUOUS), problem=problem)
        if known:
            problem = f"there is no {quoted}{self._nearest(mention, form)}"
        elif form.name and not form.known:
            problem = f"“{quoted}”: this corpus has no “{form.name}”"
        else:
            problem = f"“{quoted}” is not in this corpus, or not understood"
        return Citation(span, quoted, str(Status.UNRESOLVED), known=known, problem=problem)

    def _contained(self, mention: Mention) -> Citation | None:
        """Return a citation that names the container of its provision ("rule 2.1 of the Run-off Part"); None
        if it names none."""
        address = mention.targets[0].address if len(mention.targets) == 1 else None
        if address is None or address.number is None:
            return None
        found = find_in_container(self.corpus, self.text, mention, address, self.language)
        if found is None:
            return None
        rows, last = list(found.rows), max(found.number.end, found.name.end)
        document = find_name_after(self.text, last, self.reader, self.language)
        if document is not None and document[2]:
            numbers = self.reader.named(document[0], self.language)
            own = self.corpus.document_numbers(np.array(rows, np.int32)).tolist()
            rows = [row for row, number in zip(rows, own, strict=True) if number in numbers] or rows
            last = document[1]
        span = Span(min(mention.span.start, found.name.start), last)
        return self._at(sorted(rows), _paragraph(mention), span, self.text[span.start : span.end])

    def _found(self, mention: Mention, form: Form) -> tuple[Sequence[Reference], bool, Mention]:
        """Return a mention's references, whether the corpus has its document, and the mention as read."""
        known = mention.document is not None and _is_known(self.reader, mention.document)
        found = self.reader.resolve(mention, self.text, self.language, self.day)
        named = self.reader.named(form.name, self.language) if form.known else ()
        # Of several versions, the latest that has the provision.
        tried = [named, *((number,) for number in reversed(named))] if named else []
        if (mention.document is None and not form.name) or (not known and not named):
            tried += [(number,) for number in self.context if self._may_mean(mention, form, number)]
        if not named and any(one.status is Status.RESOLVED for one in found):
            return found, known, mention
        if mention.document is not None and known and not named:
            tried.insert(0, self.reader.named(mention.document, self.language))
        for documents in tried:
            for one in _readings(mention):
                inside = self.reader.within(one, documents, self.text, self.language, self.day)
                if any(reference.status is Status.RESOLVED for reference in inside):
                    return inside, True, one
        return found, known or bool(named), mention

    def _may_mean(self, mention: Mention, form: Form, number: int) -> bool:
        """True if a reference may mean an earlier cited document: it names none, or "the Code"."""
        name = (mention.document or form.name).casefold().removeprefix("the ").strip()
        return not name or name in self.reader.documents[number].title.casefold().split()

    def _resolved(
        self, resolved: list[Reference], mention: Mention, form: Form, span: Span, quoted: str
    ) -> Citation:
        rows = sorted(
            {int(row) for one in resolved for row in self.reader.rows(one.target_kind, str(one.target_id))}
        )
        return self._at(
            rows, form.paragraph or _paragraph(mention), span, quoted, within=bool(form.paragraph)
        )

    def _at(
        self, rows: list[int], paragraph: str, span: Span, quoted: str, *, within: bool = True
    ) -> Citation:
        """Return a citation of the provision in some rows, narrowed to its paragraph if that has its own."""
        passages = self.corpus.passages(np.array(rows[:40], np.int32))
        if within and paragraph:
            inside = [row for row, one in zip(rows, passages, strict=False) if _has_paragraph(one, paragraph)]
            rows = inside or rows
        missing = missing_paragraph(paragraph, passages)
        problem = (
            f"there is no paragraph {missing[0]} there: “{quoted}”; the last is {missing[1]}"
            if missing
            else ""
        )
        status = Status.UNRESOLVED if missing else Status.RESOLVED
        return Citation(span, quoted, str(status), tuple(rows), True, paragraph, problem)

    def _nearest(self, mention: Mention, form: Form) -> str:
        """Return a phrase with the nearest provisions to a missing one; empty if unknown."""
        meanings = self.reader.meanings([mention], self.text, self.language, self.day)
        documents = [one for meaning in meanings for one in meaning.documents if one is not None]
        documents = [*self.reader.named(form.name, self.language), *documents] if form.known else documents
        if not documents or not mention.targets:
            return ""
        near = self.reader.nearest(documents[0], mention.targets[0].address, 2)
        return f"; next to it are {' and '.join(number for number, _ in near)}" if near else ""


def _joined(mentions: Sequence[Mention], text: str) -> list[Mention]:
    """Join an article and the paragraph right after it: "Article 15, paragraph (4) of the Act"."""
    result: list[Mention] = []
    for mention in mentions:
        before = result[-1] if result else None
        if before is not None and _goes_on(before, mention, text):
            (target,), (below,) = before.targets, mention.targets
            paragraph = below.address.number or below.address.paragraph
            target = replace(target, address=replace(target.address, paragraph=paragraph))
            span = Span(before.span.start, mention.span.end)
            result[-1] = replace(
                mention, span=span, text=text[span.start : span.end], targets=(target,), bare=False
            )
        else:
            result.append(mention)
    return result


def _goes_on(before: Mention, mention: Mention, text: str) -> bool:
    between = text[before.span.end : mention.span.start]
    return (
        not between.strip(" ,،")
        and before.document is None
        and len(before.targets) == len(mention.targets) == 1
        and before.targets[0].address.number is not None
        and before.targets[0].address.paragraph is None
        and before.targets[0].address.kind is not SectionKind.PARAGRAPH
        and _is_relative(mention.targets[0])
    )


def _readings(mention: Mention) -> Iterator[Mention]:
    """Yield a mention, then with the number after its full stop as paragraph ("Art. 60.3")."""
    yield mention
    if len(mention.targets) != 1:
        return
    (target,) = mention.targets
    number, dot, below = (target.address.number or "").rpartition(".")
    if dot and below.isdigit() and target.address.paragraph is None:
        address = replace(target.address, number=number, paragraph=below)
        yield replace(mention, targets=(replace(target, address=address),))


def _has_paragraph(passage: Passage, paragraph: str) -> bool:
    return (passage.paragraph or "").split("/")[0].casefold() == paragraph.casefold()


def _length(one: Citation) -> int:
    return one.span.end - one.span.start


def _is_relative(target: Target) -> bool:
    return target.address.number is None or target.address.kind is SectionKind.PARAGRAPH


def _paragraph(mention: Mention) -> str:
    """Return the part below the provision that a reference names."""
    if len(mention.targets) != 1 or mention.targets[0].through is not None:
        return ""
    return mention.targets[0].address.paragraph or ""


def _is_known(reader: ExternalTextResolver, name: str) -> bool:
    plain = name.casefold().removeprefix("the ").strip()
    return plain in reader.names or any(
        plain.startswith(f"{known} ") for known in reader.names if len(known) > 2
    )
