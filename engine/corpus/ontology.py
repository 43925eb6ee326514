"""The ontology of a corpus: legal areas, transactions that need evidence from some of them, and rules.

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
      licence:
        areas: [objection]
        names: {en: Licence}
        keywords: {en: [licence, permit]}
    facts:
      - {id: delivered, type: date, names: {en: Day of delivery}}
      - {id: lodged, type: date, names: {en: Day of the objection}}
    rules:
      - id: too-late
        when: lodged > delivered + days(30)
        then: too late
        because: The objection period is thirty days from delivery.
        cite: [Article 26(1) of the Tax Procedure Act]
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any
from unicodedata import category

import yaml
from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, ValidationError, model_validator

from engine import bounded_yaml, files
from engine.corpus.protocol import Area, Ontology, Wording
from engine.corpus.rules.ruleset import Fact, Rule, check_ruleset
from engine.corpus.rules.values import FactType
from engine.errors import FileRefusedError, SettingsError, SourceError, YamlError

MOST_AREAS, MOST_KEYWORDS, MOST_RULES = 200, 200, 200
LONGEST_WORDS, LONGEST_REASON = 200, 2000
LARGEST = 4_000_000
# The language of words that stand in the file without one.
WITHOUT_LANGUAGE = "und"
_HIDDEN = ("Cc", "Cs", "Cn", "Co")


def _one_line(value: Any) -> Any:
    """Words without line breaks and control characters, which YAML cannot carry and nobody can read."""
    if not isinstance(value, str):
        return value
    return " ".join(
        "".join(sign for sign in value if sign.isspace() or category(sign) not in _HIDDEN).split()
    )


Words = Annotated[str, BeforeValidator(_one_line), Field(min_length=1, max_length=LONGEST_WORDS)]
Language = Annotated[str, Field(min_length=2, max_length=12, pattern=r"^[A-Za-z][A-Za-z-]*$")]
Names = dict[Language, Words]
Keywords = dict[Language, Annotated[tuple[Words, ...], Field(max_length=MOST_KEYWORDS)]]


def _by_language(value: Any) -> Any:
    return {WITHOUT_LANGUAGE: value} if isinstance(value, str) else value


class AreaModel(BaseModel):
    """An area as it stands in the file."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    id: Words
    names: Names = Field(default_factory=dict)
    keywords: Keywords = Field(default_factory=dict)
    required: bool = False
    minimum_passages: Annotated[int, Field(ge=1)] = 2
    minimum_similarity: Annotated[float, Field(ge=-1.0, le=1.0)] = 0.3


class FactModel(BaseModel):
    """A fact as it stands in the file."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    id: Words
    type: FactType
    names: Names = Field(default_factory=dict)
    keywords: Keywords = Field(default_factory=dict)
    unit: Annotated[str, Field(max_length=20)] = ""
    scale: Annotated[tuple[Words, ...], Field(max_length=50)] = ()


class RuleModel(BaseModel):
    """A rule as it stands in the file. ``because`` may be words without a language."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    id: Words
    names: Names = Field(default_factory=dict)
    when: Words
    then: Words
    because: Annotated[
        dict[Language, Annotated[str, Field(min_length=1, max_length=LONGEST_REASON)]],
        BeforeValidator(_by_language),
    ] = Field(default_factory=dict)
    cite: Annotated[tuple[Words, ...], Field(max_length=20)] = ()
    transactions: tuple[Words, ...] = ()


