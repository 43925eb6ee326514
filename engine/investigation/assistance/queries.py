"""Queries that a language model proposes, and what must be right about them: never one that was sent."""

from __future__ import annotations

from collections.abc import Iterable

from engine.language.analysis import analyzer

LONGEST = 200


class SentQueries:
    """What was sent so far in one case, compared by terms: other words in the same order say nothing new."""

    def __init__(self, texts: Iterable[str], language: str) -> None:
        self._language = language
        self._seen = {self._key(text) for text in texts}

    def add(self, queries: Iterable[str]) -> None:
        """Take note of queries that are sent."""
        self._seen |= {self._key(query) for query in queries}

    def fresh(self, proposals: Iterable[str], most: int) -> tuple[str, ...]:
        """Of some proposals the first ``most`` that can be sent: a term or more, at most 200 characters, not
        sent before and not twice."""
        found: list[str] = []
        keys = set(self._seen)
        for proposal in proposals:
            words = " ".join(proposal.split())
            key = self._key(words)
            if key and key not in keys and len(words) <= LONGEST and len(found) < most:
                keys.add(key)
                found.append(words)
        return tuple(found)

    def _key(self, text: str) -> frozenset[str]:
        return frozenset(analyzer(self._language).terms(text))
