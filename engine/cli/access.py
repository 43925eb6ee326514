"""The commands ``users`` and ``forget``: who may log in, and what is deleted."""

from __future__ import annotations

import argparse
import sys
from datetime import UTC, datetime
from getpass import getpass
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from engine.access.audit_log import Kept
    from engine.access.users import Person
    from engine.operator_settings import OperatorSettings

ROLES = ("visitor", "reviewer", "operator")
FROM_INPUT = "-"


def add_access_commands(commands: Any) -> None:
    """Describe the commands to the parser."""
    users = commands.add_parser("users", help="who may log in, where REDSTRING_ACCESS=login")
    users.set_defaults(command=change_users)
    what = users.add_subparsers(required=True, metavar="WHAT", dest="act")
    adding = what.add_parser("add", help="add a user, or give one a new password and role: sessions end")
    adding.add_argument("name", metavar="NAME")
    adding.add_argument("--role", choices=ROLES, default=ROLES[0])
    adding.add_argument(
        "--password", choices=(FROM_INPUT,), help="- reads it from standard input; else it is asked for"
    )
    role = what.add_parser("role", help="give a user another role; it holds at once")
    role.add_argument("name", metavar="NAME")
    role.add_argument("role", choices=ROLES)
    removing = what.add_parser("remove", help="remove a user and end their sessions")
    removing.add_argument("name", metavar="NAME")
    what.add_parser("list", help="names and roles")

    forget = commands.add_parser("forget", help="delete what the server keeps of a person, or what is old")
    which = forget.add_mutually_exclusive_group(required=True)
    which.add_argument("--person", metavar="NAME", help="a user: corpora, verdicts in them, reports, cases")
    which.add_argument("--corpus", metavar="NAME", help="a corpus made on the page, by folder or by name")
    which.add_argument(
        "--older-than",
        type=int,
        metavar="DAYS",
        help="own corpora of visitors not changed, and their cases not opened, for so long",
    )
    forget.add_argument(
        "--also-in", action="append", type=Path, default=[], metavar="DIR",
        help="with --person: take the name off the verdicts in this corpus, too (several times)",
    )  # fmt: skip
    forget.add_argument(
        "--export",
        type=Path,
        metavar="FILE",
        help="with --person: write the cases there first, FILE.zip or FILE.jsonl",
    )
    forget.add_argument("--dry-run", action="store_true", help="only say what would be deleted")
    forget.set_defaults(command=forget_command)


def change_users(options: argparse.Namespace) -> None:
    """Add a user, change their role, remove them, or list all, as ``options.act`` says.

    Raises InputError for a name or a password that cannot be one, and if there is no user of the name.
    """
    from engine.access.users import Role, Users, checked_user_name
    from engine.operator_settings import operator_settings

    settings = operator_settings()
    users = Users(settings.users_path)
    if options.act == "list":
        for listed, role in users:
            print(listed, role, sep="\t")
        return
    name = checked_user_name(options.name)
    if options.act == "remove":
        users.remove(name)
        _log(settings, "user removed", name)
        print(f"{name}: removed. What they made is still there: python -m engine forget --person {name}")
        return
    if options.act == "add":
        users.put(name, Role(options.role), _password(options.password))
    else:
        users.change_role(name, Role(options.role))
    _log(settings, "user added" if options.act == "add" else "role changed", f"{name} as {options.role}")
    print(f"{name}: {options.role}")


def forget_command(options: argparse.Namespace) -> None:
    """Delete, or say what would be. Raises InputError where nothing of the name is there."""
    from engine.access import audit_log
    from engine.errors import InputError
    from engine.operator_settings import operator_settings

    settings = operator_settings()
    home = settings.home_folder
    if options.also_in and options.person is None:
        raise InputError("--also-in goes with --person")
    if options.export is not None and options.person is None:
        raise InputError("--export goes with --person")
    if options.older_than is not None and options.older_than < 0:
        raise InputError(f"--older-than: {options.older_than} is no number of days")
    if options.export is not None:
        _hand_out(settings, options)
    if options.person is not None:
        found = _of_person(settings, options)
    elif options.corpus is not None:
        found = audit_log.named(home, options.corpus)
    else:
        found = audit_log.older_than(home, options.older_than)
    for one in found:
        day = datetime.fromtimestamp(one.changed, UTC).date().isoformat()
        print(f"{'would delete' if options.dry_run else 'deleting'} {one.folder} (last changed {day})")
    if not options.dry_run:
        audit_log.delete(found)
    if options.person is not None:
        _forget_in_log(settings, options, found)
    if not options.dry_run:
        _log(settings, "forget", *(one.logged_as for one in found))
    if not _forget_cases(settings, options) and not found:
        print("there is nothing to delete")


