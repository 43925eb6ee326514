"""Language models: what the engine asks of them, what it costs, and how their answers are made safe."""

from engine.llm.base import Data, Form, LanguageModel, Prefix, Prompt, Reply
from engine.llm.meter import Budget, Meter
from engine.llm.usage import Usage

__all__ = ["Budget", "Data", "Form", "LanguageModel", "Meter", "Prefix", "Prompt", "Reply", "Usage"]
