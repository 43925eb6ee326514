"""What may stand beside the documents of a source: an ontology, and questions to start with."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from pydantic import BaseModel, ConfigDict, TypeAdapter, ValidationError

from engine.corpus.ontology import read_ontology
from engine.errors import SourceError
from engine.ingestion.readers.base import Problem


class Example(BaseModel):
    """A question that the page offers for a corpus."""

    model_config = ConfigDict(frozen=True, extra="ignore")

    text: str
    language: str = "und"
    title: str = ""


def ontology_of(path: Path | None, problems: list[Problem]) -> dict[str, Any] | None:
    """The checked content of an ontology file; a broken one is a problem and counts as none."""
    if path is None:
        return None
    try:
        return read_ontology(path)
    except SourceError as error:
        problems.append(Problem(str(path), str(error).removeprefix(f"{path}: ")))
        return None


def examples_of(path: Path | None, problems: list[Problem]) -> list[dict[str, str]]:
    """The questions of a file of examples; a broken one is a problem and counts as none."""
    if path is None:
        return []
    try:
        found = TypeAdapter(list[Example]).validate_python(json.loads(path.read_bytes()))
    except ValidationError as error:
        first = error.errors()[0]
        where = ".".join(str(part) for part in first["loc"]) or "file"
        problems.append(Problem(str(path), f"{where}: {first['msg']}"))
    except (OSError, ValueError) as error:
        problems.append(Problem(str(path), f"not readable as JSON ({error})"))
    else:
        return [example.model_dump() for example in found]
    return []
