from __future__ import annotations

from engine.settings import InvestigationSettings
from ui.investigate.controls import settings_schema

EXACT = settings_schema()["anyOf"][0]


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
