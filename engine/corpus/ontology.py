"""The ontology of a corpus: areas, types of transactions, concepts, rules, and its history."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Annotated, Any

import yaml
from pydantic import (
    AfterValidator,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    ValidationError,
    model_validator,
)

from engine import bounded, files
from engine.corpus.embedded.publication import ONTOLOGY_NAME
from engine.corpus.journal import add_line, check_name, load_lines
from engine.corpus.protocol import Area, Concept, Ontology, Wording
from engine.corpus.rule_expressions import Fact, Rule, check_ruleset
from engine.corpus.rule_values import FactType
from engine.errors import CorpusError, FileRefusedError, InputError, SettingsError, SourceError, YamlError

# The file ``ontology.yaml`` next to the documents contains legal areas, concepts, transactions that need
# evidence for some areas, and rules::
#
#     areas:
#       - id: objection
#         names: {en: Objection procedure, de: Widerspruchsverfahren}
#         keywords: {en: [objection, remedy], de: [Widerspruch]}
#         required: true
#         minimum_passages: 2
#         minimum_similarity: 0.3
#     transactions:
#       licence-refusal: [objection]
#       licence:
#         areas: {objection: 3}
#         names: {en: Licence}
#         keywords: {en: [licence, permit]}
#     concepts:
#       - id: remedy
#         names: {en: Remedy}
#       - id: objection-period
#         parent: remedy
#         area: objection
#         names: {en: Objection period}
#         keywords: {en: [deadline for an objection]}
#         definition: {en: The time within which an objection can be lodged.}
#         defined_in: Article 3(6) of the Tax Procedure Act
#         articles: [Article 26 of the Tax Procedure Act]
#         required_checks: [when the decision was delivered]
#         importance: 5
#     facts:
#       - {id: delivered, type: date, names: {en: Day of delivery}}
#       - {id: lodged, type: date, names: {en: Day of the objection}}
#     rules:
#       - id: too-late
#         when: lodged > delivered + days(30)
#         then: too late
#         because: The objection period is thirty days from delivery.
#         cite: [Article 26(1) of the Tax Procedure Act]
#
# A transaction lists its areas, or the minimum number of passages in each. Concepts form a hierarchy by
# ``parent``; ``importance`` is 1 to 5.

MOST_AREAS, MOST_KEYWORDS, MOST_RULES, MOST_CONCEPTS = 200, 200, 200, 2000
MOST_ARTICLES = 50
LONGEST_WORDS, LONGEST_REASON = 200, 2000
LARGEST = 4_000_000
# The language of words without one in the file.
WITHOUT_LANGUAGE = "und"


def _words(value: str) -> str:
    """Return words on one line. Raises ValueError for control characters, which YAML cannot contain."""
    try:
        return check_name(value, "an area, a concept or a rule", LONGEST_WORDS)
    except InputError as error:
        raise ValueError(str(error)) from error


Words = Annotated[str, Field(max_length=LONGEST_WORDS), AfterValidator(_words)]
Language = Annotated[str, Field(min_length=2, max_length=12, pattern=r"^[A-Za-z][A-Za-z-]*$")]
Names = dict[Language, Words]
Keywords = dict[Language, Annotated[tuple[Words, ...], Field(max_length=MOST_KEYWORDS)]]


def _by_language(value: Any) -> Any:
    return {WITHOUT_LANGUAGE: value} if isinstance(value, str) else value


# Sentences by language, or one sentence without a language.
Reasons = Annotated[
    dict[Language, Annotated[str, Field(min_length=1, max_length=LONGEST_REASON)]],
    BeforeValidator(_by_language),
]
Cited = Annotated[tuple[Words, ...], Field(max_length=MOST_ARTICLES)]


class AreaModel(BaseModel):
    """An area in the file."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    id: Words
    names: Names = Field(default_factory=dict)
    keywords: Keywords = Field(default_factory=dict)
    required: bool = False
    minimum_passages: Annotated[int, Field(ge=1)] = 2
    minimum_similarity: Annotated[float, Field(ge=-1.0, le=1.0)] = 0.3


class ConceptModel(BaseModel):
    """A concept in the file. ``definition`` may be a sentence without a language."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    id: Words
    names: Names = Field(default_factory=dict)
    keywords: Keywords = Field(default_factory=dict)
    parent: Words | None = None
    area: Words | None = None
    definition: Reasons = Field(default_factory=dict)
    defined_in: Annotated[str, AfterValidator(lambda value: _words(value) if value.strip() else "")] = ""
    articles: Cited = ()
    required_checks: Cited = ()
    importance: Annotated[int, Field(ge=1, le=5)] = 3


class FactModel(BaseModel):
    """A fact in the file."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    id: Words
    type: FactType
    names: Names = Field(default_factory=dict)
    keywords: Keywords = Field(default_factory=dict)
    unit: Annotated[str, Field(max_length=20)] = ""
    scale: Annotated[tuple[Words, ...], Field(max_length=50)] = ()


