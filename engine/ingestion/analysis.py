"""All that can be told from a run of documents alone: their block.

Besides what a corpus stores, a block has what the steps need that look at the whole corpus: the mentions
of other provisions, the names that texts give to acts, the terms that may be entities, the words.
"""

from __future__ import annotations

import gc
import pickle
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import orjson

from engine.corpus.embedded.block import CONTEXT_FIELD, TEXT_FIELD, TITLE_FIELD, Block, block_name
from engine.corpus.embedded.documents import GivenNames
from engine.corpus.embedded.packing import pack
from engine.corpus.embedded.stored import ordered
from engine.ingestion.linking import version_references
from engine.ingestion.readers.base import ReadDocument
from engine.ingestion.reading import Batch
from engine.ingestion.structure.assembly import EID
from engine.ingestion.versions.validity import dated
from engine.ingestion.words import (
    contexts_of,
    heading_postings,
    put_words,
    text_postings,
    titles_of,
    words_in,
)
from engine.language import dates
from engine.language.entities import facts_of
from engine.language.names import pattern_of
from engine.language.references import packed, read_mentions
from engine.language.references.readings import defined_names, prepare


@dataclass(frozen=True, slots=True)
class Analyst:
    """The work of a child that analyses: it writes the block of each batch it is given."""

    generation: Path
    headings: bool

    def __call__(self, batch: Batch) -> Iterator[str]:
        """Writes the block of a batch; brings its key."""
        assert batch.content is not None
        # A batch makes a great many objects and no cycle: looking for one takes a tenth of the time.
        gc.disable()
        try:
            documents: list[ReadDocument] = pickle.loads(batch.content)
            documents = documents if batch.only is None else [documents[batch.only]]
            block = analysed(documents, headings=self.headings)
        finally:
            gc.enable()
        ordered(block).save(self.generation / block_name(batch.key))
        yield batch.key


def make_ready(languages: Iterable[str]) -> None:
    """Compile what the analysis of texts in these languages takes, so that no child born from now on does."""
    for language in languages:
        prepare([language])
        dates.prepare(language)
        pattern_of(language.split("-")[0])


def analysed(read: Sequence[ReadDocument], *, headings: bool) -> Block:
    """The block of some documents. Raises ValueError where they contradict themselves."""
    read = [dated(item) for item in read]
    documents = [item.document for item in read]
    sections = [section for item in read for section in item.sections]
    passages = [passage for item in read for passage in item.passages]
    words = words_in(passages)
    terms = {
        TEXT_FIELD: text_postings(passages, words),
        CONTEXT_FIELD: heading_postings(contexts_of(documents, passages, headings=headings)),
        TITLE_FIELD: heading_postings(titles_of(passages, headings=headings)),
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
    known = [(row, eid) for row, eid in eids if isinstance(eid, str)]
    block.arrays["eids.passage"] = np.asarray([row for row, _ in known], np.int32)
    block.put_strings("eids", [eid for _, eid in known])
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
    """A table of facts about passages: the passage of each, and the rest as JSON."""
    block.arrays[f"{name}.passage"] = np.asarray([row[0] for row in rows], np.int32)
    block.put_strings(name, [orjson.dumps(row[1:]).decode() for row in rows])
