"""The manifest of a corpus folder: what is in it, and how to tell that it is whole."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import Any

from pydantic import BaseModel, ConfigDict, ValidationError

from engine.errors import CorpusError

FORMAT_VERSION = 3
MANIFEST_NAME = "manifest.json"
NO_MODEL = "none"
_ADDED = ("sparse", "late")


class Manifest(BaseModel):
    """What ``manifest.json`` says. ``generation`` is the subfolder with the data it describes.

    ``sparse`` and ``late`` are the models of the learned sparse vectors and of the token vectors; a corpus
    without them says nothing of them. ``files`` maps each data file to its size in bytes. ``checksum`` is
    the SHA-256 of all other fields in canonical JSON.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    format: int
    name: str
    created: str
    generation: str
    documents: int
    sections: int
    passages: int
    references: int
    entities: int
    languages: dict[str, int]
    statuses: tuple[str, ...]
    grammars: tuple[str, ...]
    found_grammars: tuple[str, ...]
    references_by_relation: dict[str, int]
    references_by_status: dict[str, int]
    embedding: str
    dimensions: int
    similarity_floor: float
    ontology: dict[str, Any] | None
    metadata: dict[str, Any]
    blocks: tuple[str, ...]
    files: dict[str, int]
    sparse: str = NO_MODEL
    late: str = NO_MODEL
    checksum: str = ""

    def sealed(self) -> Manifest:
        """A copy with its checksum filled in."""
        return self.model_copy(update={"checksum": self._digest()})

    def is_sound(self) -> bool:
        """Whether the checksum fits the content."""
        return self.checksum == self._digest()

    def to_json(self) -> str:
        """The file's text."""
        return json.dumps(self._content(), ensure_ascii=False, indent=1, sort_keys=True) + "\n"

    def _content(self) -> dict[str, Any]:
        content = self.model_dump(mode="json")
        # Written before there were such models, a manifest has the checksum that it had then.
        return {name: value for name, value in content.items() if name not in _ADDED or value != NO_MODEL}

    def _digest(self) -> str:
        content = self._content()
        del content["checksum"]
        canonical = json.dumps(content, ensure_ascii=False, sort_keys=True, separators=(",", ":"))
        return hashlib.sha256(canonical.encode("utf-8", "replace")).hexdigest()


def read_manifest(folder: Path) -> Manifest:
    """The manifest of a corpus folder.

    Raises CorpusError where the folder holds no corpus, a damaged one, or one of another format.
    """
    path = folder / MANIFEST_NAME
    if not folder.is_dir():
        raise CorpusError(f"no corpus at {folder}: there is no such folder; create one with `ingest`")
    try:
        content = json.loads(path.read_bytes())
    except FileNotFoundError:
        raise CorpusError(
            f"no corpus at {folder}: it has no {MANIFEST_NAME}; create one with `ingest`"
        ) from None
    except (OSError, ValueError) as error:
        raise CorpusError(f"damaged corpus at {folder}: {MANIFEST_NAME} is not readable ({error})") from error
    found = content.get("format") if isinstance(content, dict) else None
    if found != FORMAT_VERSION:
        raise CorpusError(
            f"corpus at {folder} has format {found!r}, not {FORMAT_VERSION}; ingest its sources again"
        )
    try:
        manifest = Manifest.model_validate(content)
    except ValidationError as error:
        first = error.errors()[0]
        where = ".".join(str(part) for part in first["loc"])
        raise CorpusError(f"damaged corpus at {folder}: {MANIFEST_NAME}, {where}: {first['msg']}") from error
    if not manifest.is_sound():
        raise CorpusError(
            f"damaged corpus at {folder}: {MANIFEST_NAME} does not fit its checksum; ingest again"
        )
    return manifest


def check_files(folder: Path, manifest: Manifest) -> Path:
    """The data folder of a manifest, once every file is there in its size. Raises CorpusError."""
    data = folder / manifest.generation
    for name, size in manifest.files.items():
        try:
            found = (data / name).stat().st_size
        except FileNotFoundError:
            raise CorpusError(f"damaged corpus at {folder}: {name} is missing; ingest again") from None
        if found != size:
            raise CorpusError(
                f"damaged corpus at {folder}: {name} has {found} bytes, not {size}; ingest again"
            )
    return data
