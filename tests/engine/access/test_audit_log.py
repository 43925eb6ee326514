from __future__ import annotations

import logging
from pathlib import Path

import orjson
import pytest

from engine.access.audit_log import audit_log, audit_path, record
from engine.access.users import Person, Role
from engine.errors import InputError
from engine.operator_settings import OperatorSettings

ANNA = Person("k" * 43, Role.REVIEWER, "anna", "203.0.113.7")
TOKEN = "browser-token-of-somebody"
STRANGER = Person(TOKEN, address="203.0.113.8")


def settings(home: Path, **more: object) -> OperatorSettings:
    return OperatorSettings(**({"home": home, "audit": "on"} | more))  # type: ignore[arg-type]


def lines(path: Path) -> list[dict[str, str]]:
    return [orjson.loads(line) for line in path.read_bytes().splitlines()]


def test_a_line_names_the_actor_and_the_action_and_holds_no_secret(tmp_path: Path) -> None:
    kept = settings(tmp_path)
    with audit_log(kept):
        record(ANNA, "judge", "law-1a2b", "done")
        record(STRANGER, "add", "x\n{}", "refused")
        record(STRANGER, "add", "\ud800" + "x" * 500, "failed")
    record(ANNA, "after", "", "done")
    first, second, third = lines(audit_path(kept))
    assert {key: first[key] for key in ("who", "role", "action", "object", "outcome")} == {
        "who": "anna", "role": "reviewer", "action": "judge", "object": "law-1a2b", "outcome": "done",
    }  # fmt: skip
    assert first["when"].endswith("+00:00")
    assert second["object"] == "x\n{}"
    assert len(third["object"]) == 200
    assert second["who"] == third["who"] != ""
    assert first["address"].startswith("address:")
    assert first["address"] != second["address"]
    text = audit_path(kept).read_text(encoding="utf-8")
    assert not any(secret in text for secret in (TOKEN, ANNA.key, "203.0.113"))


@pytest.mark.parametrize(("how", "shown"), [("plain", "203.0.113.7"), ("none", "")])
def test_addresses_as_the_operator_has_it(tmp_path: Path, how: str, shown: str) -> None:
    kept = settings(tmp_path, audit_addresses=how)
    with audit_log(kept):
        record(ANNA, "log in", "", "done")
    assert lines(audit_path(kept))[0]["address"] == shown


def test_it_is_put_aside_when_it_has_grown_and_stays_the_owners(tmp_path: Path) -> None:
    kept = settings(tmp_path, audit_mb=1, audit_files=2)
    with audit_log(kept):
        for _ in range(16_000):
            record(ANNA, "judge", "x" * 200, "done")
    files = sorted(path.name for path in audit_path(kept).parent.iterdir())
    assert files == ["audit.jsonl", "audit.jsonl.1", "audit.jsonl.2"]
    for path in audit_path(kept).parent.iterdir():
        assert path.stat().st_mode & 0o777 == 0o600
        assert path.stat().st_size <= 1_000_000
        assert lines(path)


def test_it_is_only_added_to(tmp_path: Path) -> None:
    kept = settings(tmp_path)
    for action in ("first", "second"):
        with audit_log(kept):
            record(ANNA, action, "", "done")
    assert [line["action"] for line in lines(audit_path(kept))] == ["first", "second"]


def test_without_access_there_is_none_unless_it_is_wanted(tmp_path: Path) -> None:
    for off in (settings(tmp_path, audit="auto"), settings(tmp_path, audit="off", access="login")):
        with audit_log(off):
            record(ANNA, "judge", "", "done")
    assert not list(tmp_path.iterdir())
    assert settings(tmp_path, audit="auto", access="login").audited


def test_a_log_that_cannot_be_written_is_told(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    (tmp_path / "audit").write_bytes(b"")
    with pytest.raises(InputError, match="audit log cannot be written"), audit_log(settings(tmp_path)):
        pass
    with audit_log(settings(tmp_path / "home")):
        handler = logging.getLogger("redstring.audit").handlers[-1]
        handler.close()
        audit_path(settings(tmp_path / "home")).unlink()
        audit_path(settings(tmp_path / "home")).mkdir()
        record(ANNA, "judge", "", "done")
    assert "the audit log cannot be written" in caplog.text
