"""What a case touches does not grow with the corpus: only plan and scan may look at all of it."""

from __future__ import annotations

import gc
import tracemalloc
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

import numpy as np

from engine.corpus import open_corpus
from engine.corpus.contents import Contents
from engine.corpus.embedded.writing import write_corpus
from engine.investigation import Case
from engine.investigation.record import PlanMade, ScanFinished
from engine.language.analysis import analyzer
from engine.model import Document, Entity, EntityKind, Passage, Reference, Relation, Span, Status, TargetKind
from engine.settings import InvestigationSettings

SMALL, LARGE = 5_000, 50_000
EACH = 50
QUESTION, OTHER = "fees of harbour0", "fees of harbour1"


def contents(passages: int) -> Contents:
    """Acts of fifty sections; each cites the next section and the same one of the next act, and names the
    harbour that its act is of."""
    acts = passages // EACH
    documents = [Document(f"act{act}", f"Act {act}", "en", aliases=(f"A{act}",)) for act in range(acts)]
    texts, found, references = [], [], []
    terms = analyzer("en").terms
    common = {word: terms(word) for word in ("fees", "master", "vessel", "harbour")}
    for act in range(acts):
        for section in range(EACH):
            row, words = act * EACH + section, ("fees", "master", "vessel")[section % 3]
            text = f"section {section}: {words} of harbour{act}, item{row}, subject to section {section + 1}"
            found.append(
                Passage(f"{act}-{section}", f"act{act}", None, section, text, "en", label=f"s {section}")
            )
            texts.append([*common[words], f"harbour{act}", f"item{row}"])
            for other in ((act, section + 1), (act + 1, section)):
                if other[0] < acts and other[1] < EACH:
                    references.append(_reference(f"{act}-{section}", f"{other[0]}-{other[1]}", text))
    entities = [
        Entity(f"harbour{act}", f"harbour{act}", EntityKind.DEFINED_TERM, "en") for act in range(acts)
    ]
    rows = np.arange(acts * EACH, dtype=np.int32)
    return Contents(
        "acts", documents, (), found, texts, [[]] * len(found),
        references=references, entities=entities, mentions=(rows, (rows // EACH).astype(np.int32)),
    )  # fmt: skip


def _reference(source: str, target: str, text: str) -> Reference:
    start = text.index("section ", 8)
    return Reference(
        source, Span(start, len(text)), text[start:], Relation.CITES, Status.RESOLVED,
        TargetKind.PASSAGE, target, grammar="en",
    )  # fmt: skip


def touched(folder: Path, passages: int) -> dict[str, int]:
    """The most bytes that each kind of step of a case takes at once, beside those that it keeps."""
    write_corpus(folder, contents(passages))
    corpus = open_corpus(folder)
    settings = InvestigationSettings()
    # What a corpus is asked once, and never again while it is open.
    list(Case(corpus, OTHER, settings).run())
    most: dict[str, int] = defaultdict(int)
    steps: Iterator[object] = Case(corpus, QUESTION, settings).run()
    gc.collect()
    tracemalloc.start()
    try:
        while True:
            before = tracemalloc.get_traced_memory()[0]
            tracemalloc.reset_peak()
            event = next(steps, None)
            if event is None:
                return most
            peak = tracemalloc.get_traced_memory()[1] - before
            if not isinstance(event, PlanMade | ScanFinished):
                most[type(event).__name__] = max(most[type(event).__name__], peak)
    finally:
        tracemalloc.stop()


def test_rounds_coverage_and_ranking_touch_what_is_near(tmp_path: Path) -> None:
    touched(tmp_path / "first", EACH * 20)  # What a process makes once, at its first case.
    small, large = touched(tmp_path / "small", SMALL), touched(tmp_path / "large", LARGE)
    assert {"RoundFinished", "CoverageChanged", "Ranked"} <= small.keys() == large.keys()
    # Not even a byte for each passage that the larger one has more.
    more = {step: large[step] - small[step] for step in small}
    assert {step: by for step, by in more.items() if by > (LARGE - SMALL) / 2} == {}, more
