"""Connect to a Dask cluster that is already running. ``distributed`` is an optional extra: import it late."""

from __future__ import annotations

import asyncio
import re
from concurrent.futures import ThreadPoolExecutor
from importlib import import_module
from typing import Any

from engine.errors import ClusterError, SettingsError

# Seconds to wait for a scheduler to answer.
CONNECT = 10.0
_ADDRESS = re.compile(r"(?:tcp|tls|ws|wss)://(?:[\w.-]+|\[[0-9a-fA-F:.]+\]):\d{1,5}")
_INSTALL = "pip install 'redstring[cluster]', or the version of distributed that requirements-dev.txt names"


def connect(address: str) -> Any:
    """Return a Dask client of a scheduler; Dask's own settings configure TLS.

    Raises SettingsError for an invalid address or a missing ``distributed``, ClusterError if no scheduler
    answers in time or if it has no worker.
    """
    if not _ADDRESS.fullmatch(address):
        raise SettingsError(
            f"--cluster: no address of a scheduler: {address!r}; it looks like tcp://HOST:8786"
        )
    try:
        distributed: Any = import_module("distributed")
        # Dask would warn of the files and documents in the arguments of tasks.
        import_module("dask").config.set({"distributed.admin.large-graph-warning-threshold": "1 TiB"})
    except ModuleNotFoundError as error:
        raise SettingsError(f"--cluster needs Dask ({error.name} is not installed): {_INSTALL}") from error
    try:
        with ThreadPoolExecutor(1) as thread:
            thread.submit(asyncio.run, _shake_hands(address, distributed)).result()
        client = distributed.Client(address, timeout=CONNECT, set_as_default=False, name="redstring")
    # A server of another kind or version can cause any error.
    except Exception as error:
        message = f"{type(error).__name__}: {' '.join(str(error).split())[:200]}"
        advice = "start one with `dask scheduler`, and check that its port can be reached from here"
        raise ClusterError(f"no Dask scheduler answers at {address} ({message}); {advice}") from error
    if not client.nthreads():
        client.close()
        raise ClusterError(
            f"the scheduler at {address} has no worker; start one with `dask worker {address}`"
        )
    return client


async def _shake_hands(address: str, distributed: Any) -> None:
    """Connect once: a client would wait forever for a server that does not answer."""
    options = distributed.Security().get_connection_args("client")
    comm = await asyncio.wait_for(import_module("distributed.comm").connect(address, **options), CONNECT)
    await comm.close()
