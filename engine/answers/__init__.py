"""Answers from what was found: each sentence bound to the exact words of a source."""
