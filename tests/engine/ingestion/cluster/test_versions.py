from __future__ import annotations

from engine.ingestion.cluster.versions import difference, versions_here


def test_what_differs_is_named() -> None:
    here = versions_here()
    assert difference(here, here | {"lxml": "1.0"}) == f"lxml 1.0 instead of {here['lxml']}"
    without = {name: value for name, value in here.items() if name != "orjson"}
    assert difference(here, without) == f"orjson none instead of {here['orjson']}"
    assert "code of the engine" in difference(here, here | {"code of the engine": "x"})
