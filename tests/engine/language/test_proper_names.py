from __future__ import annotations

import re
from pathlib import Path

import pytest

import engine
from engine.language.entities import proper_names, title_name


def names(text: str, language: str = "en") -> list[str]:
    return [name for name, _ in proper_names(text, language)]


@pytest.mark.parametrize(
    ("text", "language", "expected"),
    [
        ("He met Andy Murray in London.", "en", ["Andy Murray", "London"]),
        # Words that lead to a name are none of it.
        ("In Paris, however, it rained.", "en", ["Paris"]),
        ("However Obama spoke. The Beatles sang.", "en", ["Obama", "Beatles"]),
        ("as Mr. Smith and Dr. Who said", "en", ["Smith"]),
        # A word that begins a sentence may be any word.
        ("Police came. Nobody saw it.", "en", []),
        ("by J. K. Rowling and John F. Kennedy", "en", ["J. K. Rowling", "John F. Kennedy"]),
        ("the film Apollo 13 of 1995", "en", ["Apollo 13"]),
        ("the University of the Arts", "en", ["University of the Arts"]),
        ("published by Simon & Schuster", "en", ["Simon & Schuster"]),
        ("with Ludwig van Beethoven's friend O'Neill", "en", ["Ludwig van Beethoven", "O'Neill"]),
        ("the Oscar-winning Jean-Luc Picard", "en", ["Oscar", "Jean-Luc Picard"]),
        ("during World War I. It ended", "en", ["World War I"]),
        # Days and places in a text name nothing.
        ("on 5 January 2010 and on Monday", "en", []),
        ("on 5 January 2010 John Smith came", "en", ["John Smith"]),
        ("under Rule 3 of Chapter 4 and Part 2", "en", []),
        # Acronyms and headings in capitals are not for here.
        ("the BBC and the NATO", "en", []),
        ("THE WHOLE LINE IS SHOUTED", "en", []),
        ("le roi Louis XIV visita Paris", "fr", ["Louis XIV", "Paris"]),
        ("nació en Buenos Aires, hijo de Juan de la Cruz", "es", ["Buenos Aires", "Juan de la Cruz"]),
        ("il regista Vittorio De Sica di Roma", "it", ["Vittorio De Sica di Roma"]),
        ("затем Владимир Путин приехал в Москву", "ru", ["Владимир Путин", "Москву"]),
        ("jest Łódź i Żywiec", "pl", ["Łódź", "Żywiec"]),
        # Every noun has a capital, or none has.
        ("das Haus von Peter Müller", "de", []),
        ("das Haus von Peter Müller", "de-AT", []),
        ("بواسطة هيئة السوق المالية", "ar", []),
        ("北京市人民政府", "zh", []),
    ],
)  # fmt: skip
def test_names_of_a_text(text: str, language: str, expected: list[str]) -> None:
    assert names(text, language) == expected


@pytest.mark.parametrize(
    ("title", "expected"),
    [
        ("Pulse (1988 film)", "Pulse"),
        ("Companies Regulations 2020", "Companies Regulations 2020"),
        ("The Ring", "The Ring"),
        ("MARKET RULES", "Market Rules"),
    ],
)
def test_what_a_title_names(title: str, expected: str) -> None:
    assert title_name(title) == expected


def test_no_group_is_possessive() -> None:
    possessive = re.compile(r"\)(?:[*+?]|\{\d*,?\d*\})\+|\(\?>")
    root = Path(engine.__file__ or "").parent
    sources = [path for suffix in ("py", "yaml") for path in root.rglob(f"*.{suffix}")]
    assert len(sources) > 100
    found = [path.name for path in sources if possessive.search(path.read_text(encoding="utf-8"))]
    assert found == []
