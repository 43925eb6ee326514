# ruff: noqa: E501 (front matter is easier to read in one line)
"""Versions of invented laws in the forms in which countries publish theirs, asked for day by day."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import date
from pathlib import Path

import pytest

from engine.corpus import open_corpus
from engine.corpus.protocol import Corpus
from engine.ingestion.build import add_to_corpus, build_corpus
from engine.investigation import Case
from engine.model import FAMILY
from engine.settings import preset

FUTURE = "2098-01-01"


def norwegian(identifier: str, title: str, day: str, words: str) -> str:
    """Lovdata: the identifier is the day of enactment, the day of the version is that of its last change."""
    return (
        f'---\ntitle: "{title}"\nshort_title: "{title.split()[-1].title()}loven"\nidentifier: "{identifier}"\n'
        f'lang: "nb"\npublication_date: "1930-03-14"\nlast_change_in_force: "{day}"\nstatus: "gjeldende"\n---\n'
        f"# {title}\n\n## § 1.\n\nLoven gjelder for {title.split()[-1]} i riket.\n\n## § 2.\n\nFristen er {words}.\n\n"
        "## § 3.\n\nLoven trer i kraft straks.\n"
    )


def swedish(day: str, words: str) -> str:
    """Riksdagen: no front matter, fields in bold lines, "2 §" in front of lines that are broken."""
    return (
        "# Lag (1931:7) om hamnar\n\n**SFS-nummer:** 1931:7  \n**Typ:** Lag  \n"
        f"**Ikraftträdande:** {day}  \n\n---\n\n## Författningstext\n\n1 §  Denna lag gäller för hamnar i riket.\n\n"
        f"2 §  Den som lägger till i en hamn enligt denna lag\nska anmäla sig inom {words}.\n\n"
        "3 §  Avgiften bestäms av hamnens ägare.\n"
    )


def dutch(day: str, words: str) -> str:
    """The day of the last change differs; those of publication and of entry into force are of the act."""
    return (
        '---\ntitle: "Wet van 3 mei 1931, houdende regels voor havens"\nidentifier: "BWBR0009999"\n'
        f'publication_date: "2012-01-01"\nlast_updated: "{day}"\nentry_into_force: "1931-10-01"\n'
        'toestand_uri: "http://example.org/id/BWBR0009999/2012-01-01/0"\nshort_title: "Havenwet"\n---\n'
        "# Wet van 3 mei 1931, houdende regels voor havens\n\n##### Artikel "
        "1\n\nVervallen\n\n##### Artikel 2\n\n"
        f"{words}\n\n##### Artikel 3\n\nDe bijdrage wordt bepaald door de eigenaar van de haven.\n"
    )


def swiss(day: str, words: str) -> str:
    """Fedlex: articles are bold lines with an italic letter, paragraphs raised figures."""
    return (
        '---\ntitle: "Bundesgesetz über Häfen"\nidentifier: "cc-1931-7"\nentry_into_force: "1932-01-01"\n'
        f'short_title: "HäfG"\napplicability_date: "{day}"\n---\n# Bundesgesetz über Häfen\n\n'
        "## 1. Kapitel: Gegenstand\n\n**Art. 1**\n\nDieses Gesetz regelt die Häfen.\n\n**Art. "
        "2*a*** Frist\n\n"
        f"<sup>1</sup> Wer anlegt, meldet sich an.\n\n<sup>2</sup> Die Frist beträgt {words}.\n"
    )


def spanish(day: str, words: str) -> str:
    return (
        f'---\ntitle: "Ley 7/1991, de 3 de mayo, de puertos"\nidentifier: "BOE-A-1991-7"\nlast_updated: "{day}"\n'
        'status: "repealed"\nrepeal_date: "2099-05-03"\n---\n# Ley 7/1991, de 3 de mayo, de puertos\n\n'
        f"##### Artículo 1. Objeto.\n\nEsta ley regula los puertos.\n\n##### Artículo 2. Plazo.\n\nEl plazo es de {words}.\n"
    )


def polish(day: str, words: str) -> str:
    return (
        '---\ntitle: "Ustawa z dnia 3 maja 1991 r. Prawo portowe"\nidentifier: "DU-1991-7"\n'
        f'last_updated: "{day}"\nvalid_from: "1991-01-01"\n---\n# Ustawa z dnia 3 maja 1991 r. Prawo portowe\n\n'
        "## Rozdział 1. Przepisy ogólne\n\n**Art. 1.**\n\nUstawa dotyczy portów.\n\n**Art. 2.**\n\n"
        f"Termin wynosi {words}.\n\n**Art. 3.**\n\nOpłatę ustala właściciel portu.\n"
    )


FORMS: Mapping[str, tuple[Callable[[str, str], str], str]] = {
    "norwegian": (
        lambda day, words: norwegian("LOV-1930-03-14", "Lov om havner", day, words),
        "Hva sier § 2 i Havnerloven?",
    ),
    "swedish": (swedish, "Vad säger 2 § lagen (1931:7) om hamnar?"),
    "dutch": (dutch, "Wat zegt artikel 2 van de Havenwet?"),
    "swiss": (swiss, "Was sagt Art. 2a Abs. 2 HäfG?"),
    "spanish": (spanish, "¿Qué dice el artículo 2 de la Ley 7/1991?"),
    "polish": (polish, "Co mówi art. 2 Prawo portowe?"),
}
VERSIONS = {"1991-01-01": "11", "2021-07-01": "33", FUTURE: "44"}
# A day, and the words of its version; None: today, "": nothing holds.
ASKED = {"1990-12-31": "", "2021-06-30": "11", "2021-07-01": "33", None: "33", FUTURE: "44"}


def written(form: str, folder: Path) -> None:
    make, _ = FORMS[form]
    for number, (day, words) in enumerate(VERSIONS.items()):
        own = folder / day
        own.mkdir(parents=True)
        name = "law" if form != "swedish" else f"SFS_1931_7_{number}"
        (own / f"{name}.md").write_text(make(day, words), encoding="utf-8")


def told(corpus: Corpus, question: str, day: str | None) -> str:
    settings = preset("quick")
    if day is not None:
        settings = settings.changed(as_of=date.fromisoformat(day))
    case = Case(corpus, question, settings)
    for _ in case.run():
        pass
    found = [ranked.passage for ranked in case.investigation().passages]
    return found[0].text if found else ""


@pytest.mark.parametrize("form", FORMS)
def test_the_text_of_each_day(form: str, tmp_path: Path) -> None:
    written(form, tmp_path / "laws")
    report = build_corpus([tmp_path / "laws"], tmp_path / "corpus", embedding="none")
    assert [str(note) for note in report.problems if "no grammar" not in str(note)] == []
    corpus = open_corpus(tmp_path / "corpus")
    assert len({document.metadata[FAMILY] for document in corpus.documents()}) == 1
    wrong: dict[str | None, str] = {}
    for day, words in ASKED.items():
        text = told(corpus, FORMS[form][1], day)
        if (words not in text) if words else text:
            wrong[day] = text
    assert wrong == {}


@pytest.mark.parametrize("names", [("a.md", "b.md", "c.md"), ("2001/x.md", "2010/x.md", "2098/x.md")])
def test_a_version_that_is_added_later_joins(names: tuple[str, ...], tmp_path: Path) -> None:
    days = dict(zip(names, ("2001-01-01", "2010-03-01", FUTURE), strict=True))
    state = "id: harbour-act\n" if "/" not in names[0] else ""
    for name, day in days.items():
        path = tmp_path / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(_harbour(day, state, f"in_force_from: {day}\n"))
    build_corpus([tmp_path / names[0]], tmp_path / "corpus", embedding="none")
    for name in names[1:]:
        assert add_to_corpus([tmp_path / name], tmp_path / "corpus").problems == ()
    corpus = open_corpus(tmp_path / "corpus")
    assert sorted((str(one.valid_from), str(one.valid_to)) for one in corpus.documents()) == [
        ("2001-01-01", "2010-02-28"),
        ("2010-03-01", "2097-12-31"),
        (FUTURE, "None"),
    ]


def test_what_has_no_day_of_its_own_takes_the_place_of_the_other(tmp_path: Path) -> None:
    (tmp_path / "a.md").write_text(_harbour("old", "id: harbour-act\n", "in_force_from: 2001-01-01\n"))
    (tmp_path / "b.md").write_text(_harbour("new", "id: harbour-act\n", ""))
    build_corpus([tmp_path / "a.md"], tmp_path / "corpus", embedding="none")
    (note,) = add_to_corpus([tmp_path / "b.md"], tmp_path / "corpus").problems
    assert "state the day of each (valid_from)" in str(note)
    assert [one.id for one in open_corpus(tmp_path / "corpus").documents()] == ["harbour-act"]


def _harbour(words: str, state: str, day: str) -> str:
    return (
        f"---\n{state}title: Harbour Act\n{day}---\n# Harbour Act\n\n## Article 1\n\nThis Act governs harbours.\n\n"
        f"## Article 2\n\nThe term is that of {words}.\n"
    )
