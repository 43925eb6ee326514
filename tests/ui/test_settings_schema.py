from __future__ import annotations

from typing import Any

import pytest

from benchmarks.attacks.http.served import inside_a_loop
from engine.settings import InvestigationSettings
from ui.page import build_page
from ui.settings_schema import settings_schema
from ui.shelf import Library

EXACT = settings_schema()["anyOf"][0]


@pytest.fixture(scope="module")
def endpoints(library: Library) -> dict[str, Any]:
    public = inside_a_loop(lambda: build_page(library).get_api_info())
    return dict(public["named_endpoints"])


def test_it_says_all_of_every_field() -> None:
    fields = InvestigationSettings.model_json_schema()["properties"]
    assert list(EXACT["properties"]) == list(fields)
    for name, schema in EXACT["properties"].items():
        assert schema["description"].startswith(fields[name]["description"])
        shapes = schema.get("anyOf", [schema])
        assert ({"type": "null"} in shapes) == ("anyOf" in fields[name])
        for bound in ("minimum", "maximum"):
            said = fields[name].get("anyOf", [fields[name]])[0].get(bound, fields[name].get(bound))
            assert shapes[0].get(bound) == said


@pytest.mark.parametrize("name", ["/investigate", "/answer", "/plan"])
def test_whoever_looks_at_an_endpoint_sees_it(name: str, endpoints: dict[str, Any]) -> None:
    (told,) = (one for one in endpoints[name]["parameters"] if one["parameter_name"] == "settings")
    assert told["parameter_default"] is None
    assert told["type"]["anyOf"] == settings_schema()["anyOf"]
    assert "rounds: int" in told["python_type"]["type"]
