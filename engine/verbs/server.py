"""Verbs of the operator: settings, users, deletion of personal data."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from dataclasses import asdict
from datetime import UTC, datetime
from getpass import getpass
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from engine.errors import InputError
from engine.verbs.verb import Caller, Request, Response, argument, option, verb

if TYPE_CHECKING:
    from engine.access.audit_log import CorpusFolder
    from engine.operator_settings import OperatorSettings

FROM_INPUT = "-"
HEADINGS = {
    "server": "The server",
    "door": "Who may ask, and how often",
    "uploads": "What visitors may send",
    "models": "Models",
    "access": "Who comes in",
    "keeping": "What is kept",
}
Role = Literal["visitor", "reviewer", "operator"]


# Settings.


class ShowSettings(Request):
    """Options of ``settings``."""

    markdown: bool = option(False, "print the table of the docs, without values")


@verb("settings", ShowSettings)
def show_settings(caller: Caller, request: ShowSettings) -> Response:
    """Show the server's settings, their values and their meanings.

    Raises SettingsError naming each variable that is wrong or unknown.
    """
    from engine.operator_settings import list_settings, operator_settings

    if request.markdown:
        lines = list(markdown_lines())
        return Response({"markdown": "\n".join(lines)}, lines)
    found = operator_settings()
    return Response({"settings": [asdict(one) for one in list_settings(found)]}, _setting_lines(found))


def _setting_lines(found: OperatorSettings) -> Iterator[str]:
    from engine.operator_settings import list_settings

    group = ""
    for one in list_settings(found):
        if one.group != group:
            yield from ([""] if group else [])
            group = one.group
            yield HEADINGS[group]
        changed = f"   (default: {one.default})" if one.source == "environment" else ""
        yield f"  {one.variable} = {one.value}{changed}"
        yield f"      {one.meaning} [{one.unit}]"


def markdown_lines() -> Iterator[str]:
    """Yield the page of the docs."""
    from engine.operator_settings import OperatorSettings, list_settings

    yield "# Operator's settings"
    yield ""
    yield (
        "Environment variables of the server, the command line and its worker processes. "
        "`python -m engine settings` prints them with the values that hold; this page is made by "
        "`python -m engine settings --markdown`. A variable named `REDSTRING_...` that is not in this list, "
        "or a value that cannot be read, ends the program with a line that names it. "
        "On and off may be written yes and no, true and false, 1 and 0."
    )
    group = ""
    for one in list_settings(OperatorSettings.model_construct()):
        if one.group != group:
            group = one.group
            yield from ("", f"## {HEADINGS[group]}", "", "| variable | default | unit | meaning |")
            yield "|---|---|---|---|"
        yield f"| `{one.variable}` | {one.default} | {one.unit} | {one.meaning} |"


# Users.


class OneUser(Request):
    """Options of commands on one user."""

    name: str = argument(..., "name of the user", "NAME")


class AddUser(OneUser):
    """Options of ``users add``."""

    role: Role = option("visitor", "the user's role: visitor, reviewer or operator")
    password: Literal["", "-"] = option("", "- reads it from standard input; else it is asked for")


class ChangeRole(OneUser):
    """Options of ``users role``."""

    role: Role = argument(..., "visitor, reviewer or operator", "ROLE")


@verb("users add", AddUser, changes=True)
def add_user(caller: Caller, request: AddUser) -> Response:
    """Add a user, or give one a new password and role: sessions end.

    Raises InputError for an invalid name or password.
    """
    from engine.access.users import Role, Users, checked_user_name
    from engine.operator_settings import operator_settings

    users, name = Users(operator_settings().users_path), checked_user_name(request.name)
    users.put(name, Role(request.role), _read_password(request.password))
    caller.log_case("user added", f"{name} as {request.role}")
    return Response({"name": name, "role": request.role}, [f"{name}: {request.role}"])


@verb("users role", ChangeRole, changes=True)
def change_role(caller: Caller, request: ChangeRole) -> Response:
    """Give a user another role, at once. Raises InputError for an unknown user."""
    from engine.access.users import Role, Users, checked_user_name
    from engine.operator_settings import operator_settings

    users, name = Users(operator_settings().users_path), checked_user_name(request.name)
    users.change_role(name, Role(request.role))
    caller.log_case("role changed", f"{name} as {request.role}")
    return Response({"name": name, "role": request.role}, [f"{name}: {request.role}"])


@verb("users remove", OneUser, changes=True)
def remove_user(caller: Caller, request: OneUser) -> Response:
    """Remove a user and end their sessions. Raises InputError for an unknown one."""
    from engine.access.users import Users, checked_user_name
    from engine.operator_settings import operator_settings

    name = checked_user_name(request.name)
    Users(operator_settings().users_path).remove(name)
    caller.log_case("user removed", name)
    line = f"{name}: removed. What they made is still there: python -m engine forget --person {name}"
    return Response({"removed": name}, [line])


@verb("users list", Request)
def list_users(caller: Caller, request: Request) -> Response:
    """List names and roles."""
    from engine.access.users import Users
    from engine.operator_settings import operator_settings

    found = [(name, str(role)) for name, role in Users(operator_settings().users_path)]
    values = [{"name": name, "role": role} for name, role in found]
    return Response({"users": values}, (f"{name}\t{role}" for name, role in found))


def _read_password(source: str) -> str:
    if source == FROM_INPUT:
        return sys.stdin.readline().rstrip("\r\n")
    if not sys.stdin.isatty():
        raise InputError("there is no terminal to ask on; --password - reads it from standard input")
    first = getpass("Password: ")
    if getpass("Once more: ") != first:
        raise InputError("the two are not the same")
    return first


# Deletion of personal data.


class ForgetOptions(Request):
    """Options of ``forget``."""

    person: str | None = option(None, "a user: corpora, verdicts in them, reports, cases", "NAME")
    corpus: str | None = option(None, "a corpus made on the page, by folder or by name", "NAME")
    older_than: int | None = option(
        None, "own corpora of visitors not changed, and their cases not opened, for this time", "DAYS"
    )
    also_in: list[Path] = option(
        [],
        "with --person: take the name off the verdicts in this corpus, too (several times)",
        "DIR",
        many="append",
    )
    export: Path | None = option(
        None, "with --person: write the cases there first, FILE.zip or FILE.jsonl", "FILE"
    )
    dry_run: bool = option(False, "only show what would be deleted")

    def check(self) -> None:
        """Raise InputError for options that do not go together."""
        if sum(one is not None for one in (self.person, self.corpus, self.older_than)) != 1:
            raise InputError("name one of --person, --corpus and --older-than")
        if self.also_in and self.person is None:
            raise InputError("--also-in goes with --person")
        if self.export is not None and self.person is None:
            raise InputError("--export goes with --person")
        if self.older_than is not None and self.older_than < 0:
            raise InputError(f"--older-than: {self.older_than} is no number of days")


@verb("forget", ForgetOptions, changes=True)
def forget(caller: Caller, request: ForgetOptions) -> Response:
    """Delete what the server keeps of a person, or what is old. Raises InputError for unknown names."""
    from engine.access import audit_log
    from engine.operator_settings import operator_settings

    request.check()
    settings = operator_settings()
    lines: list[str] = []
    if request.person is not None and request.export is not None:
        lines += _export_cases(settings, request.person, request.export)
    if request.person is not None:
        found = _corpora_of_person(settings, request, lines)
    elif request.corpus is not None:
        found = audit_log.find_corpora(settings.home_folder, request.corpus)
    else:
        found = audit_log.older_than(settings.home_folder, request.older_than or 0)
    for one in found:
        day = datetime.fromtimestamp(one.changed, UTC).date().isoformat()
        lines.append(f"{'would delete' if request.dry_run else 'deleting'} {one.folder} (last changed {day})")
    if not request.dry_run:
        audit_log.delete(found)
    if request.person is not None:
        lines += _forget_in_log(settings, request, found)
    if not request.dry_run:
        for one in found:
            caller.log_case("forget", one.logged_as)
    cases = _forget_cases(caller, settings, request)
    lines += [f"{'would delete' if request.dry_run else 'deleted'} case {one}" for one in cases]
    if not cases and not found:
        lines.append("there is nothing to delete")
    values = {"corpora": [str(one.folder) for one in found], "cases": list(cases)}
    return Response({**values, "deleted": not request.dry_run}, lines)


def _export_cases(settings: OperatorSettings, person: str, path: Path) -> list[str]:
    """Write the cases of a person, before anything is deleted."""
    from engine.access.users import checked_user_name
    from engine.records import retention

    owners = retention.find_owners(settings, checked_user_name(person))
    return [f"{path}: {retention.export_cases(settings, owners, path):,} cases"]


def _forget_cases(caller: Caller, settings: OperatorSettings, request: ForgetOptions) -> Sequence[str]:
    """Delete the cases of a person, or old ones of visitors; returns their ids."""
    from engine.access.audit_log import audit_log
    from engine.access.users import checked_user_name
    from engine.records import retention

    if request.corpus is not None:
        return []
    with audit_log(settings, rotates=False):
        if request.person is not None:
            owners = retention.find_owners(settings, checked_user_name(request.person))
            if request.dry_run:
                return retention.case_ids(settings, owners)
            return retention.delete_owners(settings, owners, caller.person)
        days = request.older_than or 0
        if request.dry_run:
            return retention.idle_ids(settings, days)
        return retention.delete_idle(settings, days, caller.person)


def _corpora_of_person(
    settings: OperatorSettings, request: ForgetOptions, lines: list[str]
) -> list[CorpusFolder]:
    """Return the corpora of a person, and take the name off verdicts elsewhere."""
    from engine.access import audit_log
    from engine.access.users import REALMS, checked_user_name, key_of, server_secret, visitors_folder
    from engine.records import retention

    assert request.person is not None
    name, home = checked_user_name(request.person), settings.home_folder
    secret = server_secret(home)
    folders = [visitors_folder(home, key_of(name, realm, secret)) for realm in REALMS]
    shared = [one.folder for one in audit_log.list_corpora(home) if not one.owner]
    effect = "bear" if request.dry_run else "no longer bear"
    for corpus in (*shared, *request.also_in):
        count = audit_log.remove_reviewer(corpus, name, dry_run=request.dry_run)
        lines += [f"{corpus}: {count} verdicts {effect} the name"] if count else []
    count = retention.forget_reviewer(settings, name, dry_run=request.dry_run)
    lines += [f"reviews: {count} verdicts {effect} the name"] if count else []
    return [one for folder in folders if folder for one in audit_log.corpora_of_user(home, folder)]


def _forget_in_log(
    settings: OperatorSettings, request: ForgetOptions, found: list[CorpusFolder]
) -> list[str]:
    from engine.access.audit_log import forget_in_log
    from engine.access.users import checked_user_name

    assert request.person is not None
    folders, name = [one.folder for one in found], checked_user_name(request.person)
    count = forget_in_log(settings, name, folders, dry_run=request.dry_run)
    effect = "have" if request.dry_run else "no longer have"
    return [f"audit log: {count} lines {effect} the name"] if count else []
