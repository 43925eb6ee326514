"""Integrity check of a corpus folder."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from engine.corpus.embedded.generation import MANIFEST_NAME, Generation, files_in, read_manifest
from engine.corpus.embedded.publication import (
    CONFIRMATIONS_NAME,
    DECISIONS_NAME,
    EXTRACTED_NAME,
    GRADES_NAME,
    ONTOLOGY_NAME,
    VALIDATIONS_NAME,
    WEIGHTS_NAME,
    is_own,
)
from engine.corpus.extracted import load_readings, load_validations
from engine.corpus.grades import load_grades
from engine.corpus.judgements import load_confirmations, load_decisions, load_weights
from engine.corpus.ontology import load_ontologies, ontology_in_force
from engine.errors import CorpusError, system_error


@dataclass(frozen=True, slots=True)
class Verified:
    """The contents of a corpus folder.

    ``files`` and ``bytes`` are those of its data, ``entries`` the number of lines in each journal. ``digest``
    is made from the SHA-256 of the manifest, of every data file and of every journal: noted elsewhere, it
    proves later that nothing was changed. ``problems`` are sentences with file names, empty for an intact
    corpus.
    """

    name: str
    created: str
    files: int
    bytes: int
    entries: Mapping[str, int]
    digest: str
    problems: tuple[str, ...]


def verify(folder: Path) -> Verified:
    """Check every byte of a corpus.

    Raises CorpusError if there is none, or its manifest is damaged or of another format; ResourceError if a
    resource is exhausted.
    """
    generation = Generation(folder, read_manifest(folder))
    try:
        names, problems = sorted(generation.manifest.files), list(_problems(generation))
        entries = dict(_entries(folder, problems))
        digest = _digest(folder, [generation.data / name for name in names], [*entries])
    except OSError as error:
        raise system_error(f"verify the corpus at {folder}", error) from error
    return Verified(
        generation.manifest.name,
        generation.manifest.created,
        len(names),
        sum(seal.size for seal in generation.manifest.files.values()),
        entries,
        digest,
        tuple(problems),
    )


def _problems(generation: Generation) -> Iterator[str]:
    for name in generation.manifest.files:
        try:
            generation.check(name)
        except CorpusError as error:
            yield str(error)
    found = files_in(generation.data) if generation.data.is_dir() else {}
    foreign = [f"{generation.data.name}/{name}" for name in found if name not in generation.manifest.files]
    foreign += [path.name for path in generation.folder.iterdir() if not is_own(path.name)]
    for name in sorted(foreign):
        yield f"corpus at {generation.folder}: {name} is not part of it; remove it"


def _entries(folder: Path, problems: list[str]) -> Iterator[tuple[str, int]]:
    """Yield the existing journals with their numbers of lines."""

    def states(folder: Path) -> Sequence[object]:
        ontology_in_force(folder)
        return load_ontologies(folder)

    journals: Mapping[str, Callable[[Path], Sequence[object]]] = {
        CONFIRMATIONS_NAME: load_confirmations,
        DECISIONS_NAME: load_decisions,
        EXTRACTED_NAME: load_readings,
        GRADES_NAME: load_grades,
        ONTOLOGY_NAME: states,
        VALIDATIONS_NAME: load_validations,
        WEIGHTS_NAME: load_weights,
    }
    for name, load in journals.items():
        if (folder / name).exists():
            try:
                yield name, len(load(folder))
            except CorpusError as error:
                problems.append(str(error))
                yield name, 0


def _digest(folder: Path, data: Sequence[Path], journals: Sequence[str]) -> str:
    whole = hashlib.sha256()
    for path in (folder / MANIFEST_NAME, *data, *(folder / name for name in journals)):
        if path.is_file():
            with open(path, "rb") as file:
                whole.update(hashlib.file_digest(file, "sha256").digest())
    return whole.hexdigest()
