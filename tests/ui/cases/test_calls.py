"""What the Cases view is answered: one's own cases, found, described, judged, handed over, and no other's."""

from __future__ import annotations

import base64
import re
from pathlib import Path
from typing import Any

import orjson
import pytest

from engine.access.users import Person, Role
from engine.records.store import EVERYBODY
from engine.records.store.database import CaseFilter
from engine.records.store.store import CaseStore
from tests.ui.cases.conftest import ANN, BEN, QUESTION, Keep, ask, html, known, owner_of
from ui.calls import answer
from ui.cases.access import CasesDesk
from ui.cases.panel import CALLS, PAGE_SIZE
from ui.cases.storage import KeptCases
from ui.shelf import Library

HOSTILE = '"><script>window.harmed=1</script>\u202e=HYPERLINK("x")'


def test_the_history_is_found_by_words_matter_evidence_verdict_and_day(
    desk: CasesDesk, store: CaseStore, keep: Keep, record: dict[str, Any]
) -> None:
    first = keep(question="Eins über Vollmacht?", started="2026-01-02T10:00:00+00:00")
    second = keep(question="هل يجوز للوكيل؟", matter="Taxes", started="2026-02-03T10:00:00+00:00")
    store.judge(second, "useful", who="Ann", owner=owner_of(desk, ANN))
    taxes = store.matter("Taxes", owner_of(desk, ANN)).id
    every: list[tuple[dict[str, Any], set[str]]] = [
        ({}, {first, second}),
        ({"words": "VOLLMACHT"}, {first}),
        ({"words": "nothing like it"}, set()),
        ({"matter": taxes}, {second}),
        ({"corpus": record["corpus"]}, {first, second}),
        ({"evidence": record["evidence"]["status"]}, {first, second}),
        ({"verdict": "useful"}, {second}),
        ({"since": "2026-02-03"}, {second}),
        ({"until": "2026-01-02"}, {first}),
    ]
    for given, expected in every:
        page = html(desk, "history", "list", **given)
        assert {one for one in (first, second) if f'href="?case={one}"' in page} == expected, given
    options = ask(desk, "history", choices=True)["html"]
    assert ">Taxes</option>" in options["matters"]
    assert 'value="useful"' in options["verdicts"]
    newest_first = html(desk, "history", "list")
    assert newest_first.index(second) < newest_first.index(first)


def test_a_wrong_request_is_refused_in_a_line(desk: CasesDesk, keep: Keep) -> None:
    case = keep()
    for given, expected in (
        ({"since": "yesterday"}, "since"),
        ({"evidence": "maybe"}, "evidence"),
        ({"page": -1}, "page"),
        ({"owner": ""}, "owner: not known here"),
        ({"words": "x" * 201}, "words: longer"),
        ({"matter": "no-such-matter"}, "no such matter"),
    ):
        assert expected in ask(desk, "history", **given)["error"]
    for do, given, expected in (
        ("sheet", {"id": "nobody"}, "no case"),
        ("export", {"id": case, "format": "../etc"}, "unknown format"),
        ("compare", {"id": case, "other": case}, "two cases"),
        ("undo", {"id": case}, "no step"),
        ("move", {"id": case, "matter": ""}, "choose a matter"),
        ("move", {"id": case, "matter": "new", "name": "  "}, "needs a name"),
        ("fly", {}, "unknown request"),
    ):
        assert expected in ask(desk, do, **given)["error"], do
    assert "error" in answer(desk, CALLS, "nothing like a request")


def test_pages_of_the_list(desk: CasesDesk, keep: Keep) -> None:
    for number in range(PAGE_SIZE + 3):
        keep(started=f"2026-01-02T10:00:{number:02}+00:00")
    first, second = (html(desk, "history", "list", page=page) for page in (0, 1))
    assert (first.count('<li class="cas-row"'), second.count('<li class="cas-row"')) == (PAGE_SIZE, 3)
    assert "This page is empty now" in html(desk, "history", "list", page=7)


def test_a_case_is_named_noted_judged_and_moved(desk: CasesDesk, store: CaseStore, keep: Keep) -> None:
    case, owner = keep(), owner_of(desk, ANN)
    ask(desk, "describe", id=case, name="  Broader \n powers ", notes="")
    ask(desk, "describe", id=case, name="Broader powers", notes="Ask Ben.")
    # What is as it was makes no event.
    assert ask(desk, "describe", id=case, name="Broader powers", notes="Ask Ben.") == {}
    ask(desk, "judge", id=case, verdict=" useful ", right="yes")
    ask(desk, "judge", id=case, verdict="useful", right="yes")
    moved = ask(desk, "move", id=case, matter="new", name="Taxes")
    assert moved["again"] is True
    summary = store.summary(case, owner)
    assert (summary.name, summary.verdict, summary.verdict_right) == ("Broader powers", "useful", True)
    assert store.notes(case, owner) == "Ask Ben."
    assert summary.matter == store.matter("Taxes", owner).id
    kinds = [event.kind for event in store.events(case, owner)]
    assert kinds == ["opened", "ran", "described", "described", "judged", "moved"]
    sheet = html(desk, "sheet", "sheet", id=case)
    for words in ("Broader powers", "Ask Ben.", "useful", "General → Taxes", "visitor", QUESTION):
        assert words in sheet
    ask(desk, "judge", id=case, verdict="", right="")
    assert store.summary(case, owner).verdict is None
    assert "As it was written" in html(desk, "verify", "verified", id=case)


