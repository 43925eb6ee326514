from __future__ import annotations

import gc
from functools import partial
from pathlib import Path
from weakref import ref

from engine.corpus import open_corpus
from engine.evaluation.metrics import run_header
from engine.settings import preset
from tests.ui.evaluate.conftest import VISITOR
from ui.evaluation import RULES, Evaluating, evaluate, sample_questions
from ui.server.jobs import Jobs, Owner


def test_an_evaluation_that_is_over_holds_no_corpus(sample_folder: Path) -> None:
    corpus = open_corpus(sample_folder)
    settings = preset("quick")
    asked = Evaluating(run_header(corpus, settings), sample_questions()[:1], settings, False)
    jobs: Jobs[Evaluating] = Jobs(RULES)
    job = jobs.start(Owner(VISITOR), asked, partial(evaluate, corpus=corpus))
    jobs.end_all()
    held = ref(corpus)
    del corpus
    gc.collect()
    assert jobs.get(job.id, VISITOR) is job
    assert held() is None
