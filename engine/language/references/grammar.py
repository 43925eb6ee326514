"""Grammars of references: their parts and the pattern language of their files."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from engine.language.addresses import Address
from engine.model import Relation, SectionKind, Span

# The small language that grammar files write patterns in, turned into regular expressions.
#
# A pattern is a regular expression without capturing groups. Three things make it readable: a list of
# patterns means "one of these"; ``%name%`` stands for the named part; a space stands for any white space,
# line breaks included, and " ?" for white space or none. ``\x20`` is a space and nothing else.

_PART = re.compile(r"%([a-z_]+)%")


def spaced(pattern: str) -> str:
    """The pattern with each space outside of brackets as ``\\s+``, and " ?" or " *" as ``\\s*``."""
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
    """A list of patterns as one that any of them matches."""
    return pattern if isinstance(pattern, str) else f"(?:{'|'.join(pattern)})"


class Parts:
    """The named parts of one grammar, each put in where a pattern says ``%name%``."""

    def __init__(
        self, parts: Mapping[str, str | Sequence[str]], ready: Mapping[str, str], *, checked: bool = True
    ) -> None:
        """``ready`` are parts that come with the program and are regular expressions already.

        Checking compiles each expression by itself, which takes longer than all the rest.
        """
        self._checked = checked
        self._ready = {name: f"(?:{pattern})" for name, pattern in ready.items()}
        for name, pattern in parts.items():
            self._ready[name] = f"(?:{self.expanded(one_of(pattern))})"

    def expanded(self, pattern: str) -> str:
        """The regular expression of a pattern.

        Raises:
            ValueError: a part is not known where it is used, the expression is not valid, or it captures.
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


# What a jurisdiction's grammar of references consists of, and what is found with it.
#
# A grammar is data: words and patterns that a lawyer can read and extend, one file a jurisdiction
# (``languages/en/references.yaml``), read by ``loading.py``. All patterns are regular expressions
# without capturing groups, matched against the raw text. ``recogniser.py`` is the engine for all.

NEVER = r"(?!)"


@dataclass(frozen=True, slots=True)
class Unit:
    """A word that names a kind of provision: "Rules" before "4.3.2", "§§" before "12 bis 15".

    Each of ``words`` begins with a plain letter or sign; capitals are added by the engine. ``plural``
    are the forms that announce a list: after them what follows "and" is again a number of this unit.
    ``number`` overrides the grammar's own number pattern. With ``annexed`` the word names a part of an annex
    only: "point 2 of Annex I", or "point 2" inside of Annex I.
    """

    kind: SectionKind
    words: tuple[str, ...]
    plural: tuple[str, ...] = ()
    number: str = ""
    annexed: bool = False


@dataclass(frozen=True, slots=True)
class Level:
    """A level below a provision: "Absatz 2", "ayat (1)", "الفقرة (2)", "paragraph (a)".

    ``depth`` 0 is the first level below the provision. Sentences and half-sentences do not ``count``:
    no print numbers them, so they are read but not part of an address. ``canonical`` turns a value
    written as a word into its number; where it gives None the value stays as printed.
    """

    words: tuple[str, ...]
    value: str
    depth: int = 0
    counts: bool = True
    canonical: Callable[[str], str | None] | None = None