def _hand_out(settings: OperatorSettings, options: argparse.Namespace) -> None:
    """Write the cases of a person, before anything is deleted."""
    from engine.access.users import checked_user_name
    from engine.records import retention as of_people

    owners = of_people.find_owners(settings, checked_user_name(options.person))
    count = of_people.export_cases(settings, owners, options.export)
    print(f"{options.export}: {count:,} cases")


def _forget_cases(settings: OperatorSettings, options: argparse.Namespace) -> int:
    """Delete the cases of a person, or old ones of visitors, or say how many would be; returns how many."""
    if options.corpus is not None:
        return 0
    from engine.access.audit_log import audit_log
    from engine.access.users import checked_user_name
    from engine.records import retention as of_people

    with audit_log(settings, rotates=False):
        if options.person is not None:
            owners = of_people.find_owners(settings, checked_user_name(options.person))
            ids = of_people.case_ids(settings, owners)
            if not options.dry_run:
                ids = of_people.delete_owners(settings, owners, _sitting_here())
        elif options.dry_run:
            ids = of_people.idle_ids(settings, options.older_than)
        else:
            ids = of_people.delete_idle(settings, options.older_than, _sitting_here())
    for one in ids:
        print(f"{'would delete' if options.dry_run else 'deleted'} case {one}")
    return len(ids)


def _of_person(settings: OperatorSettings, options: argparse.Namespace) -> list[Kept]:
    from engine.access import audit_log
    from engine.access.users import REALMS, checked_user_name, key_of, server_secret, visitors_folder
    from engine.records import retention as of_people

    name, home = checked_user_name(options.person), settings.home_folder
    secret = server_secret(home)
    folders = [visitors_folder(home, key_of(name, realm, secret)) for realm in REALMS]
    everybodys = [one.folder for one in audit_log.kept(home) if not one.owner]
    for corpus in (*everybodys, *options.also_in):
        count = audit_log.take_out_reviewer(corpus, name, dry_run=options.dry_run)
        if count:
            print(f"{corpus}: {count} verdicts {'bear' if options.dry_run else 'no longer bear'} the name")
    count = of_people.forget_reviewer(settings, name, dry_run=options.dry_run)
    if count:
        print(f"reviews: {count} verdicts {'bear' if options.dry_run else 'no longer bear'} the name")
    return [one for folder in folders if folder for one in audit_log.of_person(home, folder)]


def _forget_in_log(settings: OperatorSettings, options: argparse.Namespace, found: list[Kept]) -> None:
    from engine.access.audit_log import forget_in_log
    from engine.access.users import checked_user_name

    folders, name = [one.folder for one in found], checked_user_name(options.person)
    count = forget_in_log(settings, name, folders, dry_run=options.dry_run)
    if count:
        print(f"audit log: {count} lines {'have' if options.dry_run else 'no longer have'} the name")


def _password(given: str | None) -> str:
    from engine.errors import InputError

    if given == FROM_INPUT:
        return sys.stdin.readline().rstrip("\r\n")
    if not sys.stdin.isatty():
        raise InputError("there is no terminal to ask on; --password - reads it from standard input")
    first = getpass("Password: ")
    if getpass("Once more: ") != first:
        raise InputError("the two are not the same")
    return first


def _log(settings: OperatorSettings, action: str, *objects: str) -> None:
    from engine.access.audit_log import audit_log, record

    # A second process only adds to the file that the server may put aside.
    with audit_log(settings, rotates=False):
        for what in objects:
            record(_sitting_here(), action, what, "done")


def _sitting_here() -> Person:
    """Whoever types, as the log calls them."""
    from engine.access.users import Person, Role

    return Person(role=Role.OPERATOR, name="(command line)")
