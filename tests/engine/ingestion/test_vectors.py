"""Vectors made for a corpus that is there: stopped, killed and overtaken, always those of one go."""

from __future__ import annotations

import fcntl
import json
import resource
import shutil
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from itertools import count
from pathlib import Path

import numpy as np
import pytest

from engine.corpus import open_corpus
from engine.corpus.embedded.generation import STATE_NAME, current_generation
from engine.corpus.verifying import verify
from engine.errors import CorpusError, IngestionCancelledError, ModelError, ResourceError, SettingsError
from engine.ingestion.build import add_to_corpus, build_corpus, remove_from_corpus
from engine.ingestion.embedding import CachingEmbedder
from engine.ingestion.ledger import LEDGER_NAME
from engine.ingestion.vectors import check_disk_space, default_model, embed_corpus
from engine.language.embedders.base import Kind, Vectors
from tests.engine.forked import Tell, killed

TOPICS = ("berth", "pilot", "dues", "anchor", "cargo", "master")


def law(number: int, language: str = "en") -> str:
    articles = "\n".join(
        f"#### Article {n}\n\nThe {TOPICS[(n + number) % 6]} of vessel {number} is subject to rule {n} "
        f"of the harbour and to no other rule.\n"
        for n in range(1, 11)
    )
    about = f"id: law-{number}\ntitle: Law {number}\nlanguage: {language}"
    return f"---\n{about}\n---\n\n# Law {number}\n\n{articles}"


def sources(folder: Path, number: int = 8, language: str = "en") -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    for own in range(number):
        (folder / f"law{own}.md").write_text(law(own, language), encoding="utf-8")
    return folder


def content(folder: Path) -> dict[str, str]:
    files = current_generation(folder).manifest.files
    return {name: seal.digest for name, seal in files.items() if name != LEDGER_NAME}


@pytest.fixture(scope="module")
def laws(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return sources(tmp_path_factory.mktemp("laws") / "sources")


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory, laws: Path) -> Path:
    folder = tmp_path_factory.mktemp("whole") / "corpus"
    build_corpus([laws], folder, name="Laws", embedding="minilm")
    return folder


@pytest.fixture(scope="module")
def ingested(tmp_path_factory: pytest.TempPathFactory, laws: Path) -> Path:
    folder = tmp_path_factory.mktemp("plain") / "corpus"
    build_corpus([laws], folder, name="Laws", embedding="none")
    return folder


@pytest.fixture
def plain(tmp_path: Path, ingested: Path) -> Path:
    return Path(shutil.copytree(ingested, tmp_path / "corpus"))


@pytest.fixture
def embedded(tmp_path: Path, whole: Path) -> Path:
    return Path(shutil.copytree(whole, tmp_path / "corpus"))


