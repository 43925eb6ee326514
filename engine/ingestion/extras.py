"""What may stand beside the documents of a source: an ontology, and questions to start with."""

from __future__ import annotations

from typing import Annotated, Any

import orjson
from pydantic import BaseModel, ConfigDict, Field, TypeAdapter, ValidationError

from engine import files
from engine.corpus.ontology import LARGEST, parse_ontology
from engine.errors import FileRefusedError, SourceError
from engine.ingestion.readers.base import Problem, SourceFile

LARGEST_EXAMPLES, MOST_EXAMPLES = 1_000_000, 1000


class Example(BaseModel):
    """A question that the page offers for a corpus."""

    model_config = ConfigDict(frozen=True, extra="ignore")

    text: str
    language: str = "und"
    title: str = ""


Examples = Annotated[list[Example], Field(max_length=MOST_EXAMPLES)]


def ontology_of(source: SourceFile | None, problems: list[Problem]) -> dict[str, Any] | None:
    """The checked content of an ontology file; a broken one is a problem and counts as none."""
    if source is None:
        return None
    try:
        return parse_ontology(files.read(source.path, LARGEST), source.name)
    except (OSError, FileRefusedError, SourceError) as error:
        problems.append(Problem(source.name, str(error).removeprefix(f"{source.name}: ")))
        return None


def examples_of(source: SourceFile | None, problems: list[Problem]) -> list[dict[str, str]]:
    """The questions of a file of examples; a broken one is a problem and counts as none."""
    if source is None:
        return []
    try:
        found = TypeAdapter(Examples).validate_python(orjson.loads(files.read(source.path, LARGEST_EXAMPLES)))
    except ValidationError as error:
        first = error.errors()[0]
        where = ".".join(str(part) for part in first["loc"]) or "file"
        problems.append(Problem(source.name, f"{where}: {first['msg']}"))
    except FileRefusedError as error:
        problems.append(Problem(source.name, str(error)))
    except (OSError, ValueError) as error:
        problems.append(Problem(source.name, f"not readable as JSON ({error})"))
    else:
        return [example.model_dump() for example in found]
    return []