def test_the_last_step_is_taken_back_and_a_case_deleted(
    desk: CasesDesk, store: CaseStore, keep: Keep, record: dict[str, Any]
) -> None:
    case, owner = keep(), owner_of(desk, ANN)
    assert "Take back" not in html(desk, "sheet", "sheet", id=case)
    store.step(
        case,
        "pin",
        who="Ann",
        owner=owner,
        data={"passage": record["passages"][0]["id"]},
        record={**record, "notes": ["x"]},
    )
    assert "Take back: pinned" in html(desk, "sheet", "sheet", id=case)
    sheet = html(desk, "undo", "sheet", id=case)
    assert "Took back: pinned" in sheet
    assert store.record(case, owner) == record
    told = ask(desk, "delete", id=case)
    assert told["closed"] == case
    assert store.listed(CaseFilter(), owner=owner).total == 0
    assert "no case" in ask(desk, "delete", id=case)["error"]


def test_it_is_handed_over_in_every_format(desk: CasesDesk, keep: Keep, record: dict[str, Any]) -> None:
    from engine.exports.cases import exports

    case = keep(name="Wie lange? /../ <b>", started="2026-01-02T10:00:00+00:00")
    sheet = html(desk, "sheet", "sheet", id=case)
    for export in exports().values():
        assert f">{export.title}</button>" in sheet
        told = ask(desk, "export", id=case, format=export.name)
        if export.name == "qrels":
            # Nobody has judged a passage of it.
            assert "no passage of this case has been judged" in told["error"]
            continue
        file = told["file"]
        assert file["name"] == f"2026-01-02-Wie-lange-..-b{export.suffix}"
        assert base64.b64decode(file["data"])
    whole = orjson.loads(base64.b64decode(ask(desk, "export", id=case, format="json")["file"]["data"]))
    assert whole["passages"] == record["passages"]


def test_a_case_is_shared_where_the_operator_allows_it(
    desk: CasesDesk, store: CaseStore, keep: Keep, shelf: Library, home: Path
) -> None:
    case, owner = keep(), owner_of(desk, ANN)
    assert "Share by link" not in html(desk, "sheet", "sheet", id=case)
    assert "does not allow" in ask(desk, "share", id=case, shared=True)["error"]
    open_desk = CasesDesk(KeptCases(shelf.settings.changed(share_cases=True), home), shelf)
    assert "Share by link" in html(open_desk, "sheet", "sheet", id=case)
    assert "no case" in ask(open_desk, "share", BEN, id=case, shared=True)["error"]
    assert not store.summary(case, owner).is_shared
    assert "End sharing" in html(open_desk, "share", "share", id=case, shared=True)
    assert store.shared(case).summary.id == case
    assert "Shared by link" in html(open_desk, "sheet", "sheet", id=case)
    # Who may read it finds it by its link, not in a list, and changes nothing of it.
    assert "No cases yet" in html(open_desk, "history", "list", BEN)
    assert "no case" in ask(open_desk, "describe", BEN, id=case, name="Ben's")["error"]
    assert "Sharing ended" in html(open_desk, "share", "events", id=case, shared=False)
    assert not store.summary(case, owner).is_shared
    open_desk.kept.store().close()


def test_two_cases_side_by_side(desk: CasesDesk, keep: Keep, record: dict[str, Any]) -> None:
    fewer = {
        "passages": record["passages"][1:],
        "settings": {**record["settings"], "rounds": 4},
        "started": "2026-01-02T10:00:00+00:00",
    }
    older, newer = keep(**fewer), keep(started="2026-03-02T10:00:00+00:00")
    for pair in ((older, newer), (newer, older)):
        page = html(desk, "compare", "compare", id=pair[0], other=pair[1])
        assert page.index(older) < page.index(newer), "the older on the left"
        assert "1 came" in page
        assert '<th scope="row">rounds</th><td dir="auto">4</td>' in page
    file = ask(desk, "comparison", id=newer, other=older)["file"]
    values = orjson.loads(base64.b64decode(file["data"]))
    assert (values["before"], values["after"], len(values["came"])) == (older, newer, 1)
    same = keep(started="2026-04-02T10:00:00+00:00")
    assert "The same to the last digit" in html(desk, "compare", "compare", id=newer, other=same)


def test_figures_of_all_cases_and_of_one_matter(desk: CasesDesk, store: CaseStore, keep: Keep) -> None:
    assert "No figures yet" in html(desk, "records", "records")
    case = keep()
    keep(matter="Taxes", name="The other")
    store.judge(case, "useful", who="Ann", owner=owner_of(desk, ANN), right=True)
    page = html(desk, "records", "records")
    assert "called right in 1 of 1 case" in page
    # A chart each, and for each a table for those who do not see it.
    assert page.count('role="img"') == page.count("<details>") == 3
    taxes = store.matter("Taxes", owner_of(desk, ANN)).id
    one = html(desk, "records", "records", matter=taxes)
    assert "The other" in one
    assert case not in one


