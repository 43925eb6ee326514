"""What relation a reference states, and which way, on real law read by hand.

``relations_read.tsv`` was drawn at random, 62 references of each relation as the grammars read them (33 of
``amends``, which is all there is), evenly over ADGM, the GDPR, German, French, Saudi, Indonesian and Chinese
texts, and read once by one of the developers, who is no lawyer. ``place`` is where the reference begins.
"""

from __future__ import annotations

import csv
import gzip
import json
import os
import re
import tarfile
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path

import pytest

from engine.language.references import Mention, find_mentions
from engine.model import Relation

DATA = Path(os.environ.get("REDSTRING_DATA") or Path(__file__).parents[4].parent / "shared" / "data")
TABLE = Path(__file__).with_name("relations_read.tsv")
# Of each relation, this share must be right.
LEAST = 0.95
# Cues of what prevails over a text, or leaves it alone: they never make the text the exception.
CUES: Mapping[str, str] = {
    "en": r"subject to|except|unless|without prejudice|save",
    "de": r"vorbehaltlich|unbeschadet|außer|sofern nicht|soweit nicht",
    "fr": r"sous réserve|sans préjudice|sauf|hormis",
    "es": r"sin perjuicio|salvo|a reserva",
    "it": r"fatt[oi] salv[oi]|salvo|senza pregiudizio",
    "nl": r"onverminderd|behoudens|tenzij",
    "pt": r"sem prejuízo|salvo|sob reserva",
}
with_data = [
    pytest.mark.corpora,
    pytest.mark.skipif(not DATA.is_dir(), reason=f"no corpora beside the project ({DATA.name})"),
]


def rows() -> list[dict[str, str]]:
    with TABLE.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE))


@cache
def passages(corpus: str) -> tuple[tuple[str, str, str], ...]:
    return tuple(_versions(corpus) if corpus == "fr_codes_versions" else _lines(corpus))


def _lines(corpus: str) -> Iterator[tuple[str, str, str]]:
    with gzip.open(DATA / corpus / "corpus.jsonl.gz", "rt", encoding="utf-8") as file:
        for record in map(json.loads, file):
            yield record["id"], record["text"], record["metadata"]["language"]


def _versions(corpus: str) -> Iterator[tuple[str, str, str]]:
    with tarfile.open(DATA / corpus / "laws.tar.gz") as archive:
        for member in archive:
            held = archive.extractfile(member) if member.isfile() else None
            if held is not None:
                for number, text in enumerate(held.read().decode("utf-8").split("\n\n")):
                    yield f"{member.name}#{number}", text, "fr"


def test_of_each_relation_enough_were_read_and_are_right() -> None:
    read, right = Counter[str](), Counter[str]()
    for row in rows():
        assert row["verdict"] in ("right", "wrong")
        assert row["verdict"] == "right" or row["remark"]
        read[row["relation"]] += 1
        right[row["relation"]] += row["verdict"] == "right"
    stated = {one.value for one in Relation if one.value in read}
    assert stated == set(read)
    assert all(count >= 60 for relation, count in read.items() if relation != "amends")
    assert all(right[relation] >= LEAST * count for relation, count in read.items())


@pytest.mark.parametrize("corpus", sorted({row["corpus"] for row in rows()}), ids=str)
class TestOnCorpora:
    pytestmark = with_data

    def test_what_was_right_is_still_read_so(self, corpus: str) -> None:
        wanted = defaultdict(list)
        for row in rows():
            if row["corpus"] == corpus and row["verdict"] == "right":
                wanted[row["source"]].append(row)
        seen, changed = 0, []
        for source, text, language in passages(corpus):
            for row in wanted.get(source, ()):
                seen += 1
                if _relation_at(text, language, int(row["place"])) != row["relation"]:
                    changed.append(row)
        assert seen >= sum(map(len, wanted.values()))
        assert changed == []


def _relation_at(text: str, language: str, place: int) -> str | None:
    found = (one for one in find_mentions(text, language) if one.span.start == place)
    return next((one.relation.value for one in found), None)


@pytest.mark.corpora
@pytest.mark.skipif(not DATA.is_dir(), reason=f"no corpora beside the project ({DATA.name})")
@pytest.mark.parametrize("corpus", ["obliqa_adgm", "eu_gdpr_24lang"])
def test_what_prevails_over_a_text_never_makes_it_the_exception(corpus: str) -> None:
    asked, wrong = 0, []
    for source, text, language in passages(corpus):
        cue = CUES.get(language)
        if cue is None or not re.search(cue, text, re.IGNORECASE):
            continue
        asked += 1
        for one in find_mentions(text, language):
            if one.relation is Relation.EXCEPTION_TO and _led_by(cue, text, one):
                wrong.append((source, one.text))
    assert asked > 100
    assert wrong == []


def _led_by(cue: str, text: str, one: Mention) -> bool:
    before = text[max(0, one.span.start - 30) : one.span.start]
    return re.search(rf"\b(?:{cue})\b[^.,;:()]*\Z", before, re.IGNORECASE) is not None
