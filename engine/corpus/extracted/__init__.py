"""Readings of language models and users' verdicts on them, stored next to a corpus's data, not in them."""
