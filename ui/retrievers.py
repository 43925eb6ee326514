"""What each retriever gave: a line each for the story, with its title."""

from __future__ import annotations

from collections.abc import Sequence

from engine.model import RetrieverCount
from engine.retrieval.retrievers.registry import title_of


def retriever_lines(counts: Sequence[RetrieverCount]) -> list[str]:
    """What each found, alone, and where its first passage stands; or why one did not search."""
    return [_line(count) for count in counts]


def _line(count: RetrieverCount) -> str:
    title = title_of(count.retriever)
    if count.off:
        return f"{title}: off, {count.off}"
    facts = [f"{count.found:,} found"]
    if count.alone:
        facts.append(f"{count.alone:,} of them alone")
    if count.first is not None:
        facts.append(f"the first at {count.first:,}")
    return f"{title}: {', '.join(facts)}"
