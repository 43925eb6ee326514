"""Scripts of others that a page loads when it needs them, under names that tell nothing of this machine."""

from __future__ import annotations

import gzip
from functools import cache
from pathlib import Path

import plotly
import pyvis
from starlette.concurrency import run_in_threadpool
from starlette.datastructures import Headers
from starlette.responses import Response
from starlette.staticfiles import StaticFiles
from starlette.types import Receive, Scope, Send

PREFIX = "/libraries/"
VIS_NETWORK = Path(pyvis.__file__).resolve().parent / "lib" / "vis-9.1.2" / "vis-network.min.js"
PLOTLY = Path(plotly.__file__).resolve().parent / "package_data" / "plotly.min.js"
LIBRARIES = {"vis-network.js": VIS_NETWORK, "plotly.js": PLOTLY}
# What stays true of an answer that is packed.
PACKED_KEEPS = {"content-type", "last-modified", "cache-control", "vary"}


class LibraryRoute:
    """Gives these scripts by their names; the route's pattern lets no other name come so far."""

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer with a script, or that it has not changed."""
        path = LIBRARIES[scope["path"].removeprefix(PREFIX)]
        folder = StaticFiles(directory=path.parent, follow_symlink=True)
        response = await folder.get_response(path.name, scope)
        # The frame's policy names the very script of today: no browser may keep one of yesterday unasked.
        response.headers["cache-control"] = "no-cache"
        response.headers["vary"] = "Accept-Encoding"
        if response.status_code == 200 and "gzip" in Headers(scope=scope).get("accept-encoding", ""):
            response = await _in_gzip(path, response)
        await response(scope, receive, send)


async def _in_gzip(path: Path, plain: Response) -> Response:
    """The same answer, packed: a quarter of the bytes."""
    told = {name: value for name, value in plain.headers.items() if name in PACKED_KEEPS}
    told |= {"etag": f"W/{plain.headers['etag']}", "content-encoding": "gzip"}
    return Response(await run_in_threadpool(_packed, path), headers=told)


@cache
def _packed(path: Path) -> bytes:
    return gzip.compress(path.read_bytes(), mtime=0)
