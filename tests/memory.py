"""Memory of a process, as the kernel reports it."""

from __future__ import annotations

from pathlib import Path


def peak_memory(pid: int | None = None) -> int:
    """Return the peak memory in bytes since the last call for a process; None is this process."""
    here = Path(f"/proc/{pid or 'self'}")
    found = int((here / "status").read_text().partition("VmHWM:")[2].split()[0]) << 10
    (here / "clear_refs").write_text("5")
    return found
