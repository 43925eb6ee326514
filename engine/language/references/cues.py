"""Read the words around references: relations, relative references, and mentions to combine."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

from engine.language.addresses import ATTACHED, CONTAINERS, Address
from engine.language.designations import Occupied
from engine.language.references.grammar import NEVER, Grammar, Mention, Relative, Target
from engine.model import Relation, SectionKind, Span

# Relations from the words directly before and after a reference

# Number of characters to read before a reference for its relation.
CUE_BEFORE = 100
# Number of characters to read before a cue for words that invalidate it.
CONTEXT = 300
# The title of a repealed act and its gazette reference come before the word "repealed".
CUE_AFTER = 450
# Cache size for texts after references: those of a passage.
_KEPT = 256
# A cue and its reference are in one clause.
_GAP = r"[^\w.,;:!?؛،]*"
_SCRIPT_WITHOUT_SPACES = re.compile("[\u3040-\u30ff\u3400-\u9fff]")


@dataclass(frozen=True, slots=True)
class _Compiled:
    """A cue with compiled patterns."""

    relation: Relation
    before: re.Pattern[str]
    after: re.Pattern[str]
    only: re.Pattern[str]
    unless: re.Pattern[str]

    def fits(self, text: str, start: int, after: str, *, led: bool) -> bool:
        """Return True if the cue is around a reference that starts at ``start`` and is followed by ``after``.

        ``led``: whether any cue may be before the reference.
        """
        lead = self.before.search(text, max(0, start - CUE_BEFORE), start) if led else None
        if lead and self.only.match(after) and not self._is_excluded(text, lead.start()):
            return True
        return bool(self.after.match(after)) and not self._is_excluded(text, start)

    def _is_excluded(self, text: str, at: int) -> bool:
        return self.unless.search(text, max(0, at - CONTEXT), at) is not None


class CueReader:
    """The compiled cues of a grammar; the first match gives the relation."""

    def __init__(self, grammar: Grammar) -> None:
        before = [cue.before for cue in grammar.cues]
        # In scripts with spaces a cue begins at a word: far fewer positions to try.
        joined = grammar.glued or any(_SCRIPT_WITHOUT_SPACES.search(pattern) for pattern in before)
        start = "" if joined else r"(?<!\w)"
        self._any_before = _before(start, "|".join(f"(?:{pattern})" for pattern in before) or NEVER)
        afters: dict[tuple[str, ...], list[str]] = {}
        for cue in grammar.cues:
            afters.setdefault(cue.after_signs, []).append(f"(?:, )?(?:{cue.after})")
        self._any_after = [(signs, _after("|".join(patterns))) for signs, patterns in afters.items()]
        # Several references, or readings of one, end at the same position.
        self._is_followed = lru_cache(_KEPT)(self._may_follow)
        self._signs = tuple(
            dict.fromkeys(sign for cue in grammar.cues if cue.before != NEVER for sign in cue.signs)
        )
        self._cues = [
            _Compiled(
                cue.relation,
                _before(start, cue.before),
                # "The Act of 3 May 2009, is repealed".
                _after(f"(?:, )?(?:{cue.after})" if cue.relation is Relation.REPEALS else cue.after),
                _after(cue.only),
                re.compile(rf"(?:{cue.unless})\Z", re.IGNORECASE),
            )
            for cue in grammar.cues
        ]

    def relation(self, text: str, start: int, end: int) -> Relation:
        """Return the relation of a reference from ``start`` to ``end`` by the words around it."""
        before, after = text[max(0, start - CUE_BEFORE) : start], text[end : end + CUE_AFTER]
        # One test for all cues: most references have none.
        led = self._has_sign(before) and self._any_before.search(before) is not None
        if not led and not self._is_followed(after):
            return Relation.CITES
        for cue in self._cues:
            if cue.fits(text, start, after, led=led):
                return cue.relation
        return Relation.CITES

    def _may_follow(self, after: str) -> bool:
        """Return True if any cue may be at the start of a text."""
        return any(
            any(sign in after for sign in signs) and pattern.match(after) is not None
            for signs, pattern in self._any_after
        )

    def _has_sign(self, before: str) -> bool:
        for sign in self._signs:  # noqa: SIM110 - a generator takes twice as long
            if sign in before:
                return True
        return False


def _before(start: str, pattern: str) -> re.Pattern[str]:
    return re.compile(rf"{start}(?:{pattern}){_GAP}\Z", re.IGNORECASE)


def _after(pattern: str) -> re.Pattern[str]:
    return re.compile(rf"{_GAP}(?:{pattern})", re.IGNORECASE)


# References by position: "the preceding Article", "the provisions of this Part"

# Number of characters around a sign in which a reference is searched.
REACH = 100

_STEPS = {"previous": -1, "own": 0, "next": 1}
# The relation of a span of a text.
RelationAt = Callable[[str, int, int], Relation]


class RelativeReader:
    """The compiled ``relative`` patterns of a grammar."""

    def __init__(self, grammar: Grammar) -> None:
        self._name = grammar.name
        self._patterns = [(one, re.compile(one.pattern, re.IGNORECASE)) for one in grammar.relative]
        self._signs = tuple(dict.fromkeys(sign for one in grammar.relative for sign in one.signs))

    def find(self, text: str, taken: Sequence[Mention], relation: RelationAt) -> list[Mention]:
        """Find mentions outside those in ``taken``; they do not overlap, and are in no order."""
        # Many patterns share their signs, and most texts contain none of them.
        present = {sign for sign in self._signs if sign in text}
        if not present:
            return []
        found: list[Mention] = []
        occupied = Occupied((mention.span.start, mention.span.end) for mention in taken)
        for one, start, end in self._matches(text, present):
            if occupied.overlaps(start, end):
                continue
            occupied.add(start, end)
            span = Span(start, end)
            target = Target(Address(one.kind, None), span, step=_STEPS[one.step], count=one.count)
            found.append(Mention(span, text[start:end], self._name, relation(text, start, end), (target,)))
        return found

    def _matches(self, text: str, present: Collection[str]) -> Iterator[tuple[Relative, int, int]]:
        for one, pattern in self._patterns:
            for sign in one.signs:
                if sign not in present:
                    continue
                place = text.find(sign)
                while place >= 0:
                    end = place + max(1, len(sign))
                    match = pattern.search(text, max(0, place - REACH), end + REACH)
                    if match and match.start() < end and match.end() > place:
                        yield one, match.start(), match.end()
                        end = max(end, match.end())
                    place = text.find(sign, end)


# Combination of mentions: "paragraph 5 of Schedule 2", "Artikel 229 § 5"


class MentionCombiner:
    """Combines mentions by the words that a grammar has between an inner and an outer provision."""

    def __init__(self, grammar: Grammar) -> None:
        self._chain = re.compile(grammar.chain)
        self._inward = re.compile(grammar.inward)
        self._names_in_front = grammar.here_before != NEVER

    def combine(self, text: str, found: Sequence[Mention]) -> list[Mention]:
        """Return the mentions with nested ones combined, from right to left."""
        kept: list[Mention] = []
        for mention in reversed(found):
            outer = kept[-1] if kept else None
            combine = self._fold(text, mention, outer) if outer else None
            if combine:
                kept[-1] = combine
            else:
                kept.append(mention)
        return kept[::-1]

    def _fold(self, text: str, mention: Mention, outer: Mention) -> Mention | None:
        if not (mention.targets and outer.targets) or mention.targets[0].step is not None:
            return None
        gap = (mention.span.end, outer.span.start)
        if _has_position(mention):
            # "本条例第三章第一节": the first mention names the document.
            inwards = self._names_in_front and not _has_position(outer) and self._inward.fullmatch(text, *gap)
            return _entered(text, mention, outer) if inwards else None
        step = outer.targets[0].step
        if self._chain.fullmatch(text, *gap):
            if step == 0:
                # "Section 5 of this Chapter" means only the section.
                return mention
            return (
                None if step and outer.targets[0].address.kind in CONTAINERS else nested(text, mention, outer)
            )
        return _entered(text, mention, outer) if self._inward.fullmatch(text, *gap) else None


def _has_position(mention: Mention) -> bool:
    return bool(mention.document or mention.here or mention.that)


def nested(text: str, inner: Mention, outer: Mention) -> Mention | None:
    """Combine "paragraph 5 of Schedule 2": the last provision contains the first."""
    first = outer.targets[0]
    item = inner.bare and inner.targets[0].address.kind is SectionKind.PARAGRAPH
    if item and not {first.address.kind, *(kind for kind, _ in first.address.within)} & ATTACHED:
        # "Nummer 2 des § 5" is not a paragraph of § 5.
        return None
    addresses = [_inside(target.address, first.address) for target in inner.targets]
    if any(address is None for address in addresses):
        return None
    span = Span(inner.span.start, outer.span.end)
    targets = [
        Target(
            address,
            span if len(addresses) == 1 else target.span,
            _inside(target.through, first.address) if target.through else None,
            first.step,
            first.count,
        )
        for target, address in zip(inner.targets, addresses, strict=True)
        if address
    ]
    return replace(
        outer,
        span=span,
        text=text[span.start : span.end],
        relation=inner.relation,
        targets=(*targets, *outer.targets[1:]),
        bare=inner.bare and not item,
    )


def _entered(text: str, outer: Mention, inner: Mention) -> Mention | None:
    """Combine "Artikel 229 § 5": the first provision contains the last."""
    container = outer.targets[-1].address
    if len(outer.targets) != 1 or container.paragraph or container.number is None:
        return None
    if container.kind not in CONTAINERS and container.kind is not SectionKind.ARTICLE:
        return None
    if any(
        target.address.number is None or target.address.kind is container.kind for target in inner.targets
    ):
        return None
    item = container.kind in ATTACHED and inner.targets[0].address.kind is SectionKind.PARAGRAPH
    if "," in text[outer.span.end : inner.span.start] and not item:
        return None
    span = Span(outer.span.start, inner.span.end)
    targets = tuple(
        replace(
            target,
            address=replace(target.address, within=((container.kind, container.number),)),
            span=Span(span.start, target.span.end) if index == 0 else target.span,
        )
        for index, target in enumerate(inner.targets)
    )
    where = outer if _has_position(outer) else inner
    return replace(
        inner,
        span=span,
        text=text[span.start : span.end],
        targets=targets,
        bare=inner.bare and inner.targets[0].address.kind is not SectionKind.PARAGRAPH,
        document=where.document,
        name_at=where.name_at,
        here=where.here,
        that=where.that,
    )


def _inside(inner: Address, outer: Address) -> Address | None:
    """Return the address of ``inner`` within ``outer`` for "inner of outer", or None."""
    if outer.kind in CONTAINERS:
        within = (*outer.within, (outer.kind, outer.number or ""), *inner.within)
        if inner.number is None and outer.number and outer.kind in ATTACHED:
            # "points (1) and (2) of Annex II" belong to the annex, not to the citing text.
            return Address(outer.kind, outer.number, inner.paragraph, outer.within)
        return Address(inner.kind, inner.number, inner.paragraph, within) if inner.number else None
    if inner.number is not None and inner.kind is not SectionKind.PARAGRAPH:
        return None
    paragraph = "/".join(part for part in (outer.paragraph, inner.number, inner.paragraph) if part)
    return Address(outer.kind, outer.number, paragraph, outer.within)
