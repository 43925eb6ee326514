"""Which vectors a corpus is to have: what outlives the server that makes them."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from engine.corpus.embedded.publication import WANTED_NAME


class Wanted(BaseModel):
    """``model``: its spec. ``stopped``: a person wants it to rest. ``problem``: why it does not go on.
    ``share``: of the passages that were read when it ended, 0 to 1."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    model: str
    stopped: bool = False
    problem: str = ""
    share: float = Field(default=0.0, ge=0, le=1)

    @property
    def rests(self) -> bool:
        """Whether it only goes on when a person says so."""
        return self.stopped or bool(self.problem)


# What could not be written, as the disk is full: this server knows it all the same, only the next does not.
_UNWRITTEN: dict[Path, Wanted | None] = {}


def wanted_of(folder: Path) -> Wanted | None:
    """What is wanted of a corpus; None where nothing is, or it cannot be read."""
    if folder in _UNWRITTEN:
        return _UNWRITTEN[folder]
    try:
        return Wanted.model_validate_json((folder / WANTED_NAME).read_bytes())
    except (OSError, ValidationError):
        return None


def keep_wanted(folder: Path, wanted: Wanted | None) -> None:
    """Write down what is wanted; None: nothing. Of a corpus that is gone nothing is written."""
    waiting = folder / f"{WANTED_NAME}.new"
    try:
        if wanted is None:
            (folder / WANTED_NAME).unlink(missing_ok=True)
        else:
            waiting.touch(mode=0o600)
            waiting.write_text(wanted.model_dump_json(), encoding="utf-8")
            waiting.replace(folder / WANTED_NAME)
        _UNWRITTEN.pop(folder, None)
    except OSError:
        with suppress(OSError):
            waiting.unlink(missing_ok=True)
        if folder.exists():
            _UNWRITTEN[folder] = wanted
        else:
            _UNWRITTEN.pop(folder, None)


def all_wanted(home: Path) -> list[Path]:
    """The corpora made on the page whose vectors are to be made, and do not rest."""
    folders = [path.parent for path in home.glob(f"visitors/*/*/{WANTED_NAME}")]
    folders += [path.parent for path in home.glob(f"corpora/*/{WANTED_NAME}")]
    going = []
    for folder in sorted(folders):
        wanted = wanted_of(folder)
        if wanted is not None and not wanted.rests and not folder.name.startswith("."):
            going.append(folder)
    return going
