from __future__ import annotations

import secrets

import pytest

from engine.errors import InputError, ModelError
from engine.llm import LanguageModel, Meter
from engine.operator_settings import ANYWHERE, OperatorSettings
from tests.ui.clock import Clock
from tests.ui.model_doubles import PROMPT, ModelOfOneWord, Word
from ui.models.connections import IDLE_SECONDS, LEFT_SECONDS, MOST_CONNECTIONS, Connections, Described


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def connections(clock: Clock) -> Connections:
    return Connections(clock=clock)


def session() -> str:
    return secrets.token_hex(24)


def test_a_connection_belongs_to_one_page_load(connections: Connections) -> None:
    mine, yours = session(), session()
    connections.connect(mine, ModelOfOneWord("openai:mine"))
    assert connections.describe(mine) == Described("visitor", "openai:mine")
    assert connections.model(yours) is None
    assert connections.describe(yours) == Described("nobody", "")


def test_a_page_that_does_not_say_who_it_is_has_no_connection(connections: Connections) -> None:
    for nobody in ("", "short"):
        with pytest.raises(InputError, match="load it again"):
            connections.connect(nobody, ModelOfOneWord())
        assert connections.model(nobody) is None


def test_visitors_bring_no_model_where_the_operator_does_not_want_it() -> None:
    closed = Connections(OperatorSettings(visitor_models=False, host=ANYWHERE))
    with pytest.raises(InputError, match="switched off"):
        closed.connect(session(), ModelOfOneWord())


def test_a_forgotten_model_answers_nobody_not_even_a_case_that_holds_it(connections: Connections) -> None:
    mine = session()
    connections.connect(mine, ModelOfOneWord())
    held = connections.model(mine)
    assert held is not None
    assert held.ask(PROMPT, Word, Meter()).value == Word()
    connections.forget(mine)
    assert connections.model(mine) is None
    with pytest.raises(ModelError, match="disconnected"):
        held.ask(PROMPT, Word, Meter())
    with pytest.raises(ModelError, match="disconnected"):
        held.expected(PROMPT, Word)


def test_a_connection_ends_when_nobody_uses_it_for_long(connections: Connections, clock: Clock) -> None:
    mine = session()
    connections.connect(mine, ModelOfOneWord())
    clock.now += IDLE_SECONDS - 1
    assert connections.model(mine) is not None, "using it keeps it"
    clock.now += IDLE_SECONDS - 1
    held = connections.model(mine)
    clock.now += IDLE_SECONDS
    assert connections.model(mine) is None
    assert held is not None
    with pytest.raises(ModelError):
        held.ask(PROMPT, Word, Meter())


def test_a_connection_is_forgotten_soon_after_its_page_is_left(
    connections: Connections, clock: Clock
) -> None:
    mine = session()
    connections.arrive(mine, "page", trusted=False)
    connections.connect(mine, ModelOfOneWord())
    connections.leave("page")
    clock.now += LEFT_SECONDS
    assert connections.model(mine) is None


def test_a_page_whose_line_was_cut_finds_its_connection_again(connections: Connections, clock: Clock) -> None:
    mine = session()
    connections.arrive(mine, "page", trusted=False)
    connections.connect(mine, ModelOfOneWord())
    connections.leave("page")
    clock.now += LEFT_SECONDS / 2
    assert connections.model(mine) is not None
    clock.now += LEFT_SECONDS
    assert connections.model(mine) is not None


def test_the_least_recently_used_goes_first(connections: Connections) -> None:
    first, second = session(), session()
    connections.connect(first, ModelOfOneWord())
    connections.connect(second, ModelOfOneWord())
    assert connections.model(first) is not None
    for _ in range(MOST_CONNECTIONS - 1):
        connections.connect(session(), ModelOfOneWord())
    assert connections.model(second) is None
    assert connections.model(first) is not None


def test_the_visitors_own_model_comes_before_the_operators() -> None:
    operators = ModelOfOneWord("openai:operators")
    shared = Connections(OperatorSettings(llm_shared=True, host=ANYWHERE), lambda session, local: operators)
    mine = session()
    assert shared.describe(mine) == Described("operator", "openai:operators")
    shared.connect(mine, ModelOfOneWord("openai:mine"))
    assert shared.describe(mine) == Described("visitor", "openai:mine")
    shared.forget(mine)
    assert shared.model(mine) is operators


def test_only_a_page_opened_on_the_machine_itself_counts_as_local() -> None:
    heard: list[bool] = []

    def offer(name: str, local: bool) -> LanguageModel | None:
        heard.append(local)
        return None

    connections = Connections(OperatorSettings(), offer)
    here, far = session(), session()
    connections.arrive(here, "a", trusted=True)
    connections.arrive(far, "b", trusted=False)
    connections.model(here)
    connections.model(far)
    connections.model(session())
    assert heard == [True, False, False]
