"""How much a visitor may have checked: the command line has no limit but those of the audit itself."""

from __future__ import annotations

# Audits of all visitors at the same time, those that wait for their turn, and the longest of one, s.
RUNNING, WAITING, LONGEST = 3, 12, 900.0
# Finished audits are kept this long, s, so that a page that comes back still finds them.
REMEMBERED = 1800.0
# What the language model of one audit may use, where it is somebody else's.
MOST_CALLS = 200
