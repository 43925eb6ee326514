"""Words around references: relations, references by position, and several mentions that are one."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

from engine.language.addresses import ATTACHED, CONTAINERS, Address
from engine.language.designations import Occupied
from engine.language.references.grammar import NEVER, Grammar, Mention, Relative, Target
from engine.model import Relation, SectionKind, Span

# Tells the relation of a reference by the words right before and right after it.

# How far before and after a reference words are read that tell its relation, in characters.
CUE_BEFORE = 100
# And how far before words are read that say that no cue counts.
CONTEXT = 300
# A repealed act is followed by its title and its place in the gazette before it is repealed.
CUE_AFTER = 450
# Texts behind references that are kept, with whether they hold a cue: those of a passage.
_KEPT = 256
# Between a cue and its reference no clause ends.
_GAP = r"[^\w.,;:!?؛،]*"
_SCRIPT_WITHOUT_SPACES = re.compile("[\u3040-\u30ff\u3400-\u9fff]")


@dataclass(frozen=True, slots=True)
class _Compiled:
    """A cue whose patterns are compiled."""

    relation: Relation
    before: re.Pattern[str]
    after: re.Pattern[str]
    only: re.Pattern[str]
    unless: re.Pattern[str]

    def fits(self, text: str, start: int, after: str, *, led: bool) -> bool:
        """Whether the cue stands around a reference from ``start``, before what comes ``after``; ``led``:
        whether any cue may stand before it."""
        lead = self.before.search(text, max(0, start - CUE_BEFORE), start) if led else None
        if lead and self.only.match(after) and not self._barred(text, lead.start()):
            return True
        return bool(self.after.match(after)) and not self._barred(text, start)

    def _barred(self, text: str, at: int) -> bool:
        return self.unless.search(text, max(0, at - CONTEXT), at) is not None


class CueReader:
    """Compiled cues of a grammar; the first that fits tells the relation."""

    def __init__(self, grammar: Grammar) -> None:
        before = [cue.before for cue in grammar.cues]
        # Where words are set apart and stand alone, a cue begins with a word: far fewer places to try.
        joined = grammar.glued or any(_SCRIPT_WITHOUT_SPACES.search(pattern) for pattern in before)
        start = "" if joined else r"(?<!\w)"
        self._any_before = _before(start, "|".join(f"(?:{pattern})" for pattern in before) or NEVER)
        afters: dict[tuple[str, ...], list[str]] = {}
        for cue in grammar.cues:
            afters.setdefault(cue.after_signs, []).append(f"(?:, )?(?:{cue.after})")
        self._any_after = [(signs, _after("|".join(patterns))) for signs, patterns in afters.items()]
        # Several references, or readings of one, end at the same place.
        self._is_followed = lru_cache(_KEPT)(self._looked_behind)
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
        """The relation that the words around a reference from ``start`` to ``end`` tell."""
        before, after = text[max(0, start - CUE_BEFORE) : start], text[end : end + CUE_AFTER]
        # One look for all cues: most references have none.
        led = self._has_sign(before) and self._any_before.search(before) is not None
        if not led and not self._is_followed(after):
            return Relation.CITES
        for cue in self._cues:
            if cue.fits(text, start, after, led=led):
                return cue.relation
        return Relation.CITES

    def _looked_behind(self, after: str) -> bool:
        """Whether any cue may stand at the beginning of a text."""
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


# Finds what a text points at by where it stands: "the preceding Article", "the provisions of this
# Part".

# How far around its sign a reference is looked for, in characters.
REACH = 100

# The relation of the words from one place of a text to another.
RelationAt = Callable[[str, int, int], Relation]


class RelativeReader:
    """Compiled patterns of a grammar's ``relative`` references."""

    def __init__(self, grammar: Grammar) -> None:
        self._name = grammar.name
        self._patterns = [(one, re.compile(one.pattern, re.IGNORECASE)) for one in grammar.relative]
        self._signs = tuple(dict.fromkeys(sign for one in grammar.relative for sign in one.signs))

    def find(self, text: str, taken: Sequence[Mention], relation: RelationAt) -> list[Mention]:
        """Mentions outside of those that are ``taken``, in no order; none overlaps another."""
        # Many patterns share their signs, and most texts have none of them.
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
            target = Target(Address(one.kind, None), span, step=one.step, count=one.count)
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


# Folds mentions that are one: "paragraph 5 of Schedule 2", "Artikel 229 § 5".


class Folding:
    """Folds by what a grammar puts between an inner and an outer provision."""

    def __init__(self, grammar: Grammar) -> None:
        self._chain = re.compile(grammar.chain)
        self._inward = re.compile(grammar.inward)
        self._names_in_front = grammar.here_before != NEVER

    def folded(self, text: str, found: Sequence[Mention]) -> list[Mention]:
        """The mentions with those folded that stand inside each other, from the right."""
        kept: list[Mention] = []
        for mention in reversed(found):
            outer = kept[-1] if kept else None
            folded = self._fold(text, mention, outer) if outer else None
            if folded:
                kept[-1] = folded
            else:
                kept.append(mention)
        return kept[::-1]

    def _fold(self, text: str, mention: Mention, outer: Mention) -> Mention | None:
        if not (mention.targets and outer.targets) or mention.targets[0].step is not None:
            return None
        gap = (mention.span.end, outer.span.start)
        if _says_where(mention):
            # "本条例第三章第一节": what is named first names the document in front.
            inwards = self._names_in_front and not _says_where(outer) and self._inward.fullmatch(text, *gap)
            return _entered(text, mention, outer) if inwards else None
        step = outer.targets[0].step
        if self._chain.fullmatch(text, *gap):
            if step == 0:
                # "Section 5 of this Chapter" points at the section alone.
                return mention
            return (
                None
                if step and outer.targets[0].address.kind in CONTAINERS
                else _nested(text, mention, outer)
            )
        return _entered(text, mention, outer) if self._inward.fullmatch(text, *gap) else None


def _says_where(mention: Mention) -> bool:
    return bool(mention.document or mention.here or mention.that)


def _nested(text: str, inner: Mention, outer: Mention) -> Mention | None:
    first = outer.targets[0]
    item = inner.bare and inner.targets[0].address.kind is SectionKind.PARAGRAPH
    if item and not {first.address.kind, *(kind for kind, _ in first.address.within)} & ATTACHED:
        # "Nummer 2 des § 5" is no paragraph of § 5.
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
    """Folds "Artikel 229 § 5": the provision named first contains the one named last."""
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
    where = outer if _says_where(outer) else inner
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
    """The address of ``inner`` seen from outside, where the text says "inner of outer"."""
    if outer.kind in CONTAINERS:
        within = (*outer.within, (outer.kind, outer.number or ""), *inner.within)
        if inner.number is None and outer.number and outer.kind in ATTACHED:
            # "points (1) and (2) of Annex II" are its own, not those of the text that names them.
            return Address(outer.kind, outer.number, inner.paragraph, outer.within)
        return Address(inner.kind, inner.number, inner.paragraph, within) if inner.number else None
    if inner.number is not None and inner.kind is not SectionKind.PARAGRAPH:
        return None
    paragraph = "/".join(part for part in (outer.paragraph, inner.number, inner.paragraph) if part)
    return Address(outer.kind, outer.number, paragraph, outer.within)
