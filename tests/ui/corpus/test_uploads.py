from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.errors import InputError
from engine.operator_settings import OperatorSettings
from tests.engine.test_bounded_yaml import ALIASES
from ui.server.reading import Uploaded, check_files, read_mapping, safe_name, stage


def upload(folder: Path, name: str, content: bytes = b"text") -> Uploaded:
    key = f"{len(list(folder.iterdir())):024}/0"
    (folder / key).parent.mkdir(parents=True)
    (folder / key).write_bytes(content)
    return Uploaded(key=key, name=name)


@given(st.text(max_size=400))
def test_no_name_leads_out_of_the_workspace(name: str) -> None:
    found = safe_name(name)
    assert not found.is_absolute()
    assert ".." not in found.parts
    assert all(0 < len(part.encode()) <= 130 and "/" not in part for part in found.parts)


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("laws/uu-6.pdf", "laws/uu-6.pdf"),
        ("../../etc/passwd", "etc/passwd"),
        ("/etc/passwd", "etc/passwd"),
        ("C:\\laws\\bgb.docx", "C_/laws/bgb.docx"),
        ("قانون الوكالة.pdf", "قانون الوكالة.pdf"),
        ("a\u202efdp.exe", "a_fdp.exe"),
        ("..", "unnamed"),
        ("", "unnamed"),
    ],
)
def test_names_keep_their_folders(name: str, expected: str) -> None:
    assert safe_name(name) == Path(expected)


def test_a_long_name_keeps_its_ending() -> None:
    assert safe_name("ä" * 300 + ".pdf").suffix == ".pdf"


def test_files_are_laid_out_as_they_lay_and_none_is_lost(tmp_path: Path) -> None:
    files = [
        upload(tmp_path, "laws/a.txt", b"one"),
        upload(tmp_path, "laws/a.txt", b"two"),
        upload(tmp_path, "laws", b"three"),
        upload(tmp_path, "b.txt", b"four"),
        upload(tmp_path, "b.txt/c.txt", b"five"),
    ]
    documents = tmp_path / "documents"
    stage(files, tmp_path, documents)
    found = {path.read_bytes() for path in documents.rglob("*") if path.is_file()}
    assert found == {b"one", b"two", b"three", b"four", b"five"}
    assert not any((tmp_path / file.key).exists() for file in files)


REQUEST = "x" * 24


@pytest.mark.parametrize(
    "key",
    [
        "SECRET", "../secret.txt", f"{REQUEST}/../../secret.txt", f"{REQUEST}/1", f"{'y' * 24}/0",
        f"{'z' * 24}/0", f"{'w' * 24}/0", "", ".", "/", f"/{REQUEST}/0", f"./{REQUEST}/0",
        f"{REQUEST}//0", f"{REQUEST}/0/",
        f"{REQUEST}/0\n", f"{REQUEST}/0\0", f"{REQUEST}/٠", f"{REQUEST}\\0", f"{REQUEST}", f"{'.' * 24}/0",
    ],
)  # fmt: skip
def test_a_file_of_the_server_is_no_upload(tmp_path: Path, key: str) -> None:
    uploads, secret = tmp_path / "uploads", tmp_path / "secret.txt"
    (uploads / REQUEST).mkdir(parents=True)
    (uploads / REQUEST / "0").write_text("sent", encoding="utf-8")
    secret.write_text("secret", encoding="utf-8")
    (uploads / REQUEST / "1").symlink_to(secret)
    (uploads / ("y" * 24)).symlink_to(tmp_path)
    (tmp_path / "0").write_text("secret", encoding="utf-8")
    (uploads / ("w" * 24) / "0").mkdir(parents=True)
    sent = Uploaded(key=key.replace("SECRET", str(secret))[:80], name="x")
    with pytest.raises(InputError, match="did not arrive"):
        check_files([sent], OperatorSettings(), uploads)
    with pytest.raises(InputError, match="did not arrive"):
        stage([sent], uploads, tmp_path / "documents")
    check_files([Uploaded(key=f"{REQUEST}/0", name="x")], OperatorSettings(), uploads)


def test_a_file_that_is_named_twice_comes_twice_and_one_that_is_gone_is_told(tmp_path: Path) -> None:
    file = upload(tmp_path, "a.txt")
    stage([file, file], tmp_path, tmp_path / "documents")
    assert sum(path.is_file() for path in (tmp_path / "documents").rglob("*")) == 2
    with pytest.raises(InputError, match=r"a\.txt: did not arrive"):
        stage([file], tmp_path, tmp_path / "more")


def test_what_stands_beside_documents_is_laid_beside_them(tmp_path: Path) -> None:
    files = [upload(tmp_path, "ontology.yaml"), upload(tmp_path, "law/ontology.yaml")]
    stage(files, tmp_path, tmp_path / "documents")
    found = sorted(str(path.parent.name) for path in (tmp_path / "documents").rglob("*.yaml"))
    assert found == ["beside the documents", "law"]


def test_limits_are_kept(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="no file yet"):
        check_files([], OperatorSettings(), tmp_path)
    with pytest.raises(InputError, match="switched off"):
        check_files([upload(tmp_path, "a")], OperatorSettings(uploads=False), tmp_path)
    with pytest.raises(InputError, match="too many"):
        check_files([upload(tmp_path, "a"), upload(tmp_path, "b")], OperatorSettings(files=1), tmp_path)
    with pytest.raises(InputError, match=r"a: 1\.1 MB; at most 1\.0 MB a file"):
        check_files([upload(tmp_path, "a", b"x" * 1_100_000)], OperatorSettings(file_mb=1), tmp_path)
    half = b"x" * 600_000
    with pytest.raises(InputError, match="at a time"):
        check_files(
            [upload(tmp_path, "a", half), upload(tmp_path, "b", half)],
            OperatorSettings(upload_mb=1),
            tmp_path,
        )


def test_a_mapping_is_yaml_or_json() -> None:
    assert read_mapping("passage:\n  text: body\n") == {"passage": {"text": "body"}}
    assert read_mapping('{"passage": {"text": "body"}}') == {"passage": {"text": "body"}}
    assert read_mapping("  ") is None


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("a: [", "not readable"),
        ("- a\n- b", "must be fields"),
        ("text: body", "text: no such field; known: records"),
        ("a: 2020-13-45", "not readable"),
        ("a: !!timestamp soon", "not readable"),
        ("[" * 50_000, "nested"),
        (ALIASES, "expand to more than"),
        ("!!python/object:os.system x", "not readable"),
    ],
)
def test_what_is_no_mapping_is_said(text: str, said: str) -> None:
    with pytest.raises(InputError, match=said):
        read_mapping(text)
