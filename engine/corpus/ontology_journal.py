"""What people have made of a corpus's ontology: every state of it that was saved, the last one in force.

The states stand in ``ontology.jsonl`` in the corpus's folder, one a line, only ever added to. They belong to
the corpus, not to one state of its data: they stand in force over the ontology that was ingested, and an
ingestion keeps them. Whoever opens the corpus sees the last whole line, so nobody meets half a state.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from pydantic import BaseModel, ConfigDict, ValidationError

from engine.corpus.embedded.publication import ONTOLOGY_NAME
from engine.corpus.journal import append_line, complete_lines
from engine.corpus.ontology import checked
from engine.errors import CorpusError, SourceError


@dataclass(frozen=True, slots=True)
class SavedOntology:
    """A state that somebody saved. ``content`` None gives the word back to what was ingested; ``when`` is
    ISO 8601, ``note`` what was done in a few words."""

    content: Mapping[str, Any] | None
    when: str
    note: str = ""


class _Line(BaseModel):
    """A state as it stands in the file."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    content: dict[str, Any] | None
    when: str
    note: str = ""


def saved_ontologies(folder: Path | str) -> list[SavedOntology]:
    """All states in the order they were saved; none where nobody has saved any.

    Raises CorpusError, naming the line, for what is no state.
    """
    path = Path(folder) / ONTOLOGY_NAME
    found = []
    for number, line in enumerate(complete_lines(path), start=1):
        try:
            found.append(SavedOntology(**_Line.model_validate_json(line).model_dump()))
        except ValidationError as error:
            reason = error.errors()[0]["msg"]
            raise CorpusError(
                f"{path}:{number}: not an ontology ({reason}); mend or remove the line"
            ) from error
    return found


def ontology_in_force(folder: Path | str) -> SavedOntology | None:
    """The last state that was saved; None where nobody has saved one, or the word was given back.

    Raises CorpusError where it is no ontology.
    """
    saved = saved_ontologies(folder)
    if not saved or saved[-1].content is None:
        return None
    try:
        checked(saved[-1].content)
    except SourceError as error:
        path = Path(folder) / ONTOLOGY_NAME
        raise CorpusError(f"{path}:{len(saved)}: not an {error}; mend or remove the line") from error
    return saved[-1]


def save_ontology(folder: Path | str, content: Mapping[str, Any] | None, note: str = "") -> SavedOntology:
    """Put an ontology in force in a corpus folder, or with None the one that was ingested; durable once this
    returns. Whoever has the corpus open goes on with what it was.

    Raises SourceError for content that is no ontology, CorpusError where the folder cannot be written.
    """
    sound = None if content is None else checked(content)
    when = datetime.now(UTC).isoformat(timespec="seconds")
    line = _Line(content=sound, when=when, note=note)
    path = Path(folder) / ONTOLOGY_NAME
    append_line(path, line.model_dump_json().encode())
    return SavedOntology(**line.model_dump())


def undo_ontology(folder: Path | str) -> SavedOntology:
    """Put the state before the last one in force again; what was undone stays in the file.

    Undone states are passed over, so that undoing twice goes back two states. Raises CorpusError where
    there is nothing to undo.
    """
    standing: list[SavedOntology] = []
    for state in saved_ontologies(folder):
        if state.note == UNDONE and standing:
            standing.pop()
        else:
            standing.append(state)
    if not standing:
        raise CorpusError("there is nothing to undo: this ontology is the one that was ingested")
    before = standing[-2].content if len(standing) > 1 else None
    return save_ontology(folder, before, UNDONE)


UNDONE = "undone"
