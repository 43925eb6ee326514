"""Data classes of reference grammars and mentions, and the pattern language of grammar files."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

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

    kind: SectionKind
    words: tuple[str, ...]
    plural: tuple[str, ...] = ()
    number: str = ""
    annexed: bool = False


@dataclass(frozen=True, slots=True)
class Level:
    """A level below a provision: "Absatz 2", "ayat (1)", "الفقرة (2)", "paragraph (a)".

    ``depth`` 0 is the first level below the provision. Sentences and half-sentences do not ``count``: they
    are not numbered in print, so they are read but are not part of an address. ``canonical`` converts a
    number in words; if it returns None, the value stays as printed.
    """

    words: tuple[str, ...]
    value: str
    depth: int = 0
    counts: bool = True
    canonical: Callable[[str], str | None] | None = None


@dataclass(frozen=True, slots=True)
class Cue:
    """Words directly before or after a reference that give it a relation other than a plain citation.

    ``signs`` and ``after_signs``: substrings, one of which is in every match of ``before`` or ``after``.
    ``before`` counts only if ``only`` follows the reference. No cue counts if ``unless`` directly precedes
    it.
    """

    relation: Relation
    before: str = NEVER
    after: str = NEVER
    signs: tuple[str, ...] = ("",)
    only: str = ""
    unless: str = NEVER
    after_signs: tuple[str, ...] = ("",)


@dataclass(frozen=True, slots=True)
class ActForm:
    """A form of a document's name without a provision; ``sign``: a substring of every such name.

    ``reach``: maximum number of characters on each side of the sign. ``whole``: a number inside the name is
    not a provision: "14 CFR Part 39".
    """

    pattern: str
    sign: str
    reach: int = 200
    whole: bool = False


@dataclass(frozen=True, slots=True)
class Relative:
    """Words for a provision ``step`` positions before (-1) or after (1) the text, or around it (0).

    ``kind``: its kind. ``count``: number of provisions ("the two preceding paragraphs"). ``signs``:
    substrings, one of which is in every match.
    """

    kind: SectionKind
    step: int
    pattern: str
    signs: tuple[str, ...]
    count: int = 1


@dataclass(frozen=True, slots=True)
class Definition:
    """A form in which a text gives a document a short name: '<name> (hereinafter "<short>")'.

    ``form`` has the groups ``name`` and ``short``. One of ``signs`` is in every match. With an ``act_word`` a
    name must contain such a word, ends with the last of them and a year, and begins after the last ``lead``;
    ``maker`` before it may be omitted.
    """

    form: str
    signs: tuple[str, ...] = ("",)
    act_word: str = ""
    lead: str = NEVER
    maker: str = NEVER


@dataclass(frozen=True, slots=True)
class Found:
    """An expected reference of an example; None is not compared."""

    text: str
    relation: Relation | None = None
    document: str | None = None
    reads: tuple[str, ...] | None = None


@dataclass(frozen=True, slots=True)
class Example:
    """A text and all its references, in order."""

    text: str
    finds: tuple[Found, ...]


@dataclass(frozen=True, slots=True)
class Grammar:
    """The grammar of a jurisdiction.

    - ``value``: converts a printed number to its canonical form; None if it is not a number.
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

    name: str
    languages: tuple[str, ...]
    units: tuple[Unit, ...]
    number: str
    value: Callable[[str], str | None]
    levels: tuple[Level, ...] = ()
    brackets: str = ""
    bare: str = ""
    also: str = NEVER
    through: str = NEVER
    and_next: str = NEVER
    either: str = NEVER
    run_on: str = NEVER
    chain: str = NEVER
    inward: str = NEVER
    here: str = NEVER
    here_before: str = NEVER
    after: str = NEVER
    name_form: str = NEVER
    leads: str = NEVER
    that: str = NEVER
    that_before: str = NEVER
    back: tuple[str, ...] = ()
    back_of: str = NEVER
    back_words: tuple[tuple[SectionKind, str], ...] = ()
    before: str = ""
    year_before: str = NEVER
    year_behind: str = NEVER
    former_before: str = NEVER
    former_behind: str = NEVER
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
