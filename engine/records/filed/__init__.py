"""Saved cases: what stands in such a file, its schema, and how it is sealed, checked and taken in."""
