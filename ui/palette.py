"""Names and colours of what brings passages: the scan, the strategies, gap queries, a person.

Colours are CSS custom properties, so that light and dark are one matter for the style sheet. The
hues are the colour-blind safe set of Okabe and Ito (2008), the lightness adapted per theme.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Thread:
    """How a strategy is shown: what the rail calls it, what the legend calls it, its colour token."""

    key: str
    title: str
    legend: str
    token: str


_KNOWN = (
    Thread("scan", "Scan", "scan", "scan"),
    Thread("named", "Named in the question", "named", "named"),
    Thread("metadata", "Same document", "same document", "meta"),
    Thread("citations", "References, both ways", "reference", "cite"),
    Thread("entities", "Shared entities and terms", "entity", "ent"),
    Thread("pagerank", "Many short paths", "many paths", "walk"),
    Thread("semantic", "Similar meaning", "similar", "sem"),
    Thread("amendments", "Amendments and exceptions", "amendment", "amend"),
    Thread("definitions", "Definitions of terms", "definition", "define"),
    Thread("extracted", "Links read by a model", "read by a model", "read"),
    Thread("gaps", "Close coverage gaps", "gap query", "gap"),
    Thread("person", "Brought by you", "by you", "person"),
)
_BY_KEY = {thread.key: thread for thread in _KNOWN}
_SPARE = ("spare-a", "spare-b", "spare-c")
TOKENS = (*(thread.token for thread in _KNOWN), *_SPARE)


def thread(strategy: str) -> Thread:
    """How a strategy is shown. A strategy from another package gets a spare colour by its name."""
    known = _BY_KEY.get(strategy)
    if known is not None:
        return known
    words = strategy.replace("_", " ")
    token = _SPARE[sum(strategy.encode()) % len(_SPARE)]
    return Thread(strategy, words[:1].upper() + words[1:], words, token)


def colour(strategy: str) -> str:
    """The CSS value of a strategy's colour."""
    return f"var(--{thread(strategy).token})"
