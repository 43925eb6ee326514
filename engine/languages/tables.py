"""Tables of a language: the fields of ``words.yaml``, ``law.yaml`` and ``entities.yaml``.

A missing field or file gives the defaults.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Literal, TypeVar

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from engine import bounded
from engine.errors import SettingsError, YamlError
from engine.model import SectionKind

# Folders and files of the languages.

# Resolved, because workers see the program through a symbolic link.
FOLDER = Path(__file__).resolve().parent


@cache
def codes() -> tuple[str, ...]:
    """Return the ISO 639-1 codes of languages with a folder, in alphabetical order."""
    return tuple(sorted({path.parent.name for path in FOLDER.glob("*/*.yaml")}))


def base_of(language: str) -> str:
    """Return the code of a language without its region: "de" for "de-AT"."""
    return language.split("-")[0].lower()


def file_of(language: str, name: str) -> Path | None:
    """Return the path of a file in a language's folder; None if missing."""
    # The code may come from a text: only names of folders become part of a path.
    if language not in codes():
        return None
    path = FOLDER / language / name
    return path if path.is_file() else None


@cache
def files(name: str) -> tuple[Path, ...]:
    """Return the files of a name in all folders, in the order of the codes."""
    found = (file_of(code, name) for code in codes())
    return tuple(path for path in found if path is not None)


WORDS, LAW, ENTITIES = "words.yaml", "law.yaml", "entities.yaml"


