"""A case that is shared by link: its record, and nothing that its owner said of it, in any format."""

from __future__ import annotations

import io
import zipfile
from pathlib import Path
from typing import Any

from engine.access.users import Person
from engine.exports.cases import exports
from engine.records.store.store import CaseStore
from tests.ui.cases.conftest import ANN, ANNA, BELA, Keep, owner_of
from ui.cases.access import CasesDesk
from ui.cases.opening import case_of_person, opened_again
from ui.cases.storage import KeptCases
from ui.shelf import Library

SAID = {
    "name": "Zanzibar",
    "notes": "Quagmire",
    "verdict": "Xylophone",
    "matter": "Jukebox",
    "who": "Wolfram",
}


def text_in(data: bytes) -> str:
    """All text in a file, of all files in it where it is an archive."""
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            return "\n".join(name + text_in(archive.read(name)) for name in archive.namelist())
    except zipfile.BadZipFile:
        return data.decode("utf-8", "replace")


def test_no_format_of_a_shared_case_has_what_its_owner_said_of_it(
    desk: CasesDesk, store: CaseStore, keep: Keep, shelf: Library, home: Path, record: dict[str, Any]
) -> None:
    pinned = {**record["pool"], "pinned": [record["pool"]["nodes"][0]["id"]]}
    case_id, owner = keep(matter=SAID["matter"], pool=pinned), owner_of(desk, ANN)
    who: dict[str, Any] = {"who": SAID["who"], "owner": owner}
    store.describe(case_id, name=SAID["name"], notes=SAID["notes"], **who)
    store.judge(case_id, SAID["verdict"], right=True, **who)
    store.share(case_id, **who)
    cases = KeptCases(shelf.settings.changed(share_cases=True), home)

    def files(person: Person) -> dict[str, str]:
        given = case_of_person(shelf, cases, person, case_id)
        return {name: text_in(one.write(given)) for name, one in exports().items()}

    own, shared = files(ANNA), files(BELA)
    assert len(shared) >= 9
    for name, text in shared.items():
        assert [word for word in SAID.values() if word in text] == [], name
    # Who asks for a case of their own gets what they have said of it.
    assert SAID["name"] in own["html"]
    assert SAID["verdict"] in own["docx"]
    assert SAID["name"] in own["json"]
    assert SAID["name"] not in str(opened_again(shelf, cases, BELA, case_id).story)
    cases.store().close()
    cases.reviews().close()
