"""An array that is kept in a file while it is made, so that it need not fit into memory."""

from __future__ import annotations

import mmap
import os
from pathlib import Path
from tempfile import TemporaryFile

import numpy as np
from numpy.typing import NDArray

from engine.errors import system_error


class Room:
    """Zeros of shape (rows, columns), float32, in a file without a name in ``folder``.

    Whoever has worked on a part calls ``release``: what was written stays, and takes no memory of this
    process until it is looked at again. Raises ResourceError where the disk has not as much room, CorpusError
    where nothing can be written.
    """

    def __init__(self, folder: Path, rows: int, columns: int) -> None:
        size = 4 * rows * columns
        try:
            with TemporaryFile(dir=folder) as file:
                # A disk that is full is told now, and not by the end of the process when a page is written.
                os.posix_fallocate(file.fileno(), 0, size)
                self._mapped = mmap.mmap(file.fileno(), size)
        except OSError as error:
            raise system_error(f"write vectors in {folder}", error) from error
        self.array: NDArray[np.float32] = np.frombuffer(self._mapped, np.float32).reshape(rows, columns)

    def release(self) -> None:
        """Let go of the memory."""
        self._mapped.madvise(mmap.MADV_DONTNEED)
