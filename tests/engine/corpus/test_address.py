from __future__ import annotations

from pathlib import Path

import pytest

from engine.corpus.address import Address, address_of, folder_of, place_of
from engine.errors import CorpusError


def test_a_folder_or_an_address() -> None:
    assert place_of("corpora/laws") == Path("corpora/laws")
    assert place_of(Path("laws")) == Path("laws")
    assert place_of("postgresql") == Path("postgresql")
    address = place_of("postgresql://reader:secret@db.example:5433/law?corpus=laws&sslmode=require")
    assert isinstance(address, Address)
    assert place_of(address) is address
    assert address.corpus == "laws"
    assert address.url == "postgresql+psycopg://reader:secret@db.example:5433/law?sslmode=require"
    assert str(address) == "postgresql://db.example:5433/law?corpus=laws"
    assert "secret" not in repr(address)
    assert (address.dense, address.timeout) == ("codes", 60.0)


def test_our_own_parameters_are_not_the_drivers() -> None:
    address = address_of("postgres://h/d?corpus=c&dense=exact&timeout=2.5&host=/run/pg")
    assert (address.dense, address.timeout) == ("exact", 2.5)
    assert address.url == "postgresql+psycopg://h/d?host=%2Frun%2Fpg"


def test_a_replica_has_an_address_of_its_own() -> None:
    address = address_of("postgresql://h/d?corpus=c&replica=postgres%3A//r%3Asecret@h2/d%3Fsslmode%3Drequire")
    assert address.url == "postgresql+psycopg://h/d"
    assert address.replica == "postgresql+psycopg://r:secret@h2/d?sslmode=require"
    assert "secret" not in repr(address) + str(address)


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ("postgresql://h/d", "names no corpus"),
        ("postgresql://h/d?corpus=c&dense=often", "dense is codes or exact"),
        ("postgresql://h/d?corpus=c&timeout=0", "timeout is a number of seconds"),
        ("postgresql://h:port/d?corpus=c", "unusable address"),
        ("postgresql://h/d?corpus=c&replica=h2", "replica is an address"),
    ],
)
def test_what_is_wrong_with_an_address_is_told(words: str, message: str) -> None:
    with pytest.raises(CorpusError, match=message):
        place_of(words)


def test_where_a_folder_is_needed() -> None:
    assert folder_of("laws") == Path("laws")
    with pytest.raises(CorpusError, match="this is done in a corpus folder"):
        folder_of("postgresql://h/d?corpus=c")