def test_later_is_the_same_as_at_once(plain: Path, whole: Path) -> None:
    steps: list[tuple[str, int, int]] = []
    report = embed_corpus(plain, progress=lambda *step: steps.append(step))
    assert report is not None
    assert report.embedded == report.passages
    assert content(plain) == content(whole)
    told = [done / total for step, done, total in steps if step == "embed" and total > 1]
    assert told[: len(told) // 2] == sorted(told[: len(told) // 2])
    assert embed_corpus(plain) is None, "there is nothing left to do"
    assert [path.name for path in (plain / "cache").iterdir()] == ["vectors.lock"]


def test_killed_in_the_middle_it_goes_on_and_the_bytes_are_those_of_one_go(plain: Path, whole: Path) -> None:
    before = (plain / "manifest.json").read_bytes()
    encode, calls = CachingEmbedder.encode, count(1)

    def as_far_as_two_calls(tell: Tell) -> None:
        def encoded(model: CachingEmbedder, texts: Sequence[str], kind: Kind = "passage") -> Vectors:
            found = encode(model, texts, kind)
            if next(calls) == 2:
                tell()
                time.sleep(600)
            return found

        # In a process of its own, which ends with it.
        pytest.MonkeyPatch().setattr(CachingEmbedder, "encode", encoded)
        embed_corpus(plain)

    with killed(as_far_as_two_calls):
        assert len(open_corpus(plain)) > 0
    assert (plain / "manifest.json").read_bytes() == before
    assert len(open_corpus(plain)) > 0
    kept = {path: path.stat().st_mtime_ns for path in (plain / "cache" / "vectors").glob("[!.]*")}
    assert kept
    left = [path.stat().st_mtime_ns for path in kept]
    embed_corpus(plain)
    assert left == list(kept.values())
    assert content(plain) == content(whole)


def test_stopped_it_keeps_what_is_made(plain: Path, whole: Path) -> None:
    asked = 0

    def enough() -> bool:
        nonlocal asked
        asked += 1
        return asked > 3

    with pytest.raises(IngestionCancelledError):
        embed_corpus(plain, cancelled=enough)
    assert list((plain / "cache" / "vectors").iterdir())
    assert open_corpus(plain).embedding == "none"
    embed_corpus(plain)
    assert content(plain) == content(whole)


def test_documents_that_come_and_go_meanwhile(plain: Path, tmp_path: Path, laws: Path) -> None:
    (tmp_path / "more").mkdir()
    (tmp_path / "more" / "law99.md").write_text(law(99), encoding="utf-8")
    changes: Iterator[Callable[[], object]] = iter(
        [
            lambda: add_to_corpus([tmp_path / "more" / "law99.md"], plain, later=True),
            lambda: remove_from_corpus(["law-3"], plain, later=True),
        ]
    )

    def change(step: str, done: int, total: int) -> None:
        if step == "embed" and 0 < done < total and (due := next(changes, None)):
            due()

    report = embed_corpus(plain, progress=change)
    assert report is not None
    assert next(changes, None) is None, "both have happened"
    corpus = open_corpus(plain)
    assert corpus.embedding == "minilm"
    names = {document.id for document in corpus.documents()}
    assert "law-99" in names
    assert "law-3" not in names
    assert corpus.vectors(np.arange(len(corpus), dtype=np.int32)).any(axis=1).all()


def test_what_is_added_later_is_found_by_words_at_once_and_by_meaning_then(
    embedded: Path, tmp_path: Path
) -> None:
    (tmp_path / "law99.md").write_text(law(99), encoding="utf-8")
    report = add_to_corpus([tmp_path / "law99.md"], embedded, later=True)
    assert report.embedded == 0
    corpus = open_corpus(embedded)
    present = corpus.vectors(np.arange(len(corpus), dtype=np.int32)).any(axis=1)
    assert 0 < int((~present).sum()) < len(corpus)
    assert embed_corpus(embedded) is not None
    once = tmp_path / "once"
    build_corpus([tmp_path / "law99.md"], once, name="Laws", embedding="minilm")
    ours, theirs = open_corpus(embedded), open_corpus(once)
    rows = ours.rows(theirs.ids(np.arange(len(theirs), dtype=np.int32)))
    np.testing.assert_array_equal(ours.vectors(rows), theirs.vectors(np.arange(len(theirs), dtype=np.int32)))
    assert embed_corpus(embedded) is None


def test_a_removal_waits_for_no_model(embedded: Path, tmp_path: Path, whole: Path) -> None:
    at_once = tmp_path / "at-once"
    shutil.copytree(whole, at_once)
    remove_from_corpus(["law-3"], embedded, later=True)
    assert open_corpus(embedded).embedding == "minilm"
    assert embed_corpus(embedded) is not None
    remove_from_corpus(["law-3"], at_once)
    names = (STATE_NAME, "cited.arrays", "found.arrays")
    one, other = content(embedded), content(at_once)
    assert [one[name] for name in names] == [other[name] for name in names]


def test_an_older_language_code_of_a_country_is_read(tmp_path: Path) -> None:
    build_corpus([sources(tmp_path / "s", 1, "en-GB")], tmp_path / "c", name="x", embedding="none")
    assert default_model(tmp_path / "c") == "minilm"
    report = embed_corpus(tmp_path / "c")
    assert report is not None
    assert report.not_embedded == 0


def test_a_language_that_the_model_does_not_read_is_told(tmp_path: Path) -> None:
    build_corpus([sources(tmp_path / "s", 1, "de")], tmp_path / "c", name="x", embedding="none")
    with pytest.raises(SettingsError, match=r"mostly in the language de.*name a model that does"):
        embed_corpus(tmp_path / "c")
    with pytest.raises(SettingsError, match="minilm reads none of the languages"):
        embed_corpus(tmp_path / "c", embedding="minilm")
    with pytest.raises(SettingsError, match="makes no vectors"):
        embed_corpus(tmp_path / "c", embedding="none")
    with pytest.raises(CorpusError, match="no corpus at"):
        embed_corpus(tmp_path / "nowhere")


def test_a_model_that_is_not_there_leaves_the_corpus_as_it_is(plain: Path, tmp_path: Path) -> None:
    before = json.loads((plain / "manifest.json").read_bytes())
    with pytest.raises(ModelError):
        embed_corpus(plain, embedding=f"st:{tmp_path / 'no-model'}")
    assert json.loads((plain / "manifest.json").read_bytes()) == before


def test_one_process_at_a_time(plain: Path) -> None:
    (plain / "cache").mkdir()
    with open(plain / "cache" / "vectors.lock", "wb") as held:
        fcntl.flock(held, fcntl.LOCK_EX)
        with pytest.raises(CorpusError, match="another process is making the vectors"):
            embed_corpus(plain)


@contextmanager
def largest_file(size: int) -> Iterator[None]:
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)


def test_a_disk_that_is_full_is_told_and_the_corpus_stays_whole(plain: Path, whole: Path) -> None:
    before = (plain / "manifest.json").read_bytes()
    for size, doing in ((8_000, "keep the vectors in"), (100_000, "write")):
        with largest_file(size), pytest.raises(ResourceError, match=f"cannot {doing} .*, then try again"):
            embed_corpus(plain)
    assert (plain / "manifest.json").read_bytes() == before
    assert verify(plain).problems == ()
    assert not list((plain / "cache").rglob(".*"))
    embed_corpus(plain)
    assert content(plain) == content(whole)


def test_a_disk_without_room_is_told_before_anything_is_read(plain: Path) -> None:
    (plain / "cache").mkdir()
    with pytest.raises(ResourceError, match=r"need 1,152,921,504,606\.8 MB of disk, and [\d,.]+ MB are free"):
        check_disk_space(plain / "cache", 1 << 60)
    check_disk_space(plain / "cache", 1)