def test_nothing_of_another_is_seen_or_changed(
    desk: CasesDesk, store: CaseStore, keep: Keep, record: dict[str, Any]
) -> None:
    """Every request, with the ids of another in every field that takes one, in every order."""
    ann = owner_of(desk, ANN)
    secret = "Ann's own secret question?"
    hers = keep(question=secret, name="Hers")
    store.step(hers, "pin", who="Ann", owner=ann, record={**record, "question": secret, "notes": ["x"]})
    her_matter = store.matter("General", ann)
    his = keep(BEN)
    his_matter = store.matter("General", owner_of(desk, BEN)).id
    before = store.summary(hers, ann), store.events(hers, ann), store.events(his, owner_of(desk, BEN))
    ids: tuple[str, ...] = (hers, his, "", hers + " ", "%", "' or 1=1 --")
    for do in CALLS:
        if do == "delete":
            ids = tuple(one for one in ids if one != his)
        for case in ids:
            for other in (hers, his, ""):
                for matter in (her_matter.id, "new", ""):
                    more = {"id": case, "other": other, "matter": matter}
                    if do == "move" and case == his and matter != her_matter.id:
                        continue
                    if do in ("describe", "judge"):
                        more |= {"name": "Ben was here"} if do == "describe" and case != his else {}
                    sent = known(do, format="json", choices=True, **more)
                    told = orjson.dumps(ask(desk, do, BEN, **sent)).decode()
                    assert "not known here" not in told
                    assert secret not in told, (do, more)
                    assert "Hers" not in told, (do, more)
    assert before == (
        store.summary(hers, ann),
        store.events(hers, ann),
        store.events(his, owner_of(desk, BEN)),
    )
    assert store.summary(his, owner_of(desk, BEN)).matter == his_matter
    # No matter was made on the way.
    assert [one.name for one in store.matters(EVERYBODY)] == ["General", "General"]


@pytest.mark.parametrize("token", ["", "x", "../../etc/passwd"])
def test_without_a_key_the_page_says_why_nothing_is_kept(desk: CasesDesk, keep: Keep, token: str) -> None:
    case = keep(question="Ann's own secret question?")
    for do in ("history", "records"):
        for fragment in ask(desk, do, token)["html"].values():
            assert "Your cases are not kept" in fragment
            assert "secret" not in fragment
    for do in set(CALLS) - {"history", "records"}:
        assert "no key" in ask(desk, do, token, **known(do, id=case, other=case, format="json"))["error"]


def test_a_local_user_sees_the_cases_of_the_command_line(
    desk: CasesDesk, store: CaseStore, keep: Keep, record: dict[str, Any]
) -> None:
    keep()
    own = store.keep(record, store.matter(), application="cli", who="command line")
    told = answer(desk, CALLS, {"do": "history"}, lambda _: Person("", Role.OPERATOR))
    assert told["html"]["list"].count('<li class="cas-row"') == 1
    assert own in told["html"]["list"]


def test_words_of_others_are_no_markup(desk: CasesDesk, store: CaseStore, keep: Keep) -> None:
    case, owner = keep(question=HOSTILE, matter=HOSTILE, corpus=HOSTILE), owner_of(desk, ANN)
    other = keep(question=HOSTILE, started="2026-01-02T10:00:00+00:00")
    store.describe(case, who=HOSTILE, owner=owner, name=HOSTILE, notes="</textarea>" + HOSTILE)
    store.judge(case, HOSTILE, who=HOSTILE, owner=owner)
    answers = [
        ask(desk, do, **known(do, id=case, other=other, choices=True))
        for do in ("history", "sheet", "records", "compare", "verify")
    ]
    for told in answers:
        page = "".join(told["html"].values())
        assert "<script" not in page
        # What is sent back, or edited, is as it was written; what is read hides nothing.
        read = re.sub(r'value="[^"]*"|<textarea.*?</textarea>', "", page, flags=re.DOTALL)
        assert "\u202e" not in read
        assert page.count("</textarea>") == page.count("<textarea")


def test_what_changes_or_leaves_is_written_down(
    desk: CasesDesk, keep: Keep, monkeypatch: pytest.MonkeyPatch
) -> None:
    lines: list[tuple[str, str, str]] = []
    monkeypatch.setattr(
        "ui.calls.record", lambda person, action, what, outcome: lines.append((action, what, outcome))
    )
    case, bens = keep(), keep(BEN)
    ask(desk, "history")
    ask(desk, "sheet", id=case)
    ask(desk, "describe", id=case, name="N")
    ask(desk, "judge", id=case, verdict="useful")
    ask(desk, "move", id=case, matter="new", name="M")
    ask(desk, "export", id=case, format="json")
    ask(desk, "delete", id=bens)
    ask(desk, "delete", id=case)
    told = [
        (action, case, "done")
        for action in ("describe case", "judge case", "move case", "export case as json")
    ]
    assert lines == [*told, ("delete case", bens, "refused"), ("delete case", case, "done")]
