"""Attacks over HTTP, on the page as it is served."""
