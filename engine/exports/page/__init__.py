"""The case as one self-contained HTML page."""
