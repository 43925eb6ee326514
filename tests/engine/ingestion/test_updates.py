"""An update gives the very files that a fresh ingestion of the same sources gives, whatever was changed."""

from __future__ import annotations

import random
import shutil
from collections.abc import Sequence
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.corpus import open_corpus
from engine.corpus.embedded import writing
from engine.corpus.embedded.block import Block
from engine.corpus.embedded.generation import (
    CITED_NAME,
    FOUND_NAME,
    GRAPH_NAME,
    STATE_NAME,
    current_generation,
)
from engine.errors import ResourceError
from engine.ingestion import entities, mentions, publishing, resolving
from engine.ingestion.build import add_to_corpus, build_corpus, remove_from_corpus
from engine.ingestion.entities import MENTIONS_NAME, VOCABULARY_NAME
from engine.ingestion.ledger import POSTINGS_NAME, load_ledger
from engine.ingestion.resolving import LINKS_SUFFIX, links_name
from engine.ingestion.words import WordCounts
from engine.language.clustering import Encode
from ui.sample import BUILT

FILES = (STATE_NAME, FOUND_NAME, CITED_NAME, GRAPH_NAME, VOCABULARY_NAME, MENTIONS_NAME, POSTINGS_NAME)
NAMES = ("Harbour", "Vessel", "Fee", "Pilot", "Harbour Fee", "Safety of Vessels", "Lotsen", "Hafen")
KINDS = ("Act", "Rules", "Regulations 2015", "Guidance")
LANGUAGES = ("en", "en", "de", "ar")


def law(chance: random.Random, own: int, laws: int) -> str:
    """A text that cites others by name, number and definition; some of what it says holds for others too."""
    name, language = chance.choice(NAMES), chance.choice(LANGUAGES)
    title = f"{name} {chance.choice(KINDS)}"
    dated = chance.choice(["", f"valid_from: 20{chance.randint(10, 20)}-01-01\n"])
    other = f"{chance.choice(NAMES)} {chance.choice(KINDS)}"
    defined = chance.choice(["", f' of the {other} (the "{chance.choice(["HFA", "Act", "PILOT"])}")'])
    aims = [
        f"Article {chance.randint(1, 6)} of the {other}",
        f"Article {chance.randint(1, 6)} of the HFA",
        f"§ {chance.randint(1, 6)} des Lotsen Act",
        f"Article {chance.randint(1, 6)}",
        "Regulation (EU) 2016/679",
        "ISO 14001",
        "the Guidance on Safety of Vessels",
    ]
    repeals = chance.choice(
        ["", f"The {other} is repealed with effect from 1 May 2019.", "The Port AUTHORITY."]
    )
    articles = [
        f"## Article {number} Powers of {chance.choice(NAMES)}\n\nThe Port Authority and the Tide Board may "
        f"act under {chance.choice(aims)}{defined if number == 2 else ''}, subject to {chance.choice(aims)}. "
        f'"{chance.choice(NAMES)} Dues" means what the {other} says. {repeals if number == 1 else ""}'
        for number in range(1, chance.randint(2, 7))
    ]
    work = chance.choice(["", f"aliases: [{chance.choice(['32016R0679', 'ISO 14001:2015', 'HFA'])}]\n"])
    cites = chance.choice(["", f"amends: law-{chance.randrange(laws)}\n"])
    head = f"---\nid: law-{own}\ntitle: {title}\nlanguage: {language}\n{dated}{work}{cites}---\n# {title}\n\n"
    return head + "\n\n".join(articles)


def written(folder: Path, seeds: dict[int, int]) -> None:
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    for own, seed in seeds.items():
        (folder / f"{own}.md").write_text(law(random.Random(seed), own, 6))


def files(corpus: Path) -> dict[str, bytes]:
    generation = current_generation(corpus)
    names = [name for name in generation.manifest.files if name in FILES or name.endswith(LINKS_SUFFIX)]
    return {name: (generation.data / name).read_bytes() for name in names}


def same(updated: Path, fresh: Path) -> None:
    one, other = files(updated), files(fresh)
    assert set(one) == set(other)
    assert [name for name in one if one[name] != other[name]] == []


