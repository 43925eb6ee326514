"""A server of a machine's own over the harbour's corpus, and a client of its tools."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterator, Mapping
from typing import Any, TypeVar

import pytest

from engine.ingestion.build import build_corpus
from engine.operator_settings import OperatorSettings
from tests.engine.harbour import write_harbour
from tests.ui.served import inside_a_loop, served
from ui.models.connections import Connections
from ui.page import build_page
from ui.shelf import Library, open_library

Done = TypeVar("Done")


@pytest.fixture(scope="session")
def harbour_library(tmp_path_factory: pytest.TempPathFactory) -> Library:
    root = tmp_path_factory.mktemp("harbour")
    write_harbour(root / "sources", ontology=True)
    build_corpus([root / "sources"], root / "corpus", name="Harbour", embedding="none")
    return open_library([root / "corpus"], root / "home", OperatorSettings(home=root / "home"))


@pytest.fixture(scope="session")
def own_machine(harbour_library: Library, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    settings = harbour_library.settings
    page = inside_a_loop(lambda: build_page(harbour_library, connections=Connections(settings)))
    with served(page, settings, tmp_path_factory.mktemp("uploads")) as found:
        # What the first call loads is no test's to pay for.
        by_mcp(found, lambda session: session.list_tools())
        yield found


def by_mcp(
    address: str, work: Callable[[Any], Awaitable[Done]], headers: Mapping[str, str] | None = None
) -> Done:
    """What comes of some work with a session of the protocol's own client."""
    import httpx
    from mcp import ClientSession
    from mcp.client.streamable_http import streamable_http_client

    async def run() -> Done:
        async with (
            httpx.AsyncClient(headers=headers, timeout=60) as client,
            streamable_http_client(f"{address}gradio_api/mcp/", http_client=client) as (read, write, _),
            ClientSession(read, write) as session,
        ):
            await session.initialize()
            return await work(session)

    return asyncio.run(run())
