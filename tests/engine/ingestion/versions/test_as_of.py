"""The text of a day, from a folder of consolidated versions to the first hit."""

from __future__ import annotations

from collections.abc import Callable
from datetime import date
from pathlib import Path

import pytest

from engine.corpus import open_corpus
from engine.corpus.protocol import Corpus
from engine.ingestion.build import build_corpus
from engine.ingestion.report import IngestionReport
from engine.investigation import Case
from engine.model import FAMILY
from engine.settings import preset
from tests.tables import table

# Older versions have plain lines where the newer ones have headings.
PLAIN: str = table(__file__, "PLAIN")
MARKED = PLAIN.replace("\nArticle", "\n###### Article")
DAYS = {"1990-05-01": 10, "2005-07-01": 20, "2020-01-01": 30, "2199-01-01": 40}
QUESTION = "Que dit l'article L112-1 du Code des ports ?"


def body(day: str) -> str:
    return (PLAIN if day < "2010" else MARKED).format(days=DAYS[day])


def published(folder: Path) -> None:
    for day in DAYS:
        front = f'---\ntitle: "Code des ports"\nidentifier: "LEGI1"\nlast_updated: "{day}"\n---\n'
        (folder / f"LEGI1-{day}.md").write_text(front + body(day), encoding="utf-8")


def bare(folder: Path) -> None:
    for day in DAYS:
        (folder / f"ports_{day.replace('-', '')}.txt").write_text(
            body(day).replace("#", ""), encoding="utf-8"
        )


def in_folders(folder: Path) -> None:
    for day in DAYS:
        (folder / day[:4]).mkdir()
        (folder / day[:4] / "ports.md").write_text(body(day), encoding="utf-8")


def as_pages(folder: Path) -> None:
    for number, day in enumerate(DAYS):
        head = (
            f'<meta property="eli:id_local" content="P-1"><meta property="eli:version_date" content="{day}">'
        )
        lines = (f"<p>{line}</p>" for line in body(day).replace("#", "").split("\n") if line)
        page = f"<html lang=fr><head>{head}</head><body><h1>Code des ports</h1>{''.join(lines)}</body></html>"
        (folder / f"{number}.html").write_text(page, encoding="utf-8")


def built(tmp_path: Path, write: Callable[[Path], None]) -> tuple[IngestionReport, Corpus]:
    (tmp_path / "laws").mkdir()
    write(tmp_path / "laws")
    report = build_corpus([tmp_path / "laws"], tmp_path / "corpus", embedding="none")
    return report, open_corpus(tmp_path / "corpus")


def first(corpus: Corpus, day: date | None, question: str = QUESTION) -> str:
    case = Case(corpus, question, preset("balanced").model_copy(update={"as_of": day}))
    for _ in case.run():
        pass
    passages = case.investigation().passages
    return passages[0].passage.text if passages else ""


@pytest.mark.parametrize("write", [published, bare, in_folders, as_pages])
def test_the_text_of_the_day_is_the_first_hit(tmp_path: Path, write: Callable[[Path], None]) -> None:
    report, corpus = built(tmp_path, write)
    assert report.documents == len(DAYS)
    assert len({document.metadata.get(FAMILY) for document in corpus.documents()}) == 1
    expected = {
        date(1995, 1, 1): "10 jours",
        date(2005, 6, 30): "10 jours" if write is not in_folders else "20 jours",
        date(2010, 3, 1): "20 jours",
        date(2020, 1, 1): "30 jours",
        date(2199, 1, 1): "40 jours",
        None: "30 jours",
    }
    # Plain text has no title but the file's name.
    question = "Que dit l'article L112-1 de ports ?" if write is bare else QUESTION
    for day, words in expected.items():
        assert words in first(corpus, day, question), day


def test_a_number_with_a_star_is_found_in_both_ways_of_printing(tmp_path: Path) -> None:
    _, corpus = built(tmp_path, published)
    question = "Que dit l'article R*112-2 du Code des ports ?"
    for day in (date(1995, 1, 1), date(2021, 1, 1)):
        assert "prolonger" in first(corpus, day, question)


def test_a_field_that_nobody_knows_is_told_and_can_be_mapped(tmp_path: Path) -> None:
    laws = tmp_path / "laws"
    laws.mkdir()
    front = "---\ntitle: Code des ports\nzeitpunkt: 2001-02-03\n---\n"
    (laws / "one.md").write_text(front + body("1990-05-01"), encoding="utf-8")
    report = build_corpus([laws], tmp_path / "corpus", embedding="none")
    (problem,) = report.problems
    assert problem.is_note
    assert "'zeitpunkt' holds a day and is not understood" in problem.reason
    assert "--mapping (document: {valid_from: zeitpunkt})" in problem.reason
    mapping = {"document": {"valid_from": "zeitpunkt"}}
    assert build_corpus([laws], tmp_path / "corpus", embedding="none", mapping=mapping).problems == ()
    assert first(open_corpus(tmp_path / "corpus"), date(2001, 2, 2)) == ""


def test_a_day_that_is_none_and_a_language_without_a_grammar_are_told(tmp_path: Path) -> None:
    laws = tmp_path / "laws"
    laws.mkdir()
    text = "Šā likuma mērķis ir noteikt kārtību, kādā ostas kapteinis piešķir piestātni kuģa īpašniekam."
    (laws / "one.md").write_text(
        f"---\ntitle: Likums\neffective_from: 32.13.2001\n---\n## 5. pants\n{text}\n"
    )
    report = build_corpus([laws], tmp_path / "corpus", embedding="none")
    reasons = [problem.reason for problem in report.problems]
    assert any("effective_from: '32.13.2001' is no day" in reason for reason in reasons)
    assert any("the language 'lv' has no grammar" in reason for reason in reasons)
    assert text in first(open_corpus(tmp_path / "corpus"), None, "ostas kapteinis piestātne")
