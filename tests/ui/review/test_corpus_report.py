"""What verdicts say of a corpus stands in its retrieval report, for those whose cases they are."""

from __future__ import annotations

import time
from typing import Any

from pydantic import SecretStr

from engine.access.users import Person
from tests.ui.review.conftest import ANNA, BELA, Caller, Keep
from ui.calls import answer
from ui.cases.storage import KeptCases
from ui.corpus.access import CorpusDesk
from ui.corpus.panel import CALLS
from ui.review.access import ReviewDesk
from ui.shelf import Library


def report(desk: CorpusDesk, person: Person) -> str:
    """The report of the corpus as somebody gets it."""

    def told(do: str, **more: Any) -> dict[str, Any]:
        request = {"do": do, "visitor": person.key, "corpus": "Small", **more}
        found = answer(desk, CALLS, request, lambda token: person)
        assert "error" not in found, found
        return found

    job = told("report-start", questions=["May a manager grant an agent broader powers?"])["job"]
    until = time.monotonic() + 60
    while (found := told("report-poll", job=job))["state"] in ("waiting", "running"):
        assert time.monotonic() < until, "the report is not done within a minute"
        time.sleep(0.02)
    assert found["state"] == "done", found
    markdown: str = found["files"]["md"]
    return markdown


def test_ones_own_verdicts_are_in_the_report(
    ann: Caller, desk: ReviewDesk, library: Library, keep: Keep
) -> None:
    keep()
    queue = ann.made(name="First | look", best=4, random=3)
    corpora = CorpusDesk(library, cases=desk.kept)
    assert "No one has judged rankings of this corpus yet" in report(corpora, ANNA)
    verdicts = ["relevant", "partly", "not relevant"]
    judged = 0
    while turns := ann.good("enter", queue=queue, slots=["a"])["turns"]:
        assert "error" not in ann.verdict(queue, turns[0], verdicts[judged % 3])
        judged += 1
    found = report(corpora, ANNA)
    assert "### First \\| look" in found
    assert f"{judged} of {judged} passages that were drawn from 1 case are judged, by 1 person" in found
    assert "Ranked of what is relevant in the pools: " in found
    assert "another state" not in found
    # Asked once more and judged again: the case that was judged last tells, not both.
    keep()
    again = ann.made(name="Second look", best=4, random=3)
    assert again != queue
    while turns := ann.good("enter", queue=again, slots=["a"])["turns"]:
        assert "error" not in ann.verdict(again, turns[0], "not relevant")
    second = report(corpora, ANNA)
    assert f"{judged} of {judged} passages that were drawn from 1 case are judged" in second
    assert "### Second look\n" in second
    assert "First" not in second
    # Another's verdicts are theirs.
    assert "No one has judged rankings of this corpus yet" in report(corpora, BELA)


def test_the_report_tells_the_rest_where_the_database_of_cases_is_away(library: Library) -> None:
    away = library.settings.model_copy(
        update={"cases": SecretStr("postgresql://ann:secret@127.0.0.1:1/cases?connect_timeout=2")}
    )
    found = report(CorpusDesk(library, cases=KeptCases(away, library.home)), ANNA)
    assert "1 question: " in found
    assert "They cannot be read now: postgresql" in found
    assert "secret" not in found
    assert "No one has judged" not in found
