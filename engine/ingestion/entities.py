"""Find the entities of a corpus: the common vocabulary of its blocks, and its mentions.

An update searches only blocks that are new or that contain all words of a term that was added, removed or
changed; in other blocks the same positions mention the same terms, with their new numbers.
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
from engine.corpus.embedded.passages import Definers, definers_of, load_entity
from engine.ingestion.embedding import NameVectors
from engine.ingestion.ledger import Previous
from engine.ingestion.mentions import FoundMentions, Terms, facts_key, match_terms, settle_vocabulary
from engine.ingestion.view import CorpusView
from engine.ingestion.words import WordCounts, comparisons_unchanged
from engine.language.clustering import Encode
from engine.language.entities import LARGEST_SHARE, MOST_MENTIONS, EntityTable, name_scores

# The terms of a corpus and its words; the mentions of all its blocks.
VOCABULARY_NAME, MENTIONS_NAME = "vocabulary.block", "mentions.block"

# Searches blocks, given by their numbers, for mentions.
Find = Callable[[Terms, Sequence[int]], Sequence[FoundMentions]]


class _Before(NamedTuple):
    """State of an older generation: vocabulary, mentions, and the positions of blocks in the mentions."""

    vocabulary: Block
    mentions: Block
    places: dict[str, int]


class EntityFinder:
    """Finds the entities of a corpus, and their mentions block by block."""

    def __init__(
        self,
        view: CorpusView,
        names: Sequence[str],
        version: str,
        encode: Encode | None = None,
        before: Previous | None = None,
    ) -> None:
        """``before``: an older generation, whose unchanged parts are reused."""
        self._view, self._names = view, names
        self._version, self._encode = version, encode
        self._previous = before

    def save(self, generation: Path) -> None:
        """Write vocabulary and mentions into a generation for the next ingestion."""
        self.vocabulary.save(generation / VOCABULARY_NAME)
        self._mentions.save(generation / MENTIONS_NAME)

    def find(self, find: Find) -> None:
        """Find the mentions in all blocks. ``find`` is called once, for blocks whose mentions may have
        changed."""
        terms = Terms(self.vocabulary)
        found_by_block: dict[int, FoundMentions] = {}
        if self._before is not None:
            numbers, changed = match_terms(Terms(self._before.vocabulary), terms)
            for number, name in enumerate(self._names):
                position = self._before.places.get(name)
                if position is None or (len(changed) and changed.may_be_in(self._view.blocks[number])):
                    continue
                found = _renumbered_mentions(self._before.mentions, position, numbers)
                if not (found.numbers < 0).any():
                    found_by_block[number] = found
        missing = [number for number in range(len(self._names)) if number not in found_by_block]
        found_by_block |= dict(zip(missing, find(terms, missing), strict=True))
        every = [found_by_block[number] for number in range(len(self._names))]
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
        """Return the entities to store with their mentions, and the rows that define each.

        An entity that only one passage mentions is dropped unless that passage defines it; so is an acronym
        that the corpus also writes in lower case (a word in capitals), and an entity with a score below
        ``least`` (``language/names.py``).
        """
        vocabulary = self.vocabulary
        first = np.repeat(self._view.first_row[:-1], np.diff(self._mentions["first"]))
        row, number = self._mentions["passage"] + first, self._mentions["number"]
        scores = self._scores(row, number, self._mentions["written"])
        row, number = self._with_titled(row, number)
        counts = np.bincount(number, minlength=len(vocabulary["defined"]))
        is_kept = (counts > 1) | ((counts == 1) & vocabulary["defined"])
        is_kept[self._written_in_capitals()] = False
        most = max(MOST_MENTIONS, LARGEST_SHARE * len(self._view))
        is_kept &= ~vocabulary["name_of_one_word"] | (counts <= most)
        is_kept &= scores >= least
        chosen_terms = np.flatnonzero(is_kept)
        match_terms = np.cumsum(is_kept) - 1
        chosen = is_kept[number]
        entities = [
            load_entity(record, round(score, 3))
            for record, score in zip(
                vocabulary.strings("entities").take(chosen_terms), scores[chosen_terms].tolist(), strict=True
            )
        ]
        defining = self._view.rows.of(one for entity in entities for one in entity.definitions)
        definers = definers_of(entities, defining)
        table = EntityTable(
            entities, row[chosen].astype(np.int32), match_terms[number[chosen]].astype(np.int32)
        )
        return table, definers

    def _with_titled(self, rows: Array, numbers: Array) -> tuple[Array, Array]:
        """Add the mentions of titled documents by their first passages; return all in corpus order."""
        vocabulary = self.vocabulary
        titled = vocabulary.strings("titled").all()
        rows_by_id = self._view.rows.of(titled)
        begin = np.asarray([rows_by_id[name] for name in titled], np.int64)
        size = max(len(vocabulary["defined"]), 1)
        pairs = distinct(
            np.concatenate([rows, begin]).astype(np.int64) * size
            + np.concatenate([numbers, vocabulary["titled.number"]])
        )
        return pairs // size, pairs % size

    def _scores(self, rows: Array, numbers: Array, written: NDArray[np.bool_]) -> NDArray[np.float32]:
        """Return the probability that each term is a name, shape (terms,)."""
        vocabulary = self.vocabulary
        size = max(len(vocabulary["defined"]), 1)
        documents = np.searchsorted(self._view.document_rows, rows, side="right").astype(np.int64) - 1
        spread = np.bincount(distinct(documents * size + numbers) % size, minlength=size)
        mentions = np.bincount(numbers, minlength=size)
        capitals = np.bincount(numbers, weights=written, minlength=size) / np.maximum(mentions, 1)
        evidence, has_case = vocabulary["name_evidence"], vocabulary["has_case"]
        share = np.where(has_case, capitals[: len(evidence)], np.nan).astype(np.float32)
        return name_scores(evidence, share, spread[: len(evidence)])

    @cached_property
    def vocabulary(self) -> Block:
        """The terms of all blocks, with the word counts that they depend on."""
        before = self._before
        if before is not None and before.vocabulary.about["key"] == self._key:
            return before.vocabulary
        if before is not None and self._settles_as(before.vocabulary):
            made = Block(before.vocabulary.arrays, before.vocabulary.about | {"key": self._key})
        else:
            encode = None
            if self._encode is not None:
                encode = NameVectors(self._encode, before and before.vocabulary)
            made = settle_vocabulary(self._view.blocks, self._words, encode, self._key)
            if encode is not None:
                encode.put(made)
            made.about["version"] = self._version
        made.arrays |= {"words.key": self._words.keys, "words.count": self._words.counts}
        made.arrays["facts.key"] = self._facts
        return made

    def _settles_as(self, vocabulary: Block) -> bool:
        """Return True if the blocks state the same facts, and comparisons of word counts have the same
        results, as for an older vocabulary."""
        same_facts = np.array_equal(vocabulary["facts.key"], self._facts)
        return same_facts and comparisons_unchanged(vocabulary, self._words)

    @cached_property
    def _facts(self) -> NDArray[np.uint8]:
        """Keys of the facts that each block states about terms, shape (blocks, 16)."""
        before = self._before
        old_keys = (
            {} if before is None else {n: before.vocabulary["facts.key"][p] for n, p in before.places.items()}
        )
        keys = [
            old_keys[name] if name in old_keys else facts_key(block)
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
        """Word counts of all blocks: the previous counts, minus removed blocks, plus added blocks."""
        blocks = dict(zip(self._names, self._view.blocks, strict=True))
        before = self._before
        if before is not None and self._previous is not None:
            removed = [self._previous.block(block_name(name)) for name in before.places if name not in blocks]
            added = [block for name, block in blocks.items() if name not in before.places]
            old = WordCounts(before.vocabulary["words.key"], before.vocabulary["words.count"])
            if None not in removed and len(removed) + len(added) < len(blocks):
                return old.changed([block for block in removed if block is not None], added)
        return WordCounts.none().changed([], list(blocks.values()))

    @cached_property
    def _key(self) -> str:
        """A key of the whole input; block names are digests of their contents."""
        return digest(self._version.encode(), *(name.encode() for name in self._names))

    def _written_in_capitals(self) -> NDArray[np.int64]:
        keys, numbers = self.vocabulary["small.key"], self.vocabulary["small.number"]
        return distinct(numbers[self._words.of(keys) > 0]).astype(np.int64)


def _renumbered_mentions(mentions: Block, place: int, numbers: NDArray[np.int32]) -> FoundMentions:
    """Return the previous mentions of a block with the current numbers of their terms."""
    own = slice(int(mentions["first"][place]), int(mentions["first"][place + 1]))
    passages, new_numbers, written = (
        mentions["passage"][own],
        numbers[mentions["number"][own]],
        mentions["written"][own],
    )
    if (np.diff(new_numbers)[np.diff(passages) == 0] < 0).any():
        order = np.lexsort((new_numbers, passages))
        passages, new_numbers, written = passages[order], new_numbers[order], written[order]
    return FoundMentions(passages, new_numbers, written)
