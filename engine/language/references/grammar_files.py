"""Load and check grammar files: ``references.yaml`` in the folder of each language.

``grammar.py`` has the fields of a file, and the language of its patterns. ``examples`` are texts with the
expected references; tests run them. A file in the operator's folder replaces the shipped grammar of the same
name or adds one.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import fields, is_dataclass, replace
from functools import cache
from pathlib import Path
from typing import Any, ClassVar, Protocol, TypeVar

from pydantic import TypeAdapter, ValidationError

from engine import bounded, files, languages
from engine.errors import FileRefusedError, GrammarError, YamlError
from engine.language.references import instruments
from engine.language.references.grammar import ActForm, Definition, Grammar, Level, Parts, Unit, one_of
from engine.language.references.instruments import eu_act_form
from engine.language.references.levels import NUMBERS, PARTS


class _Dataclass(Protocol):
    __dataclass_fields__: ClassVar[dict[str, Any]]


Part = TypeVar("Part", bound=_Dataclass)

SHIPPED = "references.yaml"


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
        grammar = _model().validate_python(_with_act_forms(content))
        return _Fields(grammar, checked=checked).grammar(grammar)
    except ValidationError as error:
        first = error.errors()[0]
        field = ".".join(str(part) for part in first["loc"]) or "the whole file"
        is_unknown = first["type"] == "unexpected_keyword_argument"
        message = "Extra inputs are not permitted" if is_unknown else first["msg"]
        raise GrammarError(f"{path}: {field}: {message}") from error
    except _FieldError as error:
        raise GrammarError(f"{path}: {error}") from error


class _FieldError(ValueError):
    """A well-formed but invalid field of a grammar file."""


@cache
def _model() -> TypeAdapter[Grammar]:
    return TypeAdapter(Grammar)


def _with_act_forms(content: Any) -> Any:
    """Join the names of acts that share ``acts_sign`` to one form, after those with their own signs."""
    acts = content.get("acts") if isinstance(content, dict) else None
    if not acts:
        return content
    acts = acts if isinstance(acts, list) else [acts]
    plain = [one for one in acts if isinstance(one, str)]
    forms = [one for one in acts if not isinstance(one, str)]
    if plain:
        forms.append({"pattern": plain, "sign": content.get("acts_sign", "")})
    return content | {"acts": forms}


class _Fields:
    """Checks and expands the fields of a grammar; errors name the field."""

    def __init__(self, grammar: Grammar, *, checked: bool) -> None:
        if not grammar.languages:
            raise _FieldError("languages: at least one is needed")
        if not grammar.units:
            raise _FieldError("units: at least one is needed")
        self._numbers("numbers", grammar.numbers)
        try:
            ready = PARTS.get(grammar.numbers, {}) | _eu_acts(grammar.languages)
            self._parts = Parts(grammar.parts, ready, checked=checked)
        except ValueError as error:
            raise _FieldError(f"parts: {error}") from error

    def grammar(self, grammar: Grammar) -> Grammar:
        """Return the grammar with its patterns as regular expressions."""
        ready = self._expanded(grammar, "")
        definitions = tuple(
            self._definition(f"definitions.{place}.form", one, ready.name_form)
            for place, one in enumerate(ready.definitions)
        )
        standards = ActForm(instruments.FORM, instruments.SIGN, instruments.REACH, whole=True)
        return replace(
            ready,
            value=NUMBERS[ready.numbers],
            acts=(*ready.acts, standards),
            definitions=definitions,
            name_form=one_of([instruments.FORM, ready.name_form]),
            before=ready.before and one_of([f"{instruments.FORM},?", ready.before]),
        )

    def _expanded(self, part: Part, path: str) -> Part:
        """Expand the patterns of a part and of the parts in it."""
        expanded: dict[str, Any] = {}
        for one in fields(part):
            name, value = f"{path}{one.name}", getattr(part, one.name)
            if one.type == "Pattern":
                expanded[one.name] = self._pattern(name, value)
            elif one.type == "Words":
                self._check_words(name, value)
            elif one.type == "Mapping[SectionKind, Pattern]":
                expanded[one.name] = {
                    key: self._pattern(f"{name}.{key}", pattern) for key, pattern in value.items()
                }
            elif one.type == "tuple[Pattern, ...]":
                expanded[one.name] = tuple(
                    self._pattern(f"{name}.{place}", pattern) for place, pattern in enumerate(value)
                )
            elif isinstance(value, tuple):
                expanded[one.name] = tuple(
                    self._expanded(inner, f"{name}.{place}.")
                    if is_dataclass(inner) and not isinstance(inner, type)
                    else inner
                    for place, inner in enumerate(value)
                )
        if isinstance(part, Unit) and not part.words and not part.plural:
            raise _FieldError(f"{path[:-1]}: a unit needs words or plural")
        if isinstance(part, Level) and part.numbers:
            expanded["canonical"] = self._numbers(f"{path}numbers", part.numbers)
        return replace(part, **expanded)

    def _numbers(self, field: str, name: str) -> Callable[[str], str | None]:
        if name not in NUMBERS:
            raise _FieldError(f"{field}: {name!r} is none of {', '.join(NUMBERS)}")
        return NUMBERS[name]

    def _pattern(self, field: str, pattern: str) -> str:
        try:
            return self._parts.expanded(pattern)
        except ValueError as error:
            raise _FieldError(f"{field}: {error}") from error

    def _check_words(self, field: str, words: tuple[str, ...]) -> None:
        for word in words:
            if not word or not (word[0].isalpha() or word[0] == "§"):
                raise _FieldError(f"{field}: {word!r} does not begin with a letter")
            self._pattern(field, word)

    def _definition(self, field: str, one: Definition, name_form: str) -> Definition:
        if one.form.count("<name>") != 1 or one.form.count("<short>") != 1:
            raise _FieldError(f"{field}: it must say <name> once and <short> once")
        form = one.form.replace("<name>", f"(?P<name>{one.name or name_form})")
        return replace(one, form=form.replace("<short>", f"(?P<short>{one.short})"))


def _eu_acts(known: tuple[str, ...]) -> dict[str, str]:
    """Return the part ``%eu_act%``: names of EU acts by number in the EU languages."""
    forms = [form for language in known if (form := eu_act_form(language))]
    return {"eu_act": "|".join(forms)} if forms else {}
