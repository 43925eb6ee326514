"""Schemas as servers want them, and in words."""

from __future__ import annotations

from datetime import date
from typing import Annotated, Literal

from pydantic import BaseModel, Field

from engine.llm.completions import schema_text, strict_schema


class Item(BaseModel):
    key: Literal["P1", "P2"]
    note: Annotated[str, Field(max_length=20)] | None = Field(None, description="why")


class Form(BaseModel):
    items: list[Item] = Field(max_length=3, description="what\nwas found")
    score: float = Field(0.5, ge=0, le=1)
    free: str = "nothing"
    sure: bool
    when: date


class Cat(BaseModel):
    kind: Literal["cat"]


class Dog(BaseModel):
    kind: Literal["dog"]
    barks: int


class Home(BaseModel):
    pet: Annotated[Cat | Dog, Field(discriminator="kind")]
    rooms: dict[str, int]


def test_a_choice_between_schemas_is_any_of_them() -> None:
    pet = strict_schema(Home)["properties"]["pet"]
    assert [choice["$ref"] for choice in pet["anyOf"]] == ["#/$defs/Cat", "#/$defs/Dog"]
    assert set(pet) == {"anyOf"}


def test_the_words_of_choices_and_dictionaries() -> None:
    assert schema_text(Home) == (
        "{\n"
        '  "pet": {\n    "kind": "cat"\n  } or {\n    "kind": "dog",\n    "barks": integer\n  },\n'
        '  "rooms": {string: integer, ...}\n'
        "}"
    )
