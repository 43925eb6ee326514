"""Folds mentions that are one: "paragraph 5 of Schedule 2", "Artikel 229 § 5"."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from engine.language.addresses import ATTACHED, CONTAINERS, Address
from engine.language.references.grammar import NEVER, Grammar, Mention, Target
from engine.model import SectionKind, Span


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
