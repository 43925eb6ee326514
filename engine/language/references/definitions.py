"""Names that texts give to documents: 'Financial Services and Markets Regulations 2015 ("FSMR")'."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

_OPEN, _CLOSE = "[\"“”'‘’„«]", "[\"“”'’‘“»]"
_LAW = r"(?:Regulations?|Rules|Rulebook|Act|Law|Code|Manual|Guidance|Guidelines|Order|Directive|Principles)"
_NAMED = re.compile(
    rf"(?P<name>(?:[A-Z][\w'’&/-]*|\(?\d{{4}}\)?)(?:[\s,]+(?:and|of|the|for|on|in|[A-Z][\w'’&/-]*|\(?\d{{4}}\)?)){{0,12}})"
    rf"[,:]?['’]?\s*[(\[]\s*(?:the\s+|together,?\s+the\s+)?(?:{_OPEN}(?P<quoted>[A-Z][^\"”’'()]{{1,60}}?){_CLOSE}|(?P<plain>[A-Z]{{2,8}}))\s*[)\]]"
)
_LAW_WORD = re.compile(rf"\b{_LAW}\b")
_ARABIC_TERM = re.compile(r"(?m)^\s*(?:\d+\s*-\s*)?(النظام|اللائحة|القانون|التنظيم)\s*:\s*([^\n.؛]{4,120})")
_EXECUTIVE = re.compile(r"اللائحة التنفيذية (?:ل|لل)(نظام|قانون)\s+(.+)")
# "FSRA Conduct of Business Rulebook": who made it does not belong to its name.
_MAKER = re.compile(r"[A-Z]{3,8}(?:[’']s)?\s+(?=\S+\s)")
_OWN_REGULATION = re.compile(r"اللائحة التنفيذية (?:لهذا النظام|للنظام|لهذا القانون|للقانون)")
_GERMAN_EXECUTIVE = re.compile(r"(.+?)-?[Dd]urchführungsverordnung\Z")


class DefinedName(NamedTuple):
    """A name that a text gives to an act; ``everywhere`` says that the short one is a proper name."""

    name: str
    short: str
    everywhere: bool


def defined_names(text: str, language: str) -> Iterator[DefinedName]:
    """The names a text gives to documents, in its order."""
    if language.startswith("ar"):
        for match in _ARABIC_TERM.finditer(text):
            yield DefinedName(match[2].strip(), match[1], False)
        return
    if not language.startswith("en") or "(" not in text:
        return
    for match in _NAMED.finditer(text):
        name, short = match["name"], (match["quoted"] or match["plain"]).strip()
        if not _LAW_WORD.search(name):
            continue
        acronym = short.isupper() and len(short) >= 3
        if match["plain"] and not acronym:
            continue
        for variant in _variants(name):
            yield DefinedName(variant, short, acronym)


def _variants(name: str) -> Iterator[str]:
    """A name without the words that only lead to it, and without its year."""
    words = re.split(r"(?:^|\s)(?:The|Means|Under|See|In)\s", name)[-1].split()
    last = max((index for index, word in enumerate(words) if _LAW_WORD.search(word)), default=-1)
    if last == 0:
        # "Code of Market Conduct": the word for the act comes first, the rest belongs to it.
        yield " ".join(words)
        return
    if last < 0:
        return
    tail = (
        words[: last + 2]
        if last + 1 < len(words) and re.fullmatch(r"\(?\d{4}\)?", words[last + 1])
        else words[: last + 1]
    )
    yield " ".join(tail)
    plain = " ".join(words[: last + 1])
    yield plain
    if maker := _MAKER.match(plain):
        yield plain[maker.end() :]


def parent_act(title: str, language: str) -> tuple[str, str] | None:
    """For a regulation made under an act: how its text calls that act, and the act's name."""
    if language.startswith("ar"):
        match = _EXECUTIVE.search(title)
        return (f"ال{match[1]}", f"{match[1]} {match[2]}") if match else None
    if language.startswith("de"):
        match = _GERMAN_EXECUTIVE.match(title)
        return ("Gesetz", f"{match[1]}gesetz") if match else None
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
    if language.startswith("de"):
        stem = re.sub(r"(?:es|s)\Z", "", name).casefold()
        return any(word.casefold().endswith(stem) for word in words)
    return any(word == name for word in words)
