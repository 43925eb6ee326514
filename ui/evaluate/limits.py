"""How much a visitor may have measured: the page is for a look, the command line for whole sets."""

from __future__ import annotations

MOST_QUESTIONS = 100
# An ablation asks every question some fifteen times.
MOST_ABLATED = 25
START_QUESTIONS = 20
# Evaluations of all visitors at the same time, those that wait for their turn, and the longest of one, s.
RUNNING, WAITING, LONGEST = 2, 8, 1800.0
# Finished evaluations are kept this long, s, so that a page that comes back still finds them.
REMEMBERED = 1800.0