class WordingModel(BaseModel):
    """The names and keywords of a type of transaction."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    names: Names = Field(default_factory=dict)
    keywords: Keywords = Field(default_factory=dict)


class OntologyModel(BaseModel):
    """The whole file. A type of transaction is a list of areas, or has names and keywords besides, which
    are kept in ``wording``."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    areas: Annotated[tuple[AreaModel, ...], Field(max_length=MOST_AREAS)] = ()
    transactions: dict[Words, tuple[Words, ...]] = Field(default_factory=dict)
    wording: dict[Words, WordingModel] = Field(default_factory=dict)
    facts: Annotated[tuple[FactModel, ...], Field(max_length=MOST_RULES)] = ()
    rules: Annotated[tuple[RuleModel, ...], Field(max_length=MOST_RULES)] = ()

    @model_validator(mode="before")
    @classmethod
    def _wording_apart(cls, content: Any) -> Any:
        """Types that are written with their words, as lists of areas and those words."""
        types = content.get("transactions") if isinstance(content, dict) else None
        if not isinstance(types, dict) or not any(isinstance(one, dict) for one in types.values()):
            return content
        areas, wording = {}, dict(content.get("wording") or {})
        for name, one in types.items():
            areas[name] = one.get("areas", ()) if isinstance(one, dict) else one
            if isinstance(one, dict):
                wording[name] = {part: words for part, words in one.items() if part != "areas"}
        return {**content, "transactions": areas, "wording": wording}

    @model_validator(mode="after")
    def _names_are_known(self) -> OntologyModel:
        if not self.areas and not self.rules:
            raise ValueError("there is no area and no rule in it")
        _once("area", [area.id for area in self.areas])
        _once("fact", [fact.id for fact in self.facts])
        _once("rule", [rule.id for rule in self.rules])
        ids = {area.id for area in self.areas}
        for transaction, areas in self.transactions.items():
            if unknown := sorted(set(areas) - ids):
                raise ValueError(f"transaction {transaction!r} needs the unknown area {unknown[0]!r}")
        if unknown := sorted(set(self.wording) - set(self.transactions)):
            raise ValueError(f"there are words for the unknown transaction {unknown[0]!r}")
        for rule in self.rules:
            if unknown := sorted(set(rule.transactions) - set(self.transactions)):
                raise ValueError(f"rule {rule.id!r} is for the unknown transaction {unknown[0]!r}")
        try:
            check_ruleset(_facts(self.facts), _rules(self.rules))
        except SettingsError as error:
            raise ValueError(str(error)) from error
        return self


def read_ontology(path: Path) -> dict[str, Any]:
    """The checked content of a file that an operator names. Raises SourceError naming what is wrong."""
    try:
        data = files.read_named(path, LARGEST)
    except (OSError, FileRefusedError) as error:
        raise SourceError(f"{path}: cannot be opened ({error})") from error
    return parse_ontology(data, str(path))


def parse_ontology(text: str | bytes, name: str) -> dict[str, Any]:
    """The checked content of a text in YAML; ``name`` is what errors call it. Raises SourceError."""
    try:
        content = bounded_yaml.load(text, largest=LARGEST)
    except YamlError as error:
        raise SourceError(f"{name}: not readable as YAML ({error})") from error
    return checked(content, name)


def checked(content: Any, name: str = "ontology") -> dict[str, Any]:
    """Content with everything in it checked, as plain values. Raises SourceError naming what is wrong."""
    try:
        model = OntologyModel.model_validate(content)
    except ValidationError as error:
        first = error.errors()[0]
        where = ".".join(str(part) for part in first["loc"]) or "file"
        raise SourceError(f"{name}: {where}: {first['msg']}") from error
    whole = model.model_dump(mode="json")
    # A corpus without rules has what it had before there were any.
    return {part: value for part, value in whole.items() if value or part in ("areas", "transactions")}


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
    wording = {name: Wording(words.names, words.keywords) for name, words in model.wording.items()}
    return Ontology(areas, model.transactions, _facts(model.facts), _rules(model.rules), wording)


def ontology_yaml(content: Mapping[str, Any]) -> str:
    """Checked content as the text of an ``ontology.yaml``, which reads back as the same content."""
    written = {part: value for part, value in checked(content).items() if value}
    return yaml.safe_dump(written, allow_unicode=True, sort_keys=False, width=110)


def _facts(facts: Sequence[FactModel]) -> tuple[Fact, ...]:
    return tuple(
        Fact(fact.id, fact.type, fact.names or {"en": fact.id}, fact.keywords, fact.unit, fact.scale)
        for fact in facts
    )


def _rules(rules: Sequence[RuleModel]) -> tuple[Rule, ...]:
    return tuple(
        Rule(rule.id, rule.when, rule.then, rule.names or {"en": rule.id}, rule.because, rule.cite,
             rule.transactions)
        for rule in rules
    )  # fmt: skip


def _once(what: str, ids: Sequence[str]) -> None:
    if repeated := sorted({name for name in ids if ids.count(name) > 1}):
        raise ValueError(f"{what} {repeated[0]!r} is described twice")
