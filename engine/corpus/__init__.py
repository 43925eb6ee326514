"""Corpora: documents, passages, indexes and graph; in a folder, or on a PostgreSQL server.

An address is ``postgresql://USER@HOST:PORT/DATABASE?corpus=NAME`` with three optional parameters: ``dense``
is ``codes`` (default) or ``exact``, ``timeout`` the limit of a statement in seconds (default 60), and
``replica`` the address (percent-encoded) of a read replica. All other parameters go to the driver
(https://www.postgresql.org/docs/current/libpq-connect.html, 34.1.2).
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import parse_qsl, urlencode, urlsplit, urlunsplit

from engine.errors import CorpusError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from engine.corpus.protocol import Corpus, Rows
    from engine.model import Document, Passage

SCHEMES = ("postgresql", "postgres", "postgresql+psycopg")
DENSE = ("codes", "exact")
TIMEOUT_SECONDS = 60.0
_DRIVER = "postgresql"
_OWN = ("corpus", "dense", "timeout", "replica")


@dataclass(frozen=True, slots=True)
class Address:
    """A corpus on a server; ``dense`` selects the vector search, ``timeout`` is in seconds.

    ``url`` and ``replica`` may contain a password, so they are excluded from ``str`` and ``repr``.
    """

    corpus: str
    shown: str
    url: str
    dense: str = DENSE[0]
    timeout: float = TIMEOUT_SECONDS
    replica: str = ""

    def __str__(self) -> str:
        return self.shown

    def __repr__(self) -> str:
        return f"Address({self.shown!r})"


Place = Path | Address


def place_of(words: str | Path | Address) -> Place:
    """Return the location that a text names: an address or a folder.

    Raises CorpusError for an invalid address.
    """
    if isinstance(words, Path | Address):
        return words
    scheme = words.partition("://")[0]
    return address_of(words) if scheme in SCHEMES and "://" in words else Path(words)


def folder_of(words: str | Place) -> Path:
    """Return a folder. Raises CorpusError for an address."""
    place = place_of(words)
    if isinstance(place, Address):
        raise CorpusError(f"{place}: this needs a corpus folder; use `copy` to load a corpus into a server")
    return place


def address_of(words: str) -> Address:
    """Parse an address. Raises CorpusError without the password."""
    try:
        parts = urlsplit(words)
        host, port = parts.hostname or "", parts.port
    except ValueError:
        raise CorpusError(f"unusable address: not {SCHEMES[0]}://HOST/DATABASE?corpus=NAME") from None
    given = parse_qsl(parts.query, keep_blank_values=True)
    values = dict(given)
    host = host or values.get("host", "")
    name = values.get("corpus", "")
    shown = f"{SCHEMES[0]}://{host}{f':{port}' if port else ''}{parts.path}?corpus={name}"
    if not name:
        raise CorpusError(f"{shown}: the address names no corpus; add ?corpus=NAME")
    dense = values.get("dense", DENSE[0])
    # Earlier versions had "hnsw", an index search; saved addresses may contain it.
    dense = DENSE[0] if dense == "hnsw" else dense
    if dense not in DENSE:
        raise CorpusError(f"{shown}: dense must be {', '.join(DENSE[:-1])} or {DENSE[-1]}, not {dense!r}")
    try:
        timeout = float(values.get("timeout", TIMEOUT_SECONDS))
        if not 0 < timeout < 86_400:
            raise ValueError
    except ValueError:
        raise CorpusError(f"{shown}: timeout must be a number of seconds above 0") from None
    others = [(key, value) for key, value in given if key not in _OWN]
    url = urlunsplit((_DRIVER, parts.netloc, parts.path, urlencode(others), ""))
    return Address(name, shown, url, dense, timeout, _replica(values.get("replica", ""), shown))


def _replica(words: str, shown: str) -> str:
    """Return the replica's address for the driver, empty for none.

    Raises CorpusError without the password.
    """
    scheme, is_address, rest = words.partition("://")
    if words and (scheme not in SCHEMES or not is_address):
        raise CorpusError(
            f"{shown}: replica must be an address {SCHEMES[0]}://HOST/DATABASE, percent-encoded"
        )
    return f"{_DRIVER}://{rest}" if words else ""


def open_corpus(place: Path | str | Address) -> Corpus:
    """Open the corpus in a folder, or at an address: ``postgresql://HOST/DATABASE?corpus=NAME``.

    Raises CorpusError if it is missing, damaged or of another format, ResourceError if memory is too small
    or a server does not answer.
    """
    # Imported for those alone who open one: the command line starts without.
    from engine.corpus.embedded.store import EmbeddedCorpus

    where = place_of(place)
    if isinstance(where, Address):
        from engine.corpus.postgresql.store import PostgresCorpus

        return PostgresCorpus(where)
    return EmbeddedCorpus(where)


def find_passages(corpus: Corpus, ids: Sequence[str]) -> dict[str, tuple[Passage, Document]]:
    """Return passages with their documents by id, in the order of ``ids``; unknown ids are left out."""
    rows = corpus.rows(ids)
    return {passage.id: (passage, document) for passage, document in with_documents(corpus, rows[rows >= 0])}


def with_documents(corpus: Corpus, rows: Rows) -> list[tuple[Passage, Document]]:
    """Return the passages at ``rows``, each with its document."""
    documents, numbers = corpus.documents(), corpus.document_numbers(rows).tolist()
    return [(one, documents[number]) for one, number in zip(corpus.passages(rows), numbers, strict=True)]
