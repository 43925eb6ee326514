"""What changed between two days, in three languages: versions, amendments, other numbers."""

from __future__ import annotations

import json
from datetime import date
from itertools import pairwise

import pytest

from engine.answers.changes import find_changes
from engine.answers.export import outdated_line
from engine.answers.outdated_references import find_outdated_references
from engine.answers.record import Change, Changes
from engine.cli.main import main
from engine.corpus import open_corpus
from engine.corpus.protocol import Corpus
from engine.errors import InputError
from engine.ingestion.build import build_corpus
from engine.language.word_diff import diff_words
from tests.tables import table

FIRST, LAST = date(2018, 6, 1), date(2024, 6, 1)
MARKS = {"same": "{}", "old": "[{}]", "new": "{{{}}}"}


@pytest.fixture(scope="module")
def corpora(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Corpus]:
    found = {}
    for name, files in table(__file__, "CORPORA").items():
        folder = tmp_path_factory.mktemp(name)
        for file, text in files.items():
            (folder / file).write_text(text, encoding="utf-8")
        build_corpus([folder], folder / "corpus", embedding="none")
        found[name] = open_corpus(folder / "corpus")
    return found


def marked(change: Change) -> str:
    return " ".join("".join(MARKS[run.kind].format(run.text) for run in part.runs) for part in change.parts)


def test_each_change_has_both_wordings_its_day_and_its_amending_text(
    corpora: dict[str, Corpus], subtests: pytest.Subtests
) -> None:
    found = {
        (name, one.document, one.provision): one
        for name, corpus in corpora.items()
        for one in find_changes(corpus, FIRST, LAST).changes
    }
    for name, kind, document, provision, days, words, by in table(__file__, "CHANGES"):
        with subtests.test(name=name, provision=provision):
            one = found[name, document, provision]
            assert (one.kind, [str(day) for day in one.days], marked(one)) == (kind, days, words)
            assert "; ".join(act.citation for act in one.by) == by
    assert {one.provision for (name, _, _), one in found.items() if name == "de"} == {
        "§ 2",
        "§ 3",
        "§ 4",
        "§ 6",
    }


def test_references_to_law_that_is_outdated_name_the_successor(
    corpora: dict[str, Corpus], subtests: pytest.Subtests
) -> None:
    found = {
        (name, one.words): one
        for name, corpus in corpora.items()
        for one in find_outdated_references(corpus, LAST).references
    }
    for name, kind, words, target, successor in table(__file__, "OUTDATED"):
        with subtests.test(name=name, words=words):
            one = found.pop((name, words))
            assert (one.kind, one.target, one.successor) == (kind, target, successor)
            assert one.text[one.span.start : one.span.end] == words
            assert words in outdated_line(one)
    assert not found


def test_only_the_document_and_the_provisions_asked_for(corpora: dict[str, Corpus]) -> None:
    def found(**given: str) -> Changes:
        return find_changes(corpora["en"], FIRST, LAST, **given)

    assert {one.document for one in found(document="Harbour Dues Act").changes} == {"port-act"}
    about = found(question="Who takes a pilot?")
    assert about.changes[0].provision == "Section 4"
    assert about.others > 0
    with pytest.raises(InputError, match="no document 'Nowhere Act'"):
        found(document="Nowhere Act")
    with pytest.raises(InputError, match="must be before"):
        find_changes(corpora["en"], LAST, FIRST)
    assert not find_changes(corpora["en"], date(2012, 1, 1), date(2013, 1, 1)).changes


def test_the_sample_on_two_days(meridia: Corpus) -> None:
    found = find_changes(meridia, date(2022, 1, 1), LAST, document="commercial-agency-code")
    assert [one.provision for one in found.changes] == ["Article 22", "Article 22a"]
    assert [act.citation for one in found.changes for act in one.by] == [
        "Amendment Act 2023 Article 2(1)",
        "Amendment Act 2023 Article 3",
    ]


def test_the_command_line_shows_the_words(
    corpora: dict[str, Corpus], capsys: pytest.CaptureFixture[str]
) -> None:
    given = ["--corpus", str(corpora["de"].folder)]
    assert main(["changes", *given, "--from", "2018-06-01"]) == 0
    assert "[-vier-]{+zwei+} Wochen" in capsys.readouterr().out
    assert main(["outdated-references", *given, "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["total"] == 3
    assert main(["changes", *given]) == 2
    assert "--from 2022-01-01" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("old", "new", "language"),
    [
        ("a b, c and d", "a x, c or d", "en"),
        ("", "new words", "en"),
        ("removed  words", "", "de"),
        ("第三条 期限为三十日", "第三条 期限为六十日", "zh"),
        ("within\n14 days", "within 21 days", "en"),
    ],
)
def test_the_runs_are_both_wordings(old: str, new: str, language: str) -> None:
    runs = diff_words(old, new, language)
    assert "".join(run.text for run in runs if run.kind != "old") == new
    assert "".join(run.text for run in runs if run.kind != "new").split() == old.split()
    assert all(one.kind != other.kind for one, other in pairwise(runs))
