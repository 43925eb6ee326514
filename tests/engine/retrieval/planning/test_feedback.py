"""Words of the first passages found."""

from __future__ import annotations

import numpy as np

from engine.corpus.protocol import Corpus
from engine.retrieval.planning.views import feedback_words


def test_nothing_found_gives_no_words(harbour: Corpus) -> None:
    assert feedback_words(harbour, "zebra", "en") == ()
    assert feedback_words(harbour, "berth", "en", np.zeros(len(harbour), np.bool_)) == ()


def test_the_mask_holds_for_the_first_search(harbour: Corpus) -> None:
    mask = np.zeros(len(harbour), np.bool_)
    (dues,) = harbour.by_document(["dues-act"])
    mask[dues] = True
    words = feedback_words(harbour, "berth", "en", mask)
    texts = " ".join(passage.text for passage in harbour.passages(dues)).lower()
    assert words
    assert all(word.lower() in texts for word in words)
