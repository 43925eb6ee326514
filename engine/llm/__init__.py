"""Language models: what the engine asks of them, what it costs, and how their answers are made safe."""

from engine.llm.base import Budget, Data, Form, LanguageModel, Meter, Prefix, Prompt, Reply, Usage

__all__ = ["Budget", "Data", "Form", "LanguageModel", "Meter", "Prefix", "Prompt", "Reply", "Usage"]
