from __future__ import annotations

import resource
import signal
from pathlib import Path

import pytest

from engine.corpus.embedded.publication import DECISIONS_NAME
from engine.corpus.journal import append_line, complete_lines, overwrite_lines
from engine.corpus.judgements import Place as DecidedPlace
from engine.corpus.judgements import add_decision, load_decisions
from engine.errors import CorpusError, ResourceError
from tests.engine.forked import FORK


@pytest.fixture
def journal(tmp_path: Path) -> Path:
    for number in range(3):
        add_decision(tmp_path, DecidedPlace(f"act/article-{number}", "Article 7", 0), "act/article-9")
    return tmp_path / DECISIONS_NAME


def test_no_bit_of_it_can_turn_unnoticed(journal: Path) -> None:
    whole = journal.read_bytes()
    for place in range(len(whole)):
        flipped = bytearray(whole)
        flipped[place] ^= 1 << (place % 8)
        journal.write_bytes(flipped)
        with pytest.raises(CorpusError, match=r"decisions\.jsonl:\d"):
            load_decisions(journal.parent)


def test_cut_anywhere_it_holds_what_was_decided_before(journal: Path) -> None:
    whole, decisions = journal.read_bytes(), load_decisions(journal.parent)
    for length in range(len(whole)):
        journal.write_bytes(whole[:length])
        kept = whole[: length + 1].count(b"\n")
        assert load_decisions(journal.parent) == decisions[:kept]
        if length % 16 == 0 or whole[length] == ord("\n"):
            append_line(journal, b"one more")
            assert len(complete_lines(journal)) == kept + 1


@pytest.mark.parametrize("zeros", [1, 5, 150])
def test_zeros_at_its_end_are_no_crash_of_ours(journal: Path, zeros: int) -> None:
    journal.write_bytes(journal.read_bytes()[:-zeros] + b"\0" * zeros)
    with pytest.raises(CorpusError, match="does not fit its checksum"):
        load_decisions(journal.parent)
    with pytest.raises(CorpusError, match="the end of"):
        append_line(journal, b"one more")


@pytest.mark.parametrize("content", [b"\x81\xfe" * 200, b"words of another file", b'{"a": "\x01'])
def test_what_is_no_beginning_of_a_line_was_left_by_no_writer(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "j").write_bytes(content)
    with pytest.raises(CorpusError, match=r"j:1 does not fit"):
        complete_lines(tmp_path / "j")


def test_a_turned_last_end_of_a_line_costs_no_line(journal: Path) -> None:
    whole = journal.read_bytes()
    journal.write_bytes(whole[:-1] + b"\x0b")
    with pytest.raises(CorpusError, match="the end of"):
        append_line(journal, b"one more")
    assert journal.read_bytes() == whole[:-1] + b"\x0b"


def test_where_the_disk_is_full_nothing_is_left_of_a_line(journal: Path) -> None:
    """A file may not grow past a limit: the system writes a part of the line, and says so only then."""
    whole = journal.read_bytes()
    told = journal.with_name("told")

    def append() -> None:
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (len(whole) + 100, len(whole) + 100))
        try:
            append_line(journal, b"x" * 500)
        except ResourceError as error:
            told.write_text(str(error), encoding="utf-8")

    process = FORK.Process(target=append)
    process.start()
    process.join()
    assert "the disk is full" in told.read_text(encoding="utf-8")
    assert journal.read_bytes() == whole


def test_a_line_is_overwritten_where_it_stands_and_others_are_not(tmp_path: Path) -> None:
    path = tmp_path / "journal.jsonl"
    for line in (b"one", b"two", b"one"):
        append_line(path, line)
    with path.open("ab") as file:
        file.write(b"one\none\t0123456789abcdef\ncut on")
    before = path.read_bytes()
    assert overwrite_lines(path, lambda line: line.replace(b"one", b"1  ")) == 3
    after = path.read_bytes()
    assert len(after) == len(before)
    assert after.endswith(b"1  \none\t0123456789abcdef\ncut on"), "damaged and cut lines stay"
    path.write_bytes(after.rpartition(b"one\t")[0])
    assert complete_lines(path) == [b"1  ", b"two", b"1  ", b"1  "]
    assert overwrite_lines(tmp_path / "nothing", lambda line: b"") == 0
