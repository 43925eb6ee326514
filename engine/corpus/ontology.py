"""The ontology of a corpus: legal areas, and the transactions that need evidence from some of them.

A file ``ontology.yaml`` beside the documents::

    areas:
      - id: objection
        names: {en: Objection procedure, de: Widerspruchsverfahren}
        keywords: {en: [objection, remedy], de: [Widerspruch]}
        required: true
        minimum_passages: 2
        minimum_similarity: 0.3
    transactions:
      licence-refusal: [objection]
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any

import yaml
from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator

from engine.corpus.protocol import Area, Ontology
from engine.errors import SourceError


class AreaModel(BaseModel):
    """An area as it stands in the file."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    id: Annotated[str, Field(min_length=1)]
    names: dict[str, str] = Field(default_factory=dict)
    keywords: dict[str, tuple[str, ...]] = Field(default_factory=dict)
    required: bool = False
    minimum_passages: Annotated[int, Field(ge=1)] = 2
    minimum_similarity: Annotated[float, Field(ge=-1.0, le=1.0)] = 0.3


class OntologyModel(BaseModel):
    """The whole file."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    areas: Annotated[tuple[AreaModel, ...], Field(min_length=1)]
    transactions: dict[str, tuple[str, ...]] = Field(default_factory=dict)

    @model_validator(mode="after")
    def _names_are_known(self) -> OntologyModel:
        ids = [area.id for area in self.areas]
        if repeated := sorted({name for name in ids if ids.count(name) > 1}):
            raise ValueError(f"area {repeated[0]!r} is described twice")
        for transaction, areas in self.transactions.items():
            if unknown := sorted(set(areas) - set(ids)):
                raise ValueError(f"transaction {transaction!r} needs the unknown area {unknown[0]!r}")
        return self


def read_ontology(path: Path) -> dict[str, Any]:
    """The checked content of an ontology file, as plain values. Raises SourceError naming what is wrong."""
    try:
        content = yaml.safe_load(path.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError, yaml.YAMLError) as error:
        raise SourceError(f"{path}: not readable as YAML ({' '.join(str(error).split())})") from error
    try:
        return OntologyModel.model_validate(content).model_dump(mode="json")
    except ValidationError as error:
        first = error.errors()[0]
        where = ".".join(str(part) for part in first["loc"]) or "file"
        raise SourceError(f"{path}: {where}: {first['msg']}") from error


def ontology_from(content: Mapping[str, Any]) -> Ontology:
    """The ontology of checked content."""
    model = OntologyModel.model_validate(content)
    areas = tuple(
        Area(
            id=area.id,
            names=area.names or {"en": area.id},
            keywords=area.keywords,
            required=area.required,
            minimum_passages=area.minimum_passages,
            minimum_similarity=area.minimum_similarity,
        )
        for area in model.areas
    )
    return Ontology(areas, model.transactions)
