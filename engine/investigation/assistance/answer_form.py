"""What a language model is asked where it writes the answer of a case, and the form that it fills in.

It stands here, and not where answers are made, as every prompt of a case tells it.
"""

from __future__ import annotations

from pydantic import BaseModel, ConfigDict, Field

from engine.llm.base import Form

TASK, AGAIN_TASK = "answer", "answer again"

INSTRUCTIONS = """\
Answer the question in "question" from the passages, and from nothing else. Write in the language of the
question, in plain sentences of at most 40 words, most important first, at most ten. No markup, no
headings, no bracketed numbers, no addresses.
Every sentence needs at least one quote: the key of a passage that is listed ("passage 3" has key 3) and words
of that passage, copied exactly and without a gap, at least four words and as few as carry the sentence. Never
quote the line that begins with "source:". Numbers, dates, amounts and negations of a sentence must stand in
its quotes.
The part "relations" is no passage: never quote it, nor say what only it says.
Say which source overrides another, and where sources disagree say so. A passage whose source line says that
it is not in force is to be named as such.
If the passages do not answer the question, set missing to true and give no sentences.
"""
AGAIN = """\
Some sentences of an answer did not hold. Write each of the failed sentences again so that it holds, or leave
it out: same rules as before. Give only these sentences.
"""


class CitedQuote(BaseModel):
    """Words of a passage, by its key."""

    model_config = ConfigDict(extra="forbid")

    key: int
    quote: str = Field(max_length=4000)


class WrittenSentence(BaseModel):
    """One sentence with the quotes that carry it."""

    model_config = ConfigDict(extra="forbid")

    text: str = Field(max_length=4000)
    quotes: list[CitedQuote]


class WrittenAnswer(BaseModel):
    """An answer as the model fills it in."""

    model_config = ConfigDict(extra="forbid")

    missing: bool
    sentences: list[WrittenSentence]


FORM = Form(TASK, INSTRUCTIONS, WrittenAnswer)
AGAIN_FORM = Form(AGAIN_TASK, f'As for the task "{TASK}", with one part more:\n{AGAIN}', WrittenAnswer)
