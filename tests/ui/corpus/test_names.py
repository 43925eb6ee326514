"""Names of a corpus on the page: listed, searched, and each with what it is to others."""

from __future__ import annotations

import re
from html import unescape

from tests.ui.corpus.conftest import Caller


def listed(html: str) -> dict[str, str]:
    found = re.findall(r'data-name="([^"]*)"><span class="words"><b dir="auto">(.*?)</b>', html)
    return {unescape(name): unescape(number) for number, name in found}


def test_names_are_listed_with_their_kind_and_how_often_they_stand(mine: Caller) -> None:
    found = mine.good("names")
    names = listed(found["html"])
    assert found["total"] == len(names)
    assert "Agency Act <New>" in names
    assert "&lt;New&gt;" in found["html"]
    assert ["title", "document"] in found["kinds"]
    assert "document · " in found["html"]


def test_a_name_leads_to_the_passages_that_say_what_it_is(mine: Caller) -> None:
    names = listed(mine.good("names")["html"])
    html = mine.good("name", name=names["Agency Act <New>"])["html"]
    assert "also " in html
    assert "Agency Regulation Article 1" in unescape(html)
    assert "<mark>Agency Act</mark>" in html
    assert re.search(r'<a class="go" href="#" data-document="\d+" data-at="\d+"', html)
    assert "<New>" not in html


def test_a_name_that_is_none_is_told(mine: Caller) -> None:
    for name in ("", "nobody", "<script>", "\x00"):
        assert "no such name" in mine("name", name=name)["error"]
