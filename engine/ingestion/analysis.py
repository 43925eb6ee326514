"""Make the block of a batch: everything that can be computed from its documents alone.

In addition to the stored data, a block contains the input of the steps over the whole corpus: mentions of
other provisions, names that texts give to acts, candidate terms for entities, and words.
"""

from __future__ import annotations

import gc
import pickle
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import orjson

from engine.corpus.contents import pack
from engine.corpus.embedded.block import CONTEXT_FIELD, TEXT_FIELD, TITLE_FIELD, Block, block_name
from engine.corpus.embedded.documents import GivenNames
from engine.corpus.embedded.stored import ordered
from engine.ingestion.linking import version_references
from engine.ingestion.readers.base import ReadDocument
from engine.ingestion.reading import Batch
from engine.ingestion.structure.assembly import EID
from engine.ingestion.versions.validity import date_document
from engine.ingestion.words import (
    collect_contexts,
    collect_titles,
    heading_postings,
    put_words,
    text_postings,
    tokenise,
)
from engine.language import dates
from engine.language.entities import facts_of
from engine.language.names import pattern_of
from engine.language.references import packed, read_mentions
from engine.language.references.readings import defined_names, prepare


@dataclass(frozen=True, slots=True)
class Analyst:
    """The task of an analysing child: writes the block of a batch."""

    generation: Path
    headings: bool

    def __call__(self, batch: Batch) -> Iterator[str]:
        """Write the block of a batch; yield its key."""
        assert batch.content is not None
        # A batch creates many objects and no cycles; garbage collection took a tenth of the time.
        gc.disable()
        try:
            documents: list[ReadDocument] = pickle.loads(batch.content)
            documents = documents if batch.only is None else [documents[batch.only]]
            block = make_block(documents, headings=self.headings)
        finally:
            gc.enable()
        ordered(block).save(self.generation / block_name(batch.key))
        yield batch.key


def compile_patterns(languages: Iterable[str]) -> None:
    """Compile the patterns of these languages, so that children forked later need not."""
    for language in languages:
        prepare([language])
        dates.prepare(language)
        pattern_of(language.split("-")[0])


def make_block(read: Sequence[ReadDocument], *, headings: bool) -> Block:
    """Make the block of some documents. Raises ValueError if they contradict themselves."""
    read = [date_document(item) for item in read]
    documents = [item.document for item in read]
    sections = [section for item in read for section in item.sections]
    passages = [passage for item in read for passage in item.passages]
    words = tokenise(passages)
    terms = {
        TEXT_FIELD: text_postings(passages, words),
        CONTEXT_FIELD: heading_postings(collect_contexts(documents, passages, headings=headings)),
        TITLE_FIELD: heading_postings(collect_titles(passages, headings=headings)),
    }
    block = pack(documents, sections, passages, terms)
    mentions = [read_mentions(passage.text, passage.language) for passage in passages]
    block.put_strings(
        "passages.mentions", [orjson.dumps(packed(found)).decode() if found else "" for found in mentions]
    )
    named = ((row, defined_names(passage.text, passage.language)) for row, passage in enumerate(passages))
    GivenNames.pack(block, ((row, name) for row, names in named for name in names))
    titles = {document.id: document.title for document in documents}
    aliases = {document.id: document.aliases for document in documents}
    _put_rows(block, "facts", [tuple(fact) for fact in facts_of(passages, titles, aliases)])
    eids = [(row, passage.metadata.get(EID)) for row, passage in enumerate(passages)]
    own_eids = [(row, eid) for row, eid in eids if isinstance(eid, str)]
    block.arrays["eids.passage"] = np.asarray([row for row, _ in own_eids], np.int32)
    block.put_strings("eids", [eid for _, eid in own_eids])
    rows = {passage.id: row for row, passage in enumerate(passages)}
    links = [link for item in read for link in item.stated]
    _put_rows(
        block,
        "stated",
        [(rows[one.source_id], one.span.start, one.span.end, one.text, one.target) for one in links],
    )
    _put_rows(block, "versions", version_references(sections, passages))
    put_words(block, words)
    return block


def _put_rows(block: Block, name: str, rows: Sequence[Sequence[object]]) -> None:
    """Store a table of facts about passages: the passage of each row, and the rest as JSON."""
    block.arrays[f"{name}.passage"] = np.asarray([row[0] for row in rows], np.int32)
    block.put_strings(name, [orjson.dumps(row[1:]).decode() for row in rows])
