"""Damaged files never crash, hang or fill the machine: each is read or named with a problem.

``REDSTRING_FUZZ=10000 pytest tests/fuzz`` reads that many.
"""

from __future__ import annotations

import os
import zipfile
from pathlib import Path

import pytest

from tests.fuzz.mutations import mutated
from tests.fuzz.runner import fuzz

DATA = Path(os.environ.get("REDSTRING_DATA") or Path(__file__).parents[3] / "shared" / "data")
COUNT = int(os.environ.get("REDSTRING_FUZZ", "240"))
SAMPLE = Path(__file__).parents[2] / "sample_data"
# Larger files are damaged in their first part; reading them over and over tells nothing more.
LARGEST = 260_000


def made_seeds(folder: Path) -> list[Path]:
    """Small sound files, one of each format that can be made without a library."""
    (folder / "law.xml").write_text(
        '<?xml version="1.0"?><akomaNtoso xmlns="http://docs.oasis-open.org/legaldocml/ns/akn/3.0">'
        "<act><meta/>"
        '<body><article eId="art_1"><num>Article 1</num>'
        "<paragraph><content><p>Text.</p></content></paragraph>"
        "</article></body></act></akomaNtoso>"
    )
    (folder / "page.html").write_text("<html><body><h1>Act</h1><h2>Article 1</h2><p>Text.</p></body></html>")
    (folder / "law.json").write_text('{"title": "Act", "articles": [{"number": "1", "text": "Text."}]}')
    (folder / "lines.jsonl").write_text(
        '{"id": "a", "title": "t", "text": "Article 1 applies.", "metadata": {}}\n'
    )
    (folder / "table.csv").write_text("id,title,text\n1,Act,Some text of a law.\n2,Act,More of it.\n")
    (folder / "rules.txt").write_text("PART 1\nGeneral\n\nArticle 1\n(1) One.\n(2) Two.\n")
    law = next(SAMPLE.rglob("*.md"))
    (folder / "law.md").write_bytes(law.read_bytes()[:20_000])
    with zipfile.ZipFile(folder / "laws.zip", "w") as archive:
        for path in sorted(folder.glob("*.*"))[:5]:
            archive.write(path, path.name)
    return sorted(folder.iterdir())


def raw_seeds(folder: Path) -> list[Path]:
    """Real files beside the project, shortened where they are large; none where they are not there."""
    seeds = []
    for path in sorted(DATA.glob("raw/*/*")):
        content = path.read_bytes()
        if content and len(content) <= LARGEST:
            seed = folder / path.name
            seed.write_bytes(content)
            seeds.append(seed)
    return seeds


def test_damaged_files_of_every_format(tmp_path: Path) -> None:
    outcome = fuzz(made_seeds(tmp_path), COUNT // 2)
    assert outcome.failures == []
    assert outcome.counts.total() == COUNT // 2


@pytest.mark.corpora
def test_damaged_real_files(tmp_path: Path) -> None:
    seeds = raw_seeds(tmp_path)
    if not seeds:
        pytest.skip(f"no files in {DATA / 'raw'}")
    outcome = fuzz(seeds, COUNT - COUNT // 2, first=100_000)
    print(dict(outcome.counts), "slowest", outcome.slowest)
    assert outcome.failures == []


def test_the_same_seed_does_the_same_damage() -> None:
    data = b'<?xml version="1.0"?><a><b>Article 1</b></a>' * 20
    assert mutated(data, 7) == mutated(data, 7)
    assert len({mutated(data, seed) for seed in range(40)}) > 30
