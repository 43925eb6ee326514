"""The route from which the file of an export is fetched: ``/gradio_api/case/ID/FORMAT``."""

from __future__ import annotations

import base64
from collections.abc import Callable
from functools import partial
from typing import Any

import gradio as gr
from anyio.to_thread import run_sync
from gradio.context import LocalContext
from starlette.requests import Request
from starlette.responses import Response
from starlette.types import Receive, Scope, Send

from ui.server.routes import refuse

NOT_STORED = {"cache-control": "no-store"}


class CaseFiles:
    """Serves exported files.

    ``export`` does the work of the tool of that name, see ``ToolServer.function``.
    """

    def __init__(self, export: Callable[[], Callable[..., dict[str, Any]]]) -> None:
        self._export = export

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Send the file of a case in a format; 404 if the caller does not own the case."""
        case, named = scope["path"].rstrip("/").rsplit("/", 2)[1:]
        request = gr.Request(Request(scope, receive))
        LocalContext.request.set(request)
        work = partial(self._export(), request, case=case, format=named, detail="full")
        try:
            found = await run_sync(work)
        except gr.Error as error:
            await refuse(scope, receive, send, 404, str(error.message))
            return
        text = found.get("text")
        data = base64.b64decode(found["base64"]) if text is None else text.encode()
        headers = {**NOT_STORED, "content-disposition": f'attachment; filename="{found["file"]}"'}
        await Response(data, 200, headers, found["media_type"])(scope, receive, send)
