"""Verdicts in the formats of other programs, out and in, a file a format."""
