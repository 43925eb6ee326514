"""The wheel: all that ships is in it, and it works where no clone is."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
import sysconfig
import urllib.request
import venv
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from email.message import Message
from email.parser import Parser
from pathlib import Path

import pytest
from packaging.requirements import Requirement

from benchmarks.supply_chain.requirements import SHIPPED, normalised, pins
from engine import __version__
from engine.operator_settings import PREFIX
from tests.conftest import ROOT
from ui.templating import ASSETS
from ui.theme import STYLES, page_scripts

FOLDERS = {"engine": "engine", "ui": "ui", "assets": "ui/assets", "sample_data": "ui/sample_data"}
BESIDE = ("redstring.py", "pyproject.toml", "setup.py", "MANIFEST.in", "requirements.txt")
TOLD = ("README.md", "LICENSE", "NOTICE", "CHANGELOG.md")
# Shown in the README, not on the page.
LEFT_OUT = {"assets/screenshots"}
QUESTION = "Can a manager with limited authority grant an agent broader powers?"
START_SECONDS = 120


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The wheel of a copy: what another build has left in the clone is not in it."""
    copy, made = tmp_path_factory.mktemp("copy"), tmp_path_factory.mktemp("wheel")
    for name in FOLDERS:
        shutil.copytree(ROOT / name, copy / name, ignore=shutil.ignore_patterns("__pycache__"))
    for name in (*BESIDE, *TOLD):
        shutil.copyfile(ROOT / name, copy / name)
    command = [sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps", "--no-build-isolation"]
    subprocess.run([*command, "--wheel-dir", str(made), str(copy)], check=True)
    (found,) = made.iterdir()
    return found


@dataclass(frozen=True)
class Installed:
    """An environment that the wheel is installed in, and a folder of its own that commands are run in."""

    packages: Path
    scripts: Path
    folder: Path

    @property
    def environment(self) -> dict[str, str]:
        """Variables that lead neither to the clone nor to what a server on this machine has."""
        kept = {name: value for name, value in os.environ.items() if not name.startswith((PREFIX, "PYTHON"))}
        return {**kept, "HOME": str(self.folder), "XDG_DATA_HOME": str(self.folder / "data")}

    def run(self, program: str, *arguments: str) -> str:
        """What a program of the environment prints."""
        done = subprocess.run(
            [str(self.scripts / program), *arguments],
            cwd=self.folder, env=self.environment, capture_output=True, text=True, check=False,
        )  # fmt: skip
        assert done.returncode == 0, done.stderr
        return done.stdout

    @contextmanager
    def served(self) -> Iterator[str]:
        """The address of the page, served as a person does."""
        command = [str(self.scripts / "redstring"), "serve", "--port", "0"]
        with (self.folder / "log").open("w") as log:
            process = subprocess.Popen(
                command, cwd=self.folder, env=self.environment, stdout=subprocess.PIPE, stderr=log, text=True
            )
        with process:
            try:
                assert process.stdout is not None
                line = process.stdout.readline()
                assert line.startswith("Redstring: http"), (self.folder / "log").read_text()
                yield line.split()[1]
            finally:
                process.terminate()


@pytest.fixture(scope="module")
def installed(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Installed:
    """The libraries are those of this environment: only the wheel itself is installed."""
    base = tmp_path_factory.mktemp("installed")
    venv.create(base / "environment", with_pip=False, symlinks=True)
    paths = {"base": str(base / "environment"), "platbase": str(base / "environment")}
    packages = Path(sysconfig.get_path("purelib", "venv", paths))
    scripts = Path(sysconfig.get_path("scripts", "venv", paths))
    pip = [sys.executable, "-m", "pip", "--python", str(scripts / "python"), "install", "--quiet"]
    subprocess.run([*pip, "--no-deps", "--no-index", "--no-compile", str(wheel)], check=True)
    # Searched last.
    here = [path for path in sys.path if Path(path).name in ("site-packages", "dist-packages")]
    (packages / "libraries.pth").write_text("\n".join(here))
    folder = base / "elsewhere"
    folder.mkdir()
    return Installed(packages, scripts, folder)


def shipping() -> set[str]:
    """Where each file of the clone's folders stands in the wheel."""
    return {
        f"{inside}/{path.relative_to(ROOT / folder).as_posix()}"
        for folder, inside in FOLDERS.items()
        for path in (ROOT / folder).rglob("*")
        if path.is_file() and "__pycache__" not in path.parts
        if path.relative_to(ROOT).parent.as_posix() not in LEFT_OUT
    }


def metadata(wheel: Path) -> Message:
    """What the wheel says of itself."""
    with zipfile.ZipFile(wheel) as archive:
        (name,) = [name for name in archive.namelist() if name.endswith(".dist-info/METADATA")]
        return Parser().parsestr(archive.read(name).decode())


def test_every_file_ships_and_nothing_else(wheel: Path) -> None:
    with zipfile.ZipFile(wheel) as archive:
        names = {name for name in archive.namelist() if ".dist-info/" not in name}
        licences = {name.rpartition("/")[2] for name in archive.namelist() if ".dist-info/licenses/" in name}
    assert names == shipping() | {"redstring.py"}
    assert {"engine/py.typed", "ui/py.typed", "ui/assets/redstring.css"} <= names
    assert licences == {"LICENSE", "NOTICE"}


def test_it_names_its_version_and_what_it_depends_on(wheel: Path) -> None:
    """All that the code imports, from the version that was tested on; of torch no other, so that an index of
    CPU builds is not passed over for a newer one with CUDA."""
    told = metadata(wheel)
    assert told["Version"] == __version__
    needs = [Requirement(line) for line in told.get_all("Requires-Dist", [])]
    always = {normalised(need.name): need for need in needs if need.marker is None}
    tested = {pin.key: pin for pin in pins(SHIPPED) if not pin.brought}
    assert always.keys() == tested.keys()
    for name, need in always.items():
        assert need.specifier.contains(tested[name].version), need
        assert sorted(need.extras) == re.findall(r"\w+", tested[name].extras)
    assert str(always["torch"].specifier) == f"=={tested['torch'].version}"
    assert str(always["numpy"].specifier) == f"<3,>={tested['numpy'].version}"
    for version in ("3.11", "3.12", "3.13"):
        assert f"Programming Language :: Python :: {version}" in told.get_all("Classifier", [])


def test_it_comes_from_the_installation(installed: Installed) -> None:
    program = "import engine, redstring, ui; print(engine.__file__, redstring.__file__, ui.__file__)"
    where = installed.run("python", "-c", program).split()
    assert all(Path(path).is_relative_to(installed.packages) for path in where)
    assert installed.run("redstring", "--version") == f"redstring {__version__}\n"
    listed = installed.run("redstring", "--help")
    assert listed.startswith("usage: redstring ")
    assert "  serve " in listed
    assert installed.run("redstring", "serve", "--help").startswith("usage: redstring serve ")


def test_a_case_is_investigated(installed: Installed) -> None:
    (corpus,) = (installed.packages / "ui" / "sample_data" / "built").iterdir()
    case = json.loads(
        installed.run(
            *("redstring", "investigate", QUESTION, "--corpus", str(corpus)),
            *("--preset", "quick", "--matter", "m", "--json"),
        )
    )
    assert case["evidence"]["status"] == "found"
    assert "commercial-agency-code/art-14/para-2" in [one["id"] for one in case["passages"][:5]]
    # What is kept lies with the user's data, not among the packages.
    assert (installed.folder / "data" / "redstring" / "cases.sqlite").is_file()
    assert QUESTION in installed.run("redstring", "cases", "list")
    assert not (installed.packages / ".redstring").exists()


def test_the_python_api_has_the_sample(installed: Installed) -> None:
    case = "redstring.investigate(redstring.open_sample(), 'What is a power?')"
    program = f"import redstring; print({case}.evidence.status)"
    assert installed.run("python", "-c", program) == "found\n"


def test_the_page_opens(installed: Installed) -> None:
    with installed.served() as address:
        with urllib.request.urlopen(address, timeout=START_SECONDS) as answer:
            assert answer.status == 200
            assert "Republic of Meridia" in answer.read().decode()
        with urllib.request.urlopen(f"{address}/config", timeout=START_SECONDS) as answer:
            config = json.load(answer)
    assert all(script in config["head"] for script in page_scripts())
    assert all((ASSETS / name).read_text(encoding="utf-8") in config["css"] for name in STYLES)


def test_what_reads_the_files_of_visitors_starts_confined(installed: Installed) -> None:
    """It may read this program and its libraries, not where the server was started."""
    (installed.folder / "secret").write_text("of others")
    program = """
import subprocess, sys
from pathlib import Path
from engine.isolation.confining import python_policy
from engine.isolation.confining import entering, layers_here

tried = "import sys, numpy, lxml.etree, ui.corpus.worker; print('started'); print(open(sys.argv[1]).read())"
command, environment = entering(python_policy(), {}, sys.executable, "-P", "-c", tried, sys.argv[1])
done = subprocess.run(command, env=environment, capture_output=True, text=True)
print("files by Landlock" in layers_here(), "started" in done.stdout, "of others" in done.stdout, done.stderr)
"""
    told = installed.run("python", "-c", program, str(installed.folder / "secret"))
    confined, started, read = told.split()[:3]
    assert started == "True", told
    assert (confined, read) in {("True", "False"), ("False", "True")}, told