states = st.dictionaries(st.integers(0, 5), st.integers(0, 400), min_size=1)


@settings(max_examples=12)
@given(st.lists(states, min_size=2, max_size=4))
def test_any_changes_give_the_files_of_a_fresh_ingestion(
    tmp_path_factory: pytest.TempPathFactory, story: list[dict[int, int]]
) -> None:
    root = tmp_path_factory.mktemp("updates")
    laws = dict(story[0])
    for state in story:
        # Every state changes, adds or takes away some.
        laws = {own: seed for own, seed in {**laws, **state}.items() if seed % 7}
        if laws:
            written(root / "sources", laws)
            build_corpus([root / "sources"], root / "corpus", embedding="none")
    if laws:
        build_corpus([root / "sources"], root / "fresh", embedding="none")
        same(root / "corpus", root / "fresh")


def act(title: str, text: str) -> str:
    slug = title.lower().replace(" ", "-")
    return f"---\nid: {slug}\ntitle: {title}\nlanguage: en\n---\n# {title}\n\n## Article 1 Powers\n\n{text}"


def ingested(root: Path, laws: dict[str, str]) -> dict[str, int]:
    """Make the corpus hold some laws; the number of the file, on disk, of the references of each."""
    shutil.rmtree(root / "sources", ignore_errors=True)
    (root / "sources").mkdir(parents=True)
    for title, text in laws.items():
        (root / "sources" / f"{title}.md").write_text(act(title, text))
    build_corpus([root / "sources"], root / "corpus", embedding="none")
    generation = current_generation(root / "corpus")
    found = {}
    for entry in load_ledger(generation).entries:
        (block,) = entry.blocks
        found[Path(entry.name).stem] = (generation.data / links_name(block)).stat().st_ino
    return found


def targets(root: Path) -> dict[str, list[str | None]]:
    found: dict[str, list[str | None]] = {}
    for reference in open_corpus(root / "corpus").all_references():
        found.setdefault(reference.source_id.split("/")[0], []).append(reference.target_id)
    return found


CITING = {
    "Fee Act": "See Article 1 of the Pilot Act 2015.",
    "Tide Act": "See Article 1 of the Fee Act.",
    "Gas Act": "See Article 1 of the Tide Act.",
}


def test_only_texts_that_use_a_name_are_resolved_again(tmp_path: Path) -> None:
    before = ingested(tmp_path, CITING)
    assert targets(tmp_path)["fee-act"] == [None]
    come = ingested(tmp_path, {**CITING, "Pilot Act 2015": "Nothing is cited."})
    assert targets(tmp_path)["fee-act"] == ["pilot-act-2015/art-1"]
    assert {title for title in before if come[title] != before[title]} == {"Fee Act"}
    gone = ingested(tmp_path, CITING)
    assert targets(tmp_path)["fee-act"] == [None]
    assert {title for title in before if gone[title] != come[title]} == {"Fee Act"}


def test_another_text_of_a_law_leaves_those_that_cite_it(tmp_path: Path) -> None:
    before = ingested(tmp_path, CITING)
    after = ingested(tmp_path, {**CITING, "Fee Act": "See Article 1 of the Gas Act, and nothing else."})
    assert {title for title in before if after[title] != before[title]} == {"Fee Act"}


def test_another_number_in_a_law_is_seen_by_those_that_cite_it(tmp_path: Path) -> None:
    before = ingested(tmp_path, CITING)
    two = f"{CITING['Fee Act']}\n\n## Article 2 Fees\n\nThere are fees."
    after = ingested(tmp_path, {**CITING, "Fee Act": two})
    assert {title for title in before if after[title] != before[title]} == {"Fee Act", "Tide Act"}


def test_a_damaged_file_of_before_is_made_anew(tmp_path: Path) -> None:
    changed = {**CITING, "Tide Act": "See Article 1 of the Gas Act and the Port Authority."}
    ingested(tmp_path / "fresh", changed)
    ingested(tmp_path, CITING)
    shutil.copytree(tmp_path / "corpus", tmp_path / "before")
    for name in (POSTINGS_NAME, MENTIONS_NAME, VOCABULARY_NAME):
        path = current_generation(tmp_path / "corpus").data / name
        path.write_bytes(path.read_bytes()[:-70] + b"x" * 70)
        ingested(tmp_path, changed)
        same(tmp_path / "corpus", tmp_path / "fresh" / "corpus")
        shutil.rmtree(tmp_path / "corpus")
        shutil.copytree(tmp_path / "before", tmp_path / "corpus")


