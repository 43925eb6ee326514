"""A page behind its door, as a visitor from elsewhere and as somebody at the machine reach it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from engine.operator_settings import OperatorSettings
from tests.ui.raw import Raw
from tests.ui.served import inside_a_loop, served
from ui.models.connections import Connections
from ui.page import build_page
from ui.shelf import Library, open_library


@pytest.fixture(scope="session")
def settings(tmp_path_factory: pytest.TempPathFactory) -> OperatorSettings:
    """A server that believes a proxy on this machine, so that a test can come from any address."""
    return OperatorSettings(
        trusted_proxies=("127.0.0.1",), hosts=("law.example",), origins=("https://portal.example",),
        shared=True, file_mb=1, upload_mb=2, unused_upload_mb=3, cases_a_minute=6,
        home=tmp_path_factory.mktemp("home"),
    )  # fmt: skip


@pytest.fixture(scope="session")
def uploads(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("uploads")


@pytest.fixture(scope="session")
def behind(corpus_folder: Path, settings: OperatorSettings) -> Library:
    return open_library([corpus_folder], settings.home, settings)


@pytest.fixture(scope="session")
def address(behind: Library, settings: OperatorSettings, uploads: Path) -> Iterator[str]:
    page = inside_a_loop(lambda: build_page(behind, connections=Connections(settings)))
    with served(page, settings, uploads) as found:
        yield found


@pytest.fixture
def raw(address: str) -> Raw:
    return Raw(address)
