"""A language model inside the process, for what is asked before any server is: it answers with one value."""

from __future__ import annotations

from pydantic import BaseModel

from engine.errors import ModelError
from engine.llm import Meter, Prompt, Reply, Usage
from engine.llm.base import Answer

USAGE = Usage(calls=1, prompt_tokens=60, completion_tokens=20, money=0.001)
EXPECTED = Usage(calls=1, prompt_tokens=60, completion_tokens=40, money=0.002)


class Word(BaseModel):
    word: str = "yes"


class ModelOfOneWord:
    """Fills every schema with its defaults; ``failing`` raises instead, as a server does that is down."""

    def __init__(self, spec: str = "openai:one", *, failing: bool = False) -> None:
        self._spec, self._failing = spec, failing
        self.asked = 0

    @property
    def spec(self) -> str:
        return self._spec

    @property
    def context_tokens(self) -> int:
        return 8192

    def expected(self, prompt: Prompt, schema: type[BaseModel]) -> Usage:
        return EXPECTED

    def ask(self, prompt: Prompt, schema: type[Answer], meter: Meter) -> Reply[Answer]:
        self.asked += 1
        if self._failing:
            raise ModelError("the server is down")
        with meter.slot(prompt.task, EXPECTED) as slot:
            slot.used = USAGE
        return Reply(schema(), USAGE)


PROMPT = Prompt("test", "Say a word.", ())
