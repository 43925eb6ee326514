"""Data classes of reference grammars and mentions, and the pattern language of grammar files.

The classes of a grammar have the fields of its file; pydantic checks the file against them.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Annotated, Literal

from pydantic import BeforeValidator, ConfigDict, Field

from engine.language.addresses import Address
from engine.model import Relation, SectionKind, Span

# The pattern language
#
# A pattern is a regular expression without capturing groups. A list of patterns means "one of these";
# ``%name%`` inserts the named part; a space matches any white space including line breaks, and " ?"
# optional white space. ``\x20`` is a literal space.

_PART = re.compile(r"%([a-z_]+)%")


def spaced(pattern: str) -> str:
    """Replace spaces outside brackets by ``\\s+``, and " ?" or " *" by ``\\s*``."""
    if " " not in pattern:
        return pattern
    written: list[str] = []
    in_class = False
    position = 0
    while position < len(pattern):
        sign = pattern[position]
        taken = 1
        if sign == "\\":
            taken = 2
            written.append(pattern[position : position + 2])
        elif sign == " " and not in_class:
            many = pattern[position + 1 : position + 2] in ("?", "*")
            taken = 2 if many else 1
            written.append(r"\s*" if many else r"\s+")
        else:
            in_class = sign == "[" or (in_class and sign != "]")
            written.append(sign)
        position += taken
    return "".join(written)


def one_of(pattern: str | Sequence[str]) -> str:
    """Join a list of patterns as alternatives."""
    return pattern if isinstance(pattern, str) else f"(?:{'|'.join(pattern)})"


def _joined(value: object) -> object:
    is_list = isinstance(value, list) and all(isinstance(one, str) for one in value)
    return one_of(value) if is_list else value  # type: ignore[arg-type]


# A pattern of a file, not expanded yet, and the words of a unit or level.
Pattern = Annotated[str, BeforeValidator(_joined)]
Words = tuple[str, ...]
_STRICT = ConfigDict(extra="forbid")


class Parts:
    """The named parts of a grammar, inserted for ``%name%`` in patterns."""

    def __init__(
        self, parts: Mapping[str, str | Sequence[str]], ready: Mapping[str, str], *, checked: bool = True
    ) -> None:
        """``ready``: parts that are already regular expressions.

        Checking compiles each expression separately, which takes longer than everything else.
        """
        self._checked = checked
        self._ready = {name: f"(?:{pattern})" for name, pattern in ready.items()}
        for name, pattern in parts.items():
            self._ready[name] = f"(?:{self.expanded(one_of(pattern))})"

    def expanded(self, pattern: str) -> str:
        """Expand a pattern into a regular expression.

        Raises:
            ValueError: an unknown part, an invalid expression, or a capturing group.
        """
        expression = _PART.sub(self._part, spaced(pattern))
        if not self._checked:
            return expression
        try:
            compiled = re.compile(expression)
        except re.error as error:
            raise ValueError(f"not a regular expression: {error.msg}, in {pattern!r}") from error
        if compiled.groups:
            raise ValueError(f"write (?:...) instead of (...), in {pattern!r}")
        return expression

    def _part(self, match: re.Match[str]) -> str:
        known = self._ready.get(match[1])
        if known is None:
            raise ValueError(f"there is no part %{match[1]}% above this place")
        return known


# Grammars of references
#
# A grammar is data: words and patterns that a lawyer can read and extend, one file per jurisdiction
# (``languages/en/references.yaml``), loaded by ``grammar_files.py`` and applied by ``recogniser.py``.
# Patterns are regular expressions without capturing groups, matched against the raw text.

NEVER = r"(?!)"


@dataclass(frozen=True, slots=True)
class Unit:
    """A word for a kind of provision: "Rules" before "4.3.2", "§§" before "12 bis 15".

    Each of ``words`` begins with a plain letter or sign; the engine adds capitals. ``plural``: forms that
    introduce a list; after them "and" is followed by a number of the same unit. ``number`` overrides the
    grammar's number pattern. ``annexed``: the word names only a part of an annex: "point 2 of Annex I", or
    "point 2" within Annex I.
    """

    __pydantic_config__ = _STRICT
    kind: SectionKind
    words: Words = ()
    plural: Words = ()
    number: Pattern = ""
    annexed: bool = False


@dataclass(frozen=True, slots=True)
class Level:
    """A level below a provision: "Absatz 2", "ayat (1)", "الفقرة (2)", "paragraph (a)".

    ``depth`` 0 is the first level below the provision. Sentences and half-sentences do not ``count``: they
    are not numbered in print, so they are read but are not part of an address. ``canonical``, set by
    ``numbers``, converts a number in words; if it returns None, the value stays as printed.
    """

    __pydantic_config__ = _STRICT
    words: Words
    value: Pattern
    depth: int = 0
    counts: bool = True
    numbers: str = ""
    canonical: Callable[[str], str | None] | None = None


@dataclass(frozen=True, slots=True)
class Cue:
    """Words directly before or after a reference that give it a relation other than a plain citation.

    ``signs`` and ``after_signs``: substrings, one of which is in every match of ``before`` or ``after``.
    ``before`` counts only if ``only`` follows the reference. No cue counts if ``unless`` directly precedes
    it.
    """

    __pydantic_config__ = _STRICT
    relation: Relation
    before: Pattern = NEVER
    after: Pattern = NEVER
    signs: tuple[str, ...] = ("",)
    only: Pattern = ""
    unless: Pattern = NEVER
    after_signs: tuple[str, ...] = ("",)


@dataclass(frozen=True, slots=True)
class ActForm:
    """A form of a document's name without a provision; ``sign``: a substring of every such name.

    ``reach``: maximum number of characters on each side of the sign. ``whole``: a number inside the name is
    not a provision: "14 CFR Part 39".
    """

    __pydantic_config__ = _STRICT
    pattern: Pattern
    sign: Pattern
    reach: Annotated[int, Field(ge=1)] = 200
    whole: bool = False


@dataclass(frozen=True, slots=True)
class Relative:
    """Words for the provision before or after the text, or around it ("own").

    ``kind``: its kind. ``count``: number of provisions ("the two preceding paragraphs"). ``signs``:
    substrings, one of which is in every match.
    """

    __pydantic_config__ = _STRICT
    kind: SectionKind
    step: Literal["previous", "next", "own"]
    pattern: Pattern
    signs: Annotated[list[str], Field(min_length=1)]
    count: Annotated[int, Field(ge=1)] = 1


@dataclass(frozen=True, slots=True)
class Definition:
    """A form in which a text gives a document a short name: '<name> (hereinafter "<short>")'.

    ``form`` contains <name> and <short>, whose forms are ``name``, by default that of the grammar, and
    ``short``. One of ``signs`` is in every match. With an ``act_word`` a
    name must contain such a word, ends with the last of them and a year, and begins after the last ``lead``;
    ``maker`` before it may be omitted.
    """

    __pydantic_config__ = _STRICT
    form: Pattern
    short: Pattern
    name: Pattern = ""
    signs: tuple[str, ...] = ("",)
    act_word: Pattern = ""
    lead: Pattern = NEVER
    maker: Pattern = NEVER


@dataclass(frozen=True, slots=True)
class Found:
    """An expected reference of an example; None is not compared."""

    __pydantic_config__ = _STRICT
    text: str
    relation: Relation | None = None
    document: str | None = None
    reads: tuple[str, ...] | None = None


def _as_fields(value: object) -> object:
    return {"text": value} if isinstance(value, str) else value


@dataclass(frozen=True, slots=True)
class Example:
    """A text and all its references, in order."""

    __pydantic_config__ = _STRICT
    text: str
    finds: tuple[Annotated[Found, BeforeValidator(_as_fields)], ...]


@dataclass(frozen=True, slots=True)
class Grammar:
    """The grammar of a jurisdiction.

    - ``parts``: named patterns that later ones insert. ``value``, set by ``numbers``, converts a printed
      number to its canonical form; None if it is not a number.
    - ``brackets``: parts attached to a number, "(1)(a)". ``bare``: a number without a word for its kind.
    - ``also``, ``through``: join lists and ranges. ``and_next``: adds the next number. ``run_on``: joins a
      reference to the next if both may belong to one document. ``chain``: joins an inner to an outer
      provision ("paragraph 5 *of* Schedule 2"); ``inward``: an outer to an inner one ("Artikel 229 § 5").
      ``either``: joins a second number to a singular ("Article 46 or 47"), with what must follow it.
    - ``here``: "of this document"; ``here_before``: the same before a provision. ``that``: "of that Act", the
      one named before; ``that_before``: the same before a provision ("its Article 5"). ``back``: the
      same for provisions ("that WORD"), with ``back_words`` by kind for WORD; ``back_of``: joins an inner
      provision to it ("paragraph 4 *of* that Schedule").
    - ``after``: introduces a document's name after a provision. ``name_form``: form of the name. ``leads``:
      text between a provision and a name in no special form. ``before``: a name directly before a provision.
      ``acts``: names without a provision.
    - ``year_before``, ``year_behind``: positions of the year YYYY, the day DATE and the number NNNN of an act
      relative to its name. ``former_before``, ``former_behind``: words for a former act or provision.
    - ``glued``: letters that may be attached to the following word. ``known``: groups of names for one act
      that no rule derives from each other. ``case_law``: US court decisions are read too.
    """

    __pydantic_config__ = _STRICT
    name: str
    languages: tuple[str, ...]
    units: tuple[Unit, ...]
    number: Pattern
    numbers: str = "plain"
    value: Callable[[str], str | None] = str
    parts: Mapping[str, Pattern] = field(default_factory=dict)
    levels: tuple[Level, ...] = ()
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
    after: Pattern = NEVER
    name_form: Pattern = NEVER
    leads: Pattern = NEVER
    that: Pattern = NEVER
    that_before: Pattern = NEVER
    back: tuple[Pattern, ...] = ()
    back_of: Pattern = NEVER
    back_words: Mapping[SectionKind, Pattern] = field(default_factory=dict)
    before: Pattern = ""
    year_before: Pattern = NEVER
    year_behind: Pattern = NEVER
    former_before: Pattern = NEVER
    former_behind: Pattern = NEVER
    acts_sign: Pattern = ""
    acts: tuple[ActForm, ...] = ()
    glued: str = ""
    cues: tuple[Cue, ...] = ()
    relative: tuple[Relative, ...] = ()
    definitions: tuple[Definition, ...] = ()
    case_law: bool = False
    known: tuple[tuple[str, ...], ...] = ()
    examples: tuple[Example, ...] = ()


@dataclass(frozen=True, slots=True)
class Target:
    """A target of a mention. ``through``: the last member if ``span`` names a range.

    ``step``, ``count``: position relative to the text, see ``Relative``.
    """

    address: Address
    span: Span
    through: Address | None = None
    step: int | None = None
    count: int = 1


@dataclass(frozen=True, slots=True)
class Mention:
    """Words of a text that refer to provisions or to a document.

    ``document``: the document's name as printed. ``name_at``: its start in the text (a name may be longer
    than its form). ``leads_at``: if no form of a name follows, where a name known only to the corpus may
    begin. ``here``: the text names its own document. ``that``: it means the document named before. ``bare``:
    a number without a word, which is a reference only if the provision exists. ``joined``: "and" or a comma
    leads directly to the next mention.
    """

    span: Span
    text: str
    grammar: str
    relation: Relation
    targets: tuple[Target, ...] = ()
    document: str | None = None
    name_at: int | None = None
    leads_at: int | None = None
    here: bool = False
    that: bool = False
    bare: bool = False
    joined: bool = False


def cased(words: tuple[str, ...]) -> list[str]:
    """Return the words unchanged, capitalised, and in capitals unless they contain escapes or classes."""
    forms: dict[str, None] = {}
    for word in words:
        forms.setdefault(word)
        forms.setdefault(word[0].upper() + word[1:])
        if "\\" not in word and "[" not in word:
            forms.setdefault(word.upper())
    return [spaced(form) for form in forms]
