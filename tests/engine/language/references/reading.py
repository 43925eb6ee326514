"""How the tables of the grammars' tests write a mention down."""

from __future__ import annotations

from engine.language.addresses import Address
from engine.language.references import Mention, find_mentions

Row = tuple[str, str | None, tuple[str, ...]]


def written(address: Address) -> str:
    """An address as "schedule 2 > paragraph 5/a"."""
    inside = "".join(f"{kind} {number} > " for kind, number in address.within)
    below = f"/{address.paragraph}" if address.paragraph and address.number else address.paragraph or ""
    return f"{inside}{address.kind} {address.number or ''}{below}".strip()


def target(mention: Mention) -> tuple[str, ...]:
    """The targets of a mention, a range as "section 12 .. 15"."""
    return tuple(
        written(one.address) + (f" .. {one.through.number}" if one.through else "") for one in mention.targets
    )


def rows(text: str, language: str) -> list[Row]:
    """(text, document, targets) of each mention; checks every span on the way."""
    found = find_mentions(text, language)
    for mention in found:
        assert text[mention.span.start : mention.span.end] == mention.text
        for one in mention.targets:
            assert mention.span.start <= one.span.start < one.span.end <= mention.span.end
    return [(mention.text, mention.document, target(mention)) for mention in found]
