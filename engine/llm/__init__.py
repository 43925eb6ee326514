"""Language models: prompts and replies, costs, and safeguards for untrusted text."""

from engine.llm.base import Budget, Data, Form, LanguageModel, Meter, Prefix, Prompt, Reply, Usage

__all__ = ["Budget", "Data", "Form", "LanguageModel", "Meter", "Prefix", "Prompt", "Reply", "Usage"]
