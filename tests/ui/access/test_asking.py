from __future__ import annotations

from typing import Any

import gradio as gr
import pytest
from starlette.requests import Request

from engine.access.users import Person, Role
from engine.errors import AccessError
from engine.operator_settings import ANYWHERE, OperatorSettings
from ui.server.address import VISITOR, Visitor
from ui.server.login import PERSON, person_of

TOKEN = "t" * 32


def asked(host: str = "127.0.0.1", person: object = None) -> gr.Request:
    visitor = Visitor(host, local=host == "127.0.0.1")
    scope: dict[str, Any] = {
        "type": "http",
        "headers": [],
        "client": (host, 1),
        "state": {},
        VISITOR: visitor,
    }
    if person is not None:
        scope["state"] = {PERSON: person}
    return gr.Request(Request(scope))


def test_without_access_the_browsers_token_is_believed_and_the_machine_is_the_operators() -> None:
    here, everywhere = OperatorSettings(), OperatorSettings(host=ANYWHERE)
    assert person_of(here, asked(), TOKEN) == Person(TOKEN, Role.OPERATOR, address="127.0.0.1")
    assert person_of(everywhere, asked(), TOKEN).role is Role.VISITOR
    assert person_of(here, asked("203.0.113.7"), TOKEN).role is Role.VISITOR
    for no_token in ("", "short", "../../etc/passwd-and-more", TOKEN + "/"):
        assert person_of(here, asked(), no_token).key == ""


def test_with_access_only_the_gate_is_believed() -> None:
    closed = OperatorSettings(access="login")
    rita = Person("k" * 43, Role.REVIEWER, "rita")
    assert person_of(closed, asked(person=rita), TOKEN) == rita
    for nobody in (None, "rita", {"name": "rita"}):
        with pytest.raises(AccessError, match="logged in"):
            person_of(closed, asked(person=nobody), TOKEN)