@dataclass(frozen=True, slots=True)
class Cue:
    """Words that show more than a plain citation, right before or right after the reference.

    One of the plain ``signs`` is in what ``before`` matches, one of ``after_signs`` in what ``after`` does:
    it is not tried where there is none. The words of ``before`` count where ``only`` follows the reference,
    and no cue counts where ``unless`` stands right in front of it.
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
    """The form of a document's name that stands alone; ``sign`` is what every such name contains.

    ``reach`` is how many characters a name has at most on either side of its sign. With ``whole`` what
    looks like a provision inside the name is none: "14 CFR Part 39".
    """

    pattern: str
    sign: str
    reach: int = 200
    whole: bool = False


@dataclass(frozen=True, slots=True)
class Relative:
    """Words that point at what stands ``step`` places before (-1) or after (1), or (0) around the text.

    ``kind`` is what they point at, ``count`` how many of it ("the two preceding paragraphs"). One of
    the plain ``signs`` must be in what the pattern matches: it is looked for only around them.
    """

    kind: SectionKind
    step: int
    pattern: str
    signs: tuple[str, ...]
    count: int = 1


@dataclass(frozen=True, slots=True)
class Definition:
    """How a text gives a document a short name: '<name> (hereinafter "<short>")'.

    ``form`` has the groups ``name`` and ``short``. One of the plain ``signs`` must be in the text. With an
    ``act_word`` a name must have such a word, ends with the last of them and a year, and begins behind
    the last ``lead``; ``maker`` in front of it may be left off.
    """

    form: str
    signs: tuple[str, ...] = ("",)
    act_word: str = ""
    lead: str = NEVER
    maker: str = NEVER


@dataclass(frozen=True, slots=True)
class Found:
    """A reference that is to be found in an example; what is None is not compared."""

    text: str
    relation: Relation | None = None
    document: str | None = None
    reads: tuple[str, ...] | None = None


@dataclass(frozen=True, slots=True)
class Example:
    """A text and all the references in it, in order."""

    text: str
    finds: tuple[Found, ...]


@dataclass(frozen=True, slots=True)
class Grammar:
    """The grammar of one jurisdiction.

    ``value`` turns a printed number into the canonical one, None where it is no number after all.
    ``brackets`` are parts glued to a number, "(1)(a)". ``bare`` is a number that stands for a provision
    without any word. ``also`` and ``through`` join lists and ranges, ``and_next`` adds the next number,
    ``run_on`` joins a reference to the next where one document's name may serve both; ``chain`` joins an
    inner to an outer provision ("paragraph 5 *of* Schedule 2"), ``inward`` an outer to an inner one ("Artikel
    229 § 5"). ``either`` joins a second number to a singular ("Article 46 or 47"), with what has to follow
    it. ``here`` says "of this document", ``here_before`` does so in front of a provision; ``after``
    introduces a document's name behind a provision, ``name`` is the form of such a name, ``leads`` is what
    stands between a provision and a name of no special form that the corpus knows, ``that`` says "of that
    Act", the one named before, and ``that_before`` in front ("its Article 5"), ``before`` a name right in
    front of a provision, ``acts`` names that stand alone. ``year_before`` and ``year_behind`` are how the
    year YYYY, the day DATE and the number NNNN of an act stand beside its name, ``former_before`` and
    ``former_behind`` the words for a former act or provision. ``glued`` are letters that may be written
    together with the word after them. ``known`` are groups of names that mean one act, where no rule derives
    one from the other. With ``case_law`` court decisions of the United States are read too.
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
    """One thing a mention points at. ``through`` is the last member where ``span`` names a range.

    Where ``step`` is set, what is meant is that many places away from the text: see ``Relative``.
    """

    address: Address
    span: Span
    through: Address | None = None
    step: int | None = None
    count: int = 1


@dataclass(frozen=True, slots=True)
class Mention:
    """Words of a text that refer to provisions or to a document.

    ``document`` is the document's name as printed and ``name_at`` where it starts in the text (a name
    can be longer than its form shows); where no form of a name follows, ``leads_at`` is where a name that
    only the corpus knows may begin. ``here`` says that the text names its own document, ``that`` that
    it means the one named before. ``bare`` marks numbers without a word: they are references only where
    such a provision exists. ``joined`` says that "and" or a comma leads straight to the next mention.
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
    """The words as given, with a capital, and in capitals where no escape would change its meaning."""
    forms: dict[str, None] = {}
    for word in words:
        forms.setdefault(word)
        forms.setdefault(word[0].upper() + word[1:])
        if "\\" not in word and "[" not in word:
            forms.setdefault(word.upper())
    return [spaced(form) for form in forms]
