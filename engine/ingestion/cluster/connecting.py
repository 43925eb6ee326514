"""A connection to a Dask cluster that exists already; nothing of it is started or stopped here.

Dask's ``distributed`` is an optional extra, so it is loaded by its name once somebody asks for a cluster.
"""

from __future__ import annotations

import asyncio
import re
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from importlib import import_module
from typing import Any

from engine.errors import ClusterError, SettingsError

# Seconds after which an address at which nobody answers is told.
CONNECT = 10.0
_ADDRESS = re.compile(r"(?:tcp|tls|ws|wss)://(?:[\w.-]+|\[[0-9a-fA-F:.]+\]):\d{1,5}")
_INSTALL = "pip install 'redstring[cluster]', or the version of distributed that requirements-dev.txt names"


@dataclass(frozen=True, slots=True)
class Cluster:
    """Where blocks are made: the address of a Dask scheduler.

    ``blocks`` is a URL at which its workers put them and this machine takes them over; without one they are
    sent. ``margin``: seconds by the clock that a task may take beyond what its limits allow, for files to
    arrive and for a busy network.
    """

    address: str
    blocks: str | None = None
    margin: float = 30.0


def connected(address: str) -> Any:
    """A Dask client of a scheduler, to be closed. TLS is set up by Dask's own settings.

    Raises SettingsError for what is no address and where ``distributed`` is not installed, ClusterError where
    no scheduler answers within seconds or where it has no worker.
    """
    if not _ADDRESS.fullmatch(address):
        raise SettingsError(
            f"--cluster: no address of a scheduler: {address!r}; it looks like tcp://HOST:8786"
        )
    try:
        distributed: Any = import_module("distributed")
        settings: Any = import_module("dask").config
    except ModuleNotFoundError as error:
        raise SettingsError(f"--cluster needs Dask ({error.name} is not installed): {_INSTALL}") from error
    # Files and documents are the arguments of tasks, which Dask would warn of.
    settings.set({"distributed.admin.large-graph-warning-threshold": "1 TiB"})
    try:
        with ThreadPoolExecutor(1) as thread:
            thread.submit(asyncio.run, _greeted(address)).result()
        client = distributed.Client(address, timeout=CONNECT, set_as_default=False, name="redstring")
    # Whoever answers may be no scheduler, or speak another version of its protocol.
    except Exception as error:
        said = " ".join(str(error).split())[:200]
        raise ClusterError(
            f"no Dask scheduler answers at {address} ({type(error).__name__}: {said}); start one with"
            " `dask scheduler`, and see that its port can be reached from here"
        ) from error
    if not client.scheduler_info(n_workers=-1)["n_workers"]:
        client.close()
        raise ClusterError(
            f"the scheduler at {address} has no worker; start one with `dask worker {address}`"
        )
    return client


async def _greeted(address: str) -> None:
    """Somebody who speaks Dask's protocol is there: a client would wait for ever for whoever says nothing."""
    security: Any = import_module("distributed").Security()
    connect: Any = import_module("distributed.comm").connect
    options = security.get_connection_args("client")
    comm = await asyncio.wait_for(connect(address, timeout=CONNECT, **options), CONNECT)
    await comm.close()
