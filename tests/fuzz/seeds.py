"""Sound files of every format, to be made worse."""

from __future__ import annotations

import os
import zipfile
from pathlib import Path

from engine.operator_settings import PROJECT

SAMPLE = PROJECT / "sample_data"
# Real files, where they are there.
DATA = Path(os.environ.get("REDSTRING_DATA") or PROJECT.parent / "shared" / "data")
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
    law = min(SAMPLE.rglob("*.md"))
    (folder / "law.md").write_bytes(law.read_bytes()[:20_000])
    with zipfile.ZipFile(folder / "laws.zip", "w") as archive:
        for path in sorted(folder.glob("*.*"))[:5]:
            archive.write(path, path.name)
    return sorted(folder.iterdir())


def raw_seeds(folder: Path) -> list[Path]:
    """Real files beside the project, those that are not too large; none where they are not there."""
    seeds = []
    for path in sorted(DATA.glob("raw/*/*")):
        content = path.read_bytes()
        if content and len(content) <= LARGEST:
            seed = folder / path.name
            seed.write_bytes(content)
            seeds.append(seed)
    return seeds
