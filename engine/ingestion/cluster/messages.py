"""What client and workers say to each other: requests, each the argument of one Dask task, and its answers.

All of them are pickled by the sender and unpickled by the receiver only once both are known to run the same
engine, so that a worker with another one says so instead of misreading them.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum

from engine.corpus.embedded.arrays import Array
from engine.corpus.embedded.block import block_name
from engine.ingestion.readers.base import Problem
from engine.ingestion.reading import Batch, FileToRead
from engine.ingestion.workers import Limits


@dataclass(frozen=True, slots=True)
class Setup:
    """What all tasks of an ingestion have in common; a worker is told once. ``known`` and ``version`` are
    those of BatchReader, ``blocks`` and ``margin`` those of Cluster. ``corpus``: the pickle of a Corpus, once
    all blocks are made."""

    known: frozenset[str]
    version: str
    headings: bool
    limits: Limits
    blocks: str | None
    margin: float
    corpus: bytes | None = None


@dataclass(frozen=True, slots=True)
class Content:
    """The bytes of a file and how a worker comes by them: at the path of the client, where the same bytes
    stand there; by ``url``; or ``sent``. ``digest`` is their SHA-256."""

    digest: bytes
    url: str | None = None
    sent: bytes | None = None


@dataclass(frozen=True, slots=True)
class Read:
    """Begin to read a file and answer with its first batches, without as many items as ``skip``: these have
    come already, from a worker that is gone. ``session`` names the reading for the requests that follow."""

    session: str
    file: FileToRead
    content: Content
    skip: int = 0


@dataclass(frozen=True, slots=True)
class More:
    """Go on with a reading."""

    session: str


@dataclass(frozen=True, slots=True)
class Analyse:
    """Make the block of a batch."""

    batch: Batch

    @property
    def file(self) -> str:
        """Where in a generation the block stands."""
        return block_name(self.batch.key)


@dataclass(frozen=True, slots=True)
class Resolve:
    """Resolve the references of a block, given by its number in the corpus. ``file``: where in a generation
    they stand; ``own``: the columns of the block that the corpus of the setup is without."""

    number: int
    file: str
    own: Mapping[str, Array]


Body = Read | More | Analyse | Resolve


@dataclass(frozen=True, slots=True)
class Request:
    """What a worker is to do for the ingestion ``run``. ``setup`` is None where the worker has it."""

    run: str
    setup: Setup | None
    body: Body


@dataclass(frozen=True, slots=True)
class Brought:
    """Items that a reading has brought. ``is_end``: there are no more, because of ``failure`` if that is not
    None. ``seconds`` is the time of this request by the clock."""

    items: tuple[Batch | Problem, ...]
    is_end: bool
    failure: str | None
    seconds: float


@dataclass(frozen=True, slots=True)
class Made:
    """The file of a block or of its references, or the ``failure`` to make it. ``content`` is None where it
    stands at the URL for blocks; ``digest`` is its SHA-256."""

    content: bytes | None
    digest: bytes
    failure: str | None
    seconds: float


class Lacking(StrEnum):
    """What a worker does not have and cannot do without."""

    SETUP = "setup"
    SESSION = "session"
    CONTENT = "content"


@dataclass(frozen=True, slots=True)
class Lacks:
    """The request can be done once the worker is given something."""

    what: Lacking


@dataclass(frozen=True, slots=True)
class Broken:
    """The process of a worker that has the reading processes is gone, or did not answer in time."""

    reason: str


@dataclass(frozen=True, slots=True)
class Unusable:
    """A worker cannot write what it has to, or cannot come by a file: ``error`` names the class to raise."""

    error: str
    reason: str


@dataclass(frozen=True, slots=True)
class Mismatch:
    """A worker runs another engine; ``has`` are its versions by name. This one is sent as plain values."""

    has: dict[str, str]


Answer = Brought | Made | Lacks | Broken | Unusable | Mismatch