class RuleModel(BaseModel):
    """A rule in the file. ``because`` may be a sentence without a language."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    id: Words
    names: Names = Field(default_factory=dict)
    when: Words
    then: Words
    because: Reasons = Field(default_factory=dict)
    cite: Annotated[tuple[Words, ...], Field(max_length=20)] = ()
    transactions: tuple[Words, ...] = ()


class WordingModel(BaseModel):
    """The names and keywords of a type of transaction."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    names: Names = Field(default_factory=dict)
    keywords: Keywords = Field(default_factory=dict)


class OntologyModel(BaseModel):
    """The complete file.

    A type of transaction is a list of areas, or has names and keywords (stored in ``wording``) and minimum
    numbers of passages (stored in ``least``).
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    areas: Annotated[tuple[AreaModel, ...], Field(max_length=MOST_AREAS)] = ()
    transactions: dict[Words, tuple[Words, ...]] = Field(default_factory=dict)
    wording: dict[Words, WordingModel] = Field(default_factory=dict)
    least: dict[Words, dict[Words, Annotated[int, Field(ge=1)]]] = Field(default_factory=dict)
    concepts: Annotated[tuple[ConceptModel, ...], Field(max_length=MOST_CONCEPTS)] = ()
    facts: Annotated[tuple[FactModel, ...], Field(max_length=MOST_RULES)] = ()
    rules: Annotated[tuple[RuleModel, ...], Field(max_length=MOST_RULES)] = ()

    @model_validator(mode="before")
    @classmethod
    def _split_types(cls, content: Any) -> Any:
        """Split types of transactions into lists of areas, their words and their minimum numbers."""
        types = content.get("transactions") if isinstance(content, dict) else None
        if not isinstance(types, dict) or not any(isinstance(one, dict) for one in types.values()):
            return content
        areas = {}
        wording, least = dict(content.get("wording") or {}), dict(content.get("least") or {})
        for name, one in types.items():
            areas[name] = one.get("areas", ()) if isinstance(one, dict) else one
            if isinstance(one, dict) and (words := {part: one[part] for part in one if part != "areas"}):
                wording[name] = words
            if isinstance(areas[name], dict):
                least[name], areas[name] = areas[name], list(areas[name])
        return {**content, "transactions": areas, "wording": wording, "least": least}

    @model_validator(mode="after")
    def _names_are_known(self) -> OntologyModel:
        if not self.areas and not self.rules and not self.concepts:
            raise ValueError("it contains no area, concept or rule")
        _once("area", [area.id for area in self.areas])
        _once("fact", [fact.id for fact in self.facts])
        _once("rule", [rule.id for rule in self.rules])
        _once("concept", [concept.id for concept in self.concepts])
        ids = {area.id for area in self.areas}
        for transaction, areas in self.transactions.items():
            if unknown := sorted(set(areas) - ids):
                raise ValueError(f"transaction {transaction!r} needs the unknown area {unknown[0]!r}")
        if unknown := sorted(set(self.wording) - set(self.transactions)):
            raise ValueError(f"there are words for the unknown transaction {unknown[0]!r}")
        for transaction, numbers in self.least.items():
            if unknown := sorted(set(numbers) - set(self.transactions.get(transaction, ()))):
                raise ValueError(
                    f"transaction {transaction!r} has a minimum number of passages for {unknown[0]!r}, "
                    f"which is none of its areas"
                )
        _check_hierarchy(self.concepts, ids)
        for rule in self.rules:
            if unknown := sorted(set(rule.transactions) - set(self.transactions)):
                raise ValueError(f"rule {rule.id!r} is for the unknown transaction {unknown[0]!r}")
        try:
            check_ruleset(_facts(self.facts), _rules(self.rules))
        except SettingsError as error:
            raise ValueError(str(error)) from error
        return self


def read_ontology(path: Path) -> dict[str, Any]:
    """Return the validated content of an operator's file. Raises SourceError with the invalid part."""
    try:
        data = files.read_named(path, LARGEST)
    except (OSError, FileRefusedError) as error:
        raise SourceError(f"{path}: cannot be opened ({error})") from error
    return parse_ontology(data, str(path))


def parse_ontology(text: str | bytes, name: str) -> dict[str, Any]:
    """Return the validated content of YAML text; ``name`` is used in errors. Raises SourceError."""
    try:
        content = bounded.load_yaml(text, largest=LARGEST)
    except YamlError as error:
        raise SourceError(f"{name}: not readable as YAML ({error})") from error
    return checked(content, name)


