"""The tables of a language: the fields of ``words.yaml`` and ``law.yaml``, their meaning and their defaults.

A field that a file leaves out has its default, and so has every field of a language without the file.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Literal, TypeVar

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from engine import bounded_yaml
from engine.errors import SettingsError, YamlError
from engine.languages.room import base_of, file_of, files
from engine.model import SectionKind

WORDS, LAW = "words.yaml", "law.yaml"


class _Table(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class Citing(_Table):
    """How a lawyer cites a provision: "§ 14 Abs. 2 Nr. 3 BGB".

    ``words``: what a kind of provision is called, its English name where nothing is said. ``whole``: the
    form of a citation that has no word in front of its number, with {number}. ``item``: what an item of a
    list is called, where that is not what a paragraph is called. ``paragraph`` and ``further``: the form
    of the first number below a provision and of those below it, with {}; ``together``: all of them stand
    in the form of the first, joined by "/". Where neither is said it is "(2)(a)", with ``lead`` in front.
    ``joined``: how {name} and {label} become one citation, the name first where nothing is said; ``marks``
    are those around a name that it has.
    """

    words: dict[SectionKind, str] = {}
    whole: str = ""
    whole_paragraph: str = ""
    item: str = ""
    paragraph: str = ""
    further: str = ""
    lead: str = ""
    together: bool = False
    joined: str = ""
    marks: str = ""


class Words(_Table):
    """The language itself, as far as every text in it needs it.

    - ``name``: in English.
    - ``long_codes``: its codes of ISO 639-2 (both, where there are two) and common slips.
    - ``priority``: of several languages that a text may as well be in, that of the lowest is believed.
    - ``scripts``: those it is written in, the main one first, by the names of ``engine.language.characters``.
    - ``only_one_of_its_script``: whoever sees the script knows the language.
    - ``without_blanks``: no blanks stand between its words.
    - ``stemmer``: the Snowball algorithm that takes forms of a word together; none where empty.
    - ``lemmas``: words are taken to their dictionary form before they are stemmed: "vertritt" is
      "vertreten" then, which shares its stem with "Vertretung".
    - ``stop_list``: the list of function words that bm25s ships; ``stop_words``: the list itself.
    - ``asking``: words by which a person asks to be shown or told a provision, which no text of law has.
    - ``characters_per_token``: of a language model, measured with ``o200k_base`` and rounded down.
    - ``months``: their names, January first, each with its other spellings; ``short_months``: three or
      four letters of them and the number of the month.
    - ``short_words``: what words of names are shortened to, without the point: "Cal. Civ. Code".
    - ``time_units``: words for a day, week, month and year.
    - ``yes``, ``no``: what answers a question.
    - ``decimal_comma``: "1.500,25", where others print "1,500.25".
    - ``numbers_by_library``: numbers in words are read by text2num.
    - ``verb_last``: the verb ends its clause, and a negation stands behind what it denies.
    - ``nouns_in_capitals``: a capital letter does not make a name.
    - ``compounds``: nouns are written as one word with what specifies them ("Kündigungsfrist").
    - ``levels``: the words for a kind of provision in labels; ``bare_number``: the kind that a bare number
      counts; ``article``: what an article is called where a source gives only its number.
    - ``heading_levels``: more words for a kind of provision that headings have; ``unnumbered``: headings
      that need no number.
    - ``explanations``: headings and titles of what explains the provisions of a text, as regular expressions;
      ``explains``: what such a heading puts in front of the provision that it explains ("Zu § 5").
    - ``ordinals``: the words for first, second and so on, each with its other forms, by which headings and
      references count; ``only``: what stands there where nothing is to be counted ("Artículo único").
    - ``named_provisions``: provisions on the level of an article that have a name of two words and a number
      of their own: "disposición adicional primera". The second word is part of the number.
    - ``citing``: see ``Citing``.
    - ``article_numbers``: how articles are numbered where that is not by plain digits: "han" in Chinese
      numerals, "french" in series ("L. 110-1").
    - ``month_first``: "05/03/2021" may be the third of May.
    - ``rule_words``: words of duty, permission, condition and exception, which tell dense rules from prose.
    - ``eu_acts``: regular expressions of the words for acts of the European Union, by the letter that
      CELEX gives the kind, longer words first: a framework decision is not a decision.
    """

    name: str = ""
    long_codes: tuple[str, ...] = ()
    priority: int = 100
    scripts: tuple[str, ...] = ("latin",)
    only_one_of_its_script: bool = False
    without_blanks: bool = False
    stemmer: str = ""
    lemmas: bool = False
    stop_list: str = ""
    stop_words: tuple[str, ...] = ()
    asking: tuple[str, ...] = ()
    characters_per_token: float = 2.9
    months: tuple[tuple[str, ...], ...] = ()
    short_months: dict[str, int] = {}
    short_words: dict[str, str] = {}
    time_units: dict[Literal["day", "week", "month", "year"], tuple[str, ...]] = {}
    yes: tuple[str, ...] = ()
    no: tuple[str, ...] = ()
    decimal_comma: bool = False
    numbers_by_library: bool = False
    verb_last: bool = False
    nouns_in_capitals: bool = False
    compounds: bool = False
    levels: dict[SectionKind, tuple[str, ...]] = {}
    heading_levels: dict[SectionKind, tuple[str, ...]] = {}
    unnumbered: dict[SectionKind, tuple[str, ...]] = {}
    explanations: tuple[str, ...] = ()
    explains: tuple[str, ...] = ()
    ordinals: tuple[tuple[str, ...], ...] = ()
    only: tuple[str, ...] = ()
    named_provisions: tuple[str, ...] = ()
    bare_number: SectionKind | None = None
    article: str = "Article"
    citing: Citing = Citing()
    article_numbers: Literal["", "han", "french"] = ""
    month_first: bool = False
    rule_words: tuple[str, ...] = ()
    eu_acts: dict[Literal["F", "R", "L", "D", "H"], str] = {}


class Validity(_Table):
    """From when to when a text holds: the words of commencement, application and end.

    A pattern is a regular expression in which a blank stands for any white space, and {begin} is the
    beginning of a sentence, behind the number of a paragraph if it has one; {self} is how a text speaks of
    itself (``itself``); {some} is provisions by number (``some``); {date} is a whole date; {days} is a
    number of days, in digits or as one of the words in ``ordinals``. The group "published" marks days
    counted from the publication, "next" the day after it, "until" an end of which the day named is the
    last one and not the first without. ``hint`` are small letters of which some stand in every such
    clause; ``publication`` are those of every clause that counts its days from there.
    """

    hint: tuple[str, ...]
    publication: tuple[str, ...]
    itself: str
    some: str
    commences: tuple[str, ...]
    ceases: tuple[str, ...]
    applies: tuple[str, ...] = ()
    ordinals: dict[str, int] = {}


class Amendments(_Table):
    """How a text changes the words of another: "for the words “14 days” substitute “21 days”".

    A form is a regular expression in which a blank stands for any white space; {old} and {new} are quoted
    words with what announces them (``words``: "the words"), {gap} is what else may stand between. In forms of
    ``after`` and ``before`` the new words are put after or before the old ones; behind one of ``rewritten``
    stands the text that takes the place of a whole provision. ``hint`` are letters of which some stand in
    every form, ``plain`` of those in which quantities stand without marks. ``bracketed`` announces words that
    round brackets quote. ``everywhere``: the change is made wherever the old words occur. ``history``: what
    stands in front of a reference to an earlier amendment ("as amended by"). ``parts``: words for parts of a
    provision that have no number ("the second sentence"). ``titles``: what the title of a text that amends
    another one has. ``applied``: what says that words are only read so where a text is applied to another
    case ("applies with the following modifications").
    """

    hint: tuple[str, ...]
    plain: tuple[str, ...] = ()
    words: str = r"(?!)"
    replaced: tuple[str, ...] = ()
    deleted: tuple[str, ...] = ()
    after: tuple[str, ...] = ()
    before: tuple[str, ...] = ()
    rewritten: tuple[str, ...] = ()
    bracketed: str = ""
    everywhere: str = r"(?!)"
    history: str = r"(?!)"
    parts: str = r"(?!)"
    titles: str = r"(?!)"
    applied: str = r"(?!)"


class Definitions(_Table):
    """How a language defines: the headings of definitions, and the words that follow a defined term.

    ``terms``: headings of a section or a column of a table, which is of definitions if that is all of it.
    ``around``: what defines the term that stands in it for "..." ("on entend par ...", "als ... gilt").
    ``called``: what says that a word is a term ("the term"). ``joins``: what joins two defined terms.
    ``in_brackets``: a term in brackets follows what it means; elsewhere brackets hold all sorts of things.
    ``by_colon``: at the beginning of an item a term is defined by the colon behind it.
    """

    headings: tuple[str, ...] = Field(min_length=1)
    verbs: tuple[str, ...] = ()
    terms: tuple[str, ...] = ()
    around: tuple[str, ...] = ()
    called: tuple[str, ...] = ()
    joins: tuple[str, ...] = ()
    in_brackets: bool = False
    by_colon: bool = False


class FrontPage(_Table):
    """What the first page of an act says of it, as regular expressions; a blank is any white space.

    ``acts``: how a title or a line names its act, with the groups type, number, year and day. ``issuers``,
    ``versions``, ``enacted``, ``published``: on the page, or anywhere in the text for days that stand at its
    end, with the groups issuer, version and day. {date}, {number} and {year} stand for such.
    """

    acts: tuple[str, ...]
    issuers: tuple[str, ...] = ()
    versions: tuple[str, ...] = ()
    enacted: tuple[str, ...] = ()
    published: tuple[str, ...] = ()


class Law(_Table):
    """How the law of a language speaks; None or empty where nobody has written it down.

    - ``validity``, ``amendments``, ``definitions``, ``front_page``: see there.
    - ``short_titles``: how a title begins with the name by which other texts call the act, as regular
      expressions: "Ley 39/2015" is one for itself; with the groups ``kind`` and ``about`` it is the two of
      them ("Ley del Procedimiento Administrativo"); with ``kind``, ``number`` and ``year`` it is in the forms
      of Italy ("Legge n. 241 del 1990").
    - ``wanted``: what kind of answer a question asks for, by its words, as regular expressions: a period or
      a date (``time``; a ``deadline`` by none that begins "at least"; ``when`` by a condition too), a sum
      (``money``), a number (``count``), a ``penalty``, a place or an authority (``where``), a permission or
      a duty (``whether``), who does it (``who``). ``measure`` are words that only ask, and that no answer
      repeats.
    - ``given``: words that give such an answer where no quantity does: "without delay" is a ``period``;
      what is ``void`` tells what follows from a breach.
    - ``heads``: nouns of headings under which such an answer stands ("Time limits").
    - ``points_back``: how a sentence begins that needs the one before it, a regular expression.
    - ``departs``: how a sentence begins that makes an exception or is for a special case, a regular
      expression.
    - ``binds``: words of negation, duty, permission, condition, exception and number, "and" and "or", as a
      regular expression; for a language without ``statements.yaml``.
    - ``transactions``: words of headings that name a procedure, a contract or an application.
    - ``frame``: words of headings that say where in a document one is, not what it is about.
    """

    validity: Validity | None = None
    amendments: Amendments | None = None
    definitions: Definitions | None = None
    front_page: FrontPage | None = None
    short_titles: tuple[str, ...] = ()
    wanted: dict[
        Literal[
            "measure", "time", "deadline", "when", "money", "count", "penalty", "where", "whether", "who"
        ],
        tuple[str, ...],
    ] = {}
    given: dict[Literal["period", "penalty", "where", "void"], tuple[str, ...]] = {}
    heads: dict[Literal["period", "amount", "penalty", "where"], tuple[str, ...]] = {}
    points_back: str = ""
    departs: str = ""
    binds: str = ""
    transactions: tuple[str, ...] = ()
    frame: tuple[str, ...] = ()


_T = TypeVar("_T", bound=_Table)
_NO_WORDS, _NO_LAW = Words(), Law()


@cache
def all_words() -> Mapping[str, Words]:
    """The words of every language that has a folder, by its code.

    Raises:
        SettingsError: a file is wrong; it says which field.
    """
    return {path.parent.name: _read(path, Words) for path in files(WORDS)}


def words(language: str) -> Words:
    """The words of a language, by its code (ISO 639-1, region ignored)."""
    return all_words().get(base_of(language), _NO_WORDS)


@cache
def law(language: str) -> Law:
    """How the law of a language speaks, by its code (ISO 639-1, region ignored).

    Raises:
        SettingsError: the file is wrong; it says which field.
    """
    path = file_of(base_of(language), LAW)
    return _NO_LAW if path is None else _read(path, Law)


def _read(path: Path, table: type[_T]) -> _T:
    name = f"{path.parent.name}/{path.name}"
    try:
        return table.model_validate(bounded_yaml.load(path.read_bytes()))
    except (OSError, YamlError) as error:
        raise SettingsError(f"{name}: cannot be read ({error})") from error
    except ValidationError as error:
        first = error.errors()[0]
        field = ".".join(str(part) for part in first["loc"])
        raise SettingsError(f"{name}: {field}: {first['msg']}") from error
