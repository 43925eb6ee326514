"""Entities of a whole corpus: the vocabulary that its blocks make together, and where it is mentioned.

An update looks for mentions only in blocks that are new, or have all words of a term that is new, gone or
written otherwise: everywhere else the same places mention the same terms, under their new numbers.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cached_property
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from engine.arrays import distinct
from engine.corpus.embedded.arrays import Array
from engine.corpus.embedded.block import Block, block_name, digest
from engine.corpus.embedded.mentions import Definers, definers_of, load_entity
from engine.ingestion.embedding import NameVectors
from engine.ingestion.ledger import Previous
from engine.ingestion.mentions import Found, Terms, facts_key, renumbered, settled
from engine.ingestion.view import CorpusView
from engine.ingestion.words import WordCounts, weighs_the_same
from engine.language.clustering import Encode
from engine.language.entities import LARGEST_SHARE, MOST_MENTIONS, EntityTable, name_scores

# The terms of a corpus and its words; the mentions of all its blocks.
VOCABULARY_NAME, MENTIONS_NAME = "vocabulary.block", "mentions.block"

# Looks for the mentions in blocks, given by their numbers.
Find = Callable[[Terms, Sequence[int]], Sequence[Found]]


class _Before(NamedTuple):
    """What an older generation knows: its vocabulary, its mentions, where those of each block stand there."""

    vocabulary: Block
    mentions: Block
    places: dict[str, int]


class Naming:
    """Finds the entities of a corpus, and their mentions block by block."""

    def __init__(
        self,
        view: CorpusView,
        names: Sequence[str],
        version: str,
        encode: Encode | None = None,
        before: Previous | None = None,
    ) -> None:
        """``before``: an older generation, from which is taken what still holds."""
        self._view, self._names = view, names
        self._version, self._encode = version, encode
        self._previous = before

    def save(self, generation: Path) -> None:
        """Write vocabulary and mentions into a generation, for the next ingestion."""
        self.vocabulary.save(generation / VOCABULARY_NAME)
        self._mentions.save(generation / MENTIONS_NAME)

    def find(self, find: Find) -> None:
        """Look for the mentions in all blocks. ``find`` is asked once, for those where they may be others."""
        terms = Terms(self.vocabulary)
        kept: dict[int, Found] = {}
        if self._before is not None:
            numbers, changed = renumbered(Terms(self._before.vocabulary), terms)
            for number, name in enumerate(self._names):
                place = self._before.places.get(name)
                if place is None or (len(changed) and changed.may_be_in(self._view.blocks[number])):
                    continue
                found = _kept(self._before.mentions, place, numbers)
                if not (found.numbers < 0).any():
                    kept[number] = found
        missing = [number for number in range(len(self._names)) if number not in kept]
        kept |= dict(zip(missing, find(terms, missing), strict=True))
        every = [kept[number] for number in range(len(self._names))]
        sizes = [len(found.passages) for found in every]
        self._mentions = Block(
            {
                "first": np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64),
                "passage": np.concatenate([np.zeros(0, np.int32), *(found.passages for found in every)]),
                "number": np.concatenate([np.zeros(0, np.int32), *(found.numbers for found in every)]),
                "written": np.concatenate([np.zeros(0, np.bool_), *(found.written for found in every)]),
            },
            {"key": self._key},
        )
        self._mentions.put_strings("blocks", self._names)

    def table(self, least: float) -> tuple[EntityTable, Definers]:
        """The entities worth keeping with their mentions, and the rows that define each.

        An entity that one passage alone mentions links nothing and is dropped, unless that passage
        defines it; an acronym that the corpus also writes in small letters is a word in capitals. What has a
        score below ``least`` is hardly a thing with a name (``language/name_scores.py``) and dropped too.
        """
        vocabulary = self.vocabulary
        first = np.repeat(self._view.first_row[:-1], np.diff(self._mentions["first"]))
        row, number = self._mentions["passage"] + first, self._mentions["number"]
        scores = self._scores(row, number, self._mentions["written"])
        row, number = self._with_titled(row, number)
        counts = np.bincount(number, minlength=len(vocabulary["defined"]))
        worth = (counts > 1) | ((counts == 1) & vocabulary["defined"])
        worth[self._shouted()] = False
        most = max(MOST_MENTIONS, LARGEST_SHARE * len(self._view))
        worth &= ~vocabulary["name_of_one_word"] | (counts <= most)
        worth &= scores >= least
        kept = np.flatnonzero(worth)
        renumbered = np.cumsum(worth) - 1
        chosen = worth[number]
        entities = [
            load_entity(record, round(score, 3))
            for record, score in zip(
                vocabulary.strings("entities").take(kept), scores[kept].tolist(), strict=True
            )
        ]
        defining = self._view.rows.of(one for entity in entities for one in entity.definitions)
        definers = definers_of(entities, defining)
        table = EntityTable(
            entities, row[chosen].astype(np.int32), renumbered[number[chosen]].astype(np.int32)
        )
        return table, definers

    def _with_titled(self, rows: Array, numbers: Array) -> tuple[Array, Array]:
        """Mentions in the order of the corpus, with those of titles by the passages that begin documents."""
        vocabulary = self.vocabulary
        titled = vocabulary.strings("titled").all()
        known = self._view.rows.of(titled)
        begin = np.asarray([known[name] for name in titled], np.int64)
        size = max(len(vocabulary["defined"]), 1)
        pairs = distinct(
            np.concatenate([rows, begin]).astype(np.int64) * size
            + np.concatenate([numbers, vocabulary["titled.number"]])
        )
        return pairs // size, pairs % size

    def _scores(self, rows: Array, numbers: Array, written: NDArray[np.bool_]) -> NDArray[np.float32]:
        """How surely each term is a thing with a name, shape (terms,)."""
        vocabulary = self.vocabulary
        size = max(len(vocabulary["defined"]), 1)
        documents = np.searchsorted(self._view.document_rows, rows, side="right").astype(np.int64) - 1
        spread = np.bincount(distinct(documents * size + numbers) % size, minlength=size)
        mentions = np.bincount(numbers, minlength=size)
        capitals = np.bincount(numbers, weights=written, minlength=size) / np.maximum(mentions, 1)
        said, has_case = vocabulary["said"], vocabulary["has_case"]
        share = np.where(has_case, capitals[: len(said)], np.nan).astype(np.float32)
        return name_scores(said, share, spread[: len(said)])

    @cached_property
    def vocabulary(self) -> Block:
        """The terms of all blocks, with the words that they are told by."""
        before = self._before
        if before is not None and before.vocabulary.about["key"] == self._key:
            return before.vocabulary
        if before is not None and self._settles_as(before.vocabulary):
            made = Block(before.vocabulary.arrays, before.vocabulary.about | {"key": self._key})
        else:
            encode = None
            if self._encode is not None:
                encode = NameVectors(self._encode, before and before.vocabulary)
            made = settled(self._view.blocks, self._words, encode, self._key)
            if encode is not None:
                encode.put(made)
            made.about["version"] = self._version
        made.arrays |= {"words.key": self._words.keys, "words.count": self._words.counts}
        made.arrays["facts.key"] = self._facts
        return made

    def _settles_as(self, vocabulary: Block) -> bool:
        """Whether the blocks say of terms what they said for an older vocabulary, and of the words that were
        weighed for it the same are more frequent."""
        is_said = np.array_equal(vocabulary["facts.key"], self._facts)
        return is_said and weighs_the_same(vocabulary, self._words)

    @cached_property
    def _facts(self) -> NDArray[np.uint8]:
        """Keys of what the blocks say of terms, shape (blocks, 16)."""
        before = self._before
        known = (
            {} if before is None else {n: before.vocabulary["facts.key"][p] for n, p in before.places.items()}
        )
        keys = [
            known[name] if name in known else facts_key(block)
            for name, block in zip(self._names, self._view.blocks, strict=True)
        ]
        return np.asarray(keys, np.uint8).reshape(-1, 16)

    @cached_property
    def _before(self) -> _Before | None:
        if self._previous is None:
            return None
        vocabulary, mentions = self._previous.block(VOCABULARY_NAME), self._previous.block(MENTIONS_NAME)
        if vocabulary is None or mentions is None or vocabulary.about["key"] != mentions.about["key"]:
            return None
        if vocabulary.about["version"] != self._version:
            return None
        names = mentions.strings("blocks").all()
        return _Before(vocabulary, mentions, {name: place for place, name in enumerate(names)})

    @cached_property
    def _words(self) -> WordCounts:
        """The words of all blocks: those of before without what went, and with what came."""
        blocks = dict(zip(self._names, self._view.blocks, strict=True))
        before = self._before
        if before is not None and self._previous is not None:
            gone = [self._previous.block(block_name(name)) for name in before.places if name not in blocks]
            come = [block for name, block in blocks.items() if name not in before.places]
            old = WordCounts(before.vocabulary["words.key"], before.vocabulary["words.count"])
            if None not in gone and len(gone) + len(come) < len(blocks):
                return old.changed([block for block in gone if block is not None], come)
        return WordCounts.none().changed([], list(blocks.values()))

    @cached_property
    def _key(self) -> str:
        """A key of all that the terms are read from: a block is named by what it holds."""
        return digest(self._version.encode(), *(name.encode() for name in self._names))

    def _shouted(self) -> NDArray[np.int64]:
        keys, numbers = self.vocabulary["small.key"], self.vocabulary["small.number"]
        return distinct(numbers[self._words.of(keys) > 0]).astype(np.int64)


def _kept(mentions: Block, place: int, numbers: NDArray[np.int32]) -> Found:
    """The mentions of a block as they were, with the numbers that their terms have now."""
    own = slice(int(mentions["first"][place]), int(mentions["first"][place + 1]))
    passages, now, written = (
        mentions["passage"][own],
        numbers[mentions["number"][own]],
        mentions["written"][own],
    )
    if (np.diff(now)[np.diff(passages) == 0] < 0).any():
        order = np.lexsort((now, passages))
        passages, now, written = passages[order], now[order], written[order]
    return Found(passages, now, written)
