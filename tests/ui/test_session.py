from __future__ import annotations

import pytest

from engine.errors import InputError
from engine.investigation import Case
from engine.settings import InvestigationSettings
from ui.open_case import OpenCase
from ui.session import LAST_TURN, CaseSessions, turn_of
from ui.shelf import Library


class WatchedCase(Case):
    """A case that remembers whether it was cancelled."""

    cancelled = False

    def cancel(self) -> None:
        self.cancelled = True
        super().cancel()


def _open(library: Library) -> OpenCase:
    corpus = library.corpus(None)
    return OpenCase(WatchedCase(corpus, "powers", InvestigationSettings()), corpus, "powers", ("citations",))


def _cancelled(opened: OpenCase) -> bool:
    assert isinstance(opened.case, WatchedCase)
    return opened.case.cancelled


def test_the_table_is_bounded_and_what_falls_off_is_cancelled(library: Library) -> None:
    desk = CaseSessions(most=2)
    cases = [_open(library) for _ in range(3)]
    desk.put("a", cases[0])
    desk.put("b", cases[1])
    assert desk.get("a") is cases[0], "looking at a case keeps it"
    desk.put("c", cases[2])
    assert len(desk) == 2
    assert desk.find("b") is None
    assert [_cancelled(opened) for opened in cases] == [False, True, False]


def test_what_is_cancelled_is_what_was_asked_before_whichever_comes_first(library: Library) -> None:
    desk = CaseSessions()
    first, second, third = _open(library), _open(library), _open(library)
    first.view.turn, second.view.turn, third.view.turn = 1, 2, 4
    desk.put("a", first)
    desk.cancel("a", 1)
    assert _cancelled(first)
    # Asked anew before the cancelling of the first was heard.
    desk.put("a", second)
    desk.cancel("a", 1)
    assert not _cancelled(second)
    # Cancelled while it waited for its turn.
    desk.cancel("a", 4)
    desk.put("a", third)
    assert _cancelled(third)
    other = _open(library)
    other.view.turn = 4
    desk.put("b", other)
    assert not _cancelled(other), "another page has cancelled nothing"


def test_the_last_click_counts_though_it_comes_first(library: Library) -> None:
    desk = CaseSessions()
    later, earlier = _open(library), _open(library)
    later.view.turn, earlier.view.turn = 2, 1
    desk.put("a", later)
    desk.put("a", earlier)
    assert desk.get("a") is later
    assert (_cancelled(later), later.view.replaced) == (False, False)
    assert (_cancelled(earlier), earlier.view.replaced) == (True, True)


@pytest.mark.parametrize("said", ["", "x", "-1", "1.5", "٣", "9" * 5000])
def test_a_page_that_names_no_turn_cancels_everything(said: str) -> None:
    assert turn_of(said) == LAST_TURN
    assert turn_of("12") == 12


def test_a_forgotten_case_is_cancelled_and_asking_for_it_says_what_to_do(library: Library) -> None:
    desk = CaseSessions()
    opened = _open(library)
    desk.put("a", opened)
    desk.forget("a")
    desk.forget("a")
    assert _cancelled(opened)
    with pytest.raises(InputError, match="ask the question again"):
        desk.get("a")


def test_passages_are_named_by_their_short_citation(library: Library) -> None:
    opened = _open(library)
    rows = opened.corpus.rows([])
    assert len(rows) == 0
    first = opened.corpus.passages(opened.corpus.by_document(["act"])[0])[0]
    assert opened.name(first.id) == f"AA {first.label}"
    assert opened.name("no/such/passage") == "no/such/passage"
