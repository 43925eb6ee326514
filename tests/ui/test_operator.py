from __future__ import annotations

import pytest

from engine.errors import InputError
from ui.locality import asked_locally
from ui.operator import Operator, operator_from


def test_without_variables_there_is_no_model_and_nothing_is_offered() -> None:
    operator = operator_from({})
    assert operator == Operator()
    assert not operator.offers(local=True)
    assert not operator.private_endpoints(local=True)


def test_the_variables_are_read() -> None:
    operator = operator_from(
        {"REDSTRING_LLM": "openai:m", "REDSTRING_LLM_SHARED": "on", "REDSTRING_VISITOR_MODELS": "off",
         "REDSTRING_LLM_DAY_TOKENS": "10"}
    )  # fmt: skip
    assert operator == Operator("openai:m", shared=True, visitors=False, day_tokens=10)


@pytest.mark.parametrize(
    ("variable", "value"),
    [
        ("REDSTRING_LLM_SHARED", "perhaps"),
        ("REDSTRING_PRIVATE_ENDPOINTS", "some"),
        ("REDSTRING_LLM_DAY_TOKENS", "-1"),
    ],
)
def test_a_wrong_variable_is_named(variable: str, value: str) -> None:
    with pytest.raises(InputError, match=variable):
        operator_from({variable: value})


@pytest.mark.parametrize(
    ("private", "loopback", "local", "allowed"),
    [
        ("", True, True, True),
        ("auto", True, False, False),
        ("", False, True, False),
        ("on", False, False, True),
        ("off", True, True, False),
    ],
)
def test_who_may_name_a_private_server(private: str, loopback: bool, local: bool, allowed: bool) -> None:
    operator = operator_from({"REDSTRING_PRIVATE_ENDPOINTS": private}, loopback=loopback)
    assert operator.private_endpoints(local) is allowed


@pytest.mark.parametrize(
    ("headers", "client", "local"),
    [
        ({"host": "127.0.0.1:7860"}, "127.0.0.1", True),
        ({"host": "localhost:7860", "origin": "http://localhost:7860"}, "::1", True),
        ({"host": "[::1]:7860"}, "::ffff:127.0.0.1", True),
        ({"host": "localhost:7860"}, "192.168.1.7", False),
        ({"host": "page.example"}, "127.0.0.1", False),
        ({"host": "127.0.0.1.page.example"}, "127.0.0.1", False),
        ({"host": "localhost", "origin": "https://page.example"}, "127.0.0.1", False),
        ({"host": "localhost", "origin": "null"}, "127.0.0.1", False),
        ({"host": "localhost", "x-forwarded-for": "1.2.3.4"}, "127.0.0.1", False),
        ({"host": "localhost", "forwarded": "for=1.2.3.4"}, "127.0.0.1", False),
        ({}, "127.0.0.1", False),
    ],
)
def test_who_is_at_the_machine_itself(headers: dict[str, str], client: str, local: bool) -> None:
    assert asked_locally(headers, client) is local