def checked(content: Any, name: str = "ontology") -> dict[str, Any]:
    """Validate content and return it as plain values. Raises SourceError with the invalid part."""
    try:
        model = OntologyModel.model_validate(content)
    except ValidationError as error:
        first = error.errors()[0]
        where = ".".join(str(part) for part in first["loc"]) or "file"
        raise SourceError(f"{name}: {where}: {first['msg']}") from error
    whole = model.model_dump(mode="json")
    # Without rules the content is the same as before rules existed.
    return {part: value for part, value in whole.items() if value or part in ("areas", "transactions")}


def ontology_from(content: Mapping[str, Any]) -> Ontology:
    """Return the ontology of validated content."""
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
    concepts = tuple(
        Concept(**{**dict(concept), "names": concept.names or {"en": concept.id}})
        for concept in model.concepts
    )
    rules = _rules(model.rules)
    return Ontology(areas, model.transactions, _facts(model.facts), rules, wording, concepts, model.least)


def ontology_content(ontology: Ontology) -> dict[str, Any]:
    """Return an ontology as the content of its file."""
    return checked(asdict(ontology))


def ontology_yaml(content: Mapping[str, Any]) -> str:
    """Return validated content as the text of an ``ontology.yaml``; it parses to the same content."""
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


def _check_hierarchy(concepts: Sequence[ConceptModel], areas: set[str]) -> None:
    """Raise ValueError for a concept with an unknown parent or area, and for a cycle."""
    parents = {concept.id: concept.parent for concept in concepts}
    for concept in concepts:
        if concept.parent is not None and concept.parent not in parents:
            raise ValueError(f"concept {concept.id!r} has the unknown parent {concept.parent!r}")
        if concept.area is not None and concept.area not in areas:
            raise ValueError(f"concept {concept.id!r} is in the unknown area {concept.area!r}")
    for start in parents:
        chain: dict[str, None] = {start: None}
        above = parents[start]
        # A cycle further up is reported at its first member.
        while above is not None and above not in chain:
            chain[above] = None
            above = parents[above]
        if above == start:
            raise ValueError(f"concepts form a cycle: {' under '.join((*chain, start))}")


def _once(what: str, ids: Sequence[str]) -> None:
    if repeated := sorted({name for name in ids if ids.count(name) > 1}):
        raise ValueError(f"{what} {repeated[0]!r} is described twice")


# The history of a corpus's ontology: every saved state; the last is in force. The states are in
# ``ontology.jsonl`` in the corpus's folder, append-only, and independent of the state of the data: they
# override the ingested ontology, and an ingestion keeps them. Readers see the last complete line.


class SavedOntology(BaseModel):
    """A saved state.

    ``content`` None restores the ingested ontology; ``when`` is ISO 8601, ``note`` describes the change.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    content: dict[str, Any] | None
    when: str
    note: str = ""


def load_ontologies(folder: Path | str) -> list[SavedOntology]:
    """Return all states in order. Raises as ``load_lines``."""
    return load_lines(folder, ONTOLOGY_NAME, SavedOntology.model_validate_json, "an ontology")


def ontology_in_force(folder: Path | str) -> SavedOntology | None:
    """Return the last saved state; None without one, or if the ingested ontology was restored.

    Raises CorpusError if it is not a valid ontology.
    """
    saved = load_ontologies(folder)
    if not saved or saved[-1].content is None:
        return None
    try:
        checked(saved[-1].content)
    except SourceError as error:
        path = Path(folder) / ONTOLOGY_NAME
        raise CorpusError(f"{path}:{len(saved)}: not an {error}; correct or remove the line") from error
    return saved[-1]


def save_ontology(folder: Path | str, content: Mapping[str, Any] | None, note: str = "") -> SavedOntology:
    """Put an ontology in force in a corpus folder, None for the ingested one; durable on return.

    Open corpora keep their former ontology. Raises SourceError for invalid content, CorpusError if the folder
    cannot be written.
    """
    sound = None if content is None else checked(content)
    return add_line(folder, ONTOLOGY_NAME, SavedOntology(content=sound, when="", note=note))


def undo_ontology(folder: Path | str) -> SavedOntology:
    """Restore the state before the last one; the undone state stays in the file.

    Undone states are skipped, so that two undos go back two states. Raises CorpusError if there is nothing to
    undo.
    """
    standing: list[SavedOntology] = []
    for state in load_ontologies(folder):
        if state.note == UNDONE and standing:
            standing.pop()
        else:
            standing.append(state)
    if not standing:
        raise CorpusError("there is nothing to undo: this ontology is the one that was ingested")
    before = standing[-2].content if len(standing) > 1 else None
    return save_ontology(folder, before, UNDONE)


UNDONE = "undone"
