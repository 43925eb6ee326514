from __future__ import annotations

import pytest

from engine.errors import SettingsError
from engine.llm.connection import read_spec

HERE = "openai:m@http://127.0.0.1:1/v1"
# Options, or whole specs, that are refused, and what is told.
REFUSED = {
    "anthropic:m": "is named none or openai:",
    "openai:": "is named none or openai:",
    "openai:@http://a/v1": "has no name",
    "openai:a b": "has no name",
    "openai:m\n@http://a/v1": "has no name",
    "openai:m@ftp://a": "begins with http",
    "openai:m@http://a:99999/v1": "cannot be read",
    "openai:m@http://a@http://b": "holds no key",
    "openai:m@http://secretsecret@a/v1": "holds no key",
    "openai:m@//a/v1": "begins with http",
    "openai:m@http://:1/v1": "cannot be read",
    "openai:m@http://a:0/v1": "cannot be read",
    "openai:m@http://a:x/v1": "cannot be read",
    "openai:m@http://u:p@a/v1": "holds no key",
    "openai:m@http://a/v1#x": "no # part",
    f"{HERE}?kontext=1": "unknown option 'kontext'",
    f"{HERE}?sk-123=1": "unknown option of",
    f"{HERE}?context=255": "context of a language model is a whole number of at least 256",
    f"{HERE}?context=1e4": "context of a language model is a whole number",
    f"{HERE}?context=": "context of a language model is a whole number",
    f"{HERE}?concurrency=0": "concurrency of a language model is a whole number of at least 1",
    f"{HERE}?timeout=0.01": "timeout of a language model is a number of at least 0.05",
    f"{HERE}?timeout=nan": "timeout of a language model",
    f"{HERE}?thinking=-1": "thinking of a language model",
    f"{HERE}?marks=yes": "marks of a language model is 0 or 1",
    f"{HERE}?input=1": "give both input and output",
    f"{HERE}?cached=1": "give both input and output",
    f"{HERE}?input=1&output=inf": "output of a language model",
    f"{HERE}?input=1&output=1&currency=EURO": "code of three letters",
}


def test_what_is_wrong_is_told_without_a_value(subtests: pytest.Subtests) -> None:
    for text, told in REFUSED.items():
        with subtests.test(text):
            with pytest.raises(SettingsError) as raised:
                read_spec(text)
            assert told in str(raised.value)
            assert not any(one in str(raised.value) for one in ("sk-123", "secretsecret", "\n"))
    secret = "openai:m?S3cretKeyOfSomebody=1"
    with pytest.raises(SettingsError, match="A key is no option") as raised:
        read_spec(secret)
    assert "S3cret" not in str(raised.value)


def test_what_is_local_as_far_as_its_name_tells() -> None:
    local = [
        "localhost",
        "127.0.0.1",
        "10.1.2.3",
        "192.168.0.9",
        "[::1]",
        "ollama",
        "box.local",
        "a.internal",
        "x.localhost",
    ]
    away = ["api.openai.com", "8.8.8.8", "local.example", "internal.example.org", "[2606:4700::1]"]
    told = {name: read_spec(f"openai:m@http://{name}/v1").local for name in (*local, *away)}
    assert told == dict.fromkeys(local, True) | dict.fromkeys(away, False)
