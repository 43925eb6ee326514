from __future__ import annotations

from pathlib import Path

import pytest

from engine.corpus import address_of, folder_of, place_of
from engine.errors import CorpusError


def test_a_replica_has_an_address_of_its_own() -> None:
    address = address_of("postgresql://h/d?corpus=c&replica=postgres%3A//r%3Asecret@h2/d%3Fsslmode%3Drequire")
    assert address.url == "postgresql://h/d"
    assert address.replica == "postgresql://r:secret@h2/d?sslmode=require"
    assert "secret" not in repr(address) + str(address)


def test_an_address_that_asks_for_the_former_index_still_opens() -> None:
    assert address_of("postgresql://h/d?corpus=c&dense=hnsw") == address_of("postgresql://h/d?corpus=c")


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ("postgresql://h/d", "names no corpus"),
        ("postgresql://h/d?corpus=c&dense=often", "dense must be codes or exact"),
        ("postgresql://h/d?corpus=c&timeout=0", "timeout must be a number of seconds"),
        ("postgresql://h:port/d?corpus=c", "unusable address"),
        ("postgresql://h/d?corpus=c&replica=h2", "replica must be an address"),
    ],
)
def test_what_is_wrong_with_an_address_is_told(words: str, message: str) -> None:
    with pytest.raises(CorpusError, match=message):
        place_of(words)


def test_where_a_folder_is_needed() -> None:
    assert folder_of("laws") == Path("laws")
    with pytest.raises(CorpusError, match="this needs a corpus folder"):
        folder_of("postgresql://h/d?corpus=c")
