"""Find the provisions that an address may mean in a document, and resolve designations in the corpus."""

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
from engine.language.references.targets import DestinationFinder, make_reference
from engine.model import Document, Passage, Reference, SectionKind, Span, TargetKind

# Provisions of an address
#
# Kinds and containers in the text, pieces of a printed chapter, versions in force and the position of the
# citing passage narrow the provisions of a number down, to one if the text distinguishes them.


class Lookup:
    """Finds the provisions that addresses mean."""

    def __init__(self, documents: Sequence[Document], provisions: Provisions) -> None:
        self._documents = documents
        self._provisions = provisions
        # Every consulted document: the results depend on its structure.
        self.consulted: set[int] = set()

    def exists(self, document: int, address: Address, row: int) -> bool:
        """Return True if a document has a provision that an address in the passage ``row`` may mean."""
        return bool(self.candidates(document, address, row))

    def candidates(self, document: int, address: Address, row: int) -> tuple[int, ...]:
        """Return the provisions or containers of a document that an address may mean."""
        self.consulted.add(document)
        if address.number is None:
            return self._enclosing(document, address, row)
        key = number_key(address.number)
        if address.kind in CONTAINERS:
            found = self._provisions.contained(document, address.kind, key)
            if not found and address.kind is SectionKind.ANNEX and key[:1].isdigit() and "." in key:
                # "Appendix 1.2.1": item 2.1 of Appendix 1; the print shows no closer section.
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
                # In English rulebooks a bare "8" may be a chapter, a rule or a paragraph.
                found = [index for index in found if self.is_bare(index)]
        if address.within:
            inside = [index for index in found if self._is_within(index, address)]
            if not inside:
                # Articles are numbered through an act: one is identified without its chapter.
                alone = found if address.kind is SectionKind.ARTICLE and len(found) == 1 else ()
                return self._enclosing(document, address, row) or tuple(alone)
            found = inside
        return self._nearest(self._of_series(self._in_one_piece(found), address), row)

    def _serves(self, index: int, address: Address, document: int) -> bool:
        """Return True if a provision may have the stated kind; in a schedule "clause 2" is paragraph 2."""
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
        """Return True if a provision is printed by its number alone, without a word."""
        return self._provisions.passages[self._provisions.all[index].rows[0]].label[:1].isdigit()

    def _may_be(self, index: int, address: Address) -> bool:
        """Return True if a text may call a provision a chapter or an appendix."""
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
            container = (container_of(kind), number_key(number))
            while position < len(chain) and chain[position] != container:
                position += 1
            if position == len(chain):
                return False
            position += 1
        return True

    def _in_one_piece(self, found: Sequence[int]) -> list[int]:
        """Join the pieces of a chapter that a source prints in pieces; one of them represents it."""
        if len(found) < 2:
            return list(found)
        pieces: dict[object, list[int]] = {}
        for index in found:
            provision = self._provisions.all[index]
            above = tuple(part for part in provision.ancestors if part[1] != provision.key)
            pieces.setdefault((provision.key, series_of(provision.kind), above), []).append(index)
        result: list[int] = []
        for group in pieces.values():
            every = self._provisions.all
            parted = [index for index in group if self._provisions.has_parts(every[index])]
            chapters = [index for index in group if every[index].kind in CONTAINERS]
            # An item "4." of a list is no chapter.
            first = next((index for index in chapters if index in parted), group[0])
            result.extend([first] if parted or chapters else group)
        return result

    def _of_series(self, found: Sequence[int], address: Address) -> list[int]:
        """If several provisions have one number, return those of the stated kind."""
        if len(found) < 2:
            return list(found)
        kinds = self._provisions.all
        same = [index for index in found if kinds[index].kind is address.kind]
        series = [index for index in found if series_of(kinds[index].kind) == series_of(address.kind)]
        return same or series or list(found)

    def _nearest(self, found: list[int], row: int) -> tuple[int, ...]:
        """Return the provisions in force together with the citing passage, then those closest in the
        hierarchy."""
        if len(found) < 2:
            return tuple(found)
        valid = self._in_force(found, row)
        chain = self._provisions.ancestors_of(row)
        shared = {index: _common(chain, self._provisions.all[index].ancestors) for index in valid}
        best = max(shared.values())
        nearest = [index for index in valid if shared[index] == best]
        if best == 0:
            # A form at the end of an act, without a heading above it, has its own numbers.
            alike = [index for index in nearest if bool(self._provisions.all[index].ancestors) == bool(chain)]
            nearest = alike or nearest
            # The body of an act cites itself rather than its annexes or explanations.
            own = [index for index in nearest if not _is_attached(self._provisions.all[index].ancestors)]
            nearest = nearest if _is_attached(chain) else own or nearest
            depth = min(len(self._provisions.all[index].ancestors) for index in nearest)
            nearest = [index for index in nearest if len(self._provisions.all[index].ancestors) == depth]
        return tuple(nearest)

    def _in_force(self, found: list[int], row: int) -> list[int]:
        """Return the versions in force together with the citing passage; the last of them if it has dates.

        An undated reference means the version in force when it is read, while the citing text is in force.
        """
        since, until = self._validity(row)
        heads = {index: self._provisions.in_force(index) for index in found}
        together = [index for index in found if _overlap((since, until), heads[index])] or found
        if since is None and until is None:
            return together
        last = [index for index in together if _lasts_until(heads[index], until)]
        return last or together

    def _validity(self, row: int) -> Validity:
        """Return the period in which a passage, or otherwise its document, is in force."""
        passage = self._provisions.passages[row]
        if passage.valid_from or passage.valid_to:
            return passage.valid_from, passage.valid_to
        document = self._documents[self._provisions.document_of[row]]
        return document.valid_from, document.valid_to


