"""What the whole corpus tells of the time in which a passage is in force."""

from __future__ import annotations

from datetime import date
from pathlib import Path

import numpy as np
import pytest

from engine.corpus import open_corpus
from engine.corpus.protocol import Corpus
from engine.ingestion.build import build_corpus
from tests.tables import table

OLD_ACT: str = table(__file__, "OLD_ACT")
NEW_ACT: str = table(__file__, "NEW_ACT")
RULES = """---
id: rules-{year}
title: Vessel Rules
type: rules
language: en
version: {year}-04-01
---
## Rule 1 Lights
A vessel under way shows {count} lights between sunset and sunrise.
"""


@pytest.fixture(scope="module")
def corpus(tmp_path_factory: pytest.TempPathFactory) -> Corpus:
    root: Path = tmp_path_factory.mktemp("intervals")
    sources = root / "sources"
    sources.mkdir()
    (sources / "old.md").write_text(OLD_ACT, encoding="utf-8")
    (sources / "new.md").write_text(NEW_ACT, encoding="utf-8")
    for year, count in ((2010, "two"), (2015, "three"), (2020, "four")):
        (sources / f"rules-{year}.md").write_text(RULES.format(year=year, count=count), encoding="utf-8")
    build_corpus([sources], root / "corpus", embedding="none")
    return open_corpus(root / "corpus")


def held(corpus: Corpus, day: date) -> set[str]:
    rows = np.flatnonzero(corpus.in_force(day)).astype(np.int32)
    return {passage.id for passage in corpus.passages(rows)}


def test_a_repeal_ends_the_act_on_the_day_that_it_names(corpus: Corpus) -> None:
    before, after = held(corpus, date(2021, 6, 30)), held(corpus, date(2021, 7, 1))
    assert {"old-act/section-1", "old-act/section-2"} <= before
    assert not {name for name in after if name.startswith("old-act")}


def test_one_version_of_a_work_is_in_force_at_a_time(corpus: Corpus) -> None:
    def rules(day: date) -> set[str]:
        return {name for name in held(corpus, day) if name.startswith("rules")}

    assert rules(date(2012, 1, 1)) == {"rules-2010/rule-1"}
    assert rules(date(2015, 3, 31)) == {"rules-2010/rule-1"}
    assert rules(date(2015, 4, 1)) == {"rules-2015/rule-1"}
    assert rules(date(2026, 1, 1)) == {"rules-2020/rule-1"}


CODE: str = table(__file__, "CODE")
APPLYING: str = table(__file__, "APPLYING")
REPLACING = """---
id: new
title: Neue Prozessordnung
language: de
valid_from: 2020-01-01
---
## § 1 Ablösung
Dieses Gesetz tritt an die Stelle der Zivilprozessordnung.
"""


@pytest.mark.parametrize(("second", "last"), [(APPLYING, None), (REPLACING, date(2019, 12, 31))])
def test_what_is_applied_in_place_of_a_text_does_not_end_it(
    tmp_path: Path, second: str, last: date | None
) -> None:
    (tmp_path / "sources").mkdir()
    (tmp_path / "sources" / "zpo.md").write_text(CODE, encoding="utf-8")
    (tmp_path / "sources" / "second.md").write_text(second, encoding="utf-8")
    build_corpus([tmp_path / "sources"], tmp_path / "corpus", embedding="none")
    corpus = open_corpus(tmp_path / "corpus")
    passages = corpus.passages(corpus.rows(["zpo/sec-233", "zpo/sec-520"]))
    assert [passage.valid_to for passage in passages] == [last, last]
