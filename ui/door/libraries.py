"""Scripts of others that a page loads when it needs them, under names that tell nothing of this machine."""

from __future__ import annotations

from pathlib import Path

import plotly
import pyvis
from starlette.staticfiles import StaticFiles
from starlette.types import Receive, Scope, Send

PREFIX = "/libraries/"
VIS_NETWORK = Path(pyvis.__file__).resolve().parent / "lib" / "vis-9.1.2" / "vis-network.min.js"
PLOTLY = Path(plotly.__file__).resolve().parent / "package_data" / "plotly.min.js"
LIBRARIES = {"vis-network.js": VIS_NETWORK, "plotly.js": PLOTLY}


class LibraryRoute:
    """Gives these scripts by their names; the route's pattern lets no other name come so far."""

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer with a script, or that it has not changed."""
        path = LIBRARIES[scope["path"].removeprefix(PREFIX)]
        folder = StaticFiles(directory=path.parent, follow_symlink=True)
        response = await folder.get_response(path.name, scope)
        # The frame's policy names the very script of today: no browser may keep one of yesterday unasked.
        response.headers["cache-control"] = "no-cache"
        await response(scope, receive, send)
