"""Known vulnerabilities of what is pinned, as pip-audit finds them in PyPI's database or OSV's.

pip-audit finds nothing wrong with a release that its database does not hold. So each database is first asked
about one that everybody knows to be vulnerable, and is not believed where it does not know that. Where none
answers, that is said and is no failure; a vulnerability that nobody decided upon is one.
"""

from __future__ import annotations

import json
import subprocess
import tempfile
import time
import venv
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from benchmarks.supply_chain.requirements import decisions, pinned_versions, pins

TOOL = "pip-audit.txt"
DATABASES = {"PyPI": "pypi", "OSV": "osv"}
# Templates of this release could leave their sandbox; the database of every service has it.
KNOWN = {"jinja2": "2.10"}
KNOWN_AS = {"CVE-2019-10906", "PYSEC-2019-217", "GHSA-462w-v97r-4m45"}
INSTALL_SECONDS = 180.0
LOOK_UP_SECONDS = 60.0


class NoAnswerError(Exception):
    """A database, or what asks it, gave no answer; the message says why."""


@dataclass(frozen=True, slots=True)
class Finding:
    """A vulnerability of one package: its identifier, what others call it, and the versions that mend it."""

    package: str
    version: str
    identifier: str
    aliases: frozenset[str]
    mended_in: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Answer:
    """What a database says: vulnerabilities, and the packages that it does not hold."""

    findings: tuple[Finding, ...]
    unknown: tuple[str, ...]


def main() -> int:
    """Look everything up and say what came of it; 1 where something is vulnerable and not decided upon."""
    here = Path(__file__).parent
    pinned = {pin.key: pin.version for pin in pins(TOOL, here)} | pinned_versions()
    with tempfile.TemporaryDirectory() as folder:
        try:
            command = installed(Path(folder), here / TOOL)
        except NoAnswerError as error:
            return _skipped([str(error)])
        return looked_up(command, pinned, decisions("vulnerabilities"), LOOK_UP_SECONDS)


def looked_up(
    command: Sequence[str], pinned: Mapping[str, str], accepted: Mapping[str, str], seconds: float
) -> int:
    """Ask one database after the other, within ``seconds``; print the first whole answer."""
    until = time.monotonic() + seconds
    reasons = []
    for name, service in DATABASES.items():
        asking = [*command, "--vulnerability-service", service]
        try:
            known = ask(asking, KNOWN, until - time.monotonic())
            if not any(KNOWN_AS & {found.identifier, *found.aliases} for found in known.findings):
                raise NoAnswerError("does not know of jinja2 2.10, which is vulnerable")
            answer = ask(asking, pinned, until - time.monotonic())
        except NoAnswerError as error:
            reasons.append(f"{name}: {error}")
            continue
        return judged(name, len(pinned), answer, accepted)
    return _skipped(reasons)


def ask(command: Sequence[str], pinned: Mapping[str, str], seconds: float) -> Answer:
    """One run of pip-audit over exactly these versions. Raises NoAnswerError where it comes to no end."""
    with tempfile.NamedTemporaryFile("w", suffix=".txt", encoding="utf-8") as file:
        file.write("".join(f"{name}=={version}\n" for name, version in pinned.items()))
        file.flush()
        options = ["--no-deps", "--disable-pip", "--progress-spinner", "off", "--format", "json"]
        run = _run([*command, *options, "--requirement", file.name], seconds)
    try:
        rows = json.loads(run.stdout)["dependencies"]
        return Answer(
            tuple(
                Finding(
                    row["name"],
                    row["version"],
                    found["id"],
                    frozenset(found["aliases"]),
                    tuple(found["fix_versions"]),
                )
                for row in rows
                for found in row.get("vulns", ())
            ),
            tuple(row["name"] for row in rows if "skip_reason" in row),
        )
    except (ValueError, KeyError, TypeError) as error:
        raise NoAnswerError(_last_line(run.stderr) or f"answer of an unknown form: {error!r}") from error


def judged(database: str, asked: int, answer: Answer, accepted: Mapping[str, str]) -> int:
    """Print what was found and what of it is accepted; 1 where something is neither mended nor accepted."""
    unheld = len(answer.unknown)
    print(f"Known vulnerabilities: {asked - unheld} of {asked} packages looked up ({database})")
    if answer.unknown:
        print(f"  not in the database: {', '.join(answer.unknown)}")
    used: set[str] = set()
    waiting = 0
    for found in answer.findings:
        names = {found.identifier, *found.aliases} & accepted.keys()
        used |= names
        waiting += not names
        why = "; ".join(accepted[name] for name in sorted(names))
        mended = f"mended in {', '.join(found.mended_in)}" if found.mended_in else "not mended yet"
        names_of_it = ", ".join([found.identifier, *sorted(found.aliases)])
        state = f"accepted: {why}" if names else "NOT DECIDED UPON"
        print(f"  {found.package} {found.version}: {names_of_it}; {mended}; {state}")
    for name in sorted(accepted.keys() - used):
        print(f"  {name} is accepted and was not found: take it out of decisions.toml")
    if not answer.findings:
        print("  none found")
    return 1 if waiting else 0


def installed(folder: Path, requirements: Path) -> list[str]:
    """The command of pip-audit, in a new environment of its own."""
    venv.create(folder, with_pip=True)
    python = str(folder / "bin" / "python")
    install = _run([python, "-m", "pip", "install", "-q", "-r", str(requirements)], INSTALL_SECONDS)
    if install.returncode:
        raise NoAnswerError(f"pip-audit cannot be installed: {_last_line(install.stderr)}")
    return [python, "-m", "pip_audit", "--cache-dir", str(folder / "cache")]


def _run(command: Sequence[str], seconds: float) -> subprocess.CompletedProcess[str]:
    try:
        return subprocess.run(command, capture_output=True, text=True, timeout=max(seconds, 0.0), check=False)
    except subprocess.TimeoutExpired as error:
        raise NoAnswerError("no answer in time") from error


def _last_line(text: str) -> str:
    return (text.strip().splitlines() or [""])[-1]


def _skipped(reasons: Sequence[str]) -> int:
    print("Known vulnerabilities: SKIPPED, nothing was looked up", *reasons, sep="\n  ")
    return 0
