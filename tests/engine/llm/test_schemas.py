"""Schemas as servers want them, and in words."""

from __future__ import annotations

from datetime import date
from typing import Annotated, Literal

from pydantic import BaseModel, Field

from engine.llm.schemas import schema_text, strict_schema


class Item(BaseModel):
    """One line of the form."""

    key: Literal["P1", "P2"]
    note: Annotated[str, Field(max_length=20)] | None = Field(None, description="why")


class Form(BaseModel):
    items: list[Item] = Field(max_length=3, description="what\nwas found")
    score: float = Field(0.5, ge=0, le=1)
    free: str = "nothing"
    sure: bool
    when: date


class Tree(BaseModel):
    name: str
    children: list[Tree]


class Cat(BaseModel):
    kind: Literal["cat"]


class Dog(BaseModel):
    kind: Literal["dog"]
    barks: int


class Home(BaseModel):
    pet: Annotated[Cat | Dog, Field(discriminator="kind")]
    rooms: dict[str, int]


def test_strict_schemas_hold_known_keywords_only() -> None:
    made = strict_schema(Form)
    assert made["required"] == ["items", "score", "free", "sure", "when"]
    assert made["additionalProperties"] is False
    item = made["$defs"]["Item"]
    assert item["required"] == ["key", "note"]
    assert item["properties"]["key"]["enum"] == ["P1", "P2"]
    assert item["properties"]["note"]["description"] == "why"
    assert made["properties"]["score"]["maximum"] == 1
    for absent in ("default", "title", "maxLength", "format", "examples"):
        assert f"'{absent}'" not in repr(made)


def test_a_choice_between_schemas_is_any_of_them() -> None:
    pet = strict_schema(Home)["properties"]["pet"]
    assert [choice["$ref"] for choice in pet["anyOf"]] == ["#/$defs/Cat", "#/$defs/Dog"]
    assert set(pet) == {"anyOf"}


def test_a_field_may_have_the_name_of_a_keyword() -> None:
    class Odd(BaseModel):
        title: str
        default: int

    assert set(strict_schema(Odd)["properties"]) == {"title", "default"}


def test_the_words() -> None:
    assert schema_text(Form) == (
        "{\n"
        "  // what was found; at most 3 of them\n"
        '  "items": [{\n'
        '    "key": "P1" or "P2",\n'
        '    "note": string or null  // why; at most 20 characters\n'
        "  }, ...],\n"
        '  "score": number,  // at least 0; at most 1\n'
        '  "free": string,\n'
        '  "sure": boolean,\n'
        '  "when": string  // a date\n'
        "}"
    )


def test_the_words_of_choices_and_dictionaries() -> None:
    assert schema_text(Home) == (
        "{\n"
        '  "pet": {\n    "kind": "cat"\n  } or {\n    "kind": "dog",\n    "barks": integer\n  },\n'
        '  "rooms": {string: integer, ...}\n'
        "}"
    )


def test_a_schema_that_holds_itself() -> None:
    assert schema_text(Tree).count('"children": [Tree, ...]') == 1
    assert strict_schema(Tree)["$defs"]["Tree"]["required"] == ["name", "children"]