def _overlap(one: Validity, other: Validity) -> bool:
    """Return True if two periods overlap; open ends are unlimited."""
    return not (one[1] and other[0] and other[0] > one[1]) and not (one[0] and other[1] and other[1] < one[0])


def _lasts_until(period: Validity, day: date | None) -> bool:
    """Return True if a period includes a day; None means an open end."""
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


# Designations: numbers in a form of one rulebook; a candidate is a reference only if the corpus has the
# provision

# Key of a candidate: document and language of the text, its address, the documents named after it.
_Candidate = tuple[int, str, Address, tuple[int | None, ...], bool]


class _NoReference(NamedTuple):
    """A candidate without a reference, with the documents and look-ups that were consulted."""

    consulted: frozenset[int]
    uses: frozenset[Use]


class DesignationResolver:
    """Resolves candidates for designations.

    ``Nummer 2`` is a candidate on every page of German law and almost never a reference, so negative results
    are cached for each document.
    """

    def __init__(
        self,
        documents: Sequence[Document],
        finder: DocumentFinder,
        lookup: Lookup,
        destinations: DestinationFinder,
    ) -> None:
        self._documents, self._finder, self._lookup, self._destinations = (
            documents,
            finder,
            lookup,
            destinations,
        )
        self.clear()

    def clear(self) -> None:
        """Clear the cache."""
        self._nothing: dict[_Candidate, _NoReference] = {}

    def resolved(self, mention: Mention, passage: Passage, row: int, own: int) -> list[Reference]:
        """Resolve a candidate in the passage ``row`` of the document ``own``; empty if the corpus has no such
        provision."""
        found: list[Reference] = []
        behind = self._finder.behind(mention, passage, own)
        consulted, uses = self._lookup.consulted, self._finder.uses
        for target in mention.targets:
            candidate = (own, passage.language, target.address, behind.documents, behind.named)
            negative = self._nothing.get(candidate)
            if negative is None:
                before = consulted.copy(), uses.copy()
                consulted.clear()
                uses.clear()
                references, is_known = self._look_up(mention, target, behind, passage, row, own)
                found.extend(references)
                if not is_known:
                    self._nothing[candidate] = _NoReference(frozenset(consulted), frozenset(uses))
                consulted |= before[0]
                uses |= before[1]
            else:
                consulted |= negative.consulted
                uses |= negative.uses
        return found

    def _look_up(
        self, mention: Mention, target: Target, behind: Meaning, passage: Passage, row: int, own: int
    ) -> tuple[list[Reference], bool]:
        """Return the references of a target, and True if the corpus has a provision or document of that
        number."""
        places = self._finder.designated(target, behind, passage.language, own)
        for documents, address, words, end in places:
            indexes = [one for number in documents for one in self._lookup.candidates(number, address, row)]
            if not indexes:
                continue
            if any(self._destinations.is_self(index, address, row) for index in indexes):
                return [], True
            destinations = tuple(
                dict.fromkeys(
                    destination
                    for index in indexes
                    for destination in self._destinations.find(index, address)
                )
            )
            span = _designation_span(target, words, end, passage.text)
            return [make_reference(passage, mention, span, destinations, 1.0)], True
        return self._named_documents(mention, target, passage, own)

    def _named_documents(
        self, mention: Mention, target: Target, passage: Passage, own: int
    ) -> tuple[list[Reference], bool]:
        """Return the documents that a number itself names: "CPS 230"."""
        for form in forms_of(target.address.number or ""):
            known = self._finder.called(form, passage.language)
            if own in known:
                # Another edition, or the text itself.
                return [], False
            if known:
                destinations = tuple(
                    (TargetKind.DOCUMENT, self._documents[number].id, -1) for number in known
                )
                span = _designation_span(target, form, None, passage.text)
                return [make_reference(passage, mention, span, destinations, 1.0)], True
        return [], False


def merge_designated(
    found: Sequence[Reference], own: Sequence[Reference], mention: Mention
) -> list[Reference]:
    """Merge references of a grammar (``found``) and of a designation (``own``) that may cover the same
    words."""
    return [*_outside(found, own, mention), *own] if _replaces(found, own, mention) else list(found)


def _designation_span(target: Target, words: str, end: int | None, text: str) -> Span:
    """Return the span of a designation, from its own words to the ``end`` of a name after it.

    "Subject to" before "Guideline 12" is left out; the word for the kind before another number is included.
    """
    span, first = target.span, (target.address.number or "").split()[0]
    start = text.find(words.split()[0], span.start, span.end) if text.startswith(first, span.start) else -1
    return Span(span.start if start < 0 else start, max(end or 0, span.end))


def _replaces(found: Sequence[Reference], own: Sequence[Reference], mention: Mention) -> bool:
    """Return True if a designation takes precedence over a grammar's reading of the same words.

    It does if it resolves and is longer ("PRU 6.6 – 6.9"), or if it names more than a whole document.
    """
    overlapping = [one for one in found if one.span.overlaps(mention.span) and one.target_id]
    if any(one.target_kind is TargetKind.DOCUMENT for one in own):
        return not overlapping
    longest = mention.span.end - mention.span.start
    return not any(
        one.span.end - one.span.start > longest and one.span.end > mention.span.end for one in overlapping
    )


def _outside(found: Sequence[Reference], own: Sequence[Reference], mention: Mention) -> list[Reference]:
    """Return the references outside the words of a designation."""
    whole = Span(mention.span.start, max(one.span.end for one in own))
    return [one for one in found if not one.span.overlaps(whole)]