def test_what_was_let_go_of_is_found_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    written(tmp_path / "laws", {number: number for number in range(6)})
    build_corpus([tmp_path / "laws"], tmp_path / "held", embedding="none")
    monkeypatch.setattr(resolving, "MOST_HELD", 0)
    build_corpus([tmp_path / "laws"], tmp_path / "let-go", embedding="none")
    held, let_go = (
        current_generation(tmp_path / "held").manifest,
        current_generation(tmp_path / "let-go").manifest,
    )
    assert {name: held.files[name] for name in FILES} == {name: let_go.files[name] for name in FILES}


def test_what_is_done_beside_by_children_is_the_same_to_the_byte(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    written(tmp_path / "laws", {own: own for own in range(6)})
    build_corpus([tmp_path / "laws"], tmp_path / "here", embedding="none")
    monkeypatch.setattr(publishing, "WORTH_A_CHILD", 0)
    build_corpus([tmp_path / "laws"], tmp_path / "apart", embedding="none")
    assert files(tmp_path / "here") == files(tmp_path / "apart")


@pytest.mark.parametrize("passages", [0, 10**9])
def test_links_that_cannot_be_written_leave_the_corpus_as_it_was(
    passages: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    ingested(tmp_path, CITING)
    before = files(tmp_path / "corpus")

    def full(*given: object) -> None:
        raise ResourceError("the disk is full")

    monkeypatch.setattr(publishing, "WORTH_A_CHILD", passages)
    monkeypatch.setattr(writing, "write_references", full)
    with pytest.raises(ResourceError, match="the disk is full"):
        ingested(tmp_path, {**CITING, "Tide Act": "See Article 1 of the Gas Act."})
    assert files(tmp_path / "corpus") == before
    assert len(list((tmp_path / "corpus").glob("data-*"))) == 1


def test_terms_are_settled_again_only_where_a_text_says_something_else_of_them(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    settled: list[str] = []

    def counted(blocks: Sequence[Block], words: WordCounts, encode: Encode | None, key: str) -> Block:
        settled.append(key)
        return mentions.settle_vocabulary(blocks, words, encode, key)

    monkeypatch.setattr(entities, "settle_vocabulary", counted)
    (tmp_path / "laws").mkdir()
    (tmp_path / "laws" / "fee.md").write_text(
        '# Fee Act\n\n## Article 1\n\nA "Harbour Fee" means ten.\n\n## Article 2\n\nIt is due.\n'
    )
    law = tmp_path / "laws" / "port.md"
    heading = "# Port Act\n\n## Article 1\n\n"
    told = []
    for text in ("The Harbour Fee is ten.", "The Harbour Fee is twenty.", 'A "Pier Fee" means five.'):
        law.write_text(f"{heading}{text}\n")
        build_corpus([tmp_path / "laws"], tmp_path / "corpus", embedding="none")
        told.append(len(settled))
    assert told == [1, 1, 2]
    build_corpus([tmp_path / "laws"], tmp_path / "afresh", embedding="none")
    assert files(tmp_path / "corpus") == files(tmp_path / "afresh")


def test_a_corpus_of_an_earlier_version_is_added_to_and_taken_from(tmp_path: Path) -> None:
    (built,) = (path for path in BUILT.iterdir() if path.is_dir())
    corpus = tmp_path / "corpus"
    shutil.copytree(built, corpus)
    documents = len(open_corpus(corpus).documents())
    (tmp_path / "pier.md").write_text('# Pier Act\n\n## Article 1\n\nA "Pier Fee" means ten.\n')
    added = add_to_corpus([tmp_path / "pier.md"], corpus, later=True)
    assert added.documents == documents + 1
    assert remove_from_corpus(["pier"], corpus, later=True).documents == documents
