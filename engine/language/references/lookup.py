"""What an address may mean inside a document, and designations resolved in the corpus."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date
from typing import NamedTuple

from engine.language.addresses import ATTACHED, CONTAINERS, WORDS, Address, number_key
from engine.language.designations import forms_of
from engine.language.references.definitions import Meaning
from engine.language.references.documents import DocumentFinder
from engine.language.references.grammar import Mention, Target
from engine.language.references.names import Use
from engine.language.references.provisions import Ancestors, Provisions, Validity, container_of, series_of
from engine.language.references.targets import Aims, reference_to
from engine.model import Document, Passage, Reference, SectionKind, Span, TargetKind

# What an address may mean inside one document.
#
# The kinds that the text says, the containers it names, the pieces a chapter is printed in,
# versions in force and the place of the citing passage narrow the provisions of a number down, to
# one if the text tells them apart.


class Lookup:
    """Finds the provisions that addresses mean."""

    def __init__(self, documents: Sequence[Document], provisions: Provisions) -> None:
        self._documents = documents
        self._provisions = provisions
        # Every document that was looked into: what was found depends on its structure.
        self.asked: set[int] = set()

    def exists(self, document: int, address: Address, row: int) -> bool:
        """Whether a document has anything that an address, read in the passage ``row``, may mean."""
        return bool(self.candidates(document, address, row))

    def candidates(self, document: int, address: Address, row: int) -> tuple[int, ...]:
        """What an address may mean in a document: provisions or containers that cannot be told apart."""
        self.asked.add(document)
        if address.number is None:
            return self._enclosing(document, address, row)
        key = number_key(address.number)
        if address.kind in CONTAINERS:
            found = self._provisions.contained(document, address.kind, key)
            if not found and address.kind is SectionKind.ANNEX and key[:1].isdigit() and "." in key:
                # "Appendix 1.2.1": item 2.1 of Appendix 1, which is as near as the print can tell.
                whole = self._provisions.contained(document, address.kind, key.split(".")[0])
                return self._nearest(self._in_one_piece(whole), row)
            found = found or [
                index for index in self._provisions.numbered(document, key) if self._may_be(index, address)
            ]
        else:
            found = self._provisions.numbered(document, key)
            found = [index for index in found if self._serves(index, address, document)]
        if not found and address.kind not in CONTAINERS and not address.within:
            found = self._provisions.contained(document, SectionKind.CHAPTER, key)
            if self._documents[document].language != "en":
                # In English rulebooks a bare "8" is a chapter to one text and a rule or paragraph to another.
                found = [index for index in found if self.is_bare(index)]
        if address.within:
            inside = [index for index in found if self._is_within(index, address)]
            if not inside:
                # Articles are counted through an act: one is known without its chapter.
                alone = found if address.kind is SectionKind.ARTICLE and len(found) == 1 else ()
                return self._enclosing(document, address, row) or tuple(alone)
            found = inside
        return self._nearest(self._of_series(self._in_one_piece(found), address), row)

    def _serves(self, index: int, address: Address, document: int) -> bool:
        """Whether a provision may have the kind that a text says; in a schedule "clause 2" is paragraph 2."""
        provision = self._provisions.all[index]
        in_german = self._documents[document].language == "de"
        if in_german and (provision.kind is SectionKind.ARTICLE) != (address.kind is SectionKind.ARTICLE):
            # In German law a § is never an Artikel.
            return False
        if address.kind is SectionKind.PARAGRAPH:
            return True
        if provision.kind is SectionKind.PARAGRAPH and any(one[0] in ATTACHED for one in provision.ancestors):
            return any(kind in ATTACHED for kind, _ in address.within)
        # The clauses of a contract without headings are its numbered paragraphs.
        is_clause = address.kind is SectionKind.SUBSECTION and provision.kind is SectionKind.PARAGRAPH
        return is_clause or in_german or series_of(provision.kind) == series_of(address.kind)

    def is_bare(self, index: int) -> bool:
        """Whether a provision is printed by its number alone, without a word."""
        return self._provisions.passages[self._provisions.all[index].rows[0]].label[:1].isdigit()

    def _may_be(self, index: int, address: Address) -> bool:
        """Whether a provision may be what a text calls a chapter or an appendix."""
        if address.kind is SectionKind.ANNEX:
            return address.number is not None and "." in address.number
        kind = self._provisions.all[index].kind
        if kind is SectionKind.ARTICLE and address.kind is SectionKind.CHAPTER:
            # "الفصل" is a chapter, and in the Maghreb an article.
            label = self._provisions.passages[self._provisions.all[index].rows[0]].label
            return WORDS.get(label.split(" ")[0]) is address.kind
        return kind is address.kind or (
            address.kind is SectionKind.CHAPTER and kind in (SectionKind.SECTION, SectionKind.HEADING)
        )

    def _enclosing(self, document: int, address: Address, row: int) -> tuple[int, ...]:
        if not address.within:
            return ()
        *outer, (kind, number) = address.within
        return self.candidates(document, Address(kind, number, None, tuple(outer)), row)

    def _is_within(self, index: int, address: Address) -> bool:
        chain = self._provisions.all[index].ancestors
        position = 0
        for kind, number in address.within:
            wanted = (container_of(kind), number_key(number))
            while position < len(chain) and chain[position] != wanted:
                position += 1
            if position == len(chain):
                return False
            position += 1
        return True

    def _in_one_piece(self, found: Sequence[int]) -> list[int]:
        """A chapter that a source prints in pieces is one chapter: the first piece stands for it."""
        if len(found) < 2:
            return list(found)
        pieces: dict[object, list[int]] = {}
        for index in found:
            provision = self._provisions.all[index]
            above = tuple(part for part in provision.ancestors if part[1] != provision.key)
            pieces.setdefault((provision.key, series_of(provision.kind), above), []).append(index)
        kept: list[int] = []
        for group in pieces.values():
            whole = any(
                self._provisions.all[index].kind in CONTAINERS
                or self._provisions.has_parts(self._provisions.all[index])
                for index in group
            )
            kept.extend(group[:1] if whole else group)
        return kept

    def _of_series(self, found: Sequence[int], address: Address) -> list[int]:
        """Where several things have one number, those of the kind that the text says."""
        if len(found) < 2:
            return list(found)
        kinds = self._provisions.all
        same = [index for index in found if kinds[index].kind is address.kind]
        series = [index for index in found if series_of(kinds[index].kind) == series_of(address.kind)]
        return same or series or list(found)

    def _nearest(self, found: list[int], row: int) -> tuple[int, ...]:
        """Of several, those in force with the citing passage, then those closest in the hierarchy."""
        if len(found) < 2:
            return tuple(found)
        valid = self._in_force(found, row)
        chain = self._provisions.ancestors_of(row)
        shared = {index: _common(chain, self._provisions.all[index].ancestors) for index in valid}
        best = max(shared.values())
        nearest = [index for index in valid if shared[index] == best]
        if best == 0:
            # A form at the end of an act, with no heading above it, has numbers of its own.
            alike = [index for index in nearest if bool(self._provisions.all[index].ancestors) == bool(chain)]
            nearest = alike or nearest
            # The body of an act cites itself before what is attached to it, an annex or an explanation.
            own = [index for index in nearest if not _is_attached(self._provisions.all[index].ancestors)]
            nearest = nearest if _is_attached(chain) else own or nearest
            depth = min(len(self._provisions.all[index].ancestors) for index in nearest)
            nearest = [index for index in nearest if len(self._provisions.all[index].ancestors) == depth]
        return tuple(nearest)

    def _in_force(self, found: list[int], row: int) -> list[int]:
        """Versions that were in force together with the citing passage, the last of them if it has dates.

        A reference to a provision without a date goes to the version in force when it is read, as long
        as the citing text itself is in force.
        """
        since, until = self._validity(row)
        heads = {index: self._provisions.in_force(index) for index in found}
        together = [index for index in found if _overlap((since, until), heads[index])] or found
        if since is None and until is None:
            return together
        last = [index for index in together if _lasts_until(heads[index], until)]
        return last or together

    def _validity(self, row: int) -> Validity:
        """When a passage is in force; where it does not say, when its document is."""
        passage = self._provisions.passages[row]
        if passage.valid_from or passage.valid_to:
            return passage.valid_from, passage.valid_to
        document = self._documents[self._provisions.document_of[row]]
        return document.valid_from, document.valid_to


def _overlap(one: Validity, other: Validity) -> bool:
    """Whether two periods have a day in common; open ends count as unlimited."""
    return not (one[1] and other[0] and other[0] > one[1]) and not (one[0] and other[1] and other[1] < one[0])


def _lasts_until(period: Validity, day: date | None) -> bool:
    """Whether a period reaches a day, or the open end that None stands for."""
    end = period[1]
    return end is None or (day is not None and end >= day)


def _is_attached(chain: Ancestors) -> bool:
    return any(kind in ATTACHED for kind, _ in chain)


def _common(one: Sequence[object], other: Sequence[object]) -> int:
    count = 0
    for left, right in zip(one, other, strict=False):
        if left != right:
            break
        count += 1
    return count


# Resolves designations, numbers in a form that only some rulebook has: a candidate is a reference
# where the corpus has such a provision.

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
    beside = [one for one in found if one.span.overlaps(mention.span) and one.target_id]
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
    return [one for one in found if not one.span.overlaps(whole)]
