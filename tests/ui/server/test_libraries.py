from __future__ import annotations

import re
import site
import tempfile
from pathlib import Path

import pytest

from engine.operator_settings import PROJECT
from tests.ui.raw import API, Raw
from ui.server.routes import LIBRARIES

PLACES = (str(PROJECT), str(Path.home()), tempfile.gettempdir(), *site.getsitepackages())


@pytest.mark.parametrize("target", ["/", "/config", f"{API}/info", f"{API}/openapi.json", "/theme.css"])
def test_no_folder_of_the_server_stands_in_what_the_page_is_made_of(raw: Raw, target: str) -> None:
    answer = raw.ask("GET", target)
    assert answer.status == 200
    text = answer.body.decode()
    assert [place for place in PLACES if f"{place}/" in text] == []


@pytest.mark.parametrize("name", LIBRARIES)
def test_a_library_is_had_by_its_name_and_asked_for_anew_only_where_it_changed(raw: Raw, name: str) -> None:
    found = raw.ask("GET", f"/libraries/{name}")
    assert (found.status, found.body) == (200, LIBRARIES[name].read_bytes())
    assert re.match("(text|application)/javascript", found.headers["content-type"])
    assert found.headers["cache-control"] == "no-cache"
    again = raw.ask("GET", f"/libraries/{name}", [("If-None-Match", found.headers["etag"])])
    assert (again.status, again.body) == (304, b"")
    assert raw.ask("HEAD", f"/libraries/{name}").body == b""


@pytest.mark.parametrize(
    "name",
    [
        "", "plotly.min.js", "vis-network.min.js", "plotly.js/", "../config", "plotly.js/../../x", "%2e%2e/x",
        "plotly_js", "PLOTLY.JS", "/etc/passwd", "plotly.js%00", "plotly.js;x", "datasets/iris.csv.gz",
    ],
)  # fmt: skip
def test_nothing_else_is_had_there(raw: Raw, name: str) -> None:
    assert raw.ask("GET", f"/libraries/{name}").status == 404


def test_nothing_is_sent_there(raw: Raw) -> None:
    assert raw.ask("POST", "/libraries/plotly.js", body=b"x").status == 405
