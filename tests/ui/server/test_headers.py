from __future__ import annotations

import re

import pytest

from tests.ui.raw import API, Raw
from ui.server.headers import content_policy, inline_scripts, script_hash


def policy(headers: dict[str, str]) -> dict[str, str]:
    parts = (part.strip().partition(" ") for part in headers["content-security-policy"].split(";"))
    return {name: value for name, _, value in parts}


def test_every_response_has_its_security_headers(raw: Raw) -> None:
    answers = [
        raw.ask("GET", "/"),
        raw.ask("GET", "/config"),
        raw.ask("GET", "/nothing"),
        raw.ask("GET", "/", host="evil.example"),
        raw.ask("POST", "/"),
        raw.post(f"{API}/component_server/", b"broken"),
        raw.ask("GET", "/static/img/logo.svg"),
    ]
    assert [answer.status for answer in answers] == [200, 200, 404, 421, 405, 400, 200]
    for answer in answers:
        assert answer.headers["x-content-type-options"] == "nosniff"
        assert answer.headers["referrer-policy"] == "same-origin"
        assert answer.headers["cross-origin-resource-policy"] == "same-origin"
        assert answer.headers["cross-origin-opener-policy"] == "same-origin"
        assert answer.headers["x-frame-options"] == "DENY"
        assert "camera=()" in answer.headers["permissions-policy"]
        assert "server" not in answer.headers
        given = policy(answer.headers)
        assert given["default-src"] == "'none'"
        assert given["frame-ancestors"] == "'none'"
        assert given["object-src"] == "'none'"
        assert given["form-action"] == "'self'"
        assert "unsafe-inline" not in given["script-src"]
        assert not re.search(r"https?:|\*", answer.headers["content-security-policy"])


def test_each_page_has_a_nonce_of_its_own_on_each_of_its_scripts(raw: Raw) -> None:
    nonces = set()
    for _ in range(3):
        answer = raw.ask("GET", "/")
        (nonce,) = re.findall(r"'nonce-([\w-]{20,})'", answer.headers["content-security-policy"])
        scripts = re.findall(rb"<script[^>]*>", answer.body)
        assert scripts
        assert all(f'nonce="{nonce}"'.encode() in script for script in scripts)
        assert int(answer.headers["content-length"]) == len(answer.body)
        assert answer.headers["cache-control"] == "no-store"
        nonces.add(nonce)
    assert len(nonces) == 3
    packed = raw.ask("GET", "/", [("Accept-Encoding", "br, gzip")])
    assert packed.headers["content-encoding"] == "gzip"
    assert len(packed.body) < len(answer.body) / 2


def test_the_board_is_in_a_sandbox(raw: Raw) -> None:
    frames = re.findall(r"<iframe ([^>]*)>", raw.ask("GET", "/config").body.decode().replace('\\"', '"'))
    assert frames
    assert all('sandbox="allow-scripts"' in frame for frame in frames)


def test_what_is_named_may_frame_the_page() -> None:
    given = content_policy("", (), ("https://huggingface.co", "https://who-law.hf.space"))
    assert "frame-ancestors https://huggingface.co https://who-law.hf.space" in given


@pytest.mark.parametrize(
    "text", ["let a = 1;\r\nlet b = 2;", "let a = 1;\rlet b = 2;", "let a = 1;\nlet b = 2;"]
)
def test_a_script_is_hashed_as_a_browser_reads_it(text: str) -> None:
    # printf 'let a = 1;\nlet b = 2;' | openssl dgst -sha256 -binary | base64
    assert script_hash(text) == "'sha256-7T56iJ/lIGhILv8h0hc4LmVl5j4NIE9vy2D+6wjlyDM='"


def test_inline_scripts_are_found() -> None:
    assert inline_scripts(
        "<script>a</script><p><SCRIPT type='module'>b\n</SCRIPT><script src='x'></script>"
    ) == [
        "a",
        "b\n",
    ]
