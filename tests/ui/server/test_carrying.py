from __future__ import annotations

import shutil
from pathlib import Path

import numpy as np
import pytest

from engine.corpus import open_corpus
from engine.ingestion.build import build_corpus
from engine.investigation import Case
from engine.records.conversion import investigation_to_json
from engine.settings import preset
from ui.sample import BUILT, SOURCES, folder_name
from ui.server.template import StateChangedError, packed, unpacked

QUESTION = "May a manager grant broader powers than those in the register?"


def test_a_case_goes_on_elsewhere_as_it_would_have_here() -> None:
    corpus = open_corpus(BUILT / folder_name(SOURCES))
    here = Case(corpus, QUESTION, preset("balanced"))
    list(here.run())
    there = unpacked(packed(here, corpus), lambda folder: corpus)
    assert there.corpus is corpus
    assert investigation_to_json(there.investigation()) == investigation_to_json(here.investigation())
    lead = here.ranking[-1].passage.id
    for case in (here, there):
        list(case.follow(lead, ("citations", "semantic")))
        case.pin(lead)
    assert [found.passage.id for found in there.ranking] == [found.passage.id for found in here.ranking]
    np.testing.assert_allclose(
        [found.score for found in there.ranking], [found.score for found in here.ranking]
    )


def test_a_case_of_a_corpus_that_was_changed_meanwhile_is_not_opened(
    tmp_path: Path, corpus_folder: Path
) -> None:
    folder = tmp_path / "act"
    shutil.copytree(corpus_folder, folder)
    corpus = open_corpus(folder)
    data = packed(Case(corpus, QUESTION, preset("quick")), corpus)
    (tmp_path / "new.md").write_text("# Another Act\n\n#### Article 1\n\nIt holds.\n", encoding="utf-8")
    build_corpus([tmp_path / "new.md"], folder, name="Small", embedding="none")
    with pytest.raises(StateChangedError, match="has just been changed: ask again"):
        unpacked(data, open_corpus)
