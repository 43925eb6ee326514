"""Resolves designations, numbers in a form that only some rulebook has: a candidate is a reference where the
corpus has such a provision."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from engine.language.addresses import Address
from engine.language.designations import forms_of
from engine.language.references.aims import Aims, reference_to
from engine.language.references.documents import DocumentFinder
from engine.language.references.grammar import Mention, Target
from engine.language.references.lookup import Lookup
from engine.language.references.meaning import Meaning
from engine.language.references.uses import Use
from engine.model import Document, Passage, Reference, Span, TargetKind

# What tells a candidate: document and language of the text, its address, the documents named behind it.
_Candidate = tuple[int, str, Address, tuple[int | None, ...], bool]


class _Nothing(NamedTuple):
    """That a candidate is no reference, and all that was looked at to know it."""

    asked: frozenset[int]
    uses: frozenset[Use]


class DesignationResolver:
    """Finds what candidates refer to. ``Nummer 2`` is a candidate on every page of German law, and nearly
    never a reference: that it is none in a document is remembered."""

    def __init__(
        self, documents: Sequence[Document], finder: DocumentFinder, lookup: Lookup, aims: Aims
    ) -> None:
        self._documents, self._finder, self._lookup, self._aims = documents, finder, lookup, aims
        self.forget()

    def forget(self) -> None:
        """Let go of what was found."""
        self._nothing: dict[_Candidate, _Nothing] = {}

    def resolved(self, mention: Mention, passage: Passage, row: int, own: int) -> list[Reference]:
        """What a candidate in the passage ``row`` of the document ``own`` refers to; nothing where the corpus
        has no such provision."""
        found: list[Reference] = []
        behind = self._finder.behind(mention, passage, own)
        asked, uses = self._lookup.asked, self._finder.uses
        for target in mention.targets:
            candidate = (own, passage.language, target.address, behind.documents, behind.named)
            nothing = self._nothing.get(candidate)
            if nothing is None:
                before = asked.copy(), uses.copy()
                asked.clear()
                uses.clear()
                references, is_known = self._looked_up(mention, target, behind, passage, row, own)
                found.extend(references)
                if not is_known:
                    self._nothing[candidate] = _Nothing(frozenset(asked), frozenset(uses))
                asked |= before[0]
                uses |= before[1]
            else:
                asked |= nothing.asked
                uses |= nothing.uses
        return found

    def _looked_up(
        self, mention: Mention, target: Target, behind: Meaning, passage: Passage, row: int, own: int
    ) -> tuple[list[Reference], bool]:
        """The references of a target, and whether the corpus has anything of that number."""
        places = self._finder.designated(target, behind, passage.language, own)
        for documents, address, words, end in places:
            indexes = [one for number in documents for one in self._lookup.candidates(number, address, row)]
            if not indexes:
                continue
            if any(self._aims.is_self(index, address, row) for index in indexes):
                return [], True
            aims = tuple(dict.fromkeys(aim for index in indexes for aim in self._aims.of(index, address)))
            span = _printed(target, words, end, passage.text)
            return [reference_to(passage, mention, span, aims, 1.0)], True
        return self._whole(mention, target, passage, own)

    def _whole(
        self, mention: Mention, target: Target, passage: Passage, own: int
    ) -> tuple[list[Reference], bool]:
        """The documents that a number itself names: "CPS 230"."""
        for form in forms_of(target.address.number or ""):
            known = self._finder.called(form, passage.language)
            if own in known:
                # Another edition, or the text itself.
                return [], False
            if known:
                aims = tuple((TargetKind.DOCUMENT, self._documents[number].id, -1) for number in known)
                span = _printed(target, form, None, passage.text)
                return [reference_to(passage, mention, span, aims, 1.0)], True
        return [], False


def beside(found: Sequence[Reference], own: Sequence[Reference], mention: Mention) -> list[Reference]:
    """What a grammar ``found`` and what the corpus has by a designation, in the words of which both may have
    read something."""
    return [*_kept(found, own, mention), *own] if _replaces(found, own, mention) else list(found)


def _printed(target: Target, words: str, end: int | None, text: str) -> Span:
    """The span of a designation, from its own words on to the ``end`` of a name behind it: without "Subject
    to" before "Guideline 12", with the word for its kind in front of another number."""
    span, first = target.span, (target.address.number or "").split()[0]
    start = text.find(words.split()[0], span.start, span.end) if text.startswith(first, span.start) else -1
    return Span(span.start if start < 0 else start, max(end or 0, span.end))


def _replaces(found: Sequence[Reference], own: Sequence[Reference], mention: Mention) -> bool:
    """Whether what the corpus has by a designation counts, and not what a grammar read in the same words:
    that
    does where it leads somewhere and says more ("PRU 6.6 – 6.9"), or tells more than a whole document."""
    beside = [one for one in found if _overlaps(one.span, mention.span) and one.target_id]
    if any(one.target_kind is TargetKind.DOCUMENT for one in own):
        return not beside
    longest = mention.span.end - mention.span.start
    return not any(
        one.span.end - one.span.start > longest and one.span.end > mention.span.end for one in beside
    )


def _kept(found: Sequence[Reference], own: Sequence[Reference], mention: Mention) -> list[Reference]:
    """What was found outside of the words of a designation, from which a shorter number or a range was
    read."""
    whole = Span(mention.span.start, max(one.span.end for one in own))
    return [one for one in found if not _overlaps(one.span, whole)]


def _overlaps(one: Span, other: Span) -> bool:
    return one.start < other.end and other.start < one.end
