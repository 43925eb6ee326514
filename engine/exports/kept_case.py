"""The record of a case as memo and page read it: typed, and named in words that people use."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from pydantic import BaseModel, Field

from engine.corpus.protocol import Corpus
from engine.errors import InputError
from engine.exports.private import without_machine
from engine.model import Evidence, Hop
from engine.records.citation import short_citation
from engine.records.restoring import RECORD, CaseFile, RankedFile, case_file
from engine.records.saved import hop_of


class KeptPassage(RankedFile):
    """A ranked passage with what the record says of its document."""

    document: str = ""
    title: str = ""
    label: str = ""
    headings: tuple[str, ...] = ()
    language: str = "und"
    page: int | None = None
    validity: str | None = None
    out_of_force: bool = False
    edition: str | None = None

    @property
    def ids(self) -> tuple[str, ...]:
        """The passages whose words stand in the text."""
        return self.assembled or (self.id,)

    @property
    def where(self) -> str:
        """Where in its document it stands: "Article 4(2), p. 14"."""
        page = f"p. {self.page}" if self.page is not None else ""
        return ", ".join(part for part in (self.label, page) if part)

    @property
    def name(self) -> str:
        """Title and label."""
        return " ".join(f"{self.title or self.document or self.id} {self.label}".split())

    def steps(self) -> tuple[tuple[Hop, ...], ...]:
        """Its trails, the question's end first. Raises InputError where they are none."""
        return tuple(tuple(map(read_hop, trail)) for trail in self.trails)


class _PlanFile(BaseModel):
    language: str = "und"


class PoolNode(BaseModel):
    """A passage of the pool: in which round it came, and by which strategy."""

    id: str
    round: int
    strategy: str
    score: float


class _PoolFile(BaseModel):
    nodes: tuple[PoolNode, ...] = ()
    edges: tuple[dict[str, Any], ...] = ()
    pinned: tuple[str, ...] = ()
    dismissed: tuple[str, ...] = ()


class _ColourFile(BaseModel):
    light: str = Field(pattern="^#[0-9a-f]{6}$")
    dark: str = Field(pattern="^#[0-9a-f]{6}$")


class ThreadFile(BaseModel):
    """What a strategy said of itself when the case ran."""

    name: str
    title: str
    colour: _ColourFile


class KeptCase(CaseFile):
    """A case as its record tells it."""

    passages: tuple[KeptPassage, ...]
    plan: _PlanFile
    pool: _PoolFile
    threads: tuple[ThreadFile, ...] = ()

    def passage_of(self, passage_id: str) -> KeptPassage | None:
        """The ranked passage in which the words of a passage stand, its own before one that it was joined
        to; None for one that is not ranked."""
        joined = [one for one in self.passages if passage_id in one.ids]
        return next((one for one in joined if one.id == passage_id), joined[0] if joined else None)


def read_case(record: Mapping[str, Any]) -> KeptCase:
    """A record, read, without what it says of the machine on which it was made. Raises InputError naming the
    field that is damaged."""
    return case_file(without_machine(record), KeptCase)


def evidence_of(case: KeptCase) -> Evidence:
    """Whether the corpus bears the question, as the record says it; its parts are told by ``parts``."""
    return Evidence(case.evidence.status, case.evidence.missing, case.evidence.numbers)


def read_hop(hop: dict[str, Any]) -> Hop:
    """A hop of a record. Raises InputError where it is none."""
    try:
        return hop_of(hop)
    except (KeyError, TypeError, ValueError) as error:
        raise InputError(f"{RECORD}: damaged: a hop: {error}") from error


class Names:
    """Short citations of passages by their ids: the corpus's where it can be opened and has the passage, else
    title and label of the record, else the id itself."""

    def __init__(self, case: KeptCase, corpus: Corpus | None, ids: Iterable[str] = ()) -> None:
        self._names = {one.id: one.name for one in reversed(case.passages)}
        wanted = list(dict.fromkeys((*self._names, *ids)))
        if corpus is None or not wanted:
            return
        rows = corpus.rows(wanted)
        rows = rows[rows >= 0]
        documents, numbers = corpus.documents(), corpus.document_numbers(rows).tolist()
        for passage, number in zip(corpus.passages(rows), numbers, strict=True):
            self._names[passage.id] = " ".join(short_citation(passage, documents[number]).split())

    def __call__(self, passage_id: str) -> str:
        """How a sentence names a passage."""
        return self._names.get(passage_id, passage_id)


def named_ids(case: KeptCase) -> set[str]:
    """All passages that trails, joined texts and equal texts of the ranking name."""
    found = {one for passage in case.passages for one in (*passage.ids, *passage.same_words)}
    hops = (hop for passage in case.passages for trail in passage.trails for hop in trail)
    return found | {str(hop["source"]) for hop in hops if hop.get("source")}
