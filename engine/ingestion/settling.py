"""The vocabulary that the blocks of a corpus make together, as a block of its own."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import orjson
from numpy.typing import NDArray

from engine.corpus.embedded.block import Block, digest, hashed
from engine.corpus.embedded.mentions import dump_entity
from engine.errors import CorpusError
from engine.ingestion.mentioning import Terms
from engine.ingestion.weighing import Weighing
from engine.ingestion.word_counts import WordCounts
from engine.language.clustering import Encode
from engine.language.entities import Fact
from engine.language.vocabulary import Vocabulary

# What a block keeps of a fact: all but its place.
_TOLD = len(Fact._fields) - 1


def settled(blocks: Sequence[Block], words: WordCounts, encode: Encode | None, key: str) -> Block:
    """The terms of all blocks: by length their stems and numbers; by number the entity, whether a text
    defines it, what says that it is a name; and how acronyms would be written as words. ``key``: what it is
    known by. What was asked of the words to settle it is kept (``weighing.py``).

    Raises CorpusError for blocks of an earlier version.
    """
    vocabulary = Vocabulary()
    for block in blocks:
        positions = block["facts.passage"].tolist()
        records = orjson.loads(f"[{','.join(block.strings('facts').all())}]")
        if any(len(record) != _TOLD for record in records[:1]):
            raise CorpusError(
                "the corpus was made by an earlier version, which told its terms in another form: ingest its "
                "sources again"
            )
        facts = [Fact(row, *record) for row, record in zip(positions, records, strict=True)]
        vocabulary.read(facts, block.strings("passages.id"))

    weigh = Weighing(words)
    vocabulary.settle(weigh, encode)
    entities, small = vocabulary.entities(), list(vocabulary.small_forms())
    said, has_case = vocabulary.said()
    of_one_word, titled = vocabulary.names_of_one_word(), list(vocabulary.titled())
    capitals = [vocabulary.capitals(number) for number in range(len(entities))]
    made = Block(
        {
            "defined": np.asarray([bool(entity.definitions) for entity in entities], np.bool_),
            "said": np.asarray(said, np.float32),
            "has_case": has_case,
            "name_of_one_word": np.isin(np.arange(len(entities)), list(of_one_word)),
            "capital.first": np.asarray([first for first, _ in capitals], np.int8),
            "capital.last": np.asarray([last for _, last in capitals], np.bool_),
            "titled.number": np.asarray([number for number, _ in titled], np.int32),
            "small.number": np.asarray([number for number, _, _ in small], np.int32),
            "small.key": np.asarray([hashed(f"{language} {word}") for _, language, word in small], np.uint64),
        },
        {"key": key},
    )
    weigh.put(made)
    made.put_strings("entities", [dump_entity(entity) for entity in entities])
    made.put_strings("titled", [name for _, name in titled])
    Terms.put(made, _terms_by_length(vocabulary))
    return made


def facts_key(block: Block) -> NDArray[np.uint8]:
    """A key of what a block says of terms and in which passages, shape (16,): where it stays, the block gives
    the same to the vocabulary."""
    ids = block.strings("passages.id").take(block["facts.passage"])
    told = (block["facts.offsets"].tobytes(), block["facts.utf8"].tobytes(), *(name.encode() for name in ids))
    return np.frombuffer(bytes.fromhex(digest(*told)), np.uint8)


def _terms_by_length(vocabulary: Vocabulary) -> dict[int, list[tuple[list[int], int]]]:
    found: dict[int, list[tuple[list[int], int]]] = {}
    stems: dict[tuple[str, str], int] = {}
    for language, key, number in vocabulary.terms():
        keys = []
        for stem in key:
            value = stems.get((language, stem))
            if value is None:
                value = stems[language, stem] = hashed(f"{language} {stem}")
            keys.append(value)
        found.setdefault(len(key), []).append((keys, number))
    return found
