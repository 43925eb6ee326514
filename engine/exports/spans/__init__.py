"""A finished case as OpenTelemetry spans, made from its record.

The root is the case; below it the plan, the rounds with what each retriever and strategy found in them, and
what a language model was asked, by task. Attributes are those of OpenInference and of OpenTelemetry's
conventions for generative AI, both as of November 2026, and ``redstring.*`` for what neither has a name for.
https://github.com/Arize-ai/openinference/blob/main/spec/semantic_conventions.md
https://github.com/open-telemetry/semantic-conventions-genai
"""
