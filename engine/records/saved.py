"""Saved investigations: written whole, and read back as a pool to carry on from; ``restoring`` reads all."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import orjson

from engine.corpus.protocol import Corpus, Rows
from engine.errors import InputError
from engine.investigation.pool import Entry, Pool, restored
from engine.investigation.record import Investigation
from engine.llm import Usage
from engine.model import Direction, GapQuery, Hop, Relation
from engine.records.export import READ, investigation_to_json
from engine.records.filed.writing import CASE, case_bytes
from engine.records.spending import usage_from_json
from engine.records.store.sealing import begun
from engine.records.wording import GAP_STRATEGY


def save(
    investigation: Investigation,
    path: Path,
    *,
    application: str = "python",
    who: str = "python",
    fingerprint: str = "",
) -> None:
    """Write an investigation as JSON, sealed; the file is either whole or not there. ``application`` says by
    what it was asked, ``who`` by whom, ``fingerprint`` is the state of its corpus. Raises InputError."""
    record = orjson.loads(orjson.dumps(investigation_to_json(investigation)))
    case = begun(record, application=application, who=who, fingerprint=fingerprint)
    write_whole(path, case_bytes(record, case))


def write_whole(path: Path, data: bytes) -> None:
    """Write a file that is either whole or not there; in the place of a link stands the file then. Raises
    InputError, also where a folder, a device or a pipe is there."""
    try:
        if path.exists() and not path.is_file():
            raise InputError(f"cannot write {path}: what is there is no file")
        with tempfile.TemporaryDirectory(dir=path.parent, prefix=f".{path.name}.") as folder:
            whole = Path(folder) / path.name
            whole.write_bytes(data)
            os.replace(whole, path)
    except OSError as error:
        raise InputError(f"cannot write {path}: {error.strerror}") from error


def load_pool(path: Path, corpus: Corpus, limit: int) -> Pool:
    """The pool of a saved investigation. Raises InputError where the file does not fit the corpus."""
    return pool_of(path, record_of(path), corpus, limit)


def load_usage(path: Path) -> dict[str, Usage]:
    """What a language model used for a saved investigation, by task; nothing for one saved before that was
    kept. Raises InputError."""
    return usage_from_json(record_of(path).get("usage"), str(path))


def record_of(path: Path) -> dict[str, Any]:
    """The record of a saved investigation as plain values. Raises InputError for a file that is none."""
    return {name: value for name, value in values_of(path).items() if name != CASE}


def values_of(path: Path) -> dict[str, Any]:
    """All that stands in the file of a saved investigation. Raises InputError for a file that is none."""
    none = f"{path}: not a saved investigation"
    try:
        record = orjson.loads(path.read_bytes())
    except OSError as error:
        raise InputError(f"{none}: {error.strerror}") from error
    except orjson.JSONDecodeError as error:
        raise InputError(f"{none}: no JSON: {error}") from error
    if not isinstance(record, dict):
        raise InputError(f"{none}: it holds no object")
    for name in ("format", "pool"):
        if name not in record:
            raise InputError(f"{none}: it has no field {name!r}")
    if record["format"] not in READ:
        known = " and ".join(map(str, READ))
        raise InputError(f"{path}: saved in format {record['format']}, this program reads {known}")
    return record


def pool_of(path: Path, record: dict[str, Any], corpus: Corpus, limit: int) -> Pool:
    """The pool of a record. Raises InputError where it does not fit the corpus."""
    pool = record["pool"]
    try:
        ids = [str(node["id"]) for node in pool["nodes"]]
    except (KeyError, TypeError) as error:
        raise InputError(f"{path}: not a saved investigation: its pool names no passages") from error
    rows = rows_of(path, ids, corpus)
    try:
        entries = [
            Entry(node["id"], int(row), node["round"], node["strategy"], node["score"], order)
            for order, (node, row) in enumerate(zip(pool["nodes"], rows, strict=True))
        ]
        hops = [hop_of(edge) for edge in pool["edges"]]
        return restored(
            max(limit, len(entries)),
            entries,
            hops,
            pinned=pool["pinned"],
            dismissed=pool["dismissed"],
            explored=pool["explored"],
        )
    except (KeyError, TypeError, ValueError) as error:
        raise InputError(f"{path}: damaged: {error}") from error


def rows_of(path: Path, ids: Sequence[str], corpus: Corpus) -> Rows:
    """The rows of the passages that a file names. Raises InputError for one that the corpus has not."""
    rows = corpus.rows(ids)
    if (rows < 0).any():
        missing = ids[int((rows < 0).argmax())]
        raise InputError(f"{path}: passage {missing!r} is not in the corpus {corpus.name!r}")
    return rows


def _query(edge: dict[str, Any]) -> GapQuery | None:
    """The query for a gap that a hop answers; one saved before its area was kept has its words alone."""
    if edge["strategy"] != GAP_STRATEGY:
        return None
    kept = edge.get("query") or {"text": edge["quote"]}
    return GapQuery(kept["text"], kept.get("area", ""), kept.get("name", ""))


def hop_of(edge: dict[str, Any]) -> Hop:
    """A hop from plain values. Raises KeyError, TypeError, ValueError for what is none."""
    return Hop(
        target_id=edge["target"],
        source_id=edge["source"],
        strategy=edge["strategy"],
        relation=Relation(edge["relation"]),
        direction=Direction(edge["direction"]),
        round=edge["round"],
        strength=edge["strength"],
        quote=edge["quote"],
        quoted_from=edge["quoted_from"],
        detail=edge["detail"],
        rank=edge["rank"],
        query=_query(edge),
    )
