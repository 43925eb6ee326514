"""The manifest of a corpus folder: what is in it, and how to tell that it is whole."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import Annotated, Any, NamedTuple

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from engine.errors import CorpusError, system_error

FORMAT_VERSION = 8
MANIFEST_NAME = "manifest.json"
NO_MODEL = "none"


# Of a file below the generation, and of nothing outside it.
FileName = Annotated[str, Field(pattern=r"^([A-Za-z0-9_-]+/)*[A-Za-z0-9_-][A-Za-z0-9._-]*$")]


class FileSeal(NamedTuple):
    """What a file is told by: its size in bytes and the XXH3 digest of its content, 32 hexadecimal digits."""

    size: int
    digest: str


class Manifest(BaseModel):
    """What ``manifest.json`` says. ``generation`` is the subfolder with the data it describes.

    ``sparse`` is the model of the learned sparse vectors. ``late`` is not used: earlier versions named the
    model of token vectors there, whose files may be among ``files``. ``dense_recall`` is the share of the
    nearest passages that dense search finds, None if it compares all.
    ``files`` has the seal of each data file. ``checksum`` is the SHA-256 of all other fields in canonical
    JSON.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    format: int
    name: str
    created: str
    generation: str = Field(pattern=r"^data-[0-9a-f]{16}$")
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
    files: dict[FileName, FileSeal]
    sparse: str = NO_MODEL
    late: str = NO_MODEL
    dense_recall: float | None = Field(default=None, exclude_if=lambda value: value is None)
    checksum: str = ""

    def sealed(self) -> Manifest:
        """A copy with its checksum filled in."""
        return self.model_copy(update={"checksum": self._digest()})

    def is_sound(self) -> bool:
        """Whether the checksum fits the content."""
        return self.checksum == self._digest()

    def most_frequent(self) -> dict[str, int]:
        """The passages of each language, most first; languages with as many by the alphabet."""
        return dict(sorted(self.languages.items(), key=lambda item: (-item[1], item[0])))

    def to_json(self) -> str:
        """The file's text."""
        return json.dumps(self.model_dump(mode="json"), ensure_ascii=False, indent=1, sort_keys=True) + "\n"

    def _digest(self) -> str:
        content = self.model_dump(mode="json", exclude={"checksum"})
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
        written = path.read_bytes()
    except FileNotFoundError:
        raise CorpusError(
            f"no corpus at {folder}: it has no {MANIFEST_NAME}; create one with `ingest`"
        ) from None
    except OSError as error:
        raise system_error(f"read {MANIFEST_NAME} of the corpus at {folder}", error) from error
    damaged = f"damaged corpus at {folder}: {MANIFEST_NAME}"
    try:
        content = json.loads(written)
    except (ValueError, RecursionError) as error:
        raise CorpusError(f"{damaged} is not readable ({error}); ingest its sources again") from error
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
        raise CorpusError(f"{damaged}, {where}: {first['msg']}; ingest its sources again") from error
    # To the byte, so that no change of it goes unnoticed.
    if not manifest.is_sound() or manifest.to_json().encode() != written:
        raise CorpusError(f"{damaged} does not fit its checksum; ingest its sources again")
    return manifest
