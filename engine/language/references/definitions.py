"""Names that texts give to documents: 'Financial Services and Markets Regulations 2015 ("FSMR")'."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from engine.language.references.grammar import Definition, Grammar

# An acronym of so many letters is the act's name in other texts too.
SHORTEST_ACRONYM = 3

# "条例", "办法": a kind of act in Chinese, and no name of one.
LONGEST_KIND = 2

_YEAR = re.compile(r"\(?\d{4}\)?")
YEAR_AT_END = re.compile(r",?\s+\(?(\d{4})\)?\Z")

_EXECUTIVE = re.compile(r"اللائحة التنفيذية (?:ل|لل)(نظام|قانون)\s+(.+)")
_OWN_REGULATION = re.compile(r"اللائحة التنفيذية (?:لهذا النظام|للنظام|لهذا القانون|للقانون)")
# "中华人民共和国专利法实施细则": its "法第五条" is Article 5 of 专利法.
_CHINESE_EXECUTIVE = re.compile(r"((?:\w*?)(法|条例))(?:实施细则|实施条例|实施办法|施行细则)\Z")
_GERMAN_EXECUTIVE = re.compile(r"(.+?)-?[Dd]urchführungsverordnung\Z")


class DefinedName(NamedTuple):
    """A name that a text gives to an act; ``everywhere`` says that the short one is a proper name."""

    name: str
    short: str
    everywhere: bool


class NameReader:
    """Reads the names that texts give to documents by a grammar's ``definitions``."""

    def __init__(self, grammar: Grammar) -> None:
        self._forms = [_Form(one) for one in grammar.definitions]

    def names(self, text: str) -> Iterator[DefinedName]:
        """The names a text gives to documents, by form and then in its order."""
        for form in self._forms:
            yield from form.names(text)


class _Form:
    """One way of defining a name, compiled."""

    def __init__(self, definition: Definition) -> None:
        self._signs = definition.signs
        self._pattern = re.compile(definition.form, re.MULTILINE)
        self._act_word = re.compile(definition.act_word) if definition.act_word else None
        self._lead = re.compile(definition.lead)
        self._maker = re.compile(definition.maker)

    def names(self, text: str) -> Iterator[DefinedName]:
        if not any(sign in text for sign in self._signs):
            return
        for match in self._pattern.finditer(text):
            name, short = match["name"].strip(), match["short"].strip()
            if self._act_word and not self._act_word.search(name):
                continue
            acronym = short.isupper() and len(short) >= SHORTEST_ACRONYM
            for variant in self._variants(name, self._act_word) if self._act_word else (name,):
                yield DefinedName(variant, short, acronym)

    def _variants(self, name: str, act_word: re.Pattern[str]) -> Iterator[str]:
        """A name without the words that only lead to it, and without its maker."""
        words = self._lead.split(name)[-1].split()
        last = max((index for index, word in enumerate(words) if act_word.search(word)), default=-1)
        if last == 0:
            # "Code of Market Conduct": the word for the act comes first, the rest belongs to it.
            yield " ".join(words)
            return
        if last < 0:
            return
        dated = last + 1 < len(words) and _YEAR.fullmatch(words[last + 1])
        whole = " ".join(words[: last + 2] if dated else words[: last + 1])
        yield whole
        if maker := self._maker.match(whole):
            yield whole[maker.end() :]


def parent_act(title: str, language: str) -> tuple[str, str] | None:
    """For a regulation made under an act: how its text calls that act, and the act's name."""
    if language.startswith("ar"):
        match = _EXECUTIVE.search(title)
        return (f"ال{match[1]}", f"{match[1]} {match[2]}") if match else None
    if language.startswith("de"):
        match = _GERMAN_EXECUTIVE.match(title)
        return ("Gesetz", f"{match[1]}gesetz") if match else None
    if language.startswith("zh"):
        match = _CHINESE_EXECUTIVE.match(title)
        return (match[2], match[1]) if match else None
    return None


def own_regulation(name: str, title: str, language: str) -> str | None:
    """The name of the executive regulation of an act, where the act's text calls it "of this Act"."""
    if language.startswith("ar") and _OWN_REGULATION.search(name):
        return f"اللائحة التنفيذية ل{title}"
    return None


def same_as(name: str, title: str, language: str) -> bool:
    """Whether a bare kind of act ("the Act", "des Gesetzes", "النظام") can only be the text's own."""
    words = title.split()
    if language.startswith("ar"):
        bare = name.strip().removeprefix("ال")
        return " " not in name.strip() and bool(words) and words[0].removeprefix("ال") == bare
    if len(name.split()) != 1:
        return False
    if language.startswith("zh"):
        return len(name) <= LONGEST_KIND and title.endswith(name)
    if language.startswith("de"):
        stem = re.sub(r"(?:es|s)\Z", "", name).casefold()
        return any(word.casefold().endswith(stem) for word in words)
    return any(word == name for word in words)
