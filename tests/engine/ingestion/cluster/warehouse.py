"""A file system of fsspec: ``warehouse://laws/a.txt`` is ``laws/a.txt`` below $WAREHOUSE. A worker has it by
``--preload``."""

from __future__ import annotations

import os
from typing import Any

import fsspec
from fsspec.implementations.local import LocalFileSystem


class Warehouse(LocalFileSystem):  # type: ignore[misc]
    """Files of a folder under another protocol."""

    protocol = "warehouse"

    @classmethod
    def _strip_protocol(cls, path: Any) -> str:
        text = str(path)
        if text.startswith("warehouse://"):
            text = f"{os.environ['WAREHOUSE']}/{text.removeprefix('warehouse://')}"
        return text.rstrip("/")

    def unstrip_protocol(self, name: str) -> str:
        return f"warehouse://{name.removeprefix(os.environ['WAREHOUSE']).lstrip('/')}"


fsspec.register_implementation("warehouse", Warehouse, clobber=True)
