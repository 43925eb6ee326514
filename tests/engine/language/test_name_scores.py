from __future__ import annotations

import numpy as np
import pytest

from engine.language.entities import LEAST_SCORE, name_scores, stated
from engine.model import EntityKind

NAN = float("nan")


@pytest.mark.parametrize(
    ("kind", "defined", "one_word", "capitals", "documents", "kept"),
    [
        (EntityKind.NAME, True, True, 0.0, 1, True),
        (EntityKind.STANDARD, False, False, NAN, 1, True),
        (EntityKind.ORGANISATION, False, False, 0.0, 1, True),
        (EntityKind.NAME, False, False, 1.0, 1, True),
    ],
)
def test_what_is_kept(
    kind: EntityKind, defined: bool, one_word: bool, capitals: float, documents: int, kept: bool
) -> None:
    said = [stated(kind, defined=defined, one_word=one_word)]
    (score,) = name_scores(said, np.asarray([capitals], np.float32), np.asarray([documents]))
    assert bool(score >= LEAST_SCORE) is kept
