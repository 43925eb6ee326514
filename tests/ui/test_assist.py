from __future__ import annotations

from engine.settings import InvestigationSettings
from ui.assist import BY_MODEL, cost_line, helpers


def test_every_helper_is_off_by_default_and_knows_what_it_is_without_a_model() -> None:
    defaults = InvestigationSettings().model_dump(mode="json")
    assert helpers(), "there are helpers"
    for name, without in helpers().items():
        assert defaults[name] == without
        assert without != BY_MODEL
        assert InvestigationSettings.model_validate({name: BY_MODEL})


def test_the_line_is_empty_where_nothing_would_be_asked_and_is_no_markup() -> None:
    assert cost_line("") == ""
    assert "&lt;b&gt;" in cost_line("<b>")
