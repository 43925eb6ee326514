"""The forms of the bodies that the open routes take, one class each."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Annotated, Any

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, create_model

Session = Annotated[str, Field(max_length=64, pattern=r"^[A-Za-z0-9_-]+$")]
Event = Annotated[str, Field(max_length=64, pattern=r"^[A-Za-z0-9_-]*$")]
# The controls of the page are some eighty; the endpoints have fewer arguments.
MOST_INPUTS = 150


class _Form(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid", hide_input_in_errors=True, strict=True)


class Cancel(_Form):
    """A visitor wants no more of an event."""

    session_hash: Session
    fn_index: int = Field(ge=0)
    event_id: Event


class Reset(_Form):
    """What older clients send after a cancel."""

    event_id: Event


class Call(_Form):
    """A call of a named endpoint, arguments in order."""

    data: list[Any] = Field(max_length=MOST_INPUTS)
    session_hash: Session | None = None
    oauth_token: None = None


class Message(BaseModel):
    """A message of the Model Context Protocol (JSON-RPC 2.0)."""

    model_config = ConfigDict(frozen=True, extra="allow", hide_input_in_errors=True)

    jsonrpc: str = Field(pattern=r"^2\.0$")
    method: str | None = Field(default=None, max_length=100)
    params: dict[str, Any] | None = None


@dataclass(frozen=True, slots=True)
class Functions:
    """What of a page can be called: listeners by number, those that do without the queue, those that work on
    a case; names of endpoints; functions of panels with the components that bear them."""

    listeners: frozenset[int]
    direct: frozenset[int]
    cases: frozenset[int]
    endpoints: frozenset[str]
    panels: Mapping[str, frozenset[int]]


def _among(known: Collection[object]) -> AfterValidator:
    def check(value: Any) -> Any:
        if value not in known:
            raise ValueError("unknown")
        return value

    return AfterValidator(check)


def join_form(listeners: frozenset[int]) -> type[BaseModel]:
    """The form in which an event of the page arrives, for some of its listeners."""
    return create_model(
        "Join",
        __base__=_Form,
        data=(Annotated[list[Any], Field(max_length=MOST_INPUTS)], ...),
        fn_index=(Annotated[int, _among(listeners)], ...),
        session_hash=(Session, ...),
        event_id=(Event | None, None),
        event_data=(Any, None),
        trigger_id=(int | None, None),
        simple_format=(Annotated[bool, _among((False,))], False),
        batched=(Annotated[bool | None, _among((False, None))], None),
        oauth_token=(None, None),
    )


def panel_form(panels: Mapping[str, frozenset[int]]) -> type[BaseModel]:
    """The form in which a panel asks its function."""
    known = frozenset(number for numbers in panels.values() for number in numbers)
    return create_model(
        "PanelCall",
        __base__=_Form,
        data=(dict[str, Any], ...),
        component_id=(Annotated[int, _among(known)], ...),
        fn_name=(Annotated[str, _among(panels)], ...),
        session_hash=(Session, ...),
    )
