"""One of two cases that are compared: what its record shows, and what its corpus says, where that is open."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import Any

from engine.corpus.protocol import Corpus
from engine.investigation.presentation import text_of
from engine.records.corpus_changes import Link, links_of

Record = Mapping[str, Any]
Hop = Mapping[str, Any]


class Side:
    """A record with its corpus, None where that is not at hand."""

    def __init__(self, record: Record, corpus: Corpus | None = None) -> None:
        self.record, self.corpus = record, corpus
        self.ranked: dict[str, Record] = {passage["id"]: passage for passage in record["passages"]}
        self.nodes: dict[str, Record] = {node["id"]: node for node in record["pool"]["nodes"]}
        self.strategies = frozenset(record["settings"]["strategies"])
        self.dismissed = frozenset(record["pool"]["dismissed"])
        self.asked_model = bool(record["usage"])
        self.pinned = frozenset(record["pool"]["pinned"])
        self.explored = frozenset(record["pool"]["explored"])
        self._links: dict[str, frozenset[Link]] = {}
        self.last_round = max((report["number"] for report in record["rounds"]), default=0)

    @cached_property
    def into(self) -> Mapping[str, Sequence[Hop]]:
        """The hops that lead to each passage of the pool."""
        found: defaultdict[str, list[Hop]] = defaultdict(list)
        for hop in self.record["pool"]["edges"]:
            found[hop["target"]].append(hop)
        return found

    def bringing(self, name: str) -> Sequence[Hop]:
        """The hops by which a passage came into the pool: those of the round and the strategy that admitted
        it, all that there are where none is."""
        node, hops = self.nodes[name], self.into.get(name, ())
        own = [hop for hop in hops if (hop["round"], hop["strategy"]) == (node["round"], node["strategy"])]
        return own or hops

    def has(self, name: str) -> bool | None:
        """Whether the corpus has a passage; None where that is not known."""
        if name in self.nodes or name in self.ranked:
            return True
        return None if self.corpus is None else bool(self.corpus.rows([name])[0] >= 0)

    def has_document(self, name: str) -> bool | None:
        """Whether the corpus has a document; None where that is not known."""
        return None if self.corpus is None else name in self._documents

    @cached_property
    def _documents(self) -> frozenset[str]:
        return frozenset() if self.corpus is None else frozenset(one.id for one in self.corpus.documents())

    def document(self, name: str) -> tuple[str, str] | None:
        """The id and the title of a passage's document; None where they are not known."""
        shown = self.ranked.get(name)
        if shown is not None:
            return shown["document"], shown["title"] or shown["document"]
        if self.corpus is None or (row := self.corpus.rows([name]))[0] < 0:
            return None
        found = self.corpus.documents()[int(self.corpus.document_numbers(row)[0])]
        return found.id, found.title or found.id

    def words(self, passage: Record) -> str | None:
        """What this corpus says where a passage of a record stands; None where that is not known."""
        own = self.ranked.get(passage["id"])
        if own is not None and own["assembled"] == passage["assembled"]:
            return str(own["text"])
        if self.corpus is None:
            return None
        rows = self.corpus.rows(passage["assembled"] or [passage["id"]])
        return None if (rows < 0).any() else text_of(self.corpus.passages(rows))

    def links(self, source: str) -> frozenset[Link] | None:
        """The links that a passage makes; None where that is not known."""
        if self.corpus is None:
            return None
        if source not in self._links:
            rows = self.corpus.rows([source])
            self._links[source] = frozenset(links_of(self.corpus, rows[rows >= 0]))
        return self._links[source]

    def label(self, name: str) -> str | None:
        """How people call a passage; None for one of which nothing is known."""
        document, shown = self.document(name), self.ranked.get(name)
        if document is None:
            return None
        if shown is None and self.corpus is not None:
            (passage,) = self.corpus.passages(self.corpus.rows([name]))
            return ", ".join(part for part in (document[1], passage.label) if part)
        return None if shown is None else ", ".join(part for part in (document[1], shown["label"]) if part)
