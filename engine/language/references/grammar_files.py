"""Load and check grammar files: ``references.yaml`` in the folder of each language.

``GrammarFile`` has the fields, ``Grammar`` explains them, and ``grammar.py`` describes the language of
patterns. ``examples`` are texts with the expected references; tests run them. A file in the operator's folder
replaces the shipped grammar of the same name or adds one.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from engine import bounded, files, languages
from engine.errors import FileRefusedError, GrammarError, YamlError
from engine.language.references import instruments
from engine.language.references.grammar import (
    NEVER,
    ActForm,
    Cue,
    Definition,
    Example,
    Found,
    Grammar,
    Level,
    Parts,
    Relative,
    Unit,
    one_of,
)
from engine.language.references.instruments import eu_act_form
from engine.language.references.levels import NUMBERS, PARTS
from engine.model import Relation, SectionKind

SHIPPED = "references.yaml"

Pattern = str | list[str]
Words = list[str]


class _Part(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class UnitFile(_Part):
    """A kind of provision: see ``Unit``."""

    kind: SectionKind
    words: Words = []
    plural: Words = []
    number: Pattern = ""
    annexed: bool = False


class LevelFile(_Part):
    """A level below a provision: see ``Level``."""

    words: Words
    value: Pattern
    depth: int = 0
    counts: bool = True
    numbers: str = ""


class CueFile(_Part):
    """Words that give a relation: see ``Cue``."""

    relation: Relation
    before: Pattern = NEVER
    after: Pattern = NEVER
    signs: Words = [""]
    only: Pattern = ""
    unless: Pattern = NEVER
    after_signs: Words = [""]


class ActFile(_Part):
    """A form of names of acts: see ``ActForm``."""

    pattern: Pattern
    sign: Pattern
    reach: int = Field(default=200, ge=1)
    whole: bool = False


class RelativeFile(_Part):
    """Words for a relative position: see ``Relative``. ``step`` is previous, next or own."""

    kind: SectionKind
    step: Literal["previous", "next", "own"]
    pattern: Pattern
    signs: Words = Field(min_length=1)
    count: int = Field(default=1, ge=1)


class DefinitionFile(_Part):
    """A form in which a text names a document: see ``Definition``. ``form`` contains <name> and <short>.

    ``name``: form of the long name; default: ``name_form`` of the grammar.
    """

    form: Pattern
    short: Pattern
    name: Pattern = ""
    signs: Words = [""]
    act_word: Pattern = ""
    lead: Pattern = NEVER
    maker: Pattern = NEVER


class FoundFile(_Part):
    """An expected reference of an example: its text, and optionally other properties."""

    text: str
    relation: Relation | None = None
    document: str | None = None
    reads: list[str] | None = None


class ExampleFile(_Part):
    """A text and its references."""

    text: str
    finds: list[str | FoundFile]


class GrammarFile(_Part):
    """The fields of a grammar file; see ``Grammar`` for their meanings."""

    name: str
    languages: list[str]
    numbers: str = "plain"
    parts: dict[str, Pattern] = {}
    number: Pattern
    units: list[UnitFile]
    levels: list[LevelFile] = []
    brackets: Pattern = ""
    bare: Pattern = ""
    also: Pattern = NEVER
    through: Pattern = NEVER
    and_next: Pattern = NEVER
    either: Pattern = NEVER
    run_on: Pattern = NEVER
    chain: Pattern = NEVER
    inward: Pattern = NEVER
    here: Pattern = NEVER
    here_before: Pattern = NEVER
    that: Pattern = NEVER
    that_before: Pattern = NEVER
    back: list[Pattern] = []
    back_of: Pattern = NEVER
    back_words: dict[SectionKind, Pattern] = {}
    leads: Pattern = NEVER
    after: Pattern = NEVER
    name_form: Pattern = NEVER
    before: Pattern = ""
    year_before: Pattern = NEVER
    year_behind: Pattern = NEVER
    former_before: Pattern = NEVER
    former_behind: Pattern = NEVER
    acts: Pattern | list[ActFile] = ""
    acts_sign: Pattern = ""
    glued: str = ""
    cues: list[CueFile] = []
    relative: list[RelativeFile] = []
    definitions: list[DefinitionFile] = []
    case_law: bool = False
    known: list[list[str]] = []
    examples: list[ExampleFile] = []


def load_grammars(folder: Path | None = None) -> tuple[Grammar, ...]:
    """Load the shipped grammars, replaced and extended by those of a folder, by name.

    Raises:
        GrammarError: a missing folder, an unreadable file, an invalid field, or a language in two grammars of
        one
            folder.
    """
    # Tests check the shipped grammars, so processes need not.
    shipped = [load_grammar(path, checked=False) for path in languages.files(SHIPPED)]
    found = {grammar.name: grammar for grammar in sorted(shipped, key=lambda grammar: grammar.name)}
    if folder is not None:
        if not folder.is_dir():
            raise GrammarError(f"{folder}: no such folder of grammars")
        own = list(_folder(folder))
        # An operator's grammar for a language takes precedence over a shipped one of another name.
        found = {grammar.name: grammar for grammar in own} | {
            name: grammar for name, grammar in found.items() if name not in {one.name for one in own}
        }
    return tuple(found.values())


def _folder(folder: Path) -> Iterator[Grammar]:
    claimed: dict[str, str] = {}
    real = files.named(folder)
    for path in sorted(real.glob("*.yaml")):
        # The files of a folder may be symbolic links, as in mounted configuration volumes.
        own = files.named(path)
        if not own.is_relative_to(real):
            raise GrammarError(f"{folder / path.name}: a link that leads out of its folder: not followed")
        grammar = load_grammar(own)
        for language in grammar.languages:
            if language in claimed:
                raise GrammarError(f"{path}: languages: {claimed[language]} has {language!r} already")
            claimed[language] = path.name
        yield grammar


def load_grammar(path: Path, *, checked: bool = True) -> Grammar:
    """Load the grammar of a file; ``checked``: every pattern is compiled separately.

    Raises:
        GrammarError: the file cannot be read, is not YAML, or has an invalid field; the message names the
        field.
    """
    try:
        content = bounded.load_yaml(files.read(path, bounded.LARGEST_YAML))
    except (OSError, FileRefusedError) as error:
        raise GrammarError(f"{path}: cannot be read: {error}") from error
    except YamlError as error:
        raise GrammarError(f"{path}: not YAML: {error}") from error
    try:
        return _grammar(GrammarFile.model_validate(content), checked=checked)
    except ValidationError as error:
        first = error.errors()[0]
        field = ".".join(str(part) for part in first["loc"]) or "the whole file"
        raise GrammarError(f"{path}: {field}: {first['msg']}") from error
    except _FieldError as error:
        raise GrammarError(f"{path}: {error}") from error


class _FieldError(ValueError):
    """A well-formed but invalid field of a grammar file."""


class _Fields:
    """Expands patterns; errors name the field."""

    def __init__(self, file: GrammarFile, *, checked: bool) -> None:
        try:
            ready = PARTS.get(file.numbers, {}) | _eu_acts(file.languages)
            self._parts = Parts(file.parts, ready, checked=checked)
        except ValueError as error:
            raise _FieldError(f"parts: {error}") from error

    def pattern(self, field: str, pattern: Pattern) -> str:
        try:
            return self._parts.expanded(one_of(pattern))
        except ValueError as error:
            raise _FieldError(f"{field}: {error}") from error

    def words(self, field: str, words: Words) -> tuple[str, ...]:
        for word in words:
            if not word or not (word[0].isalpha() or word[0] == "§"):
                raise _FieldError(f"{field}: {word!r} does not begin with a letter")
            self.pattern(field, word)
        return tuple(words)


def _eu_acts(languages: list[str]) -> dict[str, str]:
    """Return the part ``%eu_act%``: names of EU acts by number in the EU languages."""
    forms = [form for language in languages if (form := eu_act_form(language))]
    return {"eu_act": "|".join(forms)} if forms else {}


# Fields that are a single pattern and have the same name in ``Grammar``.
_PATTERNS = (
    *("either", "here_before", "that_before", "and_next", "back_of"),
    *("number", "brackets", "bare", "also", "through", "run_on", "chain", "inward", "here", "that"),
    *("leads", "after", "year_before", "year_behind", "former_before", "former_behind"),
)


_STEPS = {"previous": -1, "own": 0, "next": 1}


def _grammar(file: GrammarFile, *, checked: bool) -> Grammar:
    if file.numbers not in NUMBERS:
        raise _FieldError(f"numbers: {file.numbers!r} is none of {', '.join(NUMBERS)}")
    if not file.languages:
        raise _FieldError("languages: at least one is needed")
    if not file.units:
        raise _FieldError("units: at least one is needed")
    fields = _Fields(file, checked=checked)
    return Grammar(
        name=file.name,
        languages=tuple(file.languages),
        value=NUMBERS[file.numbers],
        units=tuple(_unit(fields, f"units.{place}", unit) for place, unit in enumerate(file.units)),
        levels=tuple(_level(fields, f"levels.{place}", level) for place, level in enumerate(file.levels)),
        back=tuple(fields.pattern(f"back.{place}", form) for place, form in enumerate(file.back)),
        back_words=tuple(
            (kind, fields.pattern(f"back_words.{kind}", word)) for kind, word in file.back_words.items()
        ),
        glued=file.glued,
        case_law=file.case_law,
        acts=tuple(_acts(fields, file)),
        cues=tuple(
            Cue(
                cue.relation,
                fields.pattern(f"cues.{place}.before", cue.before),
                fields.pattern(f"cues.{place}.after", cue.after),
                tuple(cue.signs),
                fields.pattern(f"cues.{place}.only", cue.only),
                fields.pattern(f"cues.{place}.unless", cue.unless),
                tuple(cue.after_signs),
            )
            for place, cue in enumerate(file.cues)
        ),
        relative=tuple(
            Relative(
                one.kind,
                _STEPS[one.step],
                fields.pattern(f"relative.{place}.pattern", one.pattern),
                tuple(one.signs),
                one.count,
            )
            for place, one in enumerate(file.relative)
        ),
        definitions=tuple(
            _definition(fields, f"definitions.{place}", one, file.name_form)
            for place, one in enumerate(file.definitions)
        ),
        known=tuple(tuple(group) for group in file.known),
        examples=tuple(_example(example) for example in file.examples),
        **{name: fields.pattern(name, getattr(file, name)) for name in _PATTERNS},
        name_form=one_of([instruments.FORM, fields.pattern("name_form", file.name_form)]),
        before=one_of([f"{instruments.FORM},?", fields.pattern("before", file.before)])
        if file.before
        else "",
    )


def _acts(fields: _Fields, file: GrammarFile) -> Iterator[ActForm]:
    """Yield the forms of names without a provision: one with ``acts_sign``, or several with their own
    signs."""
    for place, one in enumerate(file.acts if isinstance(file.acts, list) else ()):
        if isinstance(one, ActFile):
            pattern = fields.pattern(f"acts.{place}.pattern", one.pattern)
            yield ActForm(pattern, fields.pattern(f"acts.{place}.sign", one.sign), one.reach, one.whole)
    if (
        plain := file.acts
        if isinstance(file.acts, str)
        else [one for one in file.acts if isinstance(one, str)]
    ):
        yield ActForm(fields.pattern("acts", plain), fields.pattern("acts_sign", file.acts_sign))
    yield ActForm(instruments.FORM, instruments.SIGN, instruments.REACH, whole=True)


def _unit(fields: _Fields, field: str, unit: UnitFile) -> Unit:
    if not unit.words and not unit.plural:
        raise _FieldError(f"{field}: a unit needs words or plural")
    return Unit(
        unit.kind,
        fields.words(f"{field}.words", unit.words),
        fields.words(f"{field}.plural", unit.plural),
        fields.pattern(f"{field}.number", unit.number),
        unit.annexed,
    )


def _level(fields: _Fields, field: str, level: LevelFile) -> Level:
    if level.numbers and level.numbers not in NUMBERS:
        raise _FieldError(f"{field}.numbers: {level.numbers!r} is none of {', '.join(NUMBERS)}")
    return Level(
        fields.words(f"{field}.words", level.words),
        fields.pattern(f"{field}.value", level.value),
        level.depth,
        level.counts,
        NUMBERS[level.numbers] if level.numbers else None,
    )


def _definition(fields: _Fields, field: str, one: DefinitionFile, name_form: Pattern) -> Definition:
    form = fields.pattern(f"{field}.form", one.form)
    if form.count("<name>") != 1 or form.count("<short>") != 1:
        raise _FieldError(f"{field}.form: it must say <name> once and <short> once")
    name = fields.pattern(f"{field}.name", one.name or name_form)
    short = fields.pattern(f"{field}.short", one.short)
    return Definition(
        form.replace("<name>", f"(?P<name>{name})").replace("<short>", f"(?P<short>{short})"),
        tuple(one.signs),
        fields.pattern(f"{field}.act_word", one.act_word),
        fields.pattern(f"{field}.lead", one.lead),
        fields.pattern(f"{field}.maker", one.maker),
    )


def _example(example: ExampleFile) -> Example:
    finds = tuple(
        Found(one)
        if isinstance(one, str)
        else Found(one.text, one.relation, one.document, None if one.reads is None else tuple(one.reads))
        for one in example.finds
    )
    return Example(example.text, finds)
