"""What a document is, as a ranking may learn from it."""

from __future__ import annotations

from dataclasses import replace

import pytest

from engine.corpus.protocol import Corpus
from engine.investigation.ranking.documents import document_signs, is_latest
from engine.model import EDITION, Document


@pytest.mark.parametrize(
    ("edition", "latest"), [("", True), ("5 of 5", True), ("2 of 5", False), ("1 of 1", True)]
)
def test_the_latest_of_several_editions(edition: str, latest: bool) -> None:
    document = replace(Document("a", "A"), metadata={EDITION: edition} if edition else {})
    assert is_latest(document) is latest


def test_each_document_has_its_signs(bare: Corpus) -> None:
    signs = document_signs(bare)
    assert signs is document_signs(bare)
    assert len(signs.latest) == len(signs.authority) == len(bare.documents())
    by_kind = dict(zip((one.type for one in bare.documents()), signs.authority.tolist(), strict=True))
    assert by_kind["act"] == 1.0
    assert all(0 <= weight <= 1 for weight in by_kind.values())
