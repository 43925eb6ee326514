"""Answers from the found passages: each sentence is bound to the exact words of a source."""
