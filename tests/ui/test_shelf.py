from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from engine.corpus import address_of
from engine.errors import CorpusError, InputError, ResourceError
from engine.ingestion.build import build_corpus
from engine.operator_settings import OperatorSettings
from ui.investigate.sidebar import SHOWN_CHIPS, chips_html
from ui.shelf import Example, Library, checked_name, open_library

ANNA, BORIS = "a" * 32, "b" * 32


def make(folder: Path, name: str, text: str = "Article 1\n\nA manager may grant powers.\n") -> Path:
    source = folder.parent / f"{folder.name}.txt"
    source.parent.mkdir(parents=True, exist_ok=True)
    source.write_text(text, encoding="utf-8")
    build_corpus([source], folder, name=name, embedding="none")
    return folder


@pytest.fixture
def home(tmp_path: Path, corpus_folder: Path) -> Library:
    return open_library([corpus_folder], tmp_path / "home")


def test_the_first_corpus_is_the_default(library: Library) -> None:
    assert library.names() == ["Small"]
    assert library.corpus(None) is library.corpus("") is library.corpus("Small")
    assert "Small · 1 documents · 4 passages · en" in library.facts(None)


def test_an_unknown_corpus_is_named(library: Library) -> None:
    with pytest.raises(InputError, match="unknown corpus 'Other'; known corpora: Small"):
        library.corpus("Other")


def test_examples_come_from_the_corpus(library: Library) -> None:
    assert library.examples(None) == (Example("Powers", "May a manager grant broader powers?", "en"),)


def test_two_corpora_of_one_name_stay_apart(corpus_folder: Path, tmp_path: Path) -> None:
    other = make(tmp_path / "other", "Small")
    assert open_library([corpus_folder, other]).names() == ["Small", "Small (other)"]


def test_a_missing_corpus_is_an_error_of_input(tmp_path: Path) -> None:
    with pytest.raises(CorpusError):
        open_library([tmp_path / "nowhere"])


def test_a_corpus_of_a_visitor_is_not_visible_to_others(home: Library) -> None:
    make(home.place_for("Tenancies", ANNA), "Tenancies")
    assert home.names(ANNA) == ["Small", "Tenancies"]
    assert home.names(BORIS) == home.names() == ["Small"]
    mine = home.find("Tenancies", ANNA)
    assert (mine.private, mine.writable, mine.made_here) == (True, True, True)
    with pytest.raises(InputError, match="unknown corpus"):
        home.corpus("Tenancies", BORIS)
    with pytest.raises(InputError, match="unknown corpus"):
        home.remove("Tenancies", BORIS)
    assert ANNA not in str(mine.folder)


@pytest.mark.parametrize("token", ["", "short", "../../etc", "a" * 31 + "/", "a" * 200])
def test_a_token_that_is_none_has_no_home(home: Library, token: str) -> None:
    with pytest.raises(InputError, match="cannot be created"):
        home.place_for("Mine", token)


def test_shared_corpora_are_for_everybody(tmp_path: Path, corpus_folder: Path) -> None:
    library = open_library([corpus_folder], tmp_path, OperatorSettings(shared=True))
    make(library.place_for("Ours", ANNA), "Ours")
    assert library.names(BORIS) == ["Small", "Ours"]
    assert library.find("Small", BORIS).writable
    library.remove("Ours", BORIS)
    assert library.names(ANNA) == ["Small"]
    with pytest.raises(InputError, match="cannot be deleted"):
        library.remove("Small", BORIS)


def test_where_uploads_are_off_nothing_can_be_changed(tmp_path: Path, corpus_folder: Path) -> None:
    library = open_library([corpus_folder], tmp_path, OperatorSettings(uploads=False, shared=True))
    assert not library.find("Small", ANNA).writable
    with pytest.raises(InputError, match="switched off"):
        library.place_for("Mine", ANNA)


def test_a_name_that_is_taken_and_one_corpus_too_many(tmp_path: Path, corpus_folder: Path) -> None:
    library = open_library([corpus_folder], tmp_path, OperatorSettings(corpora=1))
    with pytest.raises(InputError, match="already a corpus"):
        library.place_for("small", ANNA)
    make(library.place_for("One", ANNA), "One")
    with pytest.raises(InputError, match="delete one first"):
        library.place_for("Two", ANNA)


@pytest.mark.parametrize("name", ["", "  ", "a/b", "..", "a\\b", "x" * 61, "a\x00b", "a\u202eb"])
def test_names_that_are_none(name: str) -> None:
    with pytest.raises(InputError):
        checked_name(name)


def test_names_of_every_script() -> None:
    assert checked_name("  قانون   الإيجار ") == "قانون الإيجار"


def test_a_damaged_corpus_stays_on_the_shelf_with_its_problem(home: Library) -> None:
    folder = make(home.place_for("Mine", ANNA), "Mine")
    (folder / "manifest.json").write_text("{broken", encoding="utf-8")
    damaged = home.shelf(ANNA)[1]
    assert damaged.info is None
    assert "damaged" in damaged.problem
    assert str(folder.parent) not in damaged.problem
    assert home.names(ANNA) == ["Small"]
    with pytest.raises(CorpusError):
        home.corpus(damaged.name, ANNA)


def test_chips_ask_the_whole_question_and_fold_when_many() -> None:
    html = chips_html([Example('A "title" <b>', 'Who & "what"?', "en")])
    assert "<b>" not in html
    assert "Who &amp; &#34;what&#34;?" in html
    many = chips_html([Example(str(number), "?") for number in range(SHOWN_CHIPS + 2)])
    assert ">2 more examples</button>" in many
    assert "chip" not in chips_html([])
    assert "Ask a legal question" in chips_html([])


def test_what_was_being_deleted_when_a_server_ended_is_gone_at_the_next_start(
    tmp_path: Path, corpus_folder: Path
) -> None:
    home = tmp_path / "home"
    for owner in ("corpora", "visitors/somebody"):
        folder = home / owner / ".lease-1a2b-deleted"
        folder.mkdir(parents=True)
        (folder / "block").write_bytes(b"x")
        (home / owner / "lease-1a2b.report.json").write_text("{}")
        shutil.copytree(corpus_folder, home / owner / "kept-deleted")
    open_library([], home)
    assert not list(home.rglob(".lease-*"))
    assert not list(home.rglob("*.report.json"))
    assert len(list(home.rglob("kept-deleted/manifest.json"))) == 2


def test_a_server_that_is_away_takes_no_other_corpus_with_it(sample_folder: Path) -> None:
    away = address_of("postgresql://reader@127.0.0.1:1/db?corpus=laws")
    lost, here = Library([away, sample_folder]).shelf()
    assert here.info is not None
    assert lost.info is None
    assert lost.problem.startswith("laws: the database server does not answer; ")
    with pytest.raises(ResourceError, match=r"127\.0\.0\.1"):
        open_library([away])
