from __future__ import annotations

import pytest

from ui.locality import asked_locally


@pytest.mark.parametrize(
    ("headers", "client", "local"),
    [
        ({"host": "127.0.0.1:7860"}, "127.0.0.1", True),
        ({"host": "localhost:7860", "origin": "http://localhost:7860"}, "::1", True),
        ({"host": "[::1]:7860"}, "::ffff:127.0.0.1", True),
        ({"host": "localhost:7860"}, "192.168.1.7", False),
        ({"host": "page.example"}, "127.0.0.1", False),
        ({"host": "127.0.0.1.page.example"}, "127.0.0.1", False),
        ({"host": "localhost", "origin": "https://page.example"}, "127.0.0.1", False),
        ({"host": "localhost", "origin": "null"}, "127.0.0.1", False),
        ({"host": "localhost", "x-forwarded-for": "1.2.3.4"}, "127.0.0.1", False),
        ({"host": "localhost", "forwarded": "for=1.2.3.4"}, "127.0.0.1", False),
        ({}, "127.0.0.1", False),
    ],
)
def test_who_is_at_the_machine_itself(headers: dict[str, str], client: str, local: bool) -> None:
    assert asked_locally(headers, client) is local
