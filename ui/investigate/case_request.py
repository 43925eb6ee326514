"""The request of the page at a click: the question, the corpus and the values of all controls."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated

import orjson
from pydantic import Field, StrictInt

from engine.errors import InputError, SettingsError
from engine.records.store.store import LONGEST_NAME
from engine.settings import InvestigationSettings
from engine.verbs.requests import (
    LONGEST_QUESTION,
    MOST_SETTINGS,
    CorpusName,
    Key,
    Request,
    SettingValues,
    parse_request,
)
from ui.expansion.request import Tab
from ui.investigate.controls import settings_from
from ui.session import LAST_TURN

LONGEST = 100_000
LONGEST_EDIT = 80_000


class CaseRequest(Request):
    """One request of the page. ``session`` and ``visitor`` are the page's secret keys; ``turn`` is the number
    of the request.

    ``edited`` is the plan as the user has changed it (see ``plan.js``); ``matter`` is the name of the matter
    in which the case is stored; ``unfinished`` are controls with an incomplete value. ``view`` is the current
    tab of the board.
    """

    session: Key = Field(default="", repr=False)
    visitor: Key = Field(default="", repr=False)
    question: str = Field(default="", max_length=LONGEST_QUESTION)
    corpus: CorpusName | None = None
    turn: StrictInt = Field(default=0, ge=0, le=LAST_TURN)
    edited: str = Field(default="", max_length=LONGEST_EDIT)
    view: Tab = "board"
    matter: str = Field(default="", max_length=LONGEST_NAME)
    held: SettingValues = Field(default={}, max_length=MOST_SETTINGS)
    unfinished: Sequence[Annotated[str, Field(max_length=60)]] = Field(default=(), max_length=200)

    def settings(self) -> InvestigationSettings:
        """Return the settings that the controls show. Raises SettingsError for an invalid value."""
        if self.unfinished:
            raise SettingsError(
                f"{self.unfinished[0]}: the value is incomplete; complete it, or clear the field"
            )
        return settings_from(self.held)


def case_request(text: str) -> CaseRequest:
    """Parse the request. Raises InputError, in one line, if it is too long or invalid."""
    if len(text) > LONGEST:
        raise InputError("what was asked is too long: shorten the question, the plan or the settings")
    try:
        values = orjson.loads(text)
    except orjson.JSONDecodeError as error:
        raise InputError("what was asked cannot be read: load the page again") from error
    return parse_request(CaseRequest, values)
