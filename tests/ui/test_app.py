from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

import app
from tests.ui.raw import API, Raw


def test_a_missing_corpus_ends_with_code_2_and_one_line(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert app.main(["--corpus", str(tmp_path / "nowhere")]) == 2
    said = capsys.readouterr().err.strip()
    assert said.startswith("redstring: ")
    assert "nowhere" in said
    assert "\n" not in said


def test_a_language_model_that_cannot_be_used_ends_with_code_2_before_anything_is_served(
    corpus_folder: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("REDSTRING_LLM_KEY", "OPENAI_API_KEY"):
        monkeypatch.delenv(name, raising=False)
    for spec in ("gpt-4o", "openai:", "openai:gpt-4o"):
        assert app.main(["--corpus", str(corpus_folder), "--llm", spec]) == 2
        said = capsys.readouterr().err.strip()
        assert said.startswith("redstring: ")
        assert "\n" not in said


# A program that has imported what a page needs, and nothing more: each server is a child of it.
STARTING = """
import json, os, sys, tempfile
import app, ui.page

LATER = {"openai", "torch", "transformers", "sentence_transformers", "sklearn", "pypdfium2"}

def start(environment, errors, arguments):
    os.environ.update(environment)
    tempfile.tempdir = None
    sys.stderr = open(errors, "w", buffering=1)
    try:
        return app.main(arguments)
    except SystemExit as ended:
        return ended.code
    finally:
        print(*sorted(LATER & sys.modules.keys()), flush=True)

for line in sys.stdin:
    child = os.fork()
    if child == 0:
        sys.exit(start(*json.loads(line)))
    print(child, flush=True)
    print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), flush=True)
"""
# What a server holds as long as it lives, and a server that is killed: all that the next one meets of it.
KILLED = """
import os, signal
from ui.serve import temporary_folder

with temporary_folder() as folder:
    (folder / "uploads").mkdir()
    (folder / "uploads" / "left").write_text("hello")
    os.kill(os.getpid(), signal.SIGKILL)
"""


@pytest.fixture(scope="module")
def starting() -> Iterator[subprocess.Popen[str]]:
    with subprocess.Popen(
        [sys.executable, "-c", STARTING], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as process:
        yield process
        process.kill()


@pytest.mark.parametrize("ending", [signal.SIGTERM, signal.SIGINT])
def test_a_signal_to_end_leaves_nothing_behind(
    corpus_folder: Path, tmp_path: Path, starting: subprocess.Popen[str], ending: signal.Signals
) -> None:
    """What a visitor has sent goes with the server; so does what one that was killed has left. And a page
    is served without loading models, readers or, where it has a language model, a client for one: nobody has
    asked for them yet."""
    assert starting.stdin is not None
    assert starting.stdout is not None
    temporary, errors = tmp_path / "temporary", tmp_path / "errors"
    temporary.mkdir()
    environment = {"TMPDIR": str(temporary), "REDSTRING_HOME": str(tmp_path / "home")}
    killed = subprocess.run([sys.executable, "-c", KILLED], env={**os.environ, **environment}, check=False)
    assert killed.returncode == -signal.SIGKILL
    (left,) = temporary.iterdir()
    arguments = ["--corpus", str(corpus_folder), "--port", "0", "--llm", "openai:m@http://127.0.0.1:9/v1"]
    starting.stdin.write(json.dumps([environment, str(errors), arguments]) + "\n")
    starting.stdin.flush()
    server = int(starting.stdout.readline())
    raw = Raw(starting.stdout.readline().split()[-1])
    form = b'--x\r\nContent-Disposition: form-data; name="files"; filename="a"\r\n\r\nhello\r\n--x--\r\n'
    kind = [("Content-Type", "multipart/form-data; boundary=x")]
    (key,) = json.loads(raw.ask("POST", f"{API}/upload", kind, form).body)
    (folder,) = temporary.iterdir()
    assert folder != left
    assert (folder / "uploads" / key).read_bytes() == b"hello"
    assert folder.stat().st_mode & 0o077 == 0
    os.kill(server, ending)
    assert starting.stdout.readline() == "\n", "what nobody has asked for yet was loaded"
    assert starting.stdout.readline() == "0\n", errors.read_text(encoding="utf-8")
    assert list(temporary.iterdir()) == []
    assert "Traceback" not in errors.read_text(encoding="utf-8")