class _Table(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class Citing(_Table):
    """Citations of provisions in legal style: "§ 14 Abs. 2 Nr. 3 BGB".

    - ``words``: names of the kinds of provision; default: the English name.
    - ``whole``: form of a citation without a word before its number, with {number}.
    - ``item``: name of an item of a list, if it differs from that of a paragraph.
    - ``paragraph``, ``further``: forms of the first number below a provision and of further ones, with {};
      ``together``: all of them use the first form, joined by "/". Default: "(2)(a)", with ``lead`` before it.
    - ``joined``: how {name} and {label} form a citation; default: the name first. ``marks``: around the name.
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
    """Words and properties of a language.

    - ``name``: in English.
    - ``long_codes``: ISO 639-2 codes (both, if there are two) and common errors.
    - ``priority``: of several possible languages of a text, the one with the lowest number is chosen.
    - ``scripts``: main script first, by the names of ``engine.language.characters``.
    - ``only_one_of_its_script``: the script identifies the language.
    - ``without_blanks``: words are not separated by spaces.
    - ``stemmer``: Snowball algorithm; empty for none.
    - ``lemmas``: words are lemmatised before stemming: "vertritt" becomes "vertreten", which shares its stem
      with "Vertretung".
    - ``stop_list``: name of a list of function words in bm25s; ``stop_words``: the list itself.
    - ``asking``: words of requests ("show", "explain") that do not occur in law.
    - ``characters_per_token``: of a language model, measured with ``o200k_base`` and rounded down.
    - ``months``: names, January first, each with its spelling variants; ``short_months``: abbreviations of
      three or four letters and the number of the month.
    - ``short_words``: abbreviations in names, without the full stop: "Cal. Civ. Code".
    - ``time_units``: words for day, week, month and year.
    - ``yes``, ``no``: answers to a question.
    - ``decimal_comma``: "1.500,25" instead of "1,500.25".
    - ``numbers_by_library``: numbers in words are read by text2num.
    - ``nouns_in_capitals``: a capital letter does not mark a name.
    - ``compounds``: compound nouns are one word ("Kündigungsfrist").
    - ``levels``: words for kinds of provision in labels; ``bare_number``: kind of a bare number; ``article``:
      word for an article if a source gives only its number.
    - ``heading_levels``: additional words for kinds of provision in headings; ``unnumbered``: headings
      without a number.
    - ``explanations``: headings and titles of explanations, as regular expressions; ``explains``: text before
      the explained provision in such a heading ("Zu § 5").
    - ``ordinals``: words for first, second and so on, each with its other forms, in headings and references;
      ``only``: word for a single, unnumbered provision ("Artículo único").
    - ``named_provisions``: provisions on the level of an article with a name of two words and their own
      numbers: "disposición adicional primera". The second word is part of the number.
    - ``citing``: see ``Citing``.
    - ``article_numbers``: numbering of articles if not by plain digits: "han" for Chinese numerals, "french"
      for series ("L. 110-1").
    - ``month_first``: "05/03/2021" may be 3 May.
    - ``rule_words``: words of duty, permission, condition and exception, which distinguish rules from prose.
    - ``eu_acts``: regular expressions of the words for EU acts by their CELEX letter, longer words first: a
      framework decision is not a decision.
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
    """Period of validity: expressions of commencement, application and end.

    Patterns are regular expressions in which a space matches any white space. {begin}: the start of a
    sentence, after the number of a paragraph if there is one. {self}: the text's name for itself
    (``itself``). {some}: provisions by number (``some``). {date}: a complete date. {days}: a number of days,
    in digits or as a word of ``ordinals``. Group "published": days counted from publication; "next": the day
    after; "until": the named day is the last day in force, not the first day after. ``hint``: lower-case
    substrings, one of which is in every such clause; ``publication``: the same for clauses that count days
    from publication.
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
    """Expressions for amendments of a text: "for the words “14 days” substitute “21 days”".

    Forms are regular expressions in which a space matches any white space. {old}, {new}: quoted words with
    their
    introduction (``words``: "the words"); {gap}: other text between them. ``after``, ``before``: the new
    words are
    inserted after or before the old ones. ``rewritten``: followed by the new text of a whole provision.
    ``hint``:
    substrings, one of which is in every form; ``plain``: the same for forms with unquoted quantities.
    ``bracketed``: introduces words in round brackets. ``everywhere``: the change applies to all occurrences.
    ``history``: precedes a reference to an earlier amendment ("as amended by"). ``parts``: parts of a
    provision
    without a number ("the second sentence"). ``titles``: marks titles of amending texts. ``applied``: the
    words are
    read differently only when a text is applied to another case ("applies with the following modifications").
    ``position`` before a reference and ``inserted`` after it: a new provision is inserted next to it.
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
    position: str = r"(?!)"
    inserted: str = r"(?!)"


class Definitions(_Table):
    """Definitions: headings of definitions, and words that follow a defined term.

    ``terms``: headings of a section or a table column that contains only definitions. ``around``: defines the
    term
    in place of "..." ("on entend par ...", "als ... gilt"). ``called``: introduces a term ("the term").
    ``joins``:
    joins two defined terms. ``in_brackets``: a term in brackets follows its meaning; in other languages
    brackets
    contain other text. ``by_colon``: at the start of an item a colon defines the term before it.
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
    """Expressions on the first page of an act, as regular expressions; a space matches any white space.

    ``acts``: how a title or a line names its act, with the groups type, number, year and day. ``issuers``,
    ``versions``, ``enacted``, ``published``: on the first page, or anywhere for dates at the end of the text,
    with the groups issuer, version and day. {date}, {number} and {year} are replaced by their patterns.
    """

    acts: tuple[str, ...]
    issuers: tuple[str, ...] = ()
    versions: tuple[str, ...] = ()
    enacted: tuple[str, ...] = ()
    published: tuple[str, ...] = ()


class Law(_Table):
    """Expressions of the law in a language; None or empty if not available.

    - ``validity``, ``amendments``, ``definitions``, ``front_page``: see these classes.
    - ``acts_abroad``: form of a name of an act in texts of other languages: "section 4 of the Hafenordnung".
    - ``short_titles``: regular expressions for the short name at the start of a title: "Ley 39/2015" as a
      whole; with the groups ``kind`` and ``about`` their combination ("Ley del Procedimiento
      Administrativo"); with ``kind``, ``number`` and ``year`` the Italian forms ("Legge n. 241 del 1990").
    - ``wanted``: the kind of answer that a question asks for, as regular expressions: a period or date
      (``time``; ``deadline`` excludes those that begin "at least"; ``when`` includes conditions), a sum
      (``money``), a number (``count``), a ``frequency``, a ``penalty``, a place or authority (``where``), a
      permission or duty (``whether``), a person (``who``), a ``consequence``. ``must`` and ``may``: the
      question is about a duty or a permission. ``measure``: words that only ask and do not occur in answers.
    - ``given``: words that give such an answer without a quantity: "without delay" is a ``period``; ``void``
      gives the consequence of a breach; ``must`` and ``may`` for languages without ``statements.yaml``.
    - ``heads``: nouns of headings above such answers ("Time limits").
    - ``points_back``: start of a sentence that needs the previous one, a regular expression.
    - ``departs``: start of a sentence with an exception or a special case, a regular expression.
    - ``binds``: words of negation, duty, permission, condition, exception and number, "and" and "or", as a
      regular expression; for languages without ``statements.yaml``.
    - ``transactions``: words of headings for a procedure, a contract or an application.
    - ``frame``: words of headings about the position in a document, not about its subject.
    """

    validity: Validity | None = None
    amendments: Amendments | None = None
    definitions: Definitions | None = None
    front_page: FrontPage | None = None
    short_titles: tuple[str, ...] = ()
    acts_abroad: str = ""
    wanted: dict[
        Literal[
            "measure",
            "time",
            "deadline",
            "frequency",
            "when",
            "money",
            "count",
            "penalty",
            "where",
            "whether",
            "who",
            "consequence",
            "must",
            "may",
        ],
        tuple[str, ...],
    ] = {}
    given: dict[
        Literal["period", "frequency", "penalty", "where", "void", "must", "may"], tuple[str, ...]
    ] = {}
    heads: dict[Literal["period", "amount", "penalty", "where"], tuple[str, ...]] = {}
    points_back: str = ""
    departs: str = ""
    binds: str = ""
    transactions: tuple[str, ...] = ()
    frame: tuple[str, ...] = ()


class EntityWords(_Table):
    """Words about named things: kinds of ``documents``, ``labels`` of numbered positions, and how contracts
    assign roles: ``leads`` and ``articles`` before the role, ``tails`` after it."""

    documents: frozenset[str] = frozenset()
    labels: frozenset[str] = frozenset()
    leads: tuple[str, ...] = ()
    articles: tuple[str, ...] = ()
    tails: tuple[str, ...] = ()


_T = TypeVar("_T", bound=_Table)
_NO_WORDS, _NO_LAW, _NO_ENTITIES = Words(), Law(), EntityWords()


@cache
def all_words() -> Mapping[str, Words]:
    """Load the words of every language with a folder, by code.

    Raises:
        SettingsError: a file is invalid; the message names the field.
    """
    return {path.parent.name: _read(path, Words) for path in files(WORDS)}


def words(language: str) -> Words:
    """Return the words of a language by its code (ISO 639-1, region ignored)."""
    return all_words().get(base_of(language), _NO_WORDS)


@cache
def law(language: str) -> Law:
    """Load the legal expressions of a language by its code (ISO 639-1, region ignored).

    Raises:
        SettingsError: the file is invalid; the message names the field.
    """
    path = file_of(base_of(language), LAW)
    return _NO_LAW if path is None else _read(path, Law)


@cache
def entity_words(language: str) -> EntityWords:
    """Load the words about named things of a language. Raises as ``law``."""
    path = file_of(base_of(language), ENTITIES)
    return _NO_ENTITIES if path is None else _read(path, EntityWords)


def _read(path: Path, table: type[_T]) -> _T:
    name = f"{path.parent.name}/{path.name}"
    try:
        return table.model_validate(bounded.load_yaml(path.read_bytes()))
    except (OSError, YamlError) as error:
        raise SettingsError(f"{name}: cannot be read ({error})") from error
    except ValidationError as error:
        first = error.errors()[0]
        field = ".".join(str(part) for part in first["loc"])
        raise SettingsError(f"{name}: {field}: {first['msg']}") from error
